//! What goes wrong with models and their files.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelTrouble {
    Away,
    Broken,
    /// It has answered, with nothing.
    Wordless,
    /// Cut off for its length before it said anything.
    Endless,
    Busy,
    Failing,
    Key,
    Unknown,
    TooLong,
    /// It reads no pictures.
    NoSight,
    /// It uses no tools.
    NoTools,
    Refused,
    /// Its provider does not answer this question, or keeps the answer to itself.
    Withheld,
    Engine,
    File,
    /// A budget of one message or one run.
    TurnBudget,
    /// A budget that a new day fills again.
    DayBudget,
}

impl ModelTrouble {
    /// Whether it may be for what was asked, so that the next question may well be answered.
    pub fn may_be_of_the_question(self) -> bool {
        match self {
            ModelTrouble::Wordless
            | ModelTrouble::Endless
            | ModelTrouble::TooLong
            | ModelTrouble::Refused
            | ModelTrouble::Withheld => true,
            ModelTrouble::Away
            | ModelTrouble::Broken
            | ModelTrouble::Busy
            | ModelTrouble::Failing
            | ModelTrouble::Key
            | ModelTrouble::Unknown
            | ModelTrouble::NoSight
            | ModelTrouble::NoTools
            | ModelTrouble::Engine
            | ModelTrouble::File
            | ModelTrouble::TurnBudget
            | ModelTrouble::DayBudget => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelFileWrong {
    Missing,
    /// Something else than a GGUF file.
    NoModel,
    CutOff,
    /// Damaged inside, or of a sort that the engine does not know.
    Unusable,
}
