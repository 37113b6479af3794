//! Who owns a workspace: one process at a time, by the operating system's
//! lock on `workspace.lock`.
//!
//! The lock itself is the truth and dies with its process, however that ends.
//! What is written in the file only says where the owner listens, so stale
//! content after a kill is harmless. On Windows a locked file cannot be read
//! by others; there nobody can find the owner's socket, and there is none.

use crate::fault;
use domain::{Fault, Mark};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// No owner has this epoch, so it is always answered by a `Resync`.
pub(crate) const LONG_AGO: Mark = Mark { epoch: 0, n: 0 };

/// What the owner says about itself, as one line of JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// Counts the owners the workspace has had.
    pub epoch: u64,
    pub pid: u32,
    /// Where it listens; absent where it cannot.
    pub socket: Option<PathBuf>,
}

/// Ownership, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
    epoch: u64,
}

pub(crate) enum Claim {
    Taken(Lock),
    /// Another process, or another handle in this one, has it.
    Held,
}

impl Lock {
    /// Tries to become the owner, and says so at once if somebody else is.
    pub(crate) fn claim(data: &Path) -> Result<Claim, Fault> {
        make_folder(data).map_err(|error| fault::folder(data, &error))?;
        let path = file_in(data);
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| fault::folder(data, &error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Ok(Claim::Held),
            Err(TryLockError::Error(error)) => return Err(fault::folder(data, &error)),
        }
        let epoch = next_epoch(&mut file).map_err(|error| fault::folder(data, &error))?;
        let mut lock = Lock { file, epoch };
        // The number is used up now, even if this owner never gets to listen.
        lock.announce(None).map_err(|error| fault::folder(data, &error))?;
        Ok(Claim::Taken(lock))
    }

    pub(crate) fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Writes down where the owner can be reached.
    pub(crate) fn announce(&mut self, socket: Option<&Path>) -> io::Result<()> {
        let owner = Owner {
            epoch: self.epoch,
            pid: std::process::id(),
            socket: socket.map(Path::to_owned),
        };
        let mut line = serde_json::to_vec(&owner)?;
        line.push(b'\n');
        // Written over what stands, in one call and shortened afterwards: a
        // reader takes the first line and so never finds the file empty.
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&line)?;
        self.file.set_len(line.len() as u64)
    }
}

/// What the last owner wrote, if it can be read.
pub(crate) fn read(data: &Path) -> Option<Owner> {
    parse(&std::fs::read(file_in(data)).ok()?)
}

fn file_in(data: &Path) -> PathBuf {
    data.join("workspace.lock")
}

fn parse(content: &[u8]) -> Option<Owner> {
    let line = content.split(|byte| *byte == b'\n').next()?;
    serde_json::from_slice(line).ok()
}

/// One more than the last owner's. Where that cannot be read any more, the
/// file's age stands in, which is far above any count, so that the number
/// still grows.
fn next_epoch(file: &mut File) -> io::Result<u64> {
    let mut content = Vec::new();
    file.read_to_end(&mut content)?;
    if content.is_empty() {
        return Ok(1);
    }
    if let Some(last) = parse(&content) {
        return Ok(last.epoch + 1);
    }
    let changed = file.metadata()?.modified()?;
    Ok(changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs().max(1))
}

/// Conversations are nobody else's business, so a workspace begins in a private
/// folder, also in one that was there; what its owner allows later stands.
fn make_folder(data: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
        builder.mode(0o700);
        if !file_in(data).exists()
            && let Ok(found) = std::fs::metadata(data).map(|found| found.permissions().mode())
            && found & 0o077 != 0
        {
            let private = std::fs::Permissions::from_mode(found & 0o700);
            // Somebody else's folder is theirs to open or close.
            if let Err(error) = std::fs::set_permissions(data, private) {
                tracing::warn!(%error, "others may read this workspace's folder");
            }
        }
    }
    builder.create(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn claim(data: &Path) -> Lock {
        match Lock::claim(data).unwrap() {
            Claim::Taken(lock) => lock,
            Claim::Held => panic!("somebody else has the lock"),
        }
    }

    // Seen in tembo/agent-studio#215, coleam00/Archon#1216.
    #[test]
    fn only_one_handle_owns_a_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let first = claim(folder.path());
        assert!(matches!(Lock::claim(folder.path()).unwrap(), Claim::Held));
        drop(first);
        claim(folder.path());
    }

    #[test]
    fn each_owner_has_a_higher_epoch() {
        let folder = tempfile::tempdir().unwrap();
        let epochs: Vec<u64> = (0..3).map(|_| claim(folder.path()).epoch()).collect();
        assert_eq!(epochs, [1, 2, 3]);
    }

    #[test]
    fn a_damaged_lock_file_still_makes_the_epoch_grow() {
        let folder = tempfile::tempdir().unwrap();
        let before = claim(folder.path()).epoch();
        std::fs::write(folder.path().join("workspace.lock"), b"\0\0{\"epo").unwrap();
        assert!(claim(folder.path()).epoch() > before);
        assert!(claim(folder.path()).epoch() > before + 1);
    }

    #[test]
    fn the_file_says_where_the_owner_listens() {
        let folder = tempfile::tempdir().unwrap();
        let mut lock = claim(folder.path());
        let long = folder.path().join("a-longer-name-than-before.sock");
        lock.announce(Some(&long)).unwrap();
        lock.announce(Some(Path::new("/s"))).unwrap();
        let owner = Owner { epoch: 1, pid: std::process::id(), socket: Some("/s".into()) };
        assert_eq!(read(folder.path()), Some(owner));
    }

    #[test]
    fn a_new_folder_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("a/b");
        claim(&data);
        assert_eq!(std::fs::metadata(&data).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn a_folder_that_was_there_becomes_private_once() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let allow = |mode| {
            std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(mode)).unwrap();
        };
        let allowed = || std::fs::metadata(folder.path()).unwrap().permissions().mode() & 0o777;
        allow(0o755);
        drop(claim(folder.path()));
        assert_eq!(allowed(), 0o700);
        allow(0o750);
        drop(claim(folder.path()));
        assert_eq!(allowed(), 0o750);
    }

    #[test]
    fn a_file_in_the_place_of_the_folder_is_a_clear_fault() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        std::fs::write(&data, "").unwrap();
        let fault = Lock::claim(&data).err().unwrap();
        assert_eq!(fault.code, domain::FaultCode::Storage);
        assert_eq!(fault.message, format!("{} is not a folder", data.display()));
    }
}
