//! Which models a server has, as far as they write words.

use crate::chats;
use crate::http::{Endpoint, Http, Path};
use crate::{ModelFault, windows};
use domain::{ModelInfo, Price};
use serde_json::Value;

/// What servers call the size of a model's window.
const CONTEXT: &[&str] =
    &["context_length", "context_window", "max_context_length", "max_model_len"];

/// What answers nobody, where a server says what kind of model each is.
const NO_CHAT_TYPES: &[&str] =
    &["audio", "embedding", "embeddings", "image", "moderation", "rerank", "transcribe", "video"];

/// A model, with what its server says that it costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    pub info: ModelInfo,
    pub price: Option<Price>,
}

/// Asks `GET {base_url}/models`; the server's own order, without duplicates and
/// without models that answer nobody.
pub async fn list_models(http: &Http, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelFault> {
    let all = list_with_prices(http, endpoint).await?;
    Ok(all.into_iter().map(|listed| listed.info).collect())
}

/// The same with prices, where the server says them. Their day is that of the call.
pub async fn list_with_prices(http: &Http, endpoint: &Endpoint) -> Result<Vec<Listed>, ModelFault> {
    let list: Value = http.get(endpoint, &Path::of(&["models"])).await?;
    let mut all = read(endpoint.name(), &list).ok_or_else(|| endpoint.no_list())?;
    // On this machine a model may well run with less than it was made for.
    if !endpoint.is_local() {
        for Listed { info, .. } in &mut all {
            info.context_tokens = info.context_tokens.or_else(|| windows::known_window(&info.name));
        }
    }
    Ok(all)
}

/// None when this is no list of models at all.
fn read(provider: &str, list: &Value) -> Option<Vec<Listed>> {
    let entries = list.get("data").unwrap_or(list).as_array()?;
    let mut models: Vec<Listed> = Vec::new();
    for entry in entries {
        let Some(name) = entry["id"].as_str().filter(|name| !name.is_empty()) else { continue };
        if models.iter().any(|model| model.info.name == name) || !writes_words(name, entry) {
            continue;
        }
        let context = CONTEXT.iter().find_map(|field| entry[field].as_u64());
        // llama-server tells beside it what the model was made for.
        let context = context.or(entry["meta"]["n_ctx"].as_u64()).filter(|tokens| *tokens > 0);
        models.push(Listed {
            info: ModelInfo::new(name, context.and_then(|tokens| u32::try_from(tokens).ok())),
            price: price(&format!("{provider}/{name}"), &entry["pricing"]),
        });
    }
    Some(models)
}

/// What the server says of it counts more than its name.
fn writes_words(name: &str, entry: &Value) -> bool {
    if let Some(kind) = entry["type"].as_str()
        && NO_CHAT_TYPES.contains(&kind)
    {
        return false;
    }
    if let Some(chats) = entry["capabilities"]["completion_chat"].as_bool() {
        return chats;
    }
    if let Some(writes) = entry["architecture"]["output_modalities"].as_array() {
        return writes.iter().any(|kind| kind == "text");
    }
    chats::by_name(name)
}

/// OpenRouter's: dollars for one token, as text. A model that passes on to others
/// has a price below nothing.
fn price(model: &str, pricing: &Value) -> Option<Price> {
    let microusd = |field: &str| {
        let dollars: f64 = pricing[field].as_str()?.parse().ok()?;
        let a_million = (dollars * 1e12).round();
        (0.0..1e12).contains(&a_million).then_some(a_million as i64)
    };
    Some(Price {
        model: model.to_owned(),
        input_microusd: microusd("prompt")?,
        cached_microusd: microusd("input_cache_read"),
        cache_write_microusd: microusd("input_cache_write"),
        output_microusd: microusd("completion")?,
        as_of: None,
        by_provider: true,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_every_shape_are_read() {
        let check = |list: Value, expected: Option<&[(&str, Option<u32>)]>| {
            let found = read("acme", &list);
            let found: Option<Vec<_>> = found.as_ref().map(|models| {
                let infos = models.iter().map(|it| &it.info);
                infos.map(|it| (it.name.as_str(), it.context_tokens)).collect()
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

    #[test]
    fn what_answers_nobody_is_left_out() {
        let names = |list: Value| -> Vec<String> {
            let all = read("acme", &list).expect("is a list");
            all.into_iter().map(|listed| listed.info.name).collect()
        };
        let openai = [
            "gpt-4.1",
            "text-embedding-3-small",
            "whisper-1",
            "tts-1-hd",
            "dall-e-3",
            "o4-mini",
            "gpt-image-1",
            "sora-2",
            "omni-moderation-latest",
            "gpt-realtime-mini",
            "gpt-4o-transcribe",
            "gpt-4o-mini-tts",
            "imaginary-7b",
        ];
        let list: Vec<Value> = openai.iter().map(|name| json!({"id": name})).collect();
        assert_eq!(names(json!({"data": list})), ["gpt-4.1", "o4-mini", "imaginary-7b"]);
        let said = json!([
            {"id": "paints", "architecture": {"output_modalities": ["image"]}},
            {"id": "both-image", "architecture": {"output_modalities": ["image", "text"]}},
            {"id": "reads", "capabilities": {"completion_chat": false}},
            {"id": "ranks", "type": "rerank"},
            {"id": "chats", "type": "chat"}]);
        assert_eq!(names(said), ["both-image", "chats"]);
    }

    #[test]
    fn what_a_model_costs_is_read_where_it_is_said() {
        let list = json!({"data": [
            {"id": "lab/big", "context_length": 200_000, "pricing": {
                "prompt": "0.00000125", "completion": "0.00001", "input_cache_read": "0.000000125",
                "image": "0"}},
            {"id": "lab/free", "pricing": {"prompt": "0", "completion": "0"}},
            {"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}}]});
        let all = read("openrouter", &list).expect("is a list");
        let price = Price {
            model: "openrouter/lab/big".into(),
            input_microusd: 1_250_000,
            cached_microusd: Some(125_000),
            cache_write_microusd: None,
            output_microusd: 10_000_000,
            as_of: None,
            by_provider: true,
        };
        assert_eq!(all[0].price, Some(price));
        assert_eq!(all[0].info.context_tokens, Some(200_000));
        assert_eq!(all[1].price.as_ref().map(|price| price.output_microusd), Some(0));
        assert_eq!(all[2].price, None);
    }
}
