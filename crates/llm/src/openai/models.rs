//! Which models a server has.

use crate::ModelFault;
use crate::http::{Endpoint, Http, Path};
use domain::ModelInfo;
use serde_json::Value;

/// What servers call the size of a model's window.
const CONTEXT: &[&str] =
    &["context_length", "context_window", "max_context_length", "max_model_len"];

/// Asks `GET {base_url}/models`; the server's own order, without duplicates.
pub async fn list_models(http: &Http, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelFault> {
    let list: Value = http.get(endpoint, &Path::of(&["models"])).await?;
    read(&list).ok_or_else(|| endpoint.no_list())
}

/// None when this is no list of models at all.
fn read(list: &Value) -> Option<Vec<ModelInfo>> {
    let entries = list.get("data").unwrap_or(list).as_array()?;
    let mut models: Vec<ModelInfo> = Vec::new();
    for entry in entries {
        let Some(name) = entry["id"].as_str().filter(|name| !name.is_empty()) else { continue };
        if models.iter().any(|model| model.name == name) {
            continue;
        }
        let context = CONTEXT.iter().find_map(|field| entry[field].as_u64());
        // llama-server tells beside it what the model was made for.
        let context = context.or(entry["meta"]["n_ctx"].as_u64());
        models.push(ModelInfo {
            name: name.to_owned(),
            context_tokens: context.and_then(|tokens| u32::try_from(tokens).ok()),
            demo: false,
        });
    }
    Some(models)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_every_shape_are_read() {
        let check = |list: Value, expected: Option<&[(&str, Option<u32>)]>| {
            let found = read(&list);
            let found: Option<Vec<_>> = found.as_ref().map(|models| {
                models.iter().map(|it| (it.name.as_str(), it.context_tokens)).collect()
            });
            assert_eq!(found.as_deref(), expected, "{list}");
        };
        check(json!({"object": "list", "data": []}), Some(&[]));
        check(
            json!({"data": [{"id": "a"}, {"id": "b", "max_model_len": 4096}, {"id": "a"}, {"name": "c"}]}),
            Some(&[("a", None), ("b", Some(4096))]),
        );
        check(json!([{"id": "a", "context_length": 8}]), Some(&[("a", Some(8))]));
        check(json!({"data": [{"id": "a", "meta": {"n_ctx": 8}}]}), Some(&[("a", Some(8))]));
        check(json!({"hello": "world"}), None);
        check(json!("hello"), None);
    }
}
