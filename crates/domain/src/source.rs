//! Sources: what is posted in the feed when something happens, with nobody there to
//! write it.

use crate::{CommunityId, Fault, FeedSourceId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Something whose happenings are told in the feed, as a person wished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct FeedSource {
    pub id: FeedSourceId,
    pub plan: SourcePlan,
    /// What happens while it is off is never told.
    pub on: bool,
    /// How many posts it has written.
    pub posts: u32,
    pub posted_ms: Option<i64>,
    pub created_ms: i64,
    /// Since then it tells nothing; its name stays with what it wrote.
    pub removed_ms: Option<i64>,
}

/// What a person who makes a source says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SourcePlan {
    /// What it is called where people and agents read what it writes.
    pub name: String,
    /// Where it writes.
    pub community: CommunityId,
    pub watches: Watches,
    /// How many posts it may write within an hour. What happens beyond that is told
    /// together, as soon as it may write again.
    pub per_hour: u32,
}

/// What a source tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Watches {
    /// Files that come, change and go in a folder and the folders in it.
    Files { folder: String },
    /// Turns that have ended.
    Runs { which: EndedRuns },
    /// Memories that contradict one that is more trusted.
    Contradictions,
    /// What other programs on this machine send to its address, with the token that is
    /// kept under its name among the keys.
    Hook,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EndedRuns {
    /// With an answer outside of the feed, or with a failure.
    All,
    Failed,
}

/// A source as a list shows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SourceView {
    pub source: FeedSource,
    /// Why it cannot look at what it is to tell of.
    pub problem: Option<Fault>,
    /// It has written as much as it may within an hour, and more has happened.
    pub held_back: bool,
    /// Where programs send what it is to tell, of one that hears them.
    pub address: Option<String>,
}

/// What the token is called that programs show a source of this name.
#[must_use]
pub fn hook_key(source: &str) -> String {
    format!("hook/{}", source.replace(' ', "+"))
}

impl FeedSource {
    pub fn watches_now(&self) -> bool {
        self.on && self.removed_ms.is_none()
    }
}
