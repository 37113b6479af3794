//! The folders that are watched, and which of the files in them count.

use super::files::is_soul_file;
use super::name::Named;
use notify::RecursiveMode;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    Souls,
    /// One SKILL.md in each folder.
    Skills,
}

const SKILL: &str = "SKILL.md";

impl Watched {
    pub(super) fn depth(self) -> RecursiveMode {
        match self {
            Watched::Souls => RecursiveMode::NonRecursive,
            Watched::Skills => RecursiveMode::Recursive,
        }
    }

    /// Whether what is in a file is read.
    pub(super) fn counts(self, path: &Path) -> bool {
        match self {
            Watched::Souls => is_soul_file(path),
            Watched::Skills => path.file_name().is_some_and(|name| name == SKILL),
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
        }
    }

    /// The files that count; `None` where the folder cannot be listed.
    pub(super) fn files(self, folder: &Path) -> Option<Vec<PathBuf>> {
        let entries = fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        Some(match self {
            Watched::Souls => entries.filter(|path| self.counts(path)).collect(),
            Watched::Skills => entries.map(|path| path.join(SKILL)).collect(),
        })
    }
}
