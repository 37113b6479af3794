//! What of a file becomes no memory, where it stands there, and why.

use super::MemoryFileWrong;
use serde::{Deserialize, Serialize};
use std::fmt;
use thiserror::Error;
use ts_rs::TS;

/// Something in a file, or a file of a folder, that becomes no memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftOut {
    pub place: PlaceInFile,
    pub why: LeftOutWhy,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PlaceInFile {
    /// From the folder on, where a folder was given; `…` for all that were not looked at.
    pub file: Option<String>,
    pub part: Option<PartOfFile>,
}

/// From 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", content = "number", rename_all = "snake_case")]
pub enum PartOfFile {
    Line(u32),
    Conversation(u32),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS, Error)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum LeftOutWhy {
    #[error("it is no conversation, or of a form that is not known")]
    NoConversation,
    /// Files that somebody showed.
    #[error("{}", shown(*files))]
    Shown { files: u32 },
    #[error("nothing is said in it ({title:?})")]
    NothingSaid { title: String },
    #[error("{wrong}")]
    File { wrong: MemoryFileWrong },
    #[error("there are more files than are looked at")]
    TooManyFiles,
    #[error("this folder is not looked into")]
    FolderTooDeep,
    #[error("it says who an agent is: put its words into a soul of yours, in souls/")]
    OfSoul,
    #[error("it is a skill: add its folder in Settings under Skills")]
    OfSkill,
    #[error("no memories or conversations are looked for in such a file")]
    OtherFile,
    #[error("you have forgotten it here")]
    Forgotten,
    #[error("here it says: {text}")]
    OtherWords { text: String },
    #[error("who may read it is not in this workspace; say who may with --scope")]
    NoReader,
    #[error("its time is further away than any calendar goes")]
    NoTime,
    /// `detail` says in English what is wrong with the memory itself.
    #[error("{detail}")]
    Unfit { detail: String },
}

impl fmt::Display for PlaceInFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.part) {
            (Some(file), Some(part)) => write!(f, "{file}, {part}"),
            (Some(file), None) => f.write_str(file),
            (None, Some(part)) => part.fmt(f),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for PartOfFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PartOfFile::Line(number) => write!(f, "line {number}"),
            PartOfFile::Conversation(number) => write!(f, "conversation {number}"),
        }
    }
}

fn shown(files: u32) -> String {
    match files {
        1 => "a file that was shown in it is nobody's word".to_owned(),
        files => format!("{files} files that were shown in it are nobody's word"),
    }
}
