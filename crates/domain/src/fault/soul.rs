//! Why a soul stays where and what it is.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Beside it stands the name of whatever is in the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SoulKept {
    /// These agents live by it.
    Worn,
    /// This name is another soul's.
    NameTaken,
    /// Nothing is in the way but that its file is gone.
    FileGone,
}
