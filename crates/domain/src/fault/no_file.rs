//! What a path may lead to that is no file.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What stands where a file should.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum NoFile {
    Folder,
    Pipe,
    Socket,
    Device,
    Other,
}
