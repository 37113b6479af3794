//! Which models a server has, and how much each may read.

use super::root;
use crate::ModelFault;
use crate::http::{Endpoint, Http, Path};
use domain::ModelInfo;
use futures::stream::{self, StreamExt};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

const TAGS: Path = Path::of(&["api", "tags"]);
const SHOW: Path = Path::of(&["api", "show"]);

/// What a model is given to read unless somebody says otherwise. It may be made
/// for far more, and would take the memory for all of it.
const MODEST: u32 = 16_384;
/// Asked about at the same time.
const AT_ONCE: usize = 16;
/// For how long. Some servers have thousands of models.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// A model that lies on the server's disk.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Installed {
    pub name: String,
    /// What it was made to read at most.
    pub made_for: Option<u32>,
    /// What whoever set it up has chosen.
    pub num_ctx: Option<u32>,
    /// For example `4.0B`.
    pub size: Option<String>,
    /// For example `Q4_K_M`.
    pub quantisation: Option<String>,
    /// `completion`, `tools`, `vision`, `thinking`, `embedding`; empty for
    /// servers that do not say.
    pub capabilities: Vec<String>,
}

impl Installed {
    /// What a question to it should say as `num_ctx`.
    pub fn window(&self) -> Option<u32> {
        self.num_ctx.or(self.made_for.map(|most| most.min(MODEST)))
    }

    pub(super) fn makes_vectors(&self) -> bool {
        self.capabilities.iter().any(|it| it == "embedding")
    }

    /// Some make vectors instead of words.
    fn talks(&self) -> bool {
        self.capabilities.is_empty() || self.capabilities.iter().any(|it| it == "completion")
    }
}

/// The models that talk, as the window lists them.
pub async fn list_models(http: &Http, endpoint: &Endpoint) -> Result<Vec<ModelInfo>, ModelFault> {
    list_within(http, endpoint, PATIENCE).await
}

/// The same, where a person waits for no longer than this: those that were not
/// asked about by then are listed by their names alone.
pub async fn list_within(
    http: &Http,
    endpoint: &Endpoint,
    patience: Duration,
) -> Result<Vec<ModelInfo>, ModelFault> {
    let installed = installed(http, endpoint, patience).await?;
    let talking = installed.into_iter().filter(Installed::talks);
    let info = |model: Installed| {
        let context_tokens = model.window();
        ModelInfo::new(model.name, context_tokens)
    };
    Ok(talking.map(info).collect())
}

/// All models, in the server's order. What a model does not tell stays unknown,
/// and what it does not tell in time.
pub async fn installed(
    http: &Http,
    endpoint: &Endpoint,
    patience: Duration,
) -> Result<Vec<Installed>, ModelFault> {
    let endpoint = root(endpoint.clone());
    let tags: Value = http.get(&endpoint, &TAGS).await?;
    let until = Instant::now() + patience;
    let Some(models) = tags["models"].as_array() else { return Err(endpoint.no_list()) };
    let models = models.iter().filter_map(tagged).map(|model| async {
        let question = json!({"model": model.name});
        let shown = http.look_up::<Value>(&endpoint, &SHOW, &question);
        if Instant::now() >= until {
            return model;
        }
        match timeout_at(until, shown).await {
            Ok(Ok(shown)) => with_shown(model, &shown),
            Ok(Err(_)) | Err(_) => model,
        }
    });
    let models: Vec<_> = models.collect();
    Ok(stream::iter(models).buffered(AT_ONCE).collect().await)
}

fn tagged(entry: &Value) -> Option<Installed> {
    let name = word(&entry["name"]).or_else(|| word(&entry["model"]))?;
    let details = &entry["details"];
    // Those that came before `capabilities`.
    let is_bert = details["family"].as_str().is_some_and(|family| family.contains("bert"));
    Some(Installed {
        name,
        size: word(&details["parameter_size"]),
        quantisation: word(&details["quantization_level"]),
        capabilities: if is_bert { vec!["embedding".to_owned()] } else { Vec::new() },
        ..Installed::default()
    })
}

fn with_shown(model: Installed, shown: &Value) -> Installed {
    let info = shown["model_info"].as_object().into_iter().flatten();
    let mut lengths = info.filter(|(key, _)| key.ends_with(".context_length"));
    let made_for = lengths.find_map(|(_, length)| length.as_u64()?.try_into().ok());
    let told = shown["capabilities"].as_array();
    let capabilities = told.map(|all| all.iter().filter_map(word).collect());
    Installed {
        made_for,
        num_ctx: num_ctx(shown["parameters"].as_str().unwrap_or_default()),
        size: word(&shown["details"]["parameter_size"]).or(model.size),
        quantisation: word(&shown["details"]["quantization_level"]).or(model.quantisation),
        capabilities: capabilities.unwrap_or(model.capabilities),
        name: model.name,
    }
}

/// From lines such as `num_ctx   32768`.
fn num_ctx(parameters: &str) -> Option<u32> {
    let mut pairs =
        parameters.lines().filter_map(|line| line.trim().split_once(char::is_whitespace));
    pairs.find(|(name, _)| *name == "num_ctx").and_then(|(_, value)| value.trim().parse().ok())
}

fn word(value: &Value) -> Option<String> {
    value.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(shown: Value) -> Installed {
        with_shown(tagged(&json!({"name": "m"})).expect("has a name"), &shown)
    }

    #[test]
    fn a_model_may_read_what_was_chosen_or_a_modest_part_of_what_it_was_made_for() {
        let check = |parameters: &str, made_for: Value, expected: Option<u32>| {
            let model = shown(json!({
                "parameters": parameters,
                "model_info": {"general.architecture": "qwen3", "qwen3.context_length": made_for},
            }));
            assert_eq!(model.window(), expected, "{parameters:?} {made_for}");
        };
        check("", json!(null), None);
        check("", json!(4096), Some(4096));
        check("temperature 0.7\nstop \"</s>\"", json!(262_144), Some(16_384));
        check("stop \"</s>\"\nnum_ctx                        32768", json!(262_144), Some(32_768));
    }

    #[test]
    fn models_that_make_vectors_are_not_offered() {
        let bert = json!({"name": "nomic", "details": {"family": "nomic-bert"}});
        assert!(!tagged(&bert).expect("has a name").talks());
        assert!(shown(json!({})).talks());
        assert!(shown(json!({"capabilities": ["completion", "tools"]})).talks());
        assert!(!shown(json!({"capabilities": ["embedding"]})).talks());
    }
}
