//! What stands where the database is to be, before SQLite is let at it: of a
//! folder or a pipe it would only say that it cannot be opened.

use crate::{StoreError, log};
use domain::NoFile;
use std::fs::{FileType, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing is there: a new database can be made.
    Free,
    /// A file that can be read and written.
    Taken,
}

pub(crate) fn look(path: &Path) -> Result<Place, StoreError> {
    let found = match std::fs::metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            keep_log(path, "it is gone")?;
            return Ok(Place::Free);
        }
        Err(error) => return Err(unusable(path, &error)),
    };
    if !found.is_file() {
        return Err(StoreError::NoFile {
            path: path.to_owned(),
            found: kind_of(found.file_type()),
        });
    }
    if found.len() == 0 {
        keep_log(path, "it is empty")?;
        never_used(path)?;
    } else {
        log::look(path)?;
    }
    match OpenOptions::new().read(true).write(true).open(path) {
        Ok(_) => Ok(Place::Taken),
        // SQLite opens what can only be read, and says so when it is to write.
        Err(error) if error.kind() == ErrorKind::ReadOnlyFilesystem => Ok(Place::Taken),
        Err(error) => Err(unusable(path, &error)),
    }
}

/// The newest that was committed stands in the log beside the database. SQLite
/// would take a log without its database for a leftover and erase it; a new
/// database is never without its first page when its log begins.
fn keep_log(path: &Path, what: &str) -> Result<(), StoreError> {
    let log = log::of(path);
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        let detail = format!("{what}, and what was written last is in {} beside it", log.display());
        return Err(StoreError::Corrupt { path: path.to_owned(), detail });
    }
    Ok(())
}

/// What a workspace has only once its database was made.
const SIGNS: [&str; 5] = ["backups", "souls", "attachments", "profile.md", "secrets.json"];

/// A start that is killed at once leaves a file without tables, and nothing
/// beside it but the lock. Such a file among the things of a workspace had some.
pub(crate) fn never_used(path: &Path) -> Result<(), StoreError> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let is_there = |name: &&&str| {
        let at = folder.join(name);
        at.is_file() || std::fs::read_dir(at).is_ok_and(|mut inside| inside.next().is_some())
    };
    match SIGNS.iter().find(is_there) {
        None => Ok(()),
        Some(sign) => {
            Err(StoreError::Emptied { path: path.to_owned(), beside: (*sign).to_owned() })
        }
    }
}

fn unusable(path: &Path, error: &io::Error) -> StoreError {
    let path = path.to_owned();
    match error.kind() {
        ErrorKind::PermissionDenied => StoreError::Forbidden { path },
        _ => StoreError::Unopenable { path, detail: error.to_string() },
    }
}

