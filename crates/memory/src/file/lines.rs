//! A text line by line, however long the file is.

use super::Unreadable;
use std::io::{BufRead, Read};

/// No memory needs as much.
const LONGEST: u64 = 4 * 1024 * 1024;

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
        let line = Some(self.number);
        let mut limited = Read::take(&mut self.input, LONGEST + 1);
        let read = limited.read_until(b'\n', &mut self.bytes).map_err(|error| Unreadable {
            line,
            what: format!("it cannot be read: {error}"),
            fix: "see that this account may read it and that its disk works",
        })?;
        if read == 0 {
            return Ok(None);
        }
        if read as u64 > LONGEST {
            let what = format!("the line is longer than {} MB", LONGEST / 1024 / 1024);
            return Err(Unreadable { line, what, fix: "split it into several lines" });
        }
        let text = std::str::from_utf8(&self.bytes).map_err(|_| Unreadable {
            line,
            what: "the line is no UTF-8 text".into(),
            fix: "save the file as UTF-8 and import it again",
        })?;
        let text = if line == Some(1) { text.trim_start_matches('\u{feff}') } else { text };
        let text = text.strip_suffix('\n').unwrap_or(text);
        Ok(Some(text.strip_suffix('\r').unwrap_or(text)))
    }
}
