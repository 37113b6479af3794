//! What a GGUF file says of itself, and whether all of it is there; and how a
//! conversation is told in the template that it brings along.
//!
//! llama.cpp only says "no" to a file it cannot load. A download that broke
//! off is common and has a plain remedy, so it is told apart here, by the
//! header alone: it lists every tensor with its place and size. Nothing of the
//! weights is read, whatever the file's size.

pub mod chat;
mod header;
mod kinds;

use header::Header;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read, Seek};
use std::path::Path;

/// What stands in a model's header, as far as it does.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct About {
    /// The name it gives itself.
    pub name: Option<String>,
    /// llama.cpp's word for how it is built: `llama`, `qwen3`.
    pub architecture: Option<String>,
    /// Tokens that it was made to read and write at once.
    pub context_tokens: Option<u32>,
    /// How many numbers it consists of.
    pub parameters: u64,
    /// How these are stored: `Q4_K_M`, `F16`.
    pub quantisation: Option<String>,
    /// The template of its conversations, if it brings one along.
    pub template: Option<String>,
    /// The file is one of so many that belong together; 1 for a whole model.
    pub parts: u32,
    pub bytes: u64,
}

#[derive(Debug, thiserror::Error)]
pub enum Wrong {
    #[error("file not found")]
    Missing,
    #[error("not a GGUF file")]
    NotGguf,
    #[error("the file has {actual_bytes} bytes and needs {needed_bytes} or more")]
    CutOff { needed_bytes: u64, actual_bytes: u64 },
    /// A version or a kind of value from after our time.
    #[error("a kind of GGUF that is not known here")]
    Unknown,
    /// Its header counts what no file holds.
    #[error("the header is damaged")]
    Damaged,
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// Reads the header of a file.
pub fn look(path: &Path) -> Result<About, Wrong> {
    let found = |error: io::Error| match error.kind() {
        ErrorKind::NotFound => Wrong::Missing,
        _ => Wrong::Io(error),
    };
    // Whoever opens a pipe waits until somebody writes into it.
    let metadata = path.metadata().map_err(found)?;
    if !metadata.is_file() {
        return Err(Wrong::NotGguf);
    }
    let file = File::open(path).map_err(found)?;
    read(BufReader::new(file), metadata.len())
}

/// Reads a header from anything that holds so many bytes.
pub fn read(input: impl Read + Seek, bytes: u64) -> Result<About, Wrong> {
    let mut header = Header::new(input, bytes);
    let (tensors, values) = header.begin()?;
    let mut facts = Facts::default();
    for _ in 0..values {
        let key = header.text()?;
        let kind = header.u32()?;
        facts.take(&mut header, &key, kind)?;
    }
    let mut sizes = Sizes::default();
    for _ in 0..tensors {
        sizes.add(header.tensor()?);
    }
    let alignment = u64::from(facts.number("general.alignment").unwrap_or(32)).max(1);
    let data = header.at().checked_next_multiple_of(alignment).ok_or(Wrong::Damaged)?;
    let needed_bytes = data.saturating_add(sizes.end);
    if needed_bytes > bytes {
        return Err(Wrong::CutOff { needed_bytes, actual_bytes: bytes });
    }
    Ok(facts.about(&sizes, bytes))
}

/// The values that somebody asks for.
#[derive(Default)]
struct Facts {
    texts: HashMap<String, String>,
    numbers: HashMap<String, u32>,
    template: Option<String>,
}

/// Longer names and words than this say nothing.
const MOST_TEXT: usize = 200;

impl Facts {
    fn take<R: Read + Seek>(
        &mut self,
        header: &mut Header<R>,
        key: &[u8],
        kind: u32,
    ) -> Result<(), Wrong> {
        let Ok(key) = str::from_utf8(key) else { return header.skip_value(kind) };
        match (key, kind) {
            ("tokenizer.chat_template", kinds::TEXT) => {
                let text = header.text()?;
                self.template = Some(String::from_utf8_lossy(&text).into_owned());
                Ok(())
            }
            ("general.name" | "general.architecture", kinds::TEXT) => {
                let text = header.text()?;
                let text = String::from_utf8_lossy(&text);
                let shown = text.chars().filter(|c| !c.is_control()).take(MOST_TEXT).collect();
                self.texts.insert(key.to_owned(), shown);
                Ok(())
            }
            (_, kinds::U32) if is_asked_for(key) => {
                let number = header.u32()?;
                self.numbers.insert(key.to_owned(), number);
                Ok(())
            }
            ("split.count", kinds::U16) => {
                let number = header.u16()?;
                self.numbers.insert(key.to_owned(), u32::from(number));
                Ok(())
            }
            _ => header.skip_value(kind),
        }
    }

    fn number(&self, key: &str) -> Option<u32> {
        self.numbers.get(key).copied()
    }

    fn about(&self, sizes: &Sizes, bytes: u64) -> About {
        let text = |key: &str| self.texts.get(key).filter(|text| !text.is_empty()).cloned();
        let architecture = text("general.architecture");
        let length = |of: &String| self.number(&format!("{of}.context_length"));
        let stored = self.number("general.file_type").and_then(kinds::file_type);
        About {
            name: text("general.name"),
            context_tokens: architecture.as_ref().and_then(length),
            architecture,
            parameters: sizes.elements,
            quantisation: stored.or_else(|| sizes.most_common()).map(str::to_owned),
            template: self.template.clone(),
            parts: self.number("split.count").unwrap_or(1).max(1),
            bytes,
        }
    }
}

fn is_asked_for(key: &str) -> bool {
    matches!(key, "general.alignment" | "general.file_type" | "split.count")
        || key.ends_with(".context_length")
}

/// A tensor as its header tells of it.
struct Tensor {
    elements: u64,
    kind: u32,
    /// Counted from where the tensors' data begins.
    offset: u64,
}

#[derive(Default)]
struct Sizes {
    elements: u64,
    /// Where the last one ends.
    end: u64,
    /// How many numbers are stored in each way.
    by_kind: HashMap<u32, u64>,
}

impl Sizes {
    fn add(&mut self, tensor: Tensor) {
        let Tensor { elements, kind, offset } = tensor;
        self.elements = self.elements.saturating_add(elements);
        let bytes = kinds::block(kind)
            .map_or(0, |(per_block, bytes)| elements.div_ceil(per_block).saturating_mul(bytes));
        self.end = self.end.max(offset.saturating_add(bytes));
        let stored = self.by_kind.entry(kind).or_default();
        *stored = stored.saturating_add(elements);
    }

    fn most_common(&self) -> Option<&'static str> {
        let most = self.by_kind.iter().max_by_key(|(kind, elements)| (**elements, **kind))?;
        kinds::tensor_type(*most.0)
    }
}

#[cfg(test)]
mod tests;
