//! A text line by line, however long the file is.

use super::Unreadable;
use domain::MemoryFileWrong;
use std::io::{BufRead, Read};

/// No memory needs as much.
const LONGEST_MB: u32 = 4;
const LONGEST: u64 = LONGEST_MB as u64 * 1024 * 1024;

pub(super) struct Lines<R> {
    input: R,
    /// Of the line that was given last; 0 before the first.
    pub number: u64,
    bytes: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn of(input: R) -> Self {
        Lines { input, number: 0, bytes: Vec::new() }
    }

    /// The next line without its end; `None` after the last.
    pub(super) fn next(&mut self) -> Result<Option<&str>, Unreadable> {
        self.bytes.clear();
        self.number += 1;
        let number = self.number;
        let wrong = |wrong| Unreadable::in_line(number, wrong);
        let mut limited = Read::take(&mut self.input, LONGEST + 1);
        let read = limited
            .read_until(b'\n', &mut self.bytes)
            .map_err(|error| wrong(MemoryFileWrong::Fails { detail: error.to_string() }))?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 > LONGEST {
            return Err(wrong(MemoryFileWrong::LineTooLong { most_mb: LONGEST_MB }));
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|_| wrong(MemoryFileWrong::NoUtf8))?;
        let text = if number == 1 { text.trim_start_matches('\u{feff}') } else { text };
        let text = text.strip_suffix('\n').unwrap_or(text);
        Ok(Some(text.strip_suffix('\r').unwrap_or(text)))
    }
}
