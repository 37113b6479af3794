//! Is this file a GGUF, and is all of it there?
//!
//! llama.cpp only says "no" to a file it cannot load. A download that broke
//! off is common and has a plain remedy, so it is told apart here, by the
//! header alone: it lists every tensor with its place and size.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom};
use std::path::Path;

use domain::engine::Fault;

use crate::fault::{Result, failure};

/// Fails for a missing file, one that is no GGUF and one that ends too early.
/// Whatever else may be wrong is left to llama.cpp to find.
pub(crate) fn check(path: &Path) -> Result<()> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(failure(
                Fault::ModelMissing,
                format!("open model {}: file not found", path.display()),
            ));
        }
        Err(error) => {
            return Err(failure(
                Fault::ModelUnusable,
                format!("open model {}: {error}", path.display()),
            ));
        }
    };
    let actual_bytes = file.metadata().map_or(0, |meta| meta.len());
    let mut header = Header { input: BufReader::new(file), at: 0, file_bytes: actual_bytes };
    match header.needed_bytes() {
        Ok(needed_bytes) if needed_bytes <= actual_bytes => Ok(()),
        Ok(needed_bytes) | Err(Odd::EndsAt(needed_bytes)) => Err(failure(
            Fault::Truncated { needed_bytes, actual_bytes },
            format!(
                "read model {}: the file has {actual_bytes} bytes and needs {needed_bytes} or more",
                path.display()
            ),
        )),
        Err(Odd::NotGguf) => {
            Err(failure(Fault::NotGguf, format!("read model {}: not a GGUF file", path.display())))
        }
        // A version or a type from after our time.
        Err(Odd::Unknown) => Ok(()),
        Err(Odd::Io(error)) => {
            Err(failure(Fault::ModelUnusable, format!("read model {}: {error}", path.display())))
        }
    }
}

enum Odd {
    NotGguf,
    /// The header goes on at least to there, past the end of the file.
    EndsAt(u64),
    Unknown,
    Io(std::io::Error),
}

type Found<T> = std::result::Result<T, Odd>;

struct Header<R> {
    input: R,
    at: u64,
    file_bytes: u64,
}

impl<R: Read + Seek> Header<R> {
    /// Where the last tensor ends.
    fn needed_bytes(&mut self) -> Found<u64> {
        match self.bytes::<4>() {
            Ok(magic) if &magic == b"GGUF" => {}
            Err(Odd::Io(error)) => return Err(Odd::Io(error)),
            _ => return Err(Odd::NotGguf),
        }
        if !(2..=3).contains(&self.u32()?) {
            return Err(Odd::Unknown);
        }
        let (tensors, values) = (self.u64()?, self.u64()?);
        let mut alignment = 32;
        for _ in 0..values {
            let key = self.text()?;
            let kind = self.u32()?;
            if key == b"general.alignment" && kind == U32 {
                alignment = u64::from(self.u32()?).max(1);
            } else {
                self.skip_value(kind)?;
            }
        }
        let mut data_bytes = 0;
        for _ in 0..tensors {
            data_bytes = data_bytes.max(self.tensor_end()?);
        }
        Ok(self.at.next_multiple_of(alignment).saturating_add(data_bytes))
    }

    /// Counted from where the tensors' data begins.
    fn tensor_end(&mut self) -> Found<u64> {
        self.text()?;
        let mut elements = 1_u64;
        for _ in 0..self.u32()? {
            elements = elements.saturating_mul(self.u64()?);
        }
        let kind = self.u32()?;
        let offset = self.u64()?;
        let bytes = block(kind)
            .map_or(0, |(per_block, bytes)| elements.div_ceil(per_block).saturating_mul(bytes));
        Ok(offset.saturating_add(bytes))
    }

    fn skip_value(&mut self, kind: u32) -> Found<()> {
        if kind == TEXT {
            let length = self.u64()?;
            return self.skip(length);
        }
        if kind != ARRAY {
            return self.skip(width(kind)?);
        }
        let (kind, count) = (self.u32()?, self.u64()?);
        if kind == TEXT {
            for _ in 0..count {
                let length = self.u64()?;
                self.skip(length)?;
            }
            return Ok(());
        }
        // The format allows arrays of arrays, llama.cpp does not.
        self.skip(width(kind)?.saturating_mul(count))
    }

    fn text(&mut self) -> Found<Vec<u8>> {
        let length = self.u64()?;
        self.reach(length)?;
        let mut text = vec![0; length as usize];
        self.input.read_exact(&mut text).map_err(Odd::Io)?;
        self.at += length;
        Ok(text)
    }

