//! Agents: running instances of a soul.

use crate::{AgentId, Fault};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// An agent as people see it. What comes from the soul is a copy of the soul
/// in force, renewed in the same transaction as the soul's version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Agent {
    pub id: AgentId,
    /// Unique among agents that are not terminated; what an @mention names.
    pub name: String,
    /// File stem of the soul, without `.md`.
    pub soul: String,
    pub soul_version: i64,
    pub role: String,
    pub description: String,
    /// BCP 47 tag of the language the agent prefers.
    pub language: String,
    /// Seed of the generated avatar.
    pub avatar: String,
    /// The agent's own choice of model; outranks the soul's.
    pub model: Option<String>,
    /// Who delegates to it; it ends with its parent.
    pub parent: Option<AgentId>,
    pub state: AgentState,
    /// Why the agent is in `error`, and what to do about it.
    pub problem: Option<Fault>,
    pub created_ms: i64,
}

impl Agent {
    /// One that has taken nothing over from its soul yet.
    pub fn new(id: AgentId, name: String, soul: String, now_ms: i64) -> Agent {
        Agent {
            id,
            name,
            soul,
            soul_version: 0,
            role: String::new(),
            description: String::new(),
            language: String::new(),
            avatar: String::new(),
            model: None,
            parent: None,
            state: AgentState::Idle,
            problem: None,
            created_ms: now_ms,
        }
    }
}

/// Where an agent's loop stands. `workspace` knows which changes are legal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    Idle,
    Running,
    WaitingApproval,
    Paused,
    Error,
    Terminated,
}

/// One change of state, kept for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Transition {
    pub seq: i64,
    pub agent: AgentId,
    /// `None` for the first one.
    pub from: Option<AgentState>,
    pub to: AgentState,
    pub cause: TransitionCause,
    pub at_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum TransitionCause {
    Created,
    Woken,
    Settled,
    Failed {
        fault: Fault,
    },
    /// A person is asked before it uses a tool.
    AskedFirst,
    /// Nobody has to be asked any more.
    AnswerCame,
    PausedByUser,
    ResumedByUser,
    /// With everybody else.
    AllPaused,
    AllResumed,
    /// It had stopped for a budget, and a new day has room again.
    NewDay,
    /// It had stopped for what may have passed, and tries again by itself.
    Restarted,
    TerminatedByUser,
    /// Its task is done.
    TaskEnded,
    ParentTerminated,
    /// The process that ran the agent ended in the middle of a turn.
    ProcessEnded,
}
