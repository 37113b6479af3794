//! Why a file of memories or conversations is not read, or no further.

use serde::{Deserialize, Serialize};
use thiserror::Error;
use ts_rs::TS;

/// What is wrong with it, or with the line of it that is named.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, Error)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum MemoryFileWrong {
    #[error("it does not say in which folder the file lies")]
    NoWholePath,
    #[error("there is no such file")]
    Missing,
    /// `detail` is the system's own.
    #[error("it cannot be read: {detail}")]
    Fails { detail: String },
    #[error("it is neither a file nor a folder")]
    NoFile,
    #[error("nothing in it is known to hold memories")]
    EmptyFolder,
    #[error("there are no memories in it")]
    NoMemories,
    #[error("it is a packed archive")]
    Packed,
    #[error("it is UTF-16 text")]
    Utf16,
    #[error("it is no text")]
    NoText,
    #[error("it is a web page")]
    WebPage,
    #[error("it is a chat of SillyTavern")]
    ChatOfCharacter,
    #[error("the list in it is empty")]
    EmptyList,
    #[error("it is no list of conversations")]
    NoConversations,
    #[error("it is longer than {most_mb} MB")]
    TooLong { most_mb: u32 },
    #[error("the line is longer than {most_mb} MB")]
    LineTooLong { most_mb: u32 },
    #[error("the line is no UTF-8 text")]
    NoUtf8,
    /// `detail` is of the reader of JSON, in English.
    #[error("it is no memory: {detail}")]
    NoMemory { detail: String },
    #[error("the memory has no text")]
    WithoutText,
    #[error("the file ends in the middle of a conversation")]
    CutOff,
    #[error("it is no JSON in column {column}: {detail}")]
    NoJson { column: u32, detail: String },
}

impl MemoryFileWrong {
    /// What to do about it.
    pub fn fix(&self) -> &'static str {
        use MemoryFileWrong as Wrong;
        match self {
            Wrong::NoWholePath => "give its whole path",
            Wrong::Missing => "look at how its name is written",
            Wrong::Fails { .. } => "see that this account may read it and that its disk works",
            Wrong::NoFile => "give a file or a folder",
            Wrong::EmptyFolder => {
                "give the folder in which MEMORY.md, memory/ or conversations.json lies, or one file"
            }
            Wrong::NoMemories => "choose another file or folder, or say with --format what it is",
            Wrong::Packed => "unpack it and import the file conversations.json that is in it",
            Wrong::Utf16 => "save it as UTF-8 and import it again",
            Wrong::WebPage => "import conversations.json of the same export",
            Wrong::ChatOfCharacter => {
                "its chats do not come in; its characters do, as souls: coterie soul import with \
                 a character's card"
            }
            Wrong::NoText | Wrong::EmptyList | Wrong::NoConversations => {
                "import conversations.json, a file of JSON lines or one of Markdown; --format \
                 says which it is"
            }
            Wrong::TooLong { .. } => "split it into several files and import each",
            Wrong::LineTooLong { .. } => "split it into several lines",
            Wrong::NoUtf8 => "save the file as UTF-8 and import it again",
            Wrong::NoMemory { .. } | Wrong::WithoutText => {
                "give every line the form {\"text\":\"…\"}, with kind, tags, valid_from_ms and \
                   the rest as coterie memory export writes them"
            }
            Wrong::CutOff | Wrong::NoJson { .. } => {
                "take conversations.json out of the export again, as it came"
            }
        }
    }
}
