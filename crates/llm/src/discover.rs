//! Which model servers run on this machine.
//!
//! A port proves nothing: each server is asked something that only it answers,
//! so that a stranger on its port is not offered.

use crate::http::{Endpoint, Http, Path};
use crate::openai::list_models;
use domain::Offer;
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
        timeout(limit, ollama(http, ports.ollama)),
        timeout(limit, lmstudio(http, ports.lmstudio)),
        timeout(limit, llamaserver(http, ports.llamaserver)),
    );
    [ollama, lmstudio, llamaserver].into_iter().filter_map(|found| found.ok().flatten()).collect()
}

async fn ollama(http: &Http, port: u16) -> Option<Offer> {
    let version = get(http, port, &["api", "version"]).await?;
    version["version"].as_str()?;
    let tags = get(http, port, &["api", "tags"]).await?;
    let models = tags["models"].as_array()?.iter();
    let talking =
        models.filter(|model| !model["details"]["family"].as_str().unwrap_or("").contains("bert"));
    let names = talking.filter_map(|model| Some(model["name"].as_str()?.to_owned())).collect();
    Some(offer("ollama", "Ollama", port, names))
}

async fn lmstudio(http: &Http, port: u16) -> Option<Offer> {
    let greeting = get(http, port, &["lmstudio-greeting"]).await?;
    (greeting["lmstudio"] == true).then_some(())?;
    let endpoint = Endpoint::new("lmstudio", &base_url(port)).ok()?;
    let models = list_models(http, &endpoint).await.ok()?.into_iter().map(|model| model.name);
    // Its own name for every model that makes vectors instead of words.
    let names = models.filter(|name| !name.starts_with("text-embedding-")).collect();
    Some(offer("lmstudio", "LM Studio", port, names))
}

async fn llamaserver(http: &Http, port: u16) -> Option<Offer> {
    let list = get(http, port, &["v1", "models"]).await?;
    let models = list["data"].as_array()?;
    models.first().filter(|model| model["owned_by"] == "llamacpp")?;
    let names = models.iter().filter_map(|model| Some(model["id"].as_str()?.to_owned())).collect();
    Some(offer("llamaserver", "llama-server", port, names))
}

async fn get(http: &Http, port: u16, parts: &[&str]) -> Option<Value> {
    let root = Endpoint::new("discovery", &format!("http://127.0.0.1:{port}")).ok()?;
    http.get(&root, &Path::of(parts)).await.ok()
}

fn offer(name: &str, title: &str, port: u16, models: Vec<String>) -> Offer {
    Offer { name: name.into(), title: title.into(), base_url: base_url(port), models }
}

fn base_url(port: u16) -> String {
    format!("http://127.0.0.1:{port}/v1")
}
