//! Which folder this is, so that a copy of it is told from the folder itself.
//!
//! A folder that is moved keeps its inode and the moment at which it was made; one that
//! is copied, or put back out of a copy, gets others. Where the system says neither,
//! nothing is known, and nobody takes it for a copy.

use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::path::Path;
use std::time::UNIX_EPOCH;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Folder {
    pub(crate) path: String,
    inode: Option<u64>,
    /// In nanoseconds of unix time.
    made_ns: Option<u64>,
}

/// What the folder is that a list was kept in, seen from the one that it is in now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kin {
    /// The same, perhaps under another path.
    Same,
    /// Another: this one is a copy of it, or was put in its place.
    Another,
}

impl Folder {
    /// `None` where there is no such folder, or nothing is said of it.
    pub(crate) fn at(path: &Path) -> Option<Folder> {
        let path = fs::canonicalize(path).ok()?;
        let about = fs::metadata(&path).ok()?;
        let (inode, made_ns) = (inode(&about), made_ns(&about));
        let path = path.to_string_lossy().into_owned();
        (inode.is_some() || made_ns.is_some()).then_some(Folder { path, inode, made_ns })
    }

    /// What `before` is for this one.
    pub(crate) fn kin(&self, before: &Folder) -> Kin {
        // A snapshot of a file system is like its original in everything but its place.
        let twin = || {
            let there = Folder::at(Path::new(&before.path));
            there.is_some_and(|there| there.is_like(before) && !is_one_place(self, &there))
        };
        if !self.is_like(before) || (self.path != before.path && twin()) {
            return Kin::Another;
        }
        Kin::Same
    }

    fn is_like(&self, other: &Folder) -> bool {
        self.inode == other.inode && self.made_ns == other.made_ns
    }
}

/// Whether two paths lead to one folder, as where it is mounted twice.
#[cfg(unix)]
fn is_one_place(one: &Folder, other: &Folder) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |folder: &Folder| fs::metadata(&folder.path).map(|it| (it.dev(), it.ino())).ok();
    place(one) == place(other)
}

#[cfg(not(unix))]
fn is_one_place(one: &Folder, other: &Folder) -> bool {
    one.path == other.path
}

#[cfg(unix)]
fn inode(about: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::ino(about))
}

#[cfg(not(unix))]
fn inode(_: &Metadata) -> Option<u64> {
    None
}

fn made_ns(about: &Metadata) -> Option<u64> {
    let made = about.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    u64::try_from(made.as_nanos()).ok()
}
