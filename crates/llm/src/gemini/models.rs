//! Which models there are.

use super::root;
use crate::http::{Endpoint, Http, Path};
use crate::{ModelFault, chats};
use domain::ModelInfo;
use serde_json::Value;

/// As many as one page can have.
pub(super) const MODELS: Path = Path { parts: &["models"], query: &[("pageSize", "1000")] };

/// Asks `GET {base_url}/models`; those that talk, in the server's own order.
pub async fn list_models(http: &Http, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelFault> {
    let endpoint = root(endpoint.clone());
    let list: Value = http.get(&endpoint, &MODELS).await?;
    let Some(entries) = list["models"].as_array() else { return Err(endpoint.no_list()) };
    Ok(entries.iter().filter_map(talking).collect())
}

/// Others make vectors, pictures or sounds.
fn talking(entry: &Value) -> Option<ModelInfo> {
    let methods = entry["supportedGenerationMethods"].as_array();
    let talks = methods.is_none_or(|all| all.iter().any(|method| method == "generateContent"));
    let name = entry["name"].as_str().filter(|name| talks && !name.is_empty())?;
    let tokens = entry["inputTokenLimit"].as_u64();
    let name = name.strip_prefix("models/").unwrap_or(name);
    // Those that make pictures or sounds say that they generate content too.
    if !chats::by_name(name) {
        return None;
    }
    Some(ModelInfo::new(name, tokens.and_then(|tokens| tokens.try_into().ok())))
}
