//! Which models there are.

use super::MANNER;
use crate::ModelFault;
use crate::http::{Endpoint, Http, Path};
use domain::ModelInfo;
use serde_json::Value;

/// As many as one page can have.
const MODELS: Path = Path { parts: &["models"], query: &[("limit", "1000")] };

/// Asks `GET {base_url}/models`; the server's own order, newest first.
pub async fn list_models(http: &Http, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelFault> {
    let endpoint = endpoint.clone().spoken_to(MANNER);
    let list: Value = http.get(&endpoint, &MODELS).await?;
    let Some(entries) = list["data"].as_array() else { return Err(endpoint.no_list()) };
    let context = |entry: &Value| {
        let tokens = ["max_input_tokens", "context_window"].iter();
        tokens.filter_map(|name| entry[name].as_u64()).find_map(|tokens| tokens.try_into().ok())
    };
    let models = entries.iter().filter_map(|entry| {
        let name = entry["id"].as_str().filter(|name| !name.is_empty())?.to_owned();
        Some(ModelInfo::new(name, context(entry)))
    });
    Ok(models.collect())
}
