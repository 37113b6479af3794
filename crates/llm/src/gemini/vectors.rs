//! Vectors, as Gemini makes them.

use super::{named, root};
use crate::ModelFault;
use crate::http::{Endpoint, Http, Path};
use crate::vectors::{Purpose, Texts, Vectors, checked};
use serde_json::{Value, json};

/// Asks `batchEmbedContents`. It does not say what it counted.
pub async fn vectors(
    http: &Http,
    endpoint: &Endpoint,
    texts: &Texts,
) -> Result<Vectors, ModelFault> {
    let endpoint = root(endpoint.clone());
    let named = named(&texts.model);
    let kind = match texts.purpose {
        Purpose::Query => "RETRIEVAL_QUERY",
        Purpose::Passage => "RETRIEVAL_DOCUMENT",
    };
    let request = |text: &String| json!({"model": named, "content": {"parts": [{"text": text}]}, "taskType": kind});
    let requests: Vec<Value> = texts.texts.iter().map(request).collect();
    let method = format!("{named}:batchEmbedContents");
    let parts: Vec<&str> = method.split('/').collect();
    let question = json!({"requests": requests});
    let answer: Value = http.told(&endpoint, &Path::of(&parts), &texts.model, &question).await?;
    let all = answer["embeddings"].as_array().into_iter().flatten();
    let vectors = checked(&endpoint, texts, all.map(|one| &one["values"]))?;
    Ok(Vectors { vectors, input_tokens: None })
}

/// Which of its models make vectors.
pub async fn list_vector_models(
    http: &Http,
    endpoint: &Endpoint,
) -> Result<Vec<String>, ModelFault> {
    let endpoint = root(endpoint.clone());
    let list: Value = http.get(&endpoint, &super::models::MODELS).await?;
    let entries = list["models"].as_array().ok_or_else(|| endpoint.no_list())?;
    let maker = |entry: &Value| {
        let mut methods = entry["supportedGenerationMethods"].as_array()?.iter();
        methods.find(|method| *method == "embedContent")?;
        let name = entry["name"].as_str()?;
        Some(name.strip_prefix("models/").unwrap_or(name).to_owned())
    };
    Ok(entries.iter().filter_map(maker).collect())
}
