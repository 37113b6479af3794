//! The log beside the database, looked at before SQLite is let at it.
//!
//! The newest that was committed stands there. SQLite reads it up to the first
//! frame that is not right and takes the rest for what a crash left behind:
//! where that is the very first, all of it is passed over without a word, and
//! soon written over. So a log whose beginning is damaged is told, and a copy
//! of it is kept.

use crate::StoreError;
use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;
/// The last bit says in which order the bytes of its checksums are.
const MAGIC: u32 = 0x377f_0682;
const LARGEST_PAGE: usize = 65_536;

/// The log of a database.
pub(crate) fn of(database: &Path) -> PathBuf {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    PathBuf::from(log)
}

/// Fails where the log says that something was committed that SQLite would
/// not find in it.
pub(crate) fn look(database: &Path) -> Result<(), StoreError> {
    let log = of(database);
    // What cannot be read SQLite finds words for.
    let Ok(beginning) = beginning(&log) else { return Ok(()) };
    if !is_damaged(&beginning) {
        return Ok(());
    }
    let kept = keep(&log).unwrap_or_else(|_| log.clone());
    Err(StoreError::LogDamaged { path: database.to_owned(), log, kept })
}

/// As much of it as two frames can be.
fn beginning(log: &Path) -> io::Result<Vec<u8>> {
    let most = HEADER + 2 * (FRAME_HEADER + LARGEST_PAGE);
    let mut bytes = Vec::new();
    match File::open(log) {
        Ok(file) => file.take(most as u64).read_to_end(&mut bytes).map(drop)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    Ok(bytes)
}

fn is_damaged(log: &[u8]) -> bool {
    let Some((header, frames)) = log.split_at_checked(HEADER) else { return false };
    let nothing_written = log.iter().all(|byte| *byte == 0);
    if frames.is_empty() || nothing_written {
        return false;
    }
    let Some(header) = Header::read(header) else { return true };
    let size = FRAME_HEADER + header.page;
    let Some(first) = frames.get(..size) else {
        // A kill came before the end of the first.
        return false;
    };
    if header.wrote(first) && header.adds_up(first) {
        return false;
    }
    match frames.get(size..2 * size) {
        // A kill while the log was begun anew leaves one new frame half written
        // above the frames of before; more of them were committed.
        Some(second) => header.wrote(second),
        None => header.wrote(first),
    }
}

struct Header {
    page: usize,
    /// Written into each frame: a log that is begun anew has others.
    salts: [u8; 8],
    sum: Sum,
}

impl Header {
    /// `None` where it is not what SQLite writes.
    fn read(bytes: &[u8]) -> Option<Header> {
        let magic = number(bytes, 0)?;
        if magic & !1 != MAGIC {
            return None;
        }
        let page = number(bytes, 8)? as usize;
        let mut sum = Sum { big_endian: magic & 1 == 1, value: (0, 0) };
        sum.add(&bytes[..24]);
        let is_right = sum.value == (number(bytes, 24)?, number(bytes, 28)?);
        let fits = page.is_power_of_two() && (512..=LARGEST_PAGE).contains(&page);
        let salts = bytes[16..24].try_into().ok()?;
        (is_right && fits).then_some(Header { page, salts, sum })
    }

    /// Whether the frame belongs to this log and not to one before it.
    fn wrote(&self, frame: &[u8]) -> bool {
        frame[8..16] == self.salts
    }

    /// Whether it is whole, as the first frame.
    fn adds_up(&self, frame: &[u8]) -> bool {
        let mut sum = self.sum;
        sum.add(&frame[..8]);
        sum.add(&frame[FRAME_HEADER..]);
        Some(sum.value.0) == number(frame, 16) && Some(sum.value.1) == number(frame, 20)
    }
}

/// The checksum of <https://www.sqlite.org/fileformat2.html#walformat>.
#[derive(Clone, Copy)]
struct Sum {
    big_endian: bool,
    value: (u32, u32),
}

impl Sum {
    /// A multiple of eight bytes.
    fn add(&mut self, bytes: &[u8]) {
        let word = |bytes: [u8; 4]| match self.big_endian {
            true => u32::from_be_bytes(bytes),
            false => u32::from_le_bytes(bytes),
        };
        let (mut one, mut two) = self.value;
        let (pairs, _) = bytes.as_chunks::<8>();
        for [a, b, c, d, e, f, g, h] in pairs.iter().copied() {
            one = one.wrapping_add(word([a, b, c, d])).wrapping_add(two);
            two = two.wrapping_add(word([e, f, g, h])).wrapping_add(one);
        }
        self.value = (one, two);
    }
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Copies it under a name that nobody writes to, once.
fn keep(log: &Path) -> io::Result<PathBuf> {
    let bytes = std::fs::read(log)?;
    for n in 1.. {
        let mut name = log.as_os_str().to_owned();
        name.push(if n == 1 { ".damaged".to_owned() } else { format!(".damaged{n}") });
        let copy = PathBuf::from(name);
        match std::fs::read(&copy) {
            Ok(kept) if kept == bytes => return Ok(copy),
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => {
                std::fs::write(&copy, &bytes)?;
                File::open(&copy)?.sync_all()?;
                return Ok(copy);
            }
            Err(error) => return Err(error),
        }
    }
    unreachable!("the numbers never end")
}

#[cfg(test)]
mod tests;
