//! What servers may ask of us, and tell us unasked.

use async_trait::async_trait;
use serde_json::{Map, Value};

use crate::Spoken;

/// Whoever answers for us. A server waits for each answer, within the time of
/// the call that it is about.
#[async_trait]
pub trait Host: Send + Sync + 'static {
    /// What it is able to answer; servers are told.
    fn abilities(&self) -> Abilities;

    /// The folders that the server may work in.
    async fn roots(&self) -> Vec<Root>;

    /// Something that only a person can answer. `uses` are the keys of the uses in
    /// progress that it may be about, the newest last. An error says why nobody is
    /// asked.
    async fn elicit(&self, asked: Elicitation, uses: Vec<String>) -> Result<Elicited, String>;

    /// A word of a model. An error says why not.
    async fn sample(&self, asked: Sampling, uses: Vec<String>) -> Result<Sampled, String>;

    /// Shows a person this page, where they let us in. An error says why not.
    async fn show_page(&self, url: &str) -> Result<(), String>;

    fn news(&self, news: News);
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Abilities {
    pub roots: bool,
    pub sampling: bool,
    pub elicitation: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// `file://…`
    pub uri: String,
    pub name: Option<String>,
}

/// What a server wants a person to answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Elicitation {
    /// A form: an object of texts, numbers, choices.
    Form { message: String, schema: Value },
    /// A page to be visited. What is entered there is not for us to see.
    Page {
        message: String,
        url: String,
        /// Where the address leads, whatever else stands in it.
        host: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Elicited {
    /// What goes to the server, and nothing else: a default that is not among it was cleared.
    Accepted(Map<String, Value>),
    Declined,
    /// The person went away without an answer.
    Cancelled,
}

/// What a server wants a model to say.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampling {
    pub messages: Vec<Spoken>,
    pub system_prompt: Option<String>,
    pub max_tokens: u32,
    pub temperature: Option<f32>,
    pub stop_sequences: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sampled {
    pub text: String,
    pub model: String,
    /// Whether it came to its end by itself.
    pub whole: bool,
}

/// What a server tells unasked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    ToolsChanged,
    ResourcesChanged,
    PromptsChanged,
    /// The resource at this address.
    ResourceChanged(String),
}
