//! The souls folder: reads what is there, and saves without losing anything.
//!
//! Everything here blocks; call it from a blocking thread. Editors come and go
//! while it runs, so a file that vanishes between two looks is nothing special.
//! Links are not followed: what is read and written stays in this folder.

mod moved;

use super::fault::{Conflict, SoulsError, words};
use super::hash::hash;
use super::name::{self, ENDING, Named};
use super::parse::{self, MAX_BYTES};
use super::place::Place;
use domain::{SoulMistake, SoulProblem};
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

const TEMPORARY: &str = ".tmp-soul-";

pub struct Folder {
    path: PathBuf,
    /// Held from the comparison of hashes to the rename: of two saves that
    /// started from the same text, one must see the other.
    saving: Mutex<()>,
}

/// One look into the folder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Found {
    /// By stem.
    pub files: Vec<FoundFile>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct FoundFile {
    /// What it is called on the disk.
    pub file: String,
    /// The soul that it says it is.
    pub stem: String,
    /// `None` when it cannot be read.
    pub hash: Option<String>,
    /// The text, or why there is none.
    pub text: Result<String, SoulProblem>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    pub hash: String,
    /// False when the file had this text already.
    pub changed: bool,
}

impl Folder {
    /// Creates the folder if there is none, and clears away what a save left
    /// behind when the process died in it. One process at a time may do this:
    /// the owner of the data directory.
    pub fn open(path: impl Into<PathBuf>) -> Result<Folder, SoulsError> {
        let path = path.into();
        let failed =
            |source| SoulsError::Storage { doing: format!("open {}", path.display()), source };
        if is_file(&path) {
            return Err(SoulsError::NoFolder { folder: path });
        }
        fs::create_dir_all(&path).map_err(failed)?;
        for entry in fs::read_dir(&path).map_err(failed)?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(Folder { path, saving: Mutex::new(()) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a soul's file is, in whatever letters its name stands on the
    /// disk, or would be.
    pub fn file(&self, stem: &str) -> PathBuf {
        let exactly = self.path.join(format!("{stem}{ENDING}"));
        if fs::symlink_metadata(&exactly).is_ok() {
            return exactly;
        }
        let usual = || self.path.join(format!("{}{ENDING}", name::composed(stem)));
        self.in_other_letters(stem).unwrap_or_else(usual)
    }

    fn in_other_letters(&self, stem: &str) -> Option<PathBuf> {
        let letters = name::letters(stem);
        let names = fs::read_dir(&self.path).ok()?.flatten().map(|entry| entry.file_name());
        let same = names.filter_map(|file| match Named::read(&file) {
            Named::Soul(found) if name::letters(&found) == letters => Some((found != stem, file)),
            Named::Soul(_) | Named::Misnamed { .. } | Named::Nothing => None,
        });
        same.min().map(|(_, file)| self.path.join(file))
    }

    /// Everything in the folder. A missing folder is an empty one; a folder
    /// that cannot be listed is an error, so that nobody takes it for empty.
    pub fn read(&self) -> Result<Found, SoulsError> {
        let failed =
            |source| SoulsError::Storage { doing: format!("read {}", self.path.display()), source };
        let mut found = Found::default();
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(found),
            Err(_) if is_file(&self.path) => {
                return Err(SoulsError::NoFolder { folder: self.path.clone() });
            }
            entries => entries.map_err(failed)?,
        };
        for entry in entries {
            let file = entry.map_err(failed)?.file_name();
            match Named::read(&file) {
                Named::Soul(stem) => found.files.extend(self.read_one(&file, stem)),
                Named::Misnamed { name, why } => found.files.push(FoundFile {
                    file: name::shown(&file),
                    stem: name,
                    hash: None,
                    text: Err(why.problem()),
                }),
                Named::Nothing => {}
            }
        }
        found.files.sort_by(|a, b| a.file.cmp(&b.file));
        Ok(found)
    }

    /// `None` when it has vanished.
    fn read_one(&self, file: &OsStr, stem: String) -> Option<FoundFile> {
        let unusable = |mistake| (None, Err(Place::START.problem(mistake)));
        let (hash, text) = match content(&self.path.join(file)) {
            Ok(Content::Missing) => return None,
            Ok(Content::Bytes(bytes)) => {
                let text = parse::decode(&bytes).map(str::to_owned);
                (Some(hash(bytes)), text)
            }
            Ok(Content::NotPlain) => unusable(SoulMistake::NotPlain),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                unusable(SoulMistake::Forbidden)
            }
            Err(error) => unusable(SoulMistake::Unreadable { detail: words(&error) }),
        };
        Some(FoundFile { file: name::shown(file), stem, hash, text })
    }

    /// What is in a file, for people to look at, valid or not: bytes that are
    /// no text are replaced, and what is too much is cut off. `None` when there
    /// is no plain file of this name.
    pub fn text(&self, file: &str) -> Option<String> {
        match content(&self.path.join(file)) {
            Ok(Content::Bytes(bytes)) => Some(String::from_utf8_lossy(&bytes).into_owned()),
            Ok(Content::Missing | Content::NotPlain) | Err(_) => None,
        }
    }

    /// Writes a soul's file, if it still has the hash that the edit started
    /// from (`None`: if there is no such file). After an error the file is as
    /// it was. Whether the text is a valid soul is the caller's question.
    ///
    /// An editor that writes in the few microseconds between the comparison
    /// and the rename is not seen.
    pub fn save(
        &self,
        stem: &str,
        text: &str,
        base_hash: Option<&str>,
    ) -> Result<Saved, SoulsError> {
        if let Some(why) = name::wrong_with(stem) {
            return Err(SoulsError::BadName { stem: stem.to_owned(), why });
        }
        if text.len() > MAX_BYTES {
            return Err(SoulsError::TooLarge { stem: stem.to_owned(), bytes: text.len() });
        }
        let _alone = self.saving.lock().unwrap_or_else(PoisonError::into_inner);
        let file = self.file(stem);
        if compare(&file, stem, text, base_hash)? == Comparison::SameText {
            return Ok(Saved { hash: hash(text), changed: false });
        }
        let failed = |source| SoulsError::Storage { doing: format!("save soul {stem}"), source };
        // The soul's own name may leave no room for more.
        let temporary = Temporary(self.path.join(format!("{TEMPORARY}{}", Uuid::now_v7())));
        temporary.write(text, &file).map_err(failed)?;
        fail::fail_point!("soul.written");
        // Writing to a slow disk takes a while, and the file may have changed in it.
        compare(&file, stem, text, base_hash)?;
        match base_hash {
            Some(_) => fs::rename(&temporary.0, &file).map_err(failed)?,
            None => put_new(&file, stem, text, &temporary)?,
        }
        fail::fail_point!("soul.saved");
        sync_folder(&self.path).map_err(failed)?;
        Ok(Saved { hash: hash(text), changed: true })
    }
}

fn compare(
    file: &Path,
    stem: &str,
    yours: &str,
    base_hash: Option<&str>,
) -> Result<Comparison, SoulsError> {
    let failed = |source| SoulsError::Storage { doing: format!("save soul {stem}"), source };
    let theirs = match content(file).map_err(failed)? {
        Content::NotPlain => return Err(SoulsError::NotPlain { stem: stem.to_owned() }),
        Content::Missing => None,
        Content::Bytes(bytes) => Some(bytes),
    };
    let theirs_hash = theirs.as_ref().map(hash);
    if theirs.as_deref() == Some(yours.as_bytes()) {
        return Ok(Comparison::SameText);
    }
    // Of a file that is too large only the beginning was compared.
    let too_large = theirs.as_ref().is_some_and(|bytes| bytes.len() > MAX_BYTES);
    if theirs_hash.as_deref() != base_hash || too_large {
        return Err(SoulsError::Conflict(Box::new(Conflict {
            stem: stem.to_owned(),
            yours: yours.to_owned(),
            theirs: theirs.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            theirs_hash,
        })));
    }
    // A rename would go through, against the will of whoever locked the file.
    if theirs.is_some() && fs::metadata(file).map_err(failed)?.permissions().readonly() {
        return Err(failed(ErrorKind::PermissionDenied.into()));
    }
    Ok(Comparison::AsExpected)
}

/// A link, unlike a rename, never replaces a file that has just appeared.
fn put_new(file: &Path, stem: &str, text: &str, temporary: &Temporary) -> Result<(), SoulsError> {
    let failed = |source| SoulsError::Storage { doing: format!("save soul {stem}"), source };
    match fs::hard_link(&temporary.0, file) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            match compare(file, stem, text, None)? {
                Comparison::SameText => Ok(()),
                // It has appeared and vanished; whoever does that is not done.
                Comparison::AsExpected => Err(failed(error)),
            }
        }
        // Some file systems have no hard links.
        Err(_) => fs::rename(&temporary.0, file).map_err(failed),
    }
}

