//! Plans: what an agent means to do before it does it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// Whether an agent makes a plan before it acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum PlanMode {
    Never,
    /// Simple requests go without.
    #[default]
    Auto,
    Always,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
pub struct Plan {
    pub steps: Vec<PlanStep>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct PlanStep {
    /// Unique within the plan.
    pub id: String,
    pub action: PlanAction,
    /// Steps that must have ended before this one begins.
    pub after: Vec<String>,
    /// When it fails, what follows from it is not tried.
    pub required: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PlanAction {
    Tool {
        tool: String,
        /// Text may name an earlier step's result as `{{id}}`.
        #[ts(type = "unknown")]
        arguments: Value,
    },
    /// Answers, with what the steps before have found.
    Reply {
        /// What the answer is to say.
        about: String,
    },
}
