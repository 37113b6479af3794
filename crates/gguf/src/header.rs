//! Reading a header piece by piece, never past the end of the file, and never
//! for longer than a header can be.

use crate::{Tensor, Wrong, kinds};
use std::io::{Read, Seek, SeekFrom};

pub(crate) struct Header<R> {
    input: R,
    at: u64,
    file_bytes: u64,
}

type Found<T> = Result<T, Wrong>;

/// Real models have a thousand tensors and a few dozen values.
const MOST_ENTRIES: u64 = 100_000;
/// The words of a large vocabulary, several times over.
const MOST_WORDS: u64 = 4_000_000;
/// A key, a name, a template.
const MOST_TEXT_BYTES: u64 = 1 << 20;
const MOST_DIMENSIONS: u32 = 16;

impl<R: Read + Seek> Header<R> {
    pub(crate) fn new(input: R, file_bytes: u64) -> Self {
        Header { input, at: 0, file_bytes }
    }

    /// How many tensors and how many values follow.
    pub(crate) fn begin(&mut self) -> Found<(u64, u64)> {
        match self.bytes::<4>() {
            Ok(magic) if &magic == b"GGUF" => {}
            Err(Wrong::Io(error)) => return Err(Wrong::Io(error)),
            _ => return Err(Wrong::NotGguf),
        }
        if !(2..=3).contains(&self.u32()?) {
            return Err(Wrong::Unknown);
        }
        let (tensors, values) = (self.u64()?, self.u64()?);
        if tensors > MOST_ENTRIES || values > MOST_ENTRIES {
            return Err(Wrong::Damaged);
        }
        Ok((tensors, values))
    }

    /// How far it has been read.
    pub(crate) fn at(&self) -> u64 {
        self.at
    }

    pub(crate) fn tensor(&mut self) -> Found<Tensor> {
        self.text()?;
        let mut elements = 1_u64;
        let dimensions = self.u32()?;
        if dimensions > MOST_DIMENSIONS {
            return Err(Wrong::Damaged);
        }
        for _ in 0..dimensions {
            elements = elements.saturating_mul(self.u64()?);
        }
        Ok(Tensor { elements, kind: self.u32()?, offset: self.u64()? })
    }

    pub(crate) fn skip_value(&mut self, kind: u32) -> Found<()> {
        if kind == kinds::TEXT {
            let length = self.u64()?;
            return self.skip(length);
        }
        if kind != kinds::ARRAY {
            return self.skip(kinds::width(kind).ok_or(Wrong::Unknown)?);
        }
        let (kind, count) = (self.u32()?, self.u64()?);
        if kind == kinds::TEXT {
            if count > MOST_WORDS {
                return Err(Wrong::Damaged);
            }
            for _ in 0..count {
                let length = self.u64()?;
                self.skip(length)?;
            }
            return Ok(());
        }
        // The format allows arrays of arrays, llama.cpp does not.
        self.skip(kinds::width(kind).ok_or(Wrong::Unknown)?.saturating_mul(count))
    }

    pub(crate) fn text(&mut self) -> Found<Vec<u8>> {
        let length = self.u64()?;
        self.reach(length)?;
        if length > MOST_TEXT_BYTES {
            return Err(Wrong::Damaged);
        }
        let mut text = vec![0; length as usize];
        self.input.read_exact(&mut text)?;
        self.at += length;
        Ok(text)
    }

    pub(crate) fn u16(&mut self) -> Found<u16> {
        self.bytes().map(u16::from_le_bytes)
    }

    pub(crate) fn u32(&mut self) -> Found<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Found<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Found<[u8; N]> {
        self.reach(N as u64)?;
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn skip(&mut self, bytes: u64) -> Found<()> {
        self.reach(bytes)?;
        // Relative and within the buffer where it can be: a vocabulary is many
        // short words.
        let ahead = i64::try_from(bytes).map_err(|_| Wrong::Damaged)?;
        self.input.seek(SeekFrom::Current(ahead))?;
        self.at += bytes;
        Ok(())
    }

    /// The file holds that many bytes more, so nothing absurd is allocated or skipped.
    fn reach(&self, bytes: u64) -> Found<()> {
        let needed_bytes = self.at.saturating_add(bytes);
        if needed_bytes > self.file_bytes {
            return Err(Wrong::CutOff { needed_bytes, actual_bytes: self.file_bytes });
        }
        Ok(())
    }
}
