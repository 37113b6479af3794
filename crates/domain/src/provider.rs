//! Providers: who serves models.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Provider {
    /// The part before the slash in `provider/model`.
    pub name: String,
    pub kind: ProviderKind,
    /// Where its interface begins, for example `http://127.0.0.1:11434/v1`.
    pub base_url: Option<String>,
    /// The environment variable of the owning process that holds its key.
    pub key_env: Option<String>,
    pub models: Vec<ModelInfo>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Any server that speaks OpenAI's chat completions.
    Openai,
    /// llama.cpp in a child process of our own.
    Local,
    /// Plays a trace from a file.
    Scripted,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelInfo {
    /// The provider's own name for it.
    pub name: String,
    pub context_tokens: Option<u32>,
    /// Small and for looking around only; the window says so.
    pub demo: bool,
}

/// A model server found on this machine, not yet in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Offer {
    pub name: String,
    /// What people call it: Ollama, LM Studio, llama-server.
    pub title: String,
    pub base_url: String,
    pub models: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    Default,
    Fast,
    Reasoning,
}
