//! Which files an import reads: the one that a person names, or of a folder those in which
//! other programs keep what their agents remember and what was said.
//!
//! A folder is looked through by names alone. What is passed over is told, with what takes
//! it in where something does.

use domain::{LeftOut, LeftOutWhy, PlaceInFile};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// More files and folders are not looked at.
const MOST: usize = 2_000;
const DEEPEST: usize = 4;

/// What is in a folder, in the order of its paths.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Files {
    /// From the folder on.
    pub read: Vec<PathBuf>,
    pub left_out: Vec<LeftOut>,
}

/// What a file is by its name and its place.
enum Is {
    Memories,
    /// Something that comes in otherwise, or nothing that does.
    Other(LeftOutWhy),
}

/// Fails where the folder cannot be read; what cannot be read in it is passed over.
pub(super) fn in_folder(folder: &Path) -> io::Result<Files> {
    let mut files = Files::default();
    let mut open = vec![(PathBuf::new(), fs::read_dir(folder)?)];
    let mut seen = 0;
    while let Some((inside, entries)) = open.pop() {
        for entry in entries.flatten() {
            seen += 1;
            if seen > MOST {
                files.leave_out(&PathBuf::from("…"), LeftOutWhy::TooManyFiles);
                return Ok(files.in_order());
            }
            let path = inside.join(entry.file_name());
            // What is hidden is no person's notes, and links lead elsewhere.
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            let Some(kind) = entry.file_type().ok().filter(|_| !is_hidden) else { continue };
            if kind.is_dir() {
                let depth = path.components().count();
                let below = (depth <= DEEPEST).then(|| fs::read_dir(entry.path()).ok()).flatten();
                match below {
                    Some(below) => open.push((path, below)),
                    None => files.leave_out(&path, LeftOutWhy::FolderTooDeep),
                }
            } else if kind.is_file() {
                match is(&path) {
                    Is::Memories => files.read.push(path),
                    Is::Other(why) => files.leave_out(&path, why),
                }
            }
        }
    }
    Ok(files.in_order())
}

impl Files {
    pub(super) fn leave_out(&mut self, path: &Path, why: LeftOutWhy) {
        let place = PlaceInFile { file: Some(path.display().to_string()), part: None };
        self.left_out.push(LeftOut { place, why });
    }

    /// The same each time, whatever the system names first.
    fn in_order(mut self) -> Files {
        self.read.sort();
        self.left_out.sort_by(|one, other| one.place.file.cmp(&other.place.file));
        self
    }
}

fn is(path: &Path) -> Is {
    let lower = |part: Option<&std::ffi::OsStr>| {
        part.map(|part| part.to_string_lossy().to_lowercase()).unwrap_or_default()
    };
    let name = lower(path.file_name());
    let beside = lower(path.parent().and_then(Path::file_name));
    let is_markdown = name.ends_with(".md");
    match name.as_str() {
        "conversations.json" | "memory.md" | "user.md" => Is::Memories,
        _ if is_markdown && matches!(beside.as_str(), "memory" | "memories") => Is::Memories,
        "soul.md" | "identity.md" | "agents.md" => Is::Other(LeftOutWhy::OfSoul),
        "skill.md" => Is::Other(LeftOutWhy::OfSkill),
        _ => Is::Other(LeftOutWhy::OtherFile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_folder_what_agents_remember_is_read_and_the_rest_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let left = [
            "MEMORY.md",
            "USER.md",
            "SOUL.md",
            "TOOLS.md",
            "memory/2026-02-03.md",
            "memories/notes.txt",
            "skills/tea/SKILL.md",
            "export/conversations.json",
            ".git/memory/a.md",
            "a/b/c/d/memory/deep.md",
        ];
        for path in left {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "tea").unwrap();
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("/etc", folder.path().join("memory/elsewhere")).unwrap();

        let files = in_folder(folder.path()).unwrap();
        let read = ["MEMORY.md", "USER.md", "export/conversations.json", "memory/2026-02-03.md"];
        assert_eq!(files.read, read.map(PathBuf::from));
        let places: Vec<String> = files.left_out.iter().map(|one| one.place.to_string()).collect();
        let others = ["SOUL.md", "TOOLS.md", "a/b/c/d/memory", "memories/notes.txt"];
        assert_eq!(places, [&others[..], &["skills/tea/SKILL.md"]].concat());
    }

    #[test]
    fn a_folder_of_very_many_files_is_looked_at_in_part_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..=MOST {
            fs::write(folder.path().join(format!("{n}.txt")), "").unwrap();
        }
        let files = in_folder(folder.path()).unwrap();
        assert_eq!(files.left_out.len(), MOST + 1);
        assert!(files.left_out.iter().any(|one| one.place.to_string() == "…"));
    }
}
