//! Vectors, as Ollama makes them.

use super::{models, root};
use crate::ModelFault;
use crate::http::{Endpoint, Http, Path};
use crate::vectors::{Texts, Vectors, checked, tokens};
use serde_json::{Value, json};

const PATH: Path = Path::of(&["api", "embed"]);

/// Asks `POST /api/embed`, which cuts what is longer than the model reads unless it is told
/// to refuse it.
pub async fn vectors(
    http: &Http,
    endpoint: &Endpoint,
    texts: &Texts,
) -> Result<Vectors, ModelFault> {
    let endpoint = root(endpoint.clone());
    let question = json!({"model": texts.model, "input": texts.prefixed(), "truncate": false});
    let answer: Value = http.told(&endpoint, &PATH, &texts.model, &question).await?;
    let all = answer["embeddings"].as_array().into_iter().flatten();
    let vectors = checked(&endpoint, texts, all)?;
    Ok(Vectors { vectors, input_tokens: tokens(&answer["prompt_eval_count"]) })
}

/// Which of its models make vectors.
pub async fn list_vector_models(
    http: &Http,
    endpoint: &Endpoint,
) -> Result<Vec<String>, ModelFault> {
    let installed = models::installed(http, endpoint, models::PATIENCE).await?;
    let makers = installed.into_iter().filter(models::Installed::makes_vectors);
    Ok(makers.map(|model| model.name).collect())
}
