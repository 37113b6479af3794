//! Approvals and grants: what a person is asked before a risky use of a tool,
//! and what they allowed for longer than once.

use crate::{AgentId, CallId, GrantId, GroupId, RunId};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// A question about one use of a tool. It is on record before anybody sees it,
/// and holds for exactly this use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Approval {
    /// The use that is asked about.
    pub call: CallId,
    pub run: RunId,
    pub agent: AgentId,
    pub group: GroupId,
    pub tool: String,
    #[ts(type = "unknown")]
    pub arguments: Value,
    /// What exactly it would touch: the whole path of a file, an address.
    pub target: Option<String>,
    /// A pattern that this target and those like it fit.
    pub like: Option<String>,
    /// A hash of the tool, its schema, the arguments and the target, and of the text that
    /// is changed there. Who answers says which they saw.
    pub binding: String,
    pub state: ApprovalState,
    pub asked_ms: i64,
    /// No answer by then is no.
    pub expires_ms: i64,
    pub answered_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalState {
    Waiting,
    /// Allowed, and not begun yet.
    Allowed,
    /// Covered by a standing permission that was given meanwhile, and not begun yet: the
    /// permission has to stand when it begins.
    Covered,
    /// Allowed, and begun.
    Used,
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The turn ended before anybody answered.
    Withdrawn,
}

impl ApprovalState {
    /// Whether the use may still begin.
    pub fn is_open(self) -> bool {
        match self {
            ApprovalState::Waiting | ApprovalState::Allowed | ApprovalState::Covered => true,
            ApprovalState::Used
            | ApprovalState::Denied
            | ApprovalState::Expired
            | ApprovalState::Withdrawn => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Consent {
    Deny,
    Once,
    /// Until Coterie ends.
    Session,
    Always,
}

/// A standing permission: this agent, in this group, with this tool.
///
/// Who works on a task is there until it is done, and so is the group of the task. What is
/// allowed for longer than once is therefore for the soul, in the tasks of whoever gave it the
/// first of them, where that was.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Grant {
    pub id: GrantId,
    pub agent: AgentId,
    pub group: GroupId,
    /// For whoever of this soul works for the agent there; without it, for the agent itself.
    #[serde(default)]
    pub soul: Option<String>,
    pub tool: String,
    pub covers: Covers,
    /// Until it is revoked; else until Coterie ends.
    pub always: bool,
    /// The hash of the tool's schema: a tool that takes something else by now is
    /// another tool.
    pub schema: String,
    pub at_ms: i64,
    pub used_ms: Option<i64>,
    pub uses: u32,
}

/// Which uses a grant is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Covers {
    /// Those with these arguments and no others.
    Arguments {
        #[ts(type = "unknown")]
        arguments: Value,
    },
    /// Those with this target, sign by sign.
    Same { target: String },
    /// Those whose target fits this; `*` stands for any signs.
    Target { pattern: String },
    /// All of them.
    AnyUse,
}
