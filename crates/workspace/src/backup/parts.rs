//! What a backup holds, by name: the same in the file as in the data directory.

use crate::new_file::Trouble;
use domain::Fault;
use serde::{Deserialize, Serialize};
use std::fs::{self, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

/// Counts the forms that a backup has had.
pub(super) const FORMAT: u32 = 1;
pub(super) const DATABASE: &str = "coterie.db";
/// Everything else in the data directory is about this machine, or made again by itself.
pub(super) const PARTS: [&str; 8] =
    [DATABASE, "profile.md", "souls", "skills", "prompts", "templates", "attachments", "folders"];
/// The first entry says what it is, the last one what it holds.
pub(super) const HEAD: &str = "coterie-backup.json";
pub(super) const LIST: &str = "files.json";
/// Behind the archive: these words, and the hash of all before them.
pub(super) const SEAL: &str = "coterie-backup ";
pub(super) const SEAL_BYTES: u64 = SEAL.len() as u64 + 64 + 1;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Head {
    pub format: u32,
    /// Of the Coterie that made it.
    pub version: String,
    /// Of its database.
    pub schema: usize,
    pub made_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Listed {
    pub path: String,
    pub bytes: u64,
    pub blake3: String,
}

/// A file that goes into a backup.
pub(super) struct Found {
    pub at: PathBuf,
    /// With slashes, on every system.
    pub name: String,
    pub bytes: u64,
}

/// All there is, the database from its snapshot; and how much is left out, since it is
/// neither a file nor a folder, or has a name that is no text.
pub(super) fn find(data: &Path, snapshot: &Path) -> Result<(Vec<Found>, u32), Trouble> {
    let mut walk = Walk { found: Vec::new(), left_out: 0 };
    for part in PARTS {
        let at = if part == DATABASE { snapshot.to_owned() } else { data.join(part) };
        // The person may have put a link in its place: it is theirs all the same.
        match fs::metadata(&at) {
            Ok(about) => walk.enter(at, part.to_owned(), &about)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(unreadable(&at, &error)),
        }
    }
    Ok((walk.found, walk.left_out))
}

struct Walk {
    found: Vec<Found>,
    left_out: u32,
}

impl Walk {
    fn enter(&mut self, at: PathBuf, name: String, about: &Metadata) -> Result<(), Trouble> {
        if about.is_file() {
            self.found.push(Found { at, name, bytes: about.len() });
            return Ok(());
        }
        if !about.is_dir() {
            self.left_out += 1;
            return Ok(());
        }
        let inside = fs::read_dir(&at).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut inside = inside.map_err(|error| unreadable(&at, &error))?;
        inside.sort_by_key(fs::DirEntry::file_name);
        for one in inside {
            let (file, about) = (one.file_name(), one.metadata());
            match (file.to_str(), about) {
                (Some(file), Ok(about)) => {
                    self.enter(one.path(), format!("{name}/{file}"), &about)?
                }
                (None, Ok(_)) => self.left_out += 1,
                // Somebody took it away meanwhile.
                (_, Err(error)) if error.kind() == ErrorKind::NotFound => {}
                (_, Err(error)) => return Err(unreadable(&one.path(), &error)),
            }
        }
        Ok(())
    }
}

pub(super) fn unreadable(at: &Path, error: &io::Error) -> Trouble {
    let message = format!("back up {}: {error}", at.display());
    Trouble::Told(Fault::bad_input(message, "see that this account may read it, and try again"))
}

/// What goes through it is counted and hashed.
pub(super) struct Hashed<T> {
    pub inner: T,
    hasher: blake3::Hasher,
    pub bytes: u64,
}

impl<T> Hashed<T> {
    pub(super) fn new(inner: T) -> Self {
        Hashed { inner, hasher: blake3::Hasher::new(), bytes: 0 }
    }

    pub(super) fn hash(&self) -> String {
        self.hasher.finalize().to_hex().to_string()
    }

    fn take(&mut self, passed: &[u8]) {
        self.hasher.update(passed);
        self.bytes += passed.len() as u64;
    }
}

impl<T: Read> Read for Hashed<T> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(into)?;
        self.take(&into[..read]);
        Ok(read)
    }
}

impl<T: Write> Write for Hashed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.take(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
