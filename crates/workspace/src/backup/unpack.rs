//! Takes a backup apart into a folder, and looks at every byte of it meanwhile.

use super::parts::{DATABASE, FORMAT, HEAD, Hashed, Head, LIST, Listed, PARTS, SEAL, SEAL_BYTES};
use super::{damaged, newer, unknown};
use domain::{Fault, FaultCode};
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::{Component, Path};
use store::StoreError;
use tar::{Archive, Entry, EntryType};

/// What was in it.
pub(super) struct Unpacked {
    pub head: Head,
    /// Of the archive, as it stands behind it.
    pub hash: String,
    pub files: u32,
    pub bytes: u64,
}

/// Why not; only here the name of the backup is left out.
enum Wrong {
    Damaged(String),
    Newer(String),
    Unknown,
    Told(Fault),
}

/// So much of our own words is read at most.
const MOST_WORDS: u64 = 256 * 1024 * 1024;

/// `into` is an empty folder. `come` hears how many bytes were read.
pub(super) fn read(path: &str, into: &Path, come: &mut dyn FnMut(u64)) -> Result<Unpacked, Fault> {
    let mut file = open(path)?;
    take_apart(&mut file, into, come).map_err(|wrong| match wrong {
        Wrong::Damaged(detail) => damaged(path, detail),
        Wrong::Newer(version) => newer(path, &version),
        Wrong::Unknown => unknown(path),
        Wrong::Told(fault) => fault,
    })
}

/// How large it is.
pub(super) fn length(path: &str) -> Result<u64, Fault> {
    open(path)?.metadata().map(|about| about.len()).map_err(|error| unreadable(path, &error))
}

fn open(path: &str) -> Result<File, Fault> {
    // What is no file, such as a pipe, could keep a reader waiting for ever.
    let about = fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !about.is_file() {
        return Err(unknown(path));
    }
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &str, error: &io::Error) -> Fault {
    let message = format!("the backup {path} cannot be read: {error}");
    match error.kind() {
        ErrorKind::NotFound => Fault::not_found(message, "choose a file that is there"),
        _ => Fault::bad_input(message, "see that this account may read it"),
    }
}

fn take_apart(file: &mut File, into: &Path, come: &mut dyn FnMut(u64)) -> Result<Unpacked, Wrong> {
    let seal = seal(file)?;
    let length = file.metadata()?.len();
    let mut all = Hashed::new(BufReader::new(file).take(length - SEAL_BYTES));
    let mut archive = Archive::new(&mut all);
    let (mut head, mut list) = (None, None);
    let mut found: Vec<Listed> = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_str().unwrap_or_default().to_owned();
        match (&head, name.as_str()) {
            (None, HEAD) => head = Some(known(words(&mut entry)?)?),
            (None, _) => return Err(Wrong::Unknown),
            (Some(_), LIST) => list = Some(words(&mut entry)?),
            (Some(_), _) => {
                fail::fail_point!("restore.unpacking");
                found.push(keep(&mut entry, name, into)?);
                come(entry.raw_file_position());
            }
        }
    }
    compare(&found, list.ok_or_else(cut_off)?)?;
    io::copy(&mut all, &mut io::sink())?;
    if all.hash() != seal {
        return Err(Wrong::Damaged("it is not as it was written".to_owned()));
    }
    let head: Head = head.ok_or(Wrong::Unknown)?;
    whole(&into.join(DATABASE), &head)?;
    let files = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let bytes = found.iter().map(|one| one.bytes).sum();
    Ok(Unpacked { head, hash: seal, files, bytes })
}

/// The hash that stands behind the archive. The file is read from its beginning next.
fn seal(file: &mut File) -> Result<String, Wrong> {
    let mut begins = vec![0; HEAD.len()];
    let is_ours = file.read_exact(&mut begins).is_ok() && begins == HEAD.as_bytes();
    if !is_ours {
        return Err(Wrong::Unknown);
    }
    let length = file.metadata()?.len();
    let at = length.checked_sub(SEAL_BYTES).ok_or_else(cut_off)?;
    let mut end = Vec::new();
    file.seek(SeekFrom::Start(at))?;
    file.read_to_end(&mut end)?;
    file.rewind()?;
    let end = String::from_utf8(end).map_err(|_| cut_off())?;
    let hash = end.strip_prefix(SEAL).and_then(|end| end.strip_suffix('\n'));
    hash.map(str::to_owned).ok_or_else(cut_off)
}

