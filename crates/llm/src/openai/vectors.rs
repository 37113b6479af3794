//! Vectors, as OpenAI and those who speak like it make them.

use crate::http::{Endpoint, Http, Path};
use crate::vectors::{Texts, Vectors, checked, tokens};
use crate::{ModelFault, chats};
use serde_json::{Value, json};

const PATH: Path = Path::of(&["embeddings"]);

/// Asks `POST {base_url}/embeddings`.
pub async fn vectors(
    http: &Http,
    endpoint: &Endpoint,
    texts: &Texts,
) -> Result<Vectors, ModelFault> {
    // Some refuse `encoding_format` where it says what they do anyway.
    let question = json!({"model": texts.model, "input": texts.prefixed()});
    let answer: Value = http.told(endpoint, &PATH, &texts.model, &question).await?;
    let mut all: Vec<&Value> = answer["data"].as_array().into_iter().flatten().collect();
    all.sort_by_key(|one| one["index"].as_u64());
    let vectors = checked(endpoint, texts, all.into_iter().map(|one| &one["embedding"]))?;
    Ok(Vectors { vectors, input_tokens: tokens(&answer["usage"]["prompt_tokens"]) })
}

/// Which of a server's models make vectors, as far as it or their names say so.
pub async fn list_vector_models(
    http: &Http,
    endpoint: &Endpoint,
) -> Result<Vec<String>, ModelFault> {
    let all = list(http, endpoint, &Path::of(&["models"])).await?;
    let named: Vec<String> = names(all.iter().filter(|entry| makes_vectors(entry)));
    if !named.is_empty() {
        return Ok(named);
    }
    // OpenRouter lists them apart; who does not has no such list.
    let apart = list(http, endpoint, &Path::of(&["embeddings", "models"])).await;
    Ok(apart.map(|all| names(all.iter())).unwrap_or_default())
}

async fn list(http: &Http, endpoint: &Endpoint, path: &Path<'_>) -> Result<Vec<Value>, ModelFault> {
    let mut list: Value = http.get(endpoint, path).await?;
    let entries = list.get_mut("data").map(Value::take).unwrap_or(list);
    match entries {
        Value::Array(entries) => Ok(entries),
        _ => Err(endpoint.no_list()),
    }
}

fn names<'a>(entries: impl Iterator<Item = &'a Value>) -> Vec<String> {
    entries.filter_map(|entry| Some(entry["id"].as_str()?.to_owned())).collect()
}

/// What the server says of it counts more than its name.
fn makes_vectors(entry: &Value) -> bool {
    match entry["type"].as_str() {
        Some(kind) if kind.starts_with("embedding") => true,
        Some("chat" | "llm" | "language" | "code" | "vlm") => false,
        Some(_) | None => chats::makes_vectors(entry["id"].as_str().unwrap_or_default()),
    }
}
