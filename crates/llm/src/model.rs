//! The contract between whoever asks and whoever serves a model.

use crate::{Called, ModelFault};
use domain::{ToolSpec, Usage};
use futures::stream::BoxStream;

/// Somebody who answers requests.
///
/// The stream must end with exactly one of [`Delta::Done`] and
/// [`Delta::Failed`], and must not panic. Dropping it cancels the call within
/// 100 ms; no delta may be held back for the sake of batching.
pub trait Model: Send + Sync {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta>;
}

/// What a model is asked, in nobody's wire format.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The provider's own name for the model.
    pub model: String,
    /// The system prompt first, then the conversation, oldest first.
    pub turns: Vec<Turn>,
    /// From 0 to 2.
    pub temperature: f32,
    pub max_tokens: u32,
    /// The answer ends before any of these.
    pub stop: Vec<String>,
    /// Asks for the same answer each time, where the provider can.
    pub seed: Option<u64>,
    /// What the answer must match, where the provider can hold it to that.
    pub grammar: Option<Grammar>,
    /// What the model may call, sorted by name. An answer that must match a
    /// grammar calls nothing.
    pub tools: Vec<ToolSpec>,
}

/// One entry of the conversation. Providers are sent the history as
/// [`crate::history::paired`] makes it, whatever is missing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub role: Role,
    pub content: String,
    /// What an assistant called.
    pub calls: Vec<Called>,
    /// The id of the call whose result this is; for `Role::Tool` only.
    pub answers: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    System,
    User,
    Assistant,
    /// The result of a call.
    Tool,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Grammar {
    /// llama.cpp's grammar notation; its start rule is `root`.
    Gbnf(String),
    /// JSON Schema, draft 2020-12.
    JsonSchema(serde_json::Value),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    /// Thinking that is shown apart from the answer.
    Reasoning(String),
    ToolCall(ToolCallDelta),
    Done {
        finish: Finish,
        usage: Usage,
    },
    Failed {
        fault: ModelFault,
        /// What the provider had counted by then.
        usage: Usage,
    },
}

/// A piece of one tool call, already told apart from its neighbours: the
/// provider's file has applied the rules about ids and indexes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCallDelta {
    /// Stable for the call's whole life; made up where the provider gave none.
    pub id: String,
    /// Given with the first piece of each call.
    pub name: Option<String>,
    /// The next characters of the JSON text of its arguments.
    pub arguments: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The model had said what it wanted, or met a stop string.
    Stop,
    /// `max_tokens` or the context window was reached.
    Length,
    ToolCalls,
    /// The provider withheld the rest.
    Filtered,
}

impl Turn {
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Turn { role, content: content.into(), calls: Vec::new(), answers: None }
    }

    /// An assistant that called tools, and perhaps said something before.
    pub fn calling(content: impl Into<String>, calls: Vec<Called>) -> Self {
        Turn { calls, ..Turn::new(Role::Assistant, content) }
    }

    /// The result of the call with this id.
    pub fn answering(call: impl Into<String>, content: impl Into<String>) -> Self {
        Turn { answers: Some(call.into()), ..Turn::new(Role::Tool, content) }
    }
}

impl Delta {
    /// A failure before anything was counted.
    pub fn failed(fault: ModelFault) -> Self {
        Delta::Failed { fault, usage: Usage::default() }
    }
}
