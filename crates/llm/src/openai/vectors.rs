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
    let list: Value = http.get(endpoint, &Path::of(&["models"])).await?;
    let entries = list.get("data").unwrap_or(&list).as_array();
    let entries = entries.ok_or_else(|| endpoint.no_list())?;
    let name = |entry: &Value| Some(entry["id"].as_str()?.to_owned());
    Ok(entries.iter().filter(|entry| makes_vectors(entry)).filter_map(name).collect())
}

/// What the server says of it counts more than its name.
fn makes_vectors(entry: &Value) -> bool {
    match entry["type"].as_str() {
        Some(kind) if kind.starts_with("embedding") => true,
        Some("chat" | "llm" | "language" | "code" | "vlm") => false,
        Some(_) | None => chats::makes_vectors(entry["id"].as_str().unwrap_or_default()),
    }
}