fn kind_of(found: FileType) -> NoFile {
    if found.is_dir() {
        return NoFile::Folder;
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if found.is_fifo() {
            return NoFile::Pipe;
        }
        if found.is_socket() {
            return NoFile::Socket;
        }
        if found.is_char_device() || found.is_block_device() {
            return NoFile::Device;
        }
    }
    NoFile::Other
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Fault, FaultCode, FaultKind};
    use tempfile::TempDir;

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_named_and_left_alone() {
        use std::os::unix::net::UnixListener;
        let folder = TempDir::new().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("folder.db")).unwrap();
        let _socket = UnixListener::bind(at("socket.db")).unwrap();
        let made = std::process::Command::new("mkfifo").arg(at("pipe.db")).status().unwrap();
        assert!(made.success());
        std::os::unix::fs::symlink("/dev/null", at("device.db")).unwrap();
        for (name, found, words) in [
            ("folder.db", NoFile::Folder, "a folder"),
            ("pipe.db", NoFile::Pipe, "a pipe"),
            ("socket.db", NoFile::Socket, "a socket"),
            ("device.db", NoFile::Device, "a device"),
        ] {
            let error = crate::Store::open(&at(name), |_| {}).err().expect("it does not open");
            let path = at(name).display().to_string();
            let fault = Fault::from(error);
            let message = format!("{path}, where the database has to be, is {words}");
            assert_eq!((fault.code, &fault.message), (FaultCode::Storage, &message));
            assert!(fault.fix.starts_with("move it away"), "{fault}");
            assert_eq!(fault.kind.as_deref(), Some(&FaultKind::DatabaseNoFile { path, found }));
        }
    }

    #[test]
    fn a_log_whose_database_is_gone_or_empty_is_kept() {
        let folder = TempDir::new().unwrap();
        let (path, log) = (folder.path().join("a.db"), folder.path().join("a.db-wal"));
        std::fs::write(&log, b"what was said").unwrap();
        for (empty, what) in [(false, "it is gone"), (true, "it is empty")] {
            if empty {
                std::fs::write(&path, b"").unwrap();
            }
            let error = crate::Store::open(&path, |_| {}).err().expect("it does not open");
            let fault = Fault::from(error);
            assert!(fault.message.contains(what), "{fault}");
            assert_eq!(std::fs::read(&log).unwrap(), b"what was said");
        }
        std::fs::write(&log, b"").unwrap();
        assert!(crate::Store::open(&path, |_| {}).is_ok(), "there is nothing to lose");
    }

    #[test]
    fn an_empty_database_among_the_things_of_a_workspace_is_told() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("coterie.db");
        std::fs::write(&path, b"").unwrap();
        std::fs::write(folder.path().join("workspace.lock"), b"{}").unwrap();
        std::fs::create_dir(folder.path().join("souls")).unwrap();
        assert_eq!(look(&path).unwrap(), Place::Taken, "a start that was killed at once");
        std::fs::write(folder.path().join("souls/ada.md"), b"You cook.").unwrap();
        let error = crate::Store::open(&path, |_| {}).err().expect("it does not open");
        let fault = Fault::from(error);
        let kind =
            FaultKind::DatabaseEmptied { path: path.display().to_string(), beside: "souls".into() };
        assert_eq!((fault.code, fault.kind.as_deref()), (FaultCode::Storage, Some(&kind)));
        assert!(fault.message.contains("is empty") && fault.fix.contains("backups/"), "{fault}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
        std::fs::remove_file(&path).unwrap();
        assert!(crate::Store::open(&path, |_| {}).is_ok(), "it was said to be a way out");
    }

    #[test]
    fn a_database_whose_tables_were_in_the_lost_log_is_told() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("coterie.db");
        // What a kill in the first session leaves of the file without its log.
        let shell = rusqlite::Connection::open(&path).unwrap();
        shell.pragma_update(None, "journal_mode", "WAL").unwrap();
        drop(shell);
        assert!(crate::Store::open(&path, |_| {}).is_ok(), "it may be a start that was killed");
        std::fs::remove_file(&path).unwrap();
        let _ = std::fs::remove_file(log::of(&path));
        let shell = rusqlite::Connection::open(&path).unwrap();
        shell.pragma_update(None, "journal_mode", "WAL").unwrap();
        drop(shell);
        std::fs::create_dir(folder.path().join("souls")).unwrap();
        std::fs::write(folder.path().join("souls/ada.md"), b"You cook.").unwrap();
        let error = crate::Store::open(&path, |_| {}).err().expect("it does not open");
        assert!(matches!(error, StoreError::Emptied { .. }), "{error}");
    }

    #[test]
    fn a_file_that_this_account_may_not_open_is_said_to_be_that() {
        let path = Path::new("coterie.db");
        let fault = Fault::from(unusable(path, &ErrorKind::PermissionDenied.into()));
        assert_eq!(fault.message, "this account may not read and write the database coterie.db");
        assert!(fault.fix.contains("the right to read and write it"), "{fault}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_without_rights_is_found_out_before_it_is_opened() {
        use std::os::unix::fs::PermissionsExt;
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("coterie.db");
        std::fs::write(&path, b"").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).unwrap();
        match (std::fs::File::open(&path).is_ok(), look(&path)) {
            // Whoever may read everything may read this too.
            (true, looked) => assert_eq!(looked.unwrap(), Place::Taken),
            (false, looked) => {
                assert!(matches!(looked, Err(StoreError::Forbidden { .. })), "{looked:?}")
            }
        }
    }
}
