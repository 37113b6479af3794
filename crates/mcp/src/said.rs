//! What servers say, in our words.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which protocol a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Era {
    /// Each request stands for itself.
    #[serde(rename = "2026-07-28")]
    Modern,
    /// With a handshake, and requests in both directions.
    #[serde(rename = "2025-11-25")]
    Legacy,
}

/// What a server says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    pub name: Option<String>,
    pub version: Option<String>,
    /// How to use it, for a model to read.
    pub instructions: Option<String>,
    pub era: Era,
    pub has: Has,
}

/// What a server says that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Has {
    pub tools: bool,
    pub resources: bool,
    pub prompts: bool,
    pub completions: bool,
    /// Whether it tells when its lists change.
    pub tools_change: bool,
    pub resources_change: bool,
    pub prompts_change: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    pub name: String,
    pub title: Option<String>,
    pub description: String,
    /// JSON Schema of its arguments.
    pub input: Value,
    /// JSON Schema of what is structured in its answers.
    pub output: Option<Value>,
    pub hints: Hints,
    /// Why nothing can be made of it, as the server lists it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unfit: Option<String>,
}

/// What a server claims of a tool. Nobody has checked it: it may be shown, and
/// permits nothing unless a person trusts the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Hints {
    pub read_only: Option<bool>,
    pub destructive: Option<bool>,
    pub idempotent: Option<bool>,
    pub open_world: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resource {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub bytes: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceTemplate {
    /// As RFC 6570 has it.
    pub uri_template: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prompt {
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub arguments: Vec<Argument>,
}

/// An argument of a prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Argument {
    pub name: String,
    pub description: Option<String>,
    pub required: bool,
}

/// A prompt with its arguments put in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromptText {
    pub description: Option<String>,
    pub messages: Vec<Spoken>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spoken {
    pub role: Role,
    pub parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    User,
    Assistant,
}

/// What came of a use of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    pub parts: Vec<Part>,
    pub structured: Option<Value>,
    /// The tool says that it failed.
    pub failed: bool,
    /// How what is structured differs from what the tool promised.
    pub misfit: Option<String>,
}

impl Answer {
    /// All of it that is text.
    pub fn text(&self) -> String {
        let texts = self.parts.iter().filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Resource(Contents { data: Data::Text(text), .. }) => Some(text.as_str()),
            Part::Image { .. }
            | Part::Audio { .. }
            | Part::Resource(_)
            | Part::Link(_)
            | Part::Unknown(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Part {
    Text(String),
    Image {
        mime_type: String,
        base64: String,
    },
    Audio {
        mime_type: String,
        base64: String,
    },
    Resource(Contents),
    Link(Resource),
    /// Of a kind that is newer than this crate.
    Unknown(String),
}

impl Part {
    /// In words, for whoever is shown nothing but text.
    pub fn shown(&self) -> String {
        let size = |base64: &str| format!("{} kB", (base64.len() * 3 / 4).div_ceil(1000));
        match self {
            Part::Text(text) => text.clone(),
            Part::Image { mime_type, base64 } => {
                format!("[a picture, {mime_type}, {}, that is not shown here]", size(base64))
            }
            Part::Audio { mime_type, base64 } => {
                format!("[a sound, {mime_type}, {}, that is not heard here]", size(base64))
            }
            Part::Resource(Contents { uri, data: Data::Text(text), .. }) => {
                format!("{uri}:\n{text}")
            }
            Part::Resource(Contents { uri, data: Data::Base64(base64), .. }) => {
                format!("[{uri}, {}, that is no text]", size(base64))
            }
            Part::Link(link) => format!("[{}, at {}]", link.name, link.uri),
            Part::Unknown(kind) => format!("[something unknown: {kind}]"),
        }
    }
}

/// What a resource contains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contents {
    pub uri: String,
    pub mime_type: Option<String>,
    pub data: Data,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Data {
    Text(String),
    Base64(String),
}
