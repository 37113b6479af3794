//! Runs: one turn of one agent.

use crate::{AgentId, Author, Fault, GroupId, MessageId, Reason, RunId, TurnPolicy};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Run {
    /// Order over the whole workspace.
    pub seq: i64,
    pub id: RunId,
    pub agent: AgentId,
    pub group: GroupId,
    pub state: RunState,
    pub cause: Cause,
    pub root: MessageId,
    /// Chain depth of the reply this run may write.
    pub depth: u32,
    /// `provider/model`, as asked.
    pub model: String,
    pub soul_version: i64,
    /// The turn consumes the group's messages after the first and up to the
    /// second `seq`.
    pub reads_after: i64,
    pub reads_to: i64,
    pub usage: Usage,
    pub outcome: Option<Outcome>,
    /// Which try this is, counted before it starts.
    pub attempt: u32,
    /// The interrupted run that this one does again.
    pub resumes: Option<RunId>,
    pub started_ms: i64,
    pub first_token_ms: Option<i64>,
    pub ended_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Running,
    Settled,
    Failed,
    /// A person stopped it.
    Stopped,
    /// The process ended in the middle of it.
    Interrupted,
    /// Interrupted, and done again by a later run.
    Resumed,
    /// Interrupted, and not to be taken up again.
    Dropped,
}

/// Who woke whom, and by which rule.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Cause {
    pub message: MessageId,
    pub author: Author,
    pub reason: Reason,
}

/// Tokens as the provider counted them; `None` where it did not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
pub struct Usage {
    pub input_tokens: Option<u32>,
    pub output_tokens: Option<u32>,
    /// Input tokens that the provider took from its prompt cache.
    pub cached_tokens: Option<u32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    Replied {
        message: MessageId,
    },
    /// Nothing was posted, for this reason.
    Silent {
        reason: Reason,
    },
    Failed {
        fault: Fault,
    },
}

/// What a run stood on, fixed at its start and stored with it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RunContext {
    pub agent_name: String,
    pub soul: String,
    pub soul_version: i64,
    pub soul_hash: String,
    pub group_name: String,
    pub policy: TurnPolicy,
    pub model: String,
    pub temperature: f32,
    pub max_tokens: u32,
    /// The exact system prompt.
    pub system_prompt: String,
}
