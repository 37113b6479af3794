//! Providers: who serves models.

use crate::Command;
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
    /// The name of the stored key that it is asked with; comes before the
    /// variable.
    #[serde(default)]
    pub key: Option<String>,
    pub models: Vec<ModelInfo>,
}

impl Provider {
    /// The server that it is, as `https://host:port`, whatever is spoken there.
    pub fn server(&self) -> Option<String> {
        let address = self.base_url.as_deref()?;
        let begin = address.find("://").map_or(0, |at| at + "://".len());
        let end = address[begin..].find(['/', '?', '#']).map_or(address.len(), |at| begin + at);
        Some(address[..end].to_ascii_lowercase())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProviderKind {
    /// Any server that speaks OpenAI's chat completions.
    Openai,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini in its own words.
    Gemini,
    /// Ollama in its own words, which say how much a model may read.
    Ollama,
    /// llama.cpp in a child process of our own.
    Local,
    /// Plays a trace from a file.
    Scripted,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct ModelInfo {
    /// The provider's own name for it.
    pub name: String,
    /// How much it reads and writes at once, as its provider says.
    pub context_tokens: Option<u32>,
    /// The same as a person wants it, whatever the provider says.
    #[serde(default)]
    pub chosen_tokens: Option<u32>,
    /// Small and for looking around only; the window says so.
    pub demo: bool,
}

impl ModelInfo {
    /// As a provider tells of it.
    pub fn new(name: impl Into<String>, context_tokens: Option<u32>) -> Self {
        ModelInfo { name: name.into(), context_tokens, chosen_tokens: None, demo: false }
    }

    /// How much it reads and writes at once, as far as anybody has said.
    pub fn window_tokens(&self) -> Option<u32> {
        self.chosen_tokens.or(self.context_tokens)
    }
}

/// A service or a server that many use, so that nobody has to look up its
/// address.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Preset {
    /// What a provider made from it is called.
    pub name: String,
    /// What people call it.
    pub title: String,
    pub kind: ProviderKind,
    pub base_url: String,
    /// The variable that usually holds its key; none for one that wants none.
    pub key_env: Option<String>,
    /// Where a person gets a key.
    pub key_page: Option<String>,
}

/// What a model wrote beside an answer and wants back with it, unchanged: signed
/// thinking, seals on calls. Only the same model of the same interface can read
/// it, and nobody else is shown it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Kept {
    pub by: ProviderKind,
    pub model: String,
    /// The whole answer in the order in which it was written.
    pub parts: Vec<KeptPart>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum KeptPart {
    /// The next bytes of the answer's text.
    Text { bytes: u32, seal: Option<String> },
    /// The answer's call with this id.
    Call { id: String, seal: Option<String> },
    /// Nobody's but the model's: JSON as it came.
    Own { json: String },
}

/// A provider that calls did not reach several times in a row: none is tried for
/// a while.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftAlone {
    pub provider: String,
    pub for_ms: u64,
}

/// A model server found on this machine, not yet in use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Offer {
    pub name: String,
    /// What people call it: Ollama, LM Studio, llama-server.
    pub title: String,
    pub kind: ProviderKind,
    pub base_url: String,
    pub models: Vec<ModelInfo>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ModelRole {
    Default,
    Fast,
    Reasoning,
    Embedding,
    Fallback,
}

impl Command {
    /// Saves it as it is, whatever is there.
    pub fn save_provider(provider: Provider) -> Command {
        Command::SaveProvider { provider, key: None, replaces: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_the_same_wherever_on_it_its_interface_begins() {
        let server = |address: &str| {
            let provider = Provider {
                name: "acme".into(),
                kind: ProviderKind::Openai,
                base_url: Some(address.into()),
                key_env: None,
                key: None,
                models: Vec::new(),
            };
            provider.server()
        };
        assert_eq!(server("https://API.acme.example/v1"), server("https://api.acme.example"));
        for other in ["http://api.acme.example", "https://api.acme.example:8443/v1"] {
            assert_ne!(server("https://api.acme.example/v1"), server(other), "{other}");
        }
    }
}
