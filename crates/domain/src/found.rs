//! What is found when a person searches everywhere.

use crate::{AgentId, Author, GroupId, Memory, MessageId, Run, RunId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Where it is looked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SearchIn {
    Messages,
    Memories,
    Runs,
}

impl SearchIn {
    pub const ALL: [SearchIn; 3] = [SearchIn::Messages, SearchIn::Memories, SearchIn::Runs];
}

/// What to look for, and where.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Search {
    /// The last word may still be being written.
    pub text: String,
    /// Empty: everywhere.
    #[serde(rename = "in")]
    pub places: Vec<SearchIn>,
    /// Only what stands in this group: its messages, its runs, its memories.
    pub group: Option<GroupId>,
    /// Only what is this agent's: its messages, its runs, its own memories.
    pub agent: Option<AgentId>,
    /// The most that is given of each kind.
    pub limit: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Found {
    /// Those of a kind together, the best of each first.
    pub items: Vec<FoundItem>,
    /// So many messages, runs and memories have yet to be read by an index: what
    /// they say is not found so far.
    pub unread: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FoundItem {
    #[serde(flatten)]
    pub what: FoundWhat,
    /// A part of its text, cut where the words stand that were looked for.
    pub snippet: Vec<Piece>,
    pub at_ms: i64,
}

/// What it is, which says where it leads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum FoundWhat {
    Message {
        message: MessageId,
        seq: i64,
        group: GroupId,
        author: Author,
        /// The run that wrote it.
        run: Option<RunId>,
    },
    Memory {
        memory: Box<Memory>,
    },
    Run {
        run: Box<Run>,
    },
}

/// A piece of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Piece {
    pub text: String,
    /// It is what was looked for.
    pub found: bool,
}