fn cut_off() -> Wrong {
    Wrong::Damaged("its end is missing".to_owned())
}

fn known(head: Head) -> Result<Head, Wrong> {
    if head.format > FORMAT || head.schema > store::schema() {
        return Err(Wrong::Newer(head.version));
    }
    Ok(head)
}

fn words<T: DeserializeOwned>(entry: &mut Entry<'_, impl Read>) -> Result<T, Wrong> {
    let mut text = Vec::new();
    entry.take(MOST_WORDS).read_to_end(&mut text)?;
    serde_json::from_slice(&text).map_err(|error| Wrong::Damaged(error.to_string()))
}

/// Writes a file of the backup where it belongs, and safely.
fn keep(entry: &mut Entry<'_, impl Read>, name: String, into: &Path) -> Result<Listed, Wrong> {
    if entry.header().entry_type() != EntryType::Regular || !is_of_ours(&name) {
        return Err(Wrong::Damaged(format!("{name:?} does not belong there")));
    }
    let can_run = entry.header().mode().unwrap_or(0) & 0o100 != 0;
    let to = into.join(&name);
    let mut file = new_file(&to, can_run).map_err(|error| unwritten(&to, &error))?;
    let mut read = Hashed::new(entry);
    let mut piece = vec![0; 128 * 1024];
    loop {
        let bytes = read.read(&mut piece)?;
        if bytes == 0 {
            break;
        }
        io::Write::write_all(&mut file, &piece[..bytes]).map_err(|error| unwritten(&to, &error))?;
    }
    file.sync_all().map_err(|error| unwritten(&to, &error))?;
    Ok(Listed { path: name, bytes: read.bytes, blake3: read.hash() })
}

/// Nothing in a backup lies outside of what a backup holds.
fn is_of_ours(name: &str) -> bool {
    let path = Path::new(name);
    let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
    let first = name.split('/').next().unwrap_or_default();
    is_plain && !name.contains('\\') && PARTS.contains(&first)
}

fn new_file(to: &Path, can_run: bool) -> io::Result<File> {
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, if can_run { 0o700 } else { 0o600 });
    let _ = can_run;
    options.open(to)
}

fn unwritten(to: &Path, error: &io::Error) -> Wrong {
    if error.kind() == ErrorKind::AlreadyExists {
        return Wrong::Damaged(format!("{} is in it twice", to.display()));
    }
    let message = format!("take the backup apart into {}: {error}", to.display());
    let fix = "free some space, or see that this account may write there; nothing was changed";
    Wrong::Told(Fault::new(FaultCode::Storage, message, fix))
}

fn compare(found: &[Listed], list: Vec<Listed>) -> Result<(), Wrong> {
    if let Some((wrong, _)) = found.iter().zip(&list).find(|(found, listed)| found != listed) {
        return Err(Wrong::Damaged(format!("{} in it is not as it was", wrong.path)));
    }
    if found.len() != list.len() {
        return Err(cut_off());
    }
    Ok(())
}

fn whole(database: &Path, head: &Head) -> Result<(), Wrong> {
    match store::check_copy(database) {
        Ok(schema) if schema == head.schema => Ok(()),
        Ok(_) => Err(Wrong::Damaged("its database is of another schema than it says".to_owned())),
        Err(StoreError::FromTheFuture { .. }) => Err(Wrong::Newer(head.version.clone())),
        Err(error) => Err(Wrong::Damaged(error.to_string())),
    }
}

/// What cannot be read out of the archive.
impl From<io::Error> for Wrong {
    fn from(error: io::Error) -> Self {
        Wrong::Damaged(error.to_string())
    }
}
