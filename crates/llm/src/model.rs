//! The contract between whoever asks and whoever serves a model.

use crate::{Called, ModelFault};
use domain::{Kept, ToolSpecs, Usage};
use futures::stream::BoxStream;
use std::fmt;
use std::sync::Arc;

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
    pub tools: ToolSpecs,
}

/// One entry of the conversation. Providers are sent the history as
/// [`crate::history::sent`] makes it, whatever is missing here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    pub role: Role,
    pub content: String,
    /// What an assistant called.
    pub calls: Vec<Called>,
    /// The id of the call whose result this is; for `Role::Tool` only.
    pub answers: Option<String>,
    /// What a person shows along with the words; for `Role::User` only.
    pub images: Vec<Image>,
    /// What the model wants back with what it said; for `Role::Assistant` only.
    pub kept: Option<Kept>,
}

/// A picture, for models that see.
#[derive(Clone, PartialEq, Eq)]
pub struct Image {
    /// What the person calls it; no provider is told.
    pub name: Arc<str>,
    pub kind: ImageKind,
    /// The file's bytes in base64, the form in which every provider takes them.
    pub base64: Arc<str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ImageKind {
    Png,
    Jpeg,
    Gif,
    Webp,
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
    /// So many characters that the model wrote and nobody is shown: sealed
    /// thoughts, a call that has no name yet, what was not asked for. Whatever a
    /// provider sends as output is in some delta, as it comes, so that it can be
    /// counted.
    Unshown(u32),
    /// What the provider has counted by now, where it says so before the end: for an
    /// answer whose end nobody hears.
    Counted(Usage),
    /// What the model wants back with this answer; comes last before the end,
    /// and only if there is something.
    Kept(Kept),
    /// What came so far is void, and the answer begins anew: said by who asks a
    /// second time, and where words turn out to have been thinking (`thoughts`).
    Anew,
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
        let (calls, images) = (Vec::new(), Vec::new());
        Turn { role, content: content.into(), calls, answers: None, images, kept: None }
    }

    /// An assistant that called tools, and perhaps said something before.
    pub fn calling(content: impl Into<String>, calls: Vec<Called>) -> Self {
        Turn { calls, ..Turn::new(Role::Assistant, content) }
    }

    /// The same with what the model wants back.
    #[must_use]
    pub fn keeping(self, kept: Option<Kept>) -> Self {
        Turn { kept, ..self }
    }

    /// A person who shows something along with the words.
    pub fn showing(content: impl Into<String>, images: Vec<Image>) -> Self {
        Turn { images, ..Turn::new(Role::User, content) }
    }

    /// The result of the call with this id.
    pub fn answering(call: impl Into<String>, content: impl Into<String>) -> Self {
        Turn { answers: Some(call.into()), ..Turn::new(Role::Tool, content) }
    }
}

impl ImageKind {
    pub fn media_type(self) -> &'static str {
        match self {
            ImageKind::Png => "image/png",
            ImageKind::Jpeg => "image/jpeg",
            ImageKind::Gif => "image/gif",
            ImageKind::Webp => "image/webp",
        }
    }
}

/// Without the picture itself, which no log wants.
impl fmt::Debug for Image {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "Image({}, {} bytes of base64)", self.kind.media_type(), self.base64.len())
    }
}

impl Delta {
    /// A failure before anything was counted.
    pub fn failed(fault: ModelFault) -> Self {
        Delta::Failed { fault, usage: Usage::default() }
    }
}
