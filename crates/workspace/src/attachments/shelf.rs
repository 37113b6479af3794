//! The folder of kept files. Each is named by the hash of its bytes, so that
//! it is written once and never changed.

use super::sort;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::AttachmentKind;
use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

pub(crate) struct Shelf {
    folder: PathBuf,
    /// Names those being written apart.
    writing: AtomicU64,
    /// The pictures that models were shown last, the newest at the end: each
    /// turn of a conversation shows them again.
    at_hand: Mutex<Vec<(String, Arc<str>)>>,
}

/// Pictures at hand take no more memory than this.
const AT_HAND_BYTES: usize = 24 * 1024 * 1024;

impl Shelf {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Shelf { folder, writing: AtomicU64::new(0), at_hand: Mutex::default() }
    }

    /// Keeps the bytes and gives their hash; they are safe on the disk then.
    pub(super) fn put(&self, bytes: &[u8]) -> io::Result<String> {
        let hash = blake3::hash(bytes).to_hex().to_string();
        let file = self.folder.join(&hash);
        let is_there = fs::metadata(&file).is_ok_and(|known| known.len() == bytes.len() as u64);
        if is_there {
            return Ok(hash);
        }
        create_private(&self.folder)?;
        let n = self.writing.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!("{hash}.{n}.tmp"));
        let written = (|| {
            let mut file = private(&temporary)?;
            file.write_all(bytes)?;
            file.sync_all()
        })();
        let put = written.and_then(|()| fs::rename(&temporary, &file));
        if put.is_err() {
            drop(fs::remove_file(&temporary));
        }
        put.and_then(|()| sync_folder(&self.folder))?;
        Ok(hash)
    }

    /// Puts every file of a folder like this one. One that is not what its name says is
    /// nobody's.
    pub(super) fn take_over(&self, folder: &Path) -> io::Result<()> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_hash) {
                self.put(&fs::read(entry.path())?)?;
            }
        }
        Ok(())
    }

    /// What lies there under the hash, and its size.
    pub(super) fn look(&self, hash: &str) -> Option<(AttachmentKind, u32)> {
        let mut start = Vec::new();
        let mut file = File::open(self.file(hash)?).ok()?;
        Read::by_ref(&mut file).take(16).read_to_end(&mut start).ok()?;
        let bytes = u32::try_from(file.metadata().ok()?.len()).ok()?;
        Some((sort::picture(&start).unwrap_or(AttachmentKind::Text), bytes))
    }

    pub(super) fn bytes(&self, hash: &str) -> Option<(AttachmentKind, Vec<u8>)> {
        let bytes = fs::read(self.file(hash)?).ok()?;
        Some((sort::picture(&bytes).unwrap_or(AttachmentKind::Text), bytes))
    }

    /// A kept text; none where the file is gone.
    pub(crate) fn text(&self, hash: &str) -> Option<String> {
        String::from_utf8(fs::read(self.file(hash)?).ok()?).ok()
    }

    /// A kept picture as providers take it; none where the file is gone.
    pub(crate) fn picture(&self, hash: &str) -> Option<Arc<str>> {
        let file = self.file(hash)?;
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        let known = at_hand.iter().position(|(known, _)| known == hash);
        let picture = match known {
            Some(at) => at_hand.remove(at).1,
            None => BASE64_STANDARD.encode(fs::read(file).ok()?).into(),
        };
        at_hand.push((hash.to_owned(), picture.clone()));
        let mut bytes: usize = at_hand.iter().map(|(_, picture)| picture.len()).sum();
        while bytes > AT_HAND_BYTES {
            bytes -= at_hand.remove(0).1.len();
        }
        Some(picture)
    }

    /// Takes one away, if it is there.
    pub(super) fn remove(&self, hash: &str) -> io::Result<()> {
        let mut at_hand = self.at_hand.lock().unwrap_or_else(PoisonError::into_inner);
        at_hand.retain(|(known, _)| known != hash);
        match self.file(hash).map(fs::remove_file) {
            Some(Err(error)) if error.kind() != ErrorKind::NotFound => Err(error),
            Some(_) | None => Ok(()),
        }
    }

    /// Takes away everything else that Coterie has put there.
    pub(super) fn keep_only(&self, hashes: &HashSet<String>) -> io::Result<()> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let hash = name.split('.').next().unwrap_or_default();
            let is_ours = is_hash(hash) && (name == hash || name.ends_with(".tmp"));
            if is_ours && !hashes.contains(&name) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    /// Where it lies; none for what is no hash and could lead elsewhere.
    fn file(&self, hash: &str) -> Option<PathBuf> {
        is_hash(hash).then(|| self.folder.join(hash))
    }
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // One that a crash left behind.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::remove_file(path)?;
            options.open(path)
        }
        opened => opened,
    }
}

fn create_private(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// A rename lasts only when the folder is on the disk too. Windows has no such
/// call.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    #[test]
    fn the_same_bytes_are_kept_once_and_only_by_their_hash() {
        let folder = TempDir::new().unwrap();
        let shelf = Shelf::new(folder.path().join("attachments"));
        let hash = shelf.put(b"tea").unwrap();
        assert_eq!(shelf.put(b"tea").unwrap(), hash);
        assert_eq!(shelf.text(&hash).as_deref(), Some("tea"));
        assert_eq!(fs::read_dir(folder.path().join("attachments")).unwrap().count(), 1);
        fs::write(folder.path().join("secret"), "no").unwrap();
        assert_eq!(shelf.text("../secret"), None);
        assert_eq!(shelf.look("0".repeat(64).as_str()), None);
    }

    #[test]
    fn what_was_cut_off_while_it_was_written_is_written_anew() {
        let folder = TempDir::new().unwrap();
        let shelf = Shelf::new(folder.path().to_owned());
        let hash = blake3::hash(b"whole").to_hex().to_string();
        fs::write(folder.path().join(&hash), "wh").unwrap();
        fs::write(folder.path().join(format!("{hash}.0.tmp")), "w").unwrap();
        assert_eq!(shelf.put(b"whole").unwrap(), hash);
        assert_eq!(shelf.text(&hash).as_deref(), Some("whole"));
    }

    #[test]
    fn only_what_is_ours_and_shown_by_nobody_goes() {
        let folder = TempDir::new().unwrap();
        let shelf = Shelf::new(folder.path().to_owned());
        let (shown, orphan) = (shelf.put(b"shown").unwrap(), shelf.put(b"orphan").unwrap());
        fs::write(folder.path().join(format!("{shown}.7.tmp")), "half").unwrap();
        fs::write(folder.path().join("notes.txt"), "somebody's own").unwrap();
        shelf.keep_only(&HashSet::from([shown.clone()])).unwrap();
        let mut left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut expected = vec![shown, "notes.txt".to_owned()];
        expected.sort();
        assert_eq!(left, expected);
        assert_eq!(shelf.text(&orphan), None);
    }

    #[test]
    fn pictures_at_hand_take_only_so_much_memory() {
        let folder = TempDir::new().unwrap();
        let shelf = Shelf::new(folder.path().to_owned());
        let hashes: Vec<String> =
            (0..8_u8).map(|n| shelf.put(&vec![n; 3_900_000]).unwrap()).collect();
        for hash in hashes.iter().chain(&hashes) {
            assert!(shelf.picture(hash).is_some());
        }
        let held: usize = shelf.at_hand.lock().unwrap().iter().map(|(_, one)| one.len()).sum();
        assert!(held <= AT_HAND_BYTES, "{held}");
    }
}
