//! The folders of skills as they lie on the disk. Everything here blocks.
//!
//! No link is followed: what is read of a skill lies in its folder.

use super::parse::{MOST_BYTES, text_of};
use super::{FILE, FILE_IN_SMALL};
use crate::souls::place::Place;
use domain::{SkillFile, SoulMistake, SoulProblem};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// What is on its way in or out.
pub(super) const TEMPORARY: &str = ".tmp-skill-";

/// How many files of a skill are listed, and how deep they lie.
const MOST_FILES: usize = 500;
const DEEPEST: usize = 8;

/// What lies in the folder of skills, by name: each SKILL.md's text, or what keeps it from
/// being read.
pub(super) type Found = BTreeMap<String, Result<String, Vec<SoulProblem>>>;

/// A missing folder is an empty one; one that cannot be listed is an error, so that nobody
/// takes it for empty.
pub(super) fn read(folder: &Path) -> io::Result<Found> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::new()),
        entries => entries?,
    };
    let mut found = Found::new();
    for entry in entries {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type()?;
        // What a person keeps beside them, such as a README, is no skill.
        if name.starts_with('.') || kind.is_file() {
            continue;
        }
        found.insert(name, read_one(&entry.path()));
    }
    Ok(found)
}

/// The text of the SKILL.md in a folder.
pub(super) fn read_one(folder: &Path) -> Result<String, Vec<SoulProblem>> {
    let problem = |mistake| Err(vec![Place::START.problem(mistake)]);
    let unreadable = |error: io::Error| SoulMistake::Unreadable { detail: error.to_string() };
    match fs::symlink_metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => return problem(SoulMistake::SkillLink),
        Ok(_) => {}
        Err(error) => return problem(unreadable(error)),
    }
    let file = file_in(folder);
    match fs::symlink_metadata(&file) {
        Ok(metadata) if !metadata.is_file() => return problem(SoulMistake::SkillLink),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return problem(SoulMistake::SkillNoFile);
        }
        Err(error) => return problem(unreadable(error)),
    }
    let mut bytes = Vec::new();
    let read =
        File::open(&file).and_then(|file| file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => text_of(&bytes).map(str::to_owned).map_err(|problem| vec![problem]),
        Err(error) => problem(unreadable(error)),
    }
}

/// Where a skill's text is, or would be.
pub(super) fn file_in(folder: &Path) -> PathBuf {
    let is_there = |name: &str| fs::symlink_metadata(folder.join(name)).is_ok();
    let name = if !is_there(FILE) && is_there(FILE_IN_SMALL) { FILE_IN_SMALL } else { FILE };
    folder.join(name)
}

/// What else lies in a skill's folder, in order. What is hidden is left out.
pub(crate) fn files(folder: &Path) -> Vec<SkillFile> {
    let mut files = Vec::new();
    list(folder, "", DEEPEST, &mut files);
    let own = file_in(folder);
    files.retain(|file| folder.join(&file.path) != own);
    files.sort_by(|one, other| one.path.cmp(&other.path));
    files.truncate(MOST_FILES);
    files
}

fn list(folder: &Path, before: &str, deeper: usize, files: &mut Vec<SkillFile>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{before}{name}");
        if name.starts_with('.') || files.len() > MOST_FILES {
            continue;
        }
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && deeper > 0 => {
                list(&entry.path(), &format!("{path}/"), deeper - 1, files);
            }
            Ok(kind) if kind.is_file() => {
                let bytes = entry.metadata().map_or(0, |metadata| metadata.len());
                files.push(SkillFile { path, bytes });
            }
            Ok(_) | Err(_) => {}
        }
    }
}