    fn u32(&mut self) -> Found<u32> {
        self.bytes().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Found<u64> {
        self.bytes().map(u64::from_le_bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Found<[u8; N]> {
        self.reach(N as u64)?;
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes).map_err(Odd::Io)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn skip(&mut self, bytes: u64) -> Found<()> {
        self.reach(bytes)?;
        self.input.seek(SeekFrom::Current(bytes as i64)).map_err(Odd::Io)?;
        self.at += bytes;
        Ok(())
    }

    /// The file holds that many bytes more, so nothing absurd is allocated or skipped.
    fn reach(&self, bytes: u64) -> Found<()> {
        let end = self.at.saturating_add(bytes);
        if end > self.file_bytes { Err(Odd::EndsAt(end)) } else { Ok(()) }
    }
}

const U32: u32 = 4;
const TEXT: u32 = 8;
const ARRAY: u32 = 9;

/// Bytes of a value of that kind.
fn width(kind: u32) -> Found<u64> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(Odd::Unknown),
    }
}

/// Elements and bytes of one block of a tensor type (`ggml_type`).
fn block(kind: u32) -> Option<(u64, u64)> {
    Some(match kind {
        0 | 26 => (1, 4),      // f32, i32
        1 | 25 | 30 => (1, 2), // f16, i16, bf16
        24 => (1, 1),          // i8
        27 | 28 => (1, 8),     // i64, f64
        2 | 20 => (32, 18),    // q4_0, iq4_nl
        3 => (32, 20),         // q4_1
        6 => (32, 22),         // q5_0
        7 => (32, 24),         // q5_1
        8 => (32, 34),         // q8_0
        39 => (32, 17),        // mxfp4
        10 => (256, 84),       // q2_k
        11 | 21 => (256, 110), // q3_k, iq3_s
        12 => (256, 144),      // q4_k
        13 => (256, 176),      // q5_k
        14 => (256, 210),      // q6_k
        16 | 35 => (256, 66),  // iq2_xxs, tq2_0
        17 => (256, 74),       // iq2_xs
        18 => (256, 98),       // iq3_xxs
        19 => (256, 50),       // iq1_s
        22 => (256, 82),       // iq2_s
        23 => (256, 136),      // iq4_xs
        29 => (256, 56),       // iq1_m
        34 => (256, 54),       // tq1_0
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write};

    use proptest::prelude::*;

    use super::*;

    /// A model of two tensors: 64 × q4_1 (40 bytes) at 0, 5 × f32 (20 bytes) at 64.
    fn model() -> Vec<u8> {
        let mut file = Vec::new();
        let text = |file: &mut Vec<u8>, text: &str| {
            file.extend((text.len() as u64).to_le_bytes());
            file.extend(text.as_bytes());
        };
        file.extend(b"GGUF");
        file.extend(3_u32.to_le_bytes());
        file.extend(2_u64.to_le_bytes());
        file.extend(3_u64.to_le_bytes());
        text(&mut file, "general.name");
        file.extend(TEXT.to_le_bytes());
        text(&mut file, "tiny");
        text(&mut file, "general.alignment");
        file.extend(U32.to_le_bytes());
        file.extend(64_u32.to_le_bytes());
        text(&mut file, "tokens");
        file.extend(ARRAY.to_le_bytes());
        file.extend(TEXT.to_le_bytes());
        file.extend(2_u64.to_le_bytes());
        text(&mut file, "a");
        text(&mut file, "bc");
        for (name, elements, kind, offset) in [("one", 64_u64, 3_u32, 0_u64), ("two", 5, 0, 64)] {
            text(&mut file, name);
            file.extend(1_u32.to_le_bytes());
            file.extend(elements.to_le_bytes());
            file.extend(kind.to_le_bytes());
            file.extend(offset.to_le_bytes());
        }
        file.resize(file.len().next_multiple_of(64) + 64 + 20, 7);
        file
    }

    fn fault(bytes: &[u8]) -> Option<Fault> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(bytes).unwrap();
        check(file.path()).err().map(|failure| failure.fault)
    }

    #[test]
    fn a_whole_file_passes() {
        assert_eq!(fault(&model()), None);
    }

    #[test]
    fn a_file_cut_anywhere_is_truncated() {
        let whole = model();
        for length in 4..whole.len() {
            match fault(&whole[..length]) {
                Some(Fault::Truncated { needed_bytes, actual_bytes }) => {
                    assert_eq!(actual_bytes, length as u64);
                    assert!(needed_bytes > actual_bytes && needed_bytes <= whole.len() as u64);
                }
                other => panic!("{length} of {} bytes: {other:?}", whole.len()),
            }
        }
    }

    #[test]
    fn another_file_is_not_a_gguf() {
        assert_eq!(fault(b""), Some(Fault::NotGguf));
        assert_eq!(fault(b"<!DOCTYPE html>"), Some(Fault::NotGguf));
    }

    #[test]
    fn a_missing_file_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        let failure = check(&folder.path().join("no.gguf")).unwrap_err();
        assert_eq!(failure.fault, Fault::ModelMissing);
    }

    proptest! {
        #[test]
        fn a_damaged_header_neither_panics_nor_asks_for_absurd_memory(
            changes in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..8),
        ) {
            let mut file = model();
            for (at, byte) in changes {
                let at = at.index(file.len());
                file[at] = byte;
            }
            let file_bytes = file.len() as u64;
            let _ = Header { input: Cursor::new(file), at: 0, file_bytes }.needed_bytes();
        }
    }
}
