//! A writer that lets no secret through.

use super::{Redactor, without};
use std::io::{self, Write};

/// Waits for the end of a line, so that what is written in two halves is seen as
/// one. What has no end yet is written when this is flushed or dropped.
pub struct Writer<W: Write> {
    redactor: Redactor,
    onto: W,
    waiting: Vec<u8>,
}

impl<W: Write> Writer<W> {
    pub(super) fn new(redactor: Redactor, onto: W) -> Self {
        Writer { redactor, onto, waiting: Vec::new() }
    }

    fn pass_on(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let finds = self.redactor.known().find_whole(&self.waiting);
        let clean = without(&self.waiting, &finds);
        self.waiting.clear();
        self.onto.write_all(&clean)
    }
}

impl<W: Write> Write for Writer<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if bytes.ends_with(b"\n") {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass_on()?;
        self.onto.flush()
    }
}

impl<W: Write> Drop for Writer<W> {
    fn drop(&mut self) {
        // A log that can not be written has nobody to tell.
        let _ = self.pass_on();
    }
}
