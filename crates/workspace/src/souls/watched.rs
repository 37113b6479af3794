//! The folders that are watched, and which of the files in them count.

use super::files::is_soul_file;
use super::name::Named;
use crate::sources::is_beside;
use notify::RecursiveMode;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    Souls,
    /// One SKILL.md in each folder.
    Skills,
    /// Whatever is in it and in its folders.
    Folder,
}

const SKILL: &str = "SKILL.md";

impl Watched {
    pub(super) fn depth(self) -> RecursiveMode {
        match self {
            Watched::Souls => RecursiveMode::NonRecursive,
            Watched::Skills | Watched::Folder => RecursiveMode::Recursive,
        }
    }

    /// Whether what is in a file is read.
    pub(super) fn counts(self, path: &Path) -> bool {
        match self {
            Watched::Souls => is_soul_file(path),
            Watched::Skills => path.file_name().is_some_and(|name| name == SKILL),
            Watched::Folder => !is_beside(path),
        }
    }

    /// Whether it is worth a look that something happened to this path. What editors keep
    /// beside a file comes and goes while they write, and would have every save wait for
    /// its quiet.
    pub(super) fn means(self, path: &Path, folder: &Path) -> bool {
        match self {
            Watched::Souls => {
                path.file_name().is_some_and(|file| !matches!(Named::read(file), Named::Nothing))
            }
            // A whole skill comes and goes as a folder.
            Watched::Skills => self.counts(path) || path.parent() == Some(folder),
            Watched::Folder => {
                let inside = path.strip_prefix(folder).unwrap_or(path);
                inside
                    .ancestors()
                    .filter(|part| part.file_name().is_some())
                    .all(|part| !is_beside(part))
            }
        }
    }

    /// How often to look, and to try watching again, while watching is impossible.
    pub(super) fn tick(self) -> Duration {
        match self {
            Watched::Souls | Watched::Skills => Duration::from_millis(250),
            // It may hold thousands of files.
            Watched::Folder => Duration::from_secs(5),
        }
    }

    /// The files that count; `None` where the folder cannot be listed, or is not ours to
    /// look through all the time.
    pub(super) fn files(self, folder: &Path) -> Option<Vec<PathBuf>> {
        if self == Watched::Folder {
            return None;
        }
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        Some(match self {
            Watched::Souls => entries.filter(|path| self.counts(path)).collect(),
            Watched::Skills | Watched::Folder => entries.map(|path| path.join(SKILL)).collect(),
        })
    }
}
