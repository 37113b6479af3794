//! A person's files of another workspace: each comes where nothing of its name is.

use super::chosen::Chosen;
use super::elsewhere::unplaced;
use super::{Report, count};
use domain::{Fault, TakenKind};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Where there is one agent's to each name in it.
const OF_AGENTS: &str = "folders";
const IN: [&str; 4] = ["skills", "prompts", "templates/groups", OF_AGENTS];

#[derive(Default)]
pub(super) struct Files {
    /// From the data directory on, with slashes: a file, or a folder with all in it.
    pub come: Vec<String>,
    here: u32,
    left_out: u32,
}

impl Files {
    /// Blocks.
    pub(super) fn of(from: &Path, data: &Path, chosen: &Chosen) -> Result<Files, Fault> {
        let mut files = Files::default();
        for folder in IN {
            for name in names(&from.join(folder))? {
                let path = format!("{folder}/{name}");
                let is_nobodys = folder == OF_AGENTS && !chosen.has_agent(&name);
                if fs::symlink_metadata(data.join(&path)).is_ok() {
                    files.here += 1;
                } else if is_nobodys {
                    files.left_out += 1;
                } else {
                    files.come.push(path);
                }
            }
        }
        Ok(files)
    }

    pub(super) fn tell(&self, report: &mut Report) {
        let Files { come, here, left_out } = self;
        let new = count(come.len());
        if new + here + left_out > 0 {
            let told = report.of(TakenKind::File);
            (told.new, told.here, told.left_out) = (new, *here, *left_out);
        }
    }

    /// Each is one rename, so that it is there whole or not at all. Blocks.
    pub(super) fn place(&self, from: &Path, data: &Path) -> Result<(), Fault> {
        for path in &self.come {
            let to = data.join(path);
            let parent = to.parent().map_or(Ok(()), fs::create_dir_all);
            let placed = parent.and_then(|()| fs::rename(from.join(path), &to));
            placed.map_err(|error| unplaced(&to, &error))?;
        }
        Ok(())
    }
}

/// The same each time, whatever the system names first.
fn names(folder: &Path) -> Result<Vec<String>, Fault> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unplaced(folder, &error)),
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<String> = names.collect();
    names.sort();
    Ok(names)
}
