//! A conversation in a file, and places in one.

use crate::MessageId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GroupFormat {
    /// What was said, to be read.
    Markdown,
    /// One object with everything that is known of each message.
    Json,
}

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct GroupExport {
    pub path: String,
    pub format: GroupFormat,
    pub messages: u32,
}

/// A message in which words stand that are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Occurrence {
    pub message: MessageId,
    pub seq: i64,
}
