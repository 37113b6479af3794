//! What is said to a model that answers outside of every group.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A line of a dialog.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Line {
    pub role: Speaker,
    pub content: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    User,
    /// The agent itself.
    Assistant,
}
