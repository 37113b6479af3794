//! Programs from outside that a person lets in: what each may do, what it asks
//! for, and what it is given.

use crate::{Group, GroupId, MemoryScope, Message, PassId, Trust};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a program from outside may do here. What it says is its own word, under
/// its name; it is never the person's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Pass {
    pub id: PassId,
    #[serde(flatten)]
    pub rights: PassRights,
    pub at_ms: i64,
    pub used_ms: Option<i64>,
    pub uses: u32,
    /// Since then it may do nothing; its name stays with what it said.
    pub revoked_ms: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct PassRights {
    /// What the program is called where people and agents read what it says.
    pub name: String,
    /// The groups that it may read.
    pub reads: Vec<GroupId>,
    /// The groups that it may say something in.
    pub says: Vec<GroupId>,
    /// What it may search of all that is remembered.
    pub memory: Vec<MemoryScope>,
    /// How much it may say within an hour, in all groups together.
    pub says_per_hour: u32,
}

/// What a program from outside asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Wanted {
    /// The groups that its pass names.
    Groups,
    /// What was said in a group, oldest first: what followed after a message, or
    /// else the newest.
    Log {
        group: String,
        after: Option<i64>,
        limit: u32,
    },
    Memory {
        text: String,
        limit: u32,
    },
    Say {
        group: String,
        text: String,
    },
}

/// What a program from outside is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum GivenOutside {
    Groups(Vec<OpenGroup>),
    Log(Vec<OpenLine>),
    Memory(Vec<OpenMemory>),
    Said(Message),
}

/// A group as a program from outside sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OpenGroup {
    pub id: GroupId,
    pub name: String,
    /// The agents in it, by their names.
    pub agents: Vec<String>,
    pub may_read: bool,
    pub may_say: bool,
}

/// A message as a program from outside reads it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OpenLine {
    /// Its place in the order of all messages.
    pub number: i64,
    pub who: String,
    pub by: SpokenBy,
    pub said: String,
    pub at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SpokenBy {
    Person,
    Agent,
    Program,
}

/// A memory as a program from outside finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct OpenMemory {
    pub text: String,
    pub trust: Trust,
    pub at_ms: i64,
}

impl Pass {
    pub fn holds(&self) -> bool {
        self.revoked_ms.is_none()
    }
}

impl OpenGroup {
    pub fn of(group: &Group, name: String, agents: Vec<String>, rights: &PassRights) -> Self {
        OpenGroup {
            id: group.id,
            name,
            agents,
            may_read: rights.reads.contains(&group.id),
            may_say: rights.says.contains(&group.id),
        }
    }
}
