//! A person's files of another workspace: each comes where nothing of its name is.

use super::chosen::Chosen;
use super::elsewhere::unplaced;
use super::report::Report;
use domain::{Fault, StaysOutWhy, TakenKind};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// Where there is one agent's to each name in it.
const OF_AGENTS: &str = "folders";
const IN: [&str; 4] = ["skills", "prompts", "templates/groups", OF_AGENTS];

#[derive(Default)]
pub(super) struct Files {
    /// From the data directory on, with slashes: a file, or a folder with all in it.
    pub come: Vec<String>,
}

impl Files {
    /// Blocks.
    pub(super) fn of(
        from: &Path,
        data: &Path,
        chosen: &Chosen,
        report: &mut Report,
    ) -> Result<Files, Fault> {
        let mut files = Files::default();
        for folder in IN {
            for name in names(&from.join(folder))? {
                let path = format!("{folder}/{name}");
                let is_nobodys = folder == OF_AGENTS && !chosen.has_agent(&name);
                let (there, here) = (from.join(&path), data.join(&path));
                let what = TakenKind::File;
                if fs::symlink_metadata(&here).is_ok() {
                    match is_in(&there, &here).map_err(|error| unplaced(&here, &error))? {
                        true => report.is_here(what, 1),
                        false => report.leaves_out(what, StaysOutWhy::NameTaken, 1, Some(&path)),
                    }
                } else if is_nobodys {
                    report.leaves_out(what, StaysOutWhy::OfNobody, 1, Some(&path));
                } else {
                    report.comes(what, 1);
                    files.come.push(path);
                }
            }
        }
        Ok(files)
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

/// Whether the file, or each in the folder, is there with the same bytes. What else is there
/// does not matter.
fn is_in(one: &Path, other: &Path) -> io::Result<bool> {
    let (kind, others) = (fs::metadata(one)?, fs::metadata(other));
    let Ok(others) = others else { return Ok(false) };
    if !kind.is_dir() {
        let same_length = others.is_file() && others.len() == kind.len();
        return Ok(same_length && fs::read(one)? == fs::read(other)?);
    }
    for entry in fs::read_dir(one)? {
        let name = entry?.file_name();
        if !is_in(&one.join(&name), &other.join(&name))? {
            return Ok(false);
        }
    }
    Ok(others.is_dir())
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
