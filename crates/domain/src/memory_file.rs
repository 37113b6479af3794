//! Memories in files: what an import found there, and what an export wrote.

mod left_out;
mod wrong;

use crate::{NewMemory, Trust};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

pub use left_out::{LeftOut, LeftOutWhy, PartOfFile, PlaceInFile};
pub use wrong::MemoryFileWrong;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MemoryFormat {
    /// One memory a line, with everything about it.
    Jsonl,
    /// The same to be read and edited: the words as a list, the rest in comments.
    Markdown,
    /// Notes that another agent keeps: `MEMORY.md`, `USER.md`, a file a day.
    MemoryMd,
    /// `conversations.json` of ChatGPT.
    Chatgpt,
    /// `conversations.json` of Claude.
    Claude,
}

/// What came of an import or, of a preview, what would.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryImport {
    pub format: MemoryFormat,
    /// Nothing in the file is trusted more than so.
    pub trust: Trust,
    /// In the file.
    pub found: u32,
    /// New here, the contested with them.
    pub added: u32,
    /// There already, or more than once in the file.
    pub repeated: u32,
    /// Contradict one that is more trusted, and wait for a person.
    pub contested: u32,
    /// Memories that were here before and do not hold any more because of one that is added.
    pub gave_way: Vec<GaveWay>,
    pub left_out: u32,
    /// Why, of the first of them.
    pub reasons: Vec<LeftOut>,
    /// In a preview, the first that would be added.
    pub samples: Vec<NewMemory>,
}

/// A memory that was here, and what holds in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GaveWay {
    pub was: String,
    pub now: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryExport {
    pub path: String,
    pub format: MemoryFormat,
    pub memories: u32,
}