fn is_file(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_dir())
}

#[derive(PartialEq)]
enum Comparison {
    AsExpected,
    SameText,
}

/// Removed on every way out; after the rename there is nothing left to remove.
struct Temporary(PathBuf);

impl Temporary {
    fn write(&self, text: &str, replaces: &Path) -> io::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&self.0)?;
        file.write_all(text.as_bytes())?;
        if let Ok(metadata) = fs::metadata(replaces) {
            file.set_permissions(metadata.permissions())?;
        }
        file.sync_all()
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Whether a look reads it.
pub(super) fn is_soul_file(path: &Path) -> bool {
    path.file_name().is_some_and(|file| matches!(Named::read(file), Named::Soul(_)))
}

enum Content {
    Missing,
    /// One byte over the limit at the most.
    Bytes(Vec<u8>),
    NotPlain,
}

fn content(path: &Path) -> io::Result<Content> {
    let missing = |error: io::Error| {
        if error.kind() == ErrorKind::NotFound { Ok(Content::Missing) } else { Err(error) }
    };
    // Before opening: opening a pipe would wait for its other end.
    let seen = match fs::symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) => return missing(error),
    };
    if !seen.is_file() {
        return Ok(Content::NotPlain);
    }
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return missing(error),
    };
    let metadata = file.metadata()?;
    if !metadata.is_file() || is_link(path)? {
        return Ok(Content::NotPlain);
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    Ok(Content::Bytes(bytes))
}

/// Asked again once the file is open: a link put in its place in between
/// would have been followed.
fn is_link(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Ok(metadata) => Ok(metadata.is_symlink()),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Without it a rename may be forgotten when the power fails.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests;
