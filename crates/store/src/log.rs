//! The log beside the database, looked at before SQLite is let at it.
//!
//! The newest that was committed stands there. SQLite reads it up to the first
//! frame that is not right and takes the rest for what a crash left behind: it
//! is passed over without a word, and soon written over. So a log in which
//! something was committed after such a frame is told, and a copy of it is kept.

use crate::StoreError;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read};
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
    let Ok(file) = File::open(&log) else { return Ok(()) };
    if !is_damaged(BufReader::new(file)).unwrap_or(false) {
        return Ok(());
    }
    let kept = keep(&log).unwrap_or_else(|_| log.clone());
    Err(StoreError::LogDamaged { path: database.to_owned(), log, kept })
}

fn is_damaged(mut log: impl Read) -> io::Result<bool> {
    let mut header = [0; HEADER];
    if !filled(&mut log, &mut header)? {
        return Ok(false);
    }
    let Some(header) = Header::read(&header) else {
        let mut rest = Vec::new();
        log.read_to_end(&mut rest)?;
        // Zeros are room that was made for a log and never written.
        return Ok(!rest.is_empty() && header.iter().chain(&rest).any(|byte| *byte != 0));
    };
    let mut frame = vec![0; FRAME_HEADER + header.page];
    let mut sum = header.sum;
    let (mut frames, mut broken) = (0, None);
    // What is not there to its end is where a kill came.
    while filled(&mut log, &mut frame)? {
        frames += 1;
        if broken.is_none() && header.wrote(&frame) && sum.follows(&frame) {
            continue;
        }
        // Behind a log that is begun anew stand frames of the one before, and
        // behind what was written since something was rolled back stand pages of
        // that; neither ends what was committed to this log.
        if broken.is_some() && header.wrote(&frame) && commits(&frame) {
            return Ok(true);
        }
        broken.get_or_insert(header.wrote(&frame));
    }
    Ok(frames == 1 && broken == Some(true))
}

/// Whether there was as much as asked for.
fn filled(log: &mut impl Read, bytes: &mut [u8]) -> io::Result<bool> {
    match log.read_exact(bytes) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether the frame is the last of a transaction.
fn commits(frame: &[u8]) -> bool {
    frame[4..8] != [0; 4]
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

    /// Goes on over a frame; whether that is whole.
    fn follows(&mut self, frame: &[u8]) -> bool {
        self.add(&frame[..8]);
        self.add(&frame[FRAME_HEADER..]);
        Some(self.value.0) == number(frame, 16) && Some(self.value.1) == number(frame, 20)
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
