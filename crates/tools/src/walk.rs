//! Going through all that lies in a folder, in the order of the names.
//!
//! No link is followed. What a project says to ignore (`.gitignore`, `.ignore`)
//! and what is hidden is left out unless it is asked for; `.git` and what the agent
//! never sees always are.

use crate::Place;
use crate::roots::Folder;
use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, FileType};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Which of the files count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    /// Neither hidden nor ignored.
    Usual,
    All,
}

pub(crate) struct Entry<'a> {
    /// From where the walk began.
    pub(crate) path: &'a Path,
    pub(crate) kind: FileType,
    /// The folder that it lies in.
    pub(crate) folder: &'a Dir,
    pub(crate) name: &'a Path,
}

/// How a walk ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Walked {
    All,
    /// Whoever looks has seen enough.
    Enough,
    /// There were more entries than anybody waits for.
    TooMany,
    Stopped,
}

pub(crate) struct Walk<'a> {
    which: Which,
    place: &'a Place,
    /// Where it began.
    from: PathBuf,
    /// Folders below the first.
    depth: usize,
    stop: &'a CancellationToken,
    left: usize,
}

const MOST_ENTRIES: usize = 200_000;
const MOST_DEPTH: usize = 64;
const MOST_RULES_BYTES: u64 = 1 << 20;
const RULES: [&str; 2] = [".gitignore", ".ignore"];

impl<'a> Walk<'a> {
    pub(crate) fn new(which: Which, place: &'a Place, stop: &'a CancellationToken) -> Self {
        let from = PathBuf::new();
        Walk { which, place, from, depth: MOST_DEPTH, stop, left: MOST_ENTRIES }
    }

    pub(crate) fn no_deeper_than(self, depth: usize) -> Self {
        Walk { depth, ..self }
    }

    /// Shows every entry; what cannot be opened is passed over.
    pub(crate) fn through(
        mut self,
        folder: &Folder,
        see: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> io::Result<Walked> {
        self.from.clone_from(&folder.path);
        let ended = self.folder(&folder.dir, Path::new(""), 0, &mut Vec::new(), see)?;
        Ok(match ended {
            ControlFlow::Continue(()) => Walked::All,
            ControlFlow::Break(why) => why,
        })
    }

    fn folder(
        &mut self,
        dir: &Dir,
        path: &Path,
        depth: usize,
        rules: &mut Vec<Rules>,
        see: &mut dyn FnMut(&Entry<'_>) -> ControlFlow<()>,
    ) -> io::Result<ControlFlow<Walked>> {
        let mut entries = Vec::new();
        for entry in dir.entries()? {
            if self.stop.is_cancelled() {
                return Ok(ControlFlow::Break(Walked::Stopped));
            }
            let Some(left) = self.left.checked_sub(1) else {
                return Ok(ControlFlow::Break(Walked::TooMany));
            };
            self.left = left;
            let Ok(entry) = entry else { continue };
            let Ok(kind) = entry.file_type() else { continue };
            entries.push((PathBuf::from(entry.file_name()), kind));
        }
        entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        let before = rules.len();
        if self.which == Which::Usual {
            rules.extend(Rules::of(dir, path));
        }
        for (name, kind) in entries {
            let path = path.join(&name);
            if self.passes_over(&name, &path, kind, rules) {
                continue;
            }
            if see(&Entry { path: &path, kind, folder: dir, name: &name }).is_break() {
                return Ok(ControlFlow::Break(Walked::Enough));
            }
            if !kind.is_dir() || depth >= self.depth {
                continue;
            }
            let Ok(below) = dir.open_dir_nofollow(&name) else { continue };
            // One that cannot be read hides no other.
            match self.folder(&below, &path, depth + 1, rules, see) {
                Ok(ControlFlow::Break(why)) => return Ok(ControlFlow::Break(why)),
                Ok(ControlFlow::Continue(())) | Err(_) => {}
            }
        }
        rules.truncate(before);
        Ok(ControlFlow::Continue(()))
    }

    fn passes_over(&self, name: &Path, path: &Path, kind: FileType, rules: &[Rules]) -> bool {
        let name = name.to_string_lossy();
        if name == ".git" || self.place.never_sees(&self.from.join(path)) {
            return true;
        }
        if self.which == Which::All {
            return false;
        }
        if name.starts_with('.') {
            return true;
        }
        // What stands nearer has the last word.
        let said = rules.iter().rev().map(|rules| rules.said(path, kind.is_dir()));
        said.flatten().next().unwrap_or(false)
    }
}

/// What a folder says to ignore in it.
struct Rules {
    folder: PathBuf,
    rules: Gitignore,
}

impl Rules {
    fn of(dir: &Dir, path: &Path) -> Option<Rules> {
        let mut builder = GitignoreBuilder::new("");
        let mut any = false;
        for name in RULES {
            // No link is followed out of the folders, here as elsewhere.
            let Ok(file) = dir.open(name) else { continue };
            let mut text = String::new();
            if file.take(MOST_RULES_BYTES).read_to_string(&mut text).is_err() {
                continue;
            }
            for line in text.lines() {
                // A line that is no rule is none.
                any |= builder.add_line(None, line).is_ok();
            }
        }
        let rules = any.then(|| builder.build().ok()).flatten()?;
        Some(Rules { folder: path.to_owned(), rules })
    }

    fn said(&self, path: &Path, is_dir: bool) -> Option<bool> {
        let inside = path.strip_prefix(&self.folder).ok()?;
        let said = self.rules.matched(inside, is_dir);
        if said.is_none() { None } else { Some(said.is_ignore()) }
    }
}
