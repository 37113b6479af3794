//! What models were sent.

use crate::{Kept, ToolSpec, ToolSpecs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// One call of a model as it went out: every word that the model was given to
/// read, and how it was to answer. It is in nobody's wire format; how each
/// provider spells it, docs/providers.md says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SentRequest {
    /// Counts the requests of its run, from 1.
    pub n: u32,
    /// `provider/model`.
    pub model: String,
    /// The system prompt first, then the conversation, oldest first.
    pub turns: Vec<SentTurn>,
    /// What the model was told that it may call, by name.
    #[ts(as = "Vec<ToolSpec>")]
    pub tools: ToolSpecs,
    pub temperature: f32,
    pub max_tokens: u32,
    /// The answer ends before any of these.
    pub stop: Vec<String>,
    pub seed: Option<u64>,
    /// What the answer had to match; `None` leaves it to the model.
    pub format: Option<AnswerFormat>,
    pub at_ms: i64,
}

/// One message of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SentTurn {
    pub role: SentRole,
    pub content: String,
    /// What an assistant called.
    pub calls: Vec<SentCall>,
    /// The id of the call whose result this is.
    pub answers: Option<String>,
    pub images: Vec<SentImage>,
    /// What the model got back that it had asked to be kept.
    pub kept: Option<Kept>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SentRole {
    System,
    User,
    Assistant,
    /// The result of a call.
    Tool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SentCall {
    pub id: String,
    pub name: String,
    /// JSON text, as the model wrote it.
    pub arguments: String,
}

/// A picture, without its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SentImage {
    pub media_type: String,
    /// Of the base64 text.
    pub bytes: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AnswerFormat {
    /// llama.cpp's notation.
    Gbnf { grammar: String },
    JsonSchema {
        #[ts(type = "unknown")]
        schema: Value,
    },
}
