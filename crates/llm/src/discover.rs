//! Which model servers run on this machine.
//!
//! A port proves nothing: each server is asked something that only it answers,
//! so that a stranger on its port is not offered.

use crate::http::{Endpoint, Http, Path};
use crate::ollama;
use crate::openai::list_models;
use domain::{ModelInfo, Offer, ProviderKind};
use serde_json::Value;
use std::time::Duration;
use tokio::time::timeout;

/// Where each server listens unless told otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ports {
    pub ollama: u16,
    pub lmstudio: u16,
    pub llamaserver: u16,
}

impl Default for Ports {
    fn default() -> Self {
        Ports { ollama: 11434, lmstudio: 1234, llamaserver: 8080 }
    }
}

/// Long enough for a server on the same machine, short enough for a first start.
pub const LIMIT: Duration = Duration::from_millis(900);

/// Asks all ports at once and gives up on each after `limit`.
pub async fn look(http: &Http, ports: Ports, limit: Duration) -> Vec<Offer> {
    let (ollama, lmstudio, llamaserver) = tokio::join!(
        timeout(limit, ollama(http, ports.ollama, limit / 2)),
        timeout(limit, lmstudio(http, ports.lmstudio)),
        timeout(limit, llamaserver(http, ports.llamaserver)),
    );
    [ollama, lmstudio, llamaserver].into_iter().filter_map(|found| found.ok().flatten()).collect()
}

/// Offered by its own interface. How much each model may read is asked for one
/// by one, so it is left out of those that this takes too long for.
async fn ollama(http: &Http, port: u16, limit: Duration) -> Option<Offer> {
    let version = get(http, port, &["api", "version"]).await?;
    version["version"].as_str()?;
    let tags = get(http, port, &["api", "tags"]).await?;
    let (passed_on, tagged): (Vec<_>, Vec<_>) =
        tags["models"].as_array()?.iter().partition(|model| is_passed_on(model));
    let talking = tagged
        .into_iter()
        .filter(|model| !model["details"]["family"].as_str().unwrap_or("").contains("bert"));
    let named = talking.filter_map(|model| Some(info(model["name"].as_str()?, None))).collect();
    let base_url = root(port);
    let endpoint = Endpoint::new("ollama", &base_url).ok()?;
    let models = ollama::list_within(http, &endpoint, limit * 3 / 4);
    let models = timeout(limit, models).await.ok().and_then(Result::ok).unwrap_or(named);
    // What is offered is said to stay on this machine.
    let stays =
        |info: &ModelInfo| passed_on.iter().all(|model| model["name"] != info.name.as_str());
    let models = models.into_iter().filter(stays).collect();
    let kind = ProviderKind::Ollama;
    Some(Offer { name: "ollama".into(), title: "Ollama".into(), kind, base_url, models })
}

/// Ollama lists models that its makers run beside those on this machine.
fn is_passed_on(model: &Value) -> bool {
    let name = model["name"].as_str().unwrap_or_default();
    model["remote_host"].is_string() || name.ends_with(":cloud") || name.ends_with("-cloud")
}

/// How much a model reads is known once it is loaded: what it was made for is
/// usually more than what it is loaded with.
async fn lmstudio(http: &Http, port: u16) -> Option<Offer> {
    let greeting = get(http, port, &["lmstudio-greeting"]).await?;
    (greeting["lmstudio"] == true).then_some(())?;
    let endpoint = Endpoint::new("lmstudio", &base_url(port)).ok()?;
    let loaded = get(http, port, &["api", "v0", "models"]).await.unwrap_or_default();
    let models = list_models(http, &endpoint).await.ok()?.into_iter();
    // Its own name for every model that makes vectors instead of words.
    let talking = models.filter(|model| !model.name.starts_with("text-embedding-"));
    let with_window = talking.map(|model| {
        let known = loaded["data"].as_array().into_iter().flatten();
        let found = known.into_iter().find(|entry| entry["id"] == model.name.as_str());
        let window = found.and_then(|entry| tokens(&entry["loaded_context_length"]));
        ModelInfo { context_tokens: window.or(model.context_tokens), ..model }
    });
    Some(openai("lmstudio", "LM Studio", port, with_window.collect()))
}

/// It runs one model, with a window of its own choice.
async fn llamaserver(http: &Http, port: u16) -> Option<Offer> {
    let list = get(http, port, &["v1", "models"]).await?;
    let models = list["data"].as_array()?;
    models.first().filter(|model| model["owned_by"] == "llamacpp")?;
    let props = get(http, port, &["props"]).await.unwrap_or_default();
    let window = tokens(&props["default_generation_settings"]["n_ctx"]);
    let named = models.iter().filter_map(|model| Some(info(model["id"].as_str()?, window)));
    Some(openai("llamaserver", "llama-server", port, named.collect()))
}

async fn get(http: &Http, port: u16, parts: &[&str]) -> Option<Value> {
    let root = Endpoint::new("discovery", &root(port)).ok()?;
    http.get(&root, &Path::of(parts)).await.ok()
}

fn info(name: &str, context_tokens: Option<u32>) -> ModelInfo {
    ModelInfo::new(name, context_tokens)
}

fn tokens(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|tokens| u32::try_from(tokens).ok()).filter(|tokens| *tokens > 0)
}

fn openai(name: &str, title: &str, port: u16, models: Vec<ModelInfo>) -> Offer {
    let (kind, base_url) = (ProviderKind::Openai, base_url(port));
    Offer { name: name.into(), title: title.into(), kind, base_url, models }
}

fn root(port: u16) -> String {
    format!("http://127.0.0.1:{port}")
}

fn base_url(port: u16) -> String {
    format!("{}/v1", root(port))
}
