//! Tools: what an agent may use, and what became of each use.

use crate::{CallId, RunId};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use ts_rs::TS;

/// A tool as a model is told about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolSpec {
    /// Letters, digits, `_` and `-`; at most 64.
    pub name: String,
    /// What it does and when to use it, for the model to read.
    pub description: String,
    /// JSON Schema, draft 2020-12, of an object.
    #[ts(type = "unknown")]
    pub input: Value,
    pub effects: Effects,
    pub risk: Risk,
}

/// Tools as a model is told about them together. Cheap to clone: a turn hands them on
/// many times, and their schemas are large. What is made of all of them is made once.
#[derive(Clone, Default)]
pub struct ToolSpecs(Arc<Told>);

#[derive(Default)]
struct Told {
    all: Vec<ToolSpec>,
    json: OnceLock<String>,
    size: OnceLock<u32>,
}

impl ToolSpecs {
    /// All of them as JSON, as they are stored.
    pub fn json(&self) -> &str {
        self.0.json.get_or_init(|| serde_json::to_string(&self.0.all).unwrap_or_default())
    }

    /// How much they are to read, as whoever asks first counts it.
    pub fn size(&self, count: impl FnOnce(&[ToolSpec]) -> u32) -> u32 {
        *self.0.size.get_or_init(|| count(&self.0.all))
    }
}

impl Deref for ToolSpecs {
    type Target = [ToolSpec];

    fn deref(&self) -> &[ToolSpec] {
        &self.0.all
    }
}

impl From<Vec<ToolSpec>> for ToolSpecs {
    fn from(all: Vec<ToolSpec>) -> Self {
        ToolSpecs(Arc::new(Told { all, ..Told::default() }))
    }
}

impl fmt::Debug for ToolSpecs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.all.fmt(f)
    }
}

impl PartialEq for ToolSpecs {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.0.all == other.0.all
    }
}

impl Serialize for ToolSpecs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.all.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ToolSpecs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(ToolSpecs::from)
    }
}

/// What a use of a tool leaves behind: decides whether a use that was cut off
/// may be made again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// It only looks.
    None,
    /// Twice with the same key is the same as once.
    Repeatable,
    /// Each use counts.
    Once,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Risk {
    Low,
    /// A person is asked first.
    High,
}

/// One use of a tool, as the dispatch ledger keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ToolCall {
    /// Made from the run and the model's own id, so that it is the same
    /// however often the call is looked at. Also the key that makes a
    /// repeatable use safe.
    pub id: CallId,
    pub run: RunId,
    /// What the model calls it.
    pub model_id: String,
    pub tool: String,
    #[ts(type = "unknown")]
    pub arguments: Value,
    pub effects: Effects,
    pub state: CallState,
    /// What the model read about it.
    pub result: Option<String>,
    pub at_ms: i64,
    pub ended_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// Refused before it began: unknown, not allowed, or with wrong arguments.
    Refused,
    /// Begun, and not heard of since.
    Dispatched,
    Succeeded,
    /// It ran and reported a failure.
    Failed,
    /// A person said no.
    Denied,
    /// Nobody answered in time whether it may be done.
    Expired,
    /// A person had put it on the list of what never happens.
    Blocked,
    /// The turn ended before it was begun.
    Skipped,
    /// The turn was stopped while it ran.
    Cancelled,
    /// The process ended while it ran: it may or may not have happened.
    OutcomeUnknown,
}
