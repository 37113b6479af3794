//! What `doctor` found.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Check {
    /// What was looked at: `database`, `starter model`, …
    pub name: String,
    pub state: CheckState,
    /// What was found, in a sentence.
    pub detail: String,
    /// What to do, where something can be done.
    pub fix: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CheckState {
    Ok,
    /// Works, with something missing that the detail names.
    Degraded,
    Broken,
}
