//! Memories in files: what each format says, read piece by piece.
//!
//! Readers judge the form alone. Who may be believed, what is there already and
//! what contradicts it is for whoever takes the memories in.

mod chatgpt;
mod claude;
mod conversation;
mod detect;
mod jsonl;
mod lines;
mod markdown;
mod memory_md;
mod pieces;

pub use conversation::words_of_person;
pub use detect::detect;

use domain::{
    LeftOut, Memory, MemoryFileWrong, MemoryFormat, MemoryId, MemoryState, NewMemory, PartOfFile,
    PlaceInFile, Source, Trust,
};
use std::io::BufRead;
use std::ops::ControlFlow;

/// A memory as it stands in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub place: PlaceInFile,
    /// What sets it apart from one with the same words in another part of the
    /// file, such as its conversation.
    pub part: String,
    pub new: NewMemory,
    /// What the file says of it beside that, in the formats of our own.
    pub claims: Option<Box<Claims>>,
}

/// What a file of our own says that only the workspace knows of a new one.
#[derive(Debug, Clone, PartialEq)]
pub struct Claims {
    pub id: Option<MemoryId>,
    pub trust: Option<Trust>,
    pub pinned: bool,
    pub source: Source,
    pub created_at_ms: Option<i64>,
    pub changed_at_ms: Option<i64>,
    pub state: MemoryState,
    pub evidence: u32,
    pub recalled: u32,
    pub recalled_at_ms: Option<i64>,
    /// Somebody has edited its words since it was written: what it stated was said by others.
    pub reworded: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Found {
    Entry(Entry),
    /// It cannot become a memory; what follows it may.
    LeftOut(LeftOut),
}

/// Why a file cannot be read any further.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// From 1; `None` where the whole file is meant.
    pub line: Option<u64>,
    pub wrong: MemoryFileWrong,
}

impl Unreadable {
    fn in_line(line: u64, wrong: MemoryFileWrong) -> Unreadable {
        Unreadable { line: Some(line), wrong }
    }
}

impl From<MemoryFileWrong> for Unreadable {
    fn from(wrong: MemoryFileWrong) -> Unreadable {
        Unreadable { line: None, wrong }
    }
}

/// A line, from 1.
fn line_at(number: u64) -> PlaceInFile {
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    PlaceInFile { file: None, part: Some(PartOfFile::Line(number)) }
}

/// Is handed what was found, one after the other, and says when it has enough.
pub type Each<'a> = &'a mut dyn FnMut(Found) -> ControlFlow<()>;

/// Reads a file of this name to its end, or until `each` has enough.
pub fn read(
    format: MemoryFormat,
    name: &str,
    input: impl BufRead,
    each: Each<'_>,
) -> Result<(), Unreadable> {
    match format {
        MemoryFormat::Jsonl => jsonl::read(input, each),
        MemoryFormat::Markdown => markdown::read(input, each),
        MemoryFormat::MemoryMd => memory_md::read(name, input, each),
        MemoryFormat::Chatgpt => conversation::read(input, chatgpt::conversation, each),
        MemoryFormat::Claude => conversation::read(input, claude::conversation, each),
    }
}

/// What stands before the memories in a file of this format, if we write it.
pub fn head(format: MemoryFormat) -> Option<&'static str> {
    match format {
        MemoryFormat::Jsonl => Some(""),
        MemoryFormat::Markdown => Some(markdown::HEAD),
        MemoryFormat::MemoryMd | MemoryFormat::Chatgpt | MemoryFormat::Claude => None,
    }
}

/// A memory as it stands in a JSONL or else a Markdown file of ours.
pub fn written(format: MemoryFormat, memory: &Memory) -> serde_json::Result<String> {
    match format {
        MemoryFormat::Jsonl => jsonl::line(memory),
        MemoryFormat::Markdown
        | MemoryFormat::MemoryMd
        | MemoryFormat::Chatgpt
        | MemoryFormat::Claude => markdown::item(memory),
    }
}

#[cfg(test)]
mod tests;
