//! Runs: one turn of one agent.

use crate::{
    AgentId, Author, Caps, Fault, GroupId, MessageId, PlanMode, Reason, RunId, ToolSpec, ToolSpecs,
    TurnPolicy,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
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
    /// The one that was asked in its place, since it could not answer.
    #[serde(default)]
    pub asked_instead: Option<Box<str>>,
    pub soul_version: i64,
    /// The turn consumes the group's messages after the first and up to the
    /// second `seq`.
    pub reads_after: i64,
    pub reads_to: i64,
    /// Over all calls of the model.
    pub usage: Usage,
    /// Some of that, and so of what it cost, is our own count: the provider did
    /// not say.
    #[serde(default)]
    pub estimated: bool,
    /// `None` while no price of the model is known.
    pub cost_microusd: Option<i64>,
    pub outcome: Option<Outcome>,
    /// Which try this is, counted before it starts.
    pub attempt: u32,
    /// The interrupted run that this one does again.
    pub resumes: Option<RunId>,
    pub started_ms: i64,
    pub first_token_ms: Option<i64>,
    pub ended_ms: Option<i64>,
}

impl Run {
    /// A first try that begins now, at the start of a chain, with nothing read.
    pub fn beginning(id: RunId, agent: AgentId, group: GroupId, cause: Cause, now_ms: i64) -> Run {
        Run {
            seq: 0,
            id,
            agent,
            group,
            state: RunState::Running,
            root: cause.message,
            cause,
            depth: 0,
            model: String::new(),
            asked_instead: None,
            soul_version: 0,
            reads_after: 0,
            reads_to: 0,
            usage: Usage::default(),
            estimated: false,
            cost_microusd: None,
            outcome: None,
            attempt: 1,
            resumes: None,
            started_ms: now_ms,
            first_token_ms: None,
            ended_ms: None,
        }
    }
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
    /// Interrupted, and not to be taken up again; or begun without room in a budget, and
    /// what it was to answer is given out again.
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
    /// Input tokens that the provider put into its prompt cache.
    #[serde(default)]
    pub cache_write_tokens: Option<u32>,
}

impl Usage {
    /// Both together; what neither says stays unsaid.
    pub fn plus(self, other: Usage) -> Usage {
        let both = |one: Option<u32>, two: Option<u32>| match (one, two) {
            (Some(one), Some(two)) => Some(one.saturating_add(two)),
            (one, two) => one.or(two),
        };
        Usage {
            input_tokens: both(self.input_tokens, other.input_tokens),
            output_tokens: both(self.output_tokens, other.output_tokens),
            cached_tokens: both(self.cached_tokens, other.cached_tokens),
            cache_write_tokens: both(self.cache_write_tokens, other.cache_write_tokens),
        }
    }
}

/// One call of a model that a run made, as it was charged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ModelCall {
    /// `provider/model`.
    pub model: String,
    pub usage: Usage,
    /// The provider did not say; this is our own count.
    pub estimated: bool,
    /// `None` while no price of the model is known.
    pub cost_microusd: Option<i64>,
    /// From the question to the first sign of an answer; `None` where none came.
    pub first_token_ms: Option<i64>,
    /// From the question to the end; `None` for a call whose process ended.
    pub took_ms: Option<i64>,
    pub ended_ms: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Outcome {
    Replied {
        message: MessageId,
        /// It had found no answer, and says so.
        #[serde(default)]
        gave_up: bool,
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
    /// The folder of the workspace it was in.
    #[serde(default)]
    pub workspace: String,
    /// What agents call the person.
    #[serde(default)]
    pub user: String,
    pub agent_name: String,
    #[serde(default)]
    pub agent_role: String,
    /// BCP 47 tag of the language that the agent prefers.
    #[serde(default)]
    pub agent_language: String,
    /// The model that a person chose for the agent, instead of what its soul
    /// says.
    #[serde(default)]
    pub agent_model: Option<String>,
    /// Who delegates to it.
    #[serde(default)]
    pub parent: Option<AgentId>,
    pub soul: String,
    pub soul_version: i64,
    pub soul_hash: String,
    pub group_name: String,
    /// Everybody else in the group, the person included.
    #[serde(default)]
    pub members: Vec<String>,
    /// Those of them who have a role, with it, as the prompt lists them: `Bo, Sceptic`.
    #[serde(default)]
    pub members_with_role: Vec<String>,
    /// Who was there before: their words stand there still, and might be carried on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub members_before: Vec<String>,
    pub policy: TurnPolicy,
    #[serde(default)]
    pub caps: Caps,
    pub model: String,
    /// Who plans, where it is another model.
    #[serde(default)]
    pub plans_with: Option<String>,
    /// Who goes on when the model fails for good.
    #[serde(default)]
    pub fallback: Option<String>,
    pub temperature: f32,
    pub max_tokens: u32,
    #[serde(default)]
    pub limits: RunLimits,
    /// What it may use, by name.
    #[serde(default)]
    #[ts(as = "Vec<ToolSpec>")]
    pub tools: ToolSpecs,
    /// Skills that were active.
    #[serde(default)]
    pub skills: Vec<ContextSkill>,
    /// MCP servers that it could reach, by name.
    #[serde(default)]
    pub mcp_servers: Vec<String>,
    /// The folders whose files are its to see.
    #[serde(default)]
    pub roots: Vec<String>,
    /// The exact system prompt.
    pub system_prompt: String,
    /// Where the things are shown that it was told of by a number; the first is that of 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<String>>", optional)]
    pub links: Vec<String>,
}

/// A skill as it was when a run began.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ContextSkill {
    pub name: String,
    pub version: String,
    /// Where it comes from: a file, or who serves it.
    pub source: String,
    /// JSON Schema of what it takes.
    #[ts(type = "unknown")]
    pub schema: Value,
}

/// How far one run may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct RunLimits {
    /// Times that the model is asked, the final answer included.
    pub max_iterations: u32,
    pub max_replan_attempts: u32,
    /// Calls of one answer are made at the same time.
    pub parallel_tools: bool,
    pub plan: PlanMode,
}

impl Default for RunLimits {
    fn default() -> Self {
        RunLimits {
            max_iterations: 10,
            max_replan_attempts: 3,
            parallel_tools: true,
            plan: PlanMode::Auto,
        }
    }
}
