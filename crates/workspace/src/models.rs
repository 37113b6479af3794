//! Who serves a model: finds the provider named in `provider/model` and hands
//! out somebody who can ask it.

use crate::Places;
use crate::clock::{Clock, SystemClock};
use domain::{Fault, FaultCode, ModelInfo, Offer, Provider, ProviderKind};
use futures::future::BoxFuture;
use llm::Model;
use llm::anthropic::{self, Anthropic};
use llm::discover::{self, Ports};
use llm::gemini::{self, Gemini};
use llm::http::{Endpoint, Http, Key};
use llm::local::{Local, Setup};
use llm::ollama::{self, Ollama};
use llm::openai::{self, OpenAi};
use llm::scripted::Scripted;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Where models come from. The real one is [`Connected`]; tests bring their
/// own.
pub trait Models: Send + Sync {
    fn serve(&self, provider: &Provider) -> Result<Arc<dyn Model>, Fault>;

    /// Asks a provider which models it has; says what is wrong if it cannot
    /// be reached.
    fn list(&self, provider: Provider) -> BoxFuture<'_, Result<Vec<ModelInfo>, Fault>>;

    /// Model servers that run on this machine.
    fn discover(&self) -> BoxFuture<'_, Vec<Offer>>;
}

/// The provider of the engine that ships with Coterie.
pub const LOCAL: &str = "local";
/// The starter model's name with its provider.
pub const STARTER: &str = "local/SmolLM2-135M-Instruct.Q4_1";

/// What the starter model reads and writes at once.
const STARTER_WINDOW: u32 = 4096;

/// The built-in provider, as a record.
pub(crate) fn local_provider() -> Provider {
    let starter = local_model(STARTER.trim_start_matches("local/").to_owned());
    Provider {
        name: LOCAL.into(),
        kind: ProviderKind::Local,
        base_url: None,
        key_env: None,
        models: vec![starter],
    }
}

fn local_model(name: String) -> ModelInfo {
    let demo = STARTER.ends_with(&name);
    ModelInfo { name, context_tokens: Some(STARTER_WINDOW), demo }
}

/// Looks up a value in the owning process's environment. Binaries pass it in;
/// libraries do not read the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// Real providers. Each is connected once and kept until its record changes.
pub struct Connected {
    environment: Environment,
    http: Http,
    local: Arc<Local>,
    assets: PathBuf,
    /// By the provider's name, with the record it was connected by.
    open: Mutex<HashMap<String, Open>>,
}

type Open = (Provider, Arc<dyn Model>);

impl Connected {
    pub fn new(places: &Places, environment: Environment) -> Self {
        let mut setup = Setup::new(&places.engine, places.assets.join("models"));
        setup.context = STARTER_WINDOW;
        Connected {
            environment,
            http: Http::new(|| SystemClock.now_ms()),
            local: Arc::new(Local::new(setup)),
            assets: places.assets.clone(),
            open: Mutex::default(),
        }
    }

    fn connect(&self, provider: &Provider) -> Result<Arc<dyn Model>, Fault> {
        match provider.kind {
            ProviderKind::Local => Ok(self.local.clone()),
            ProviderKind::Openai => {
                Ok(Arc::new(OpenAi::new(self.http.clone(), self.endpoint(provider)?)))
            }
            ProviderKind::Anthropic => {
                Ok(Arc::new(Anthropic::new(self.http.clone(), self.endpoint(provider)?)))
            }
            ProviderKind::Gemini => {
                Ok(Arc::new(Gemini::new(self.http.clone(), self.endpoint(provider)?)))
            }
            ProviderKind::Ollama => {
                let endpoint = self.endpoint(provider)?;
                Ok(Arc::new(Ollama::new(self.http.clone(), endpoint, windows(provider))))
            }
            ProviderKind::Scripted => {
                let file = provider.base_url.as_deref().unwrap_or_default();
                let scripted = Scripted::load(&self.assets.join(file)).map_err(|error| {
                    Fault::bad_input(
                        error.to_string(),
                        "correct the trace; docs/scripted-traces.md describes it",
                    )
                })?;
                Ok(Arc::new(scripted))
            }
        }
    }

    fn endpoint(&self, provider: &Provider) -> Result<Endpoint, Fault> {
        let base_url = provider.base_url.as_deref().unwrap_or_default();
        let endpoint = Endpoint::new(&provider.name, base_url)?;
        let Some(variable) = &provider.key_env else { return Ok(endpoint) };
        let key = (self.environment)(variable).ok_or_else(|| {
            Fault::new(
                FaultCode::Key,
                format!(
                    "provider {} wants its key in ${variable}, which is not set",
                    provider.name
                ),
                format!("set {variable} and start Coterie again"),
            )
        })?;
        Ok(endpoint.with_key(Key::new(key)))
    }
}

/// How much each of a provider's models may read, as far as that is known.
fn windows(provider: &Provider) -> HashMap<String, u32> {
    let known = |model: &ModelInfo| Some((model.name.clone(), model.context_tokens?));
    provider.models.iter().filter_map(known).collect()
}

impl Models for Connected {
    fn serve(&self, provider: &Provider) -> Result<Arc<dyn Model>, Fault> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, model)) = open.get(&provider.name)
            && known == provider
        {
            return Ok(model.clone());
        }
        let model = self.connect(provider)?;
        open.insert(provider.name.clone(), (provider.clone(), model.clone()));
        Ok(model)
    }

    fn list(&self, provider: Provider) -> BoxFuture<'_, Result<Vec<ModelInfo>, Fault>> {
        Box::pin(async move {
            let endpoint = || self.endpoint(&provider);
            match provider.kind {
                ProviderKind::Openai => Ok(openai::list_models(&self.http, &endpoint()?).await?),
                ProviderKind::Anthropic => {
                    Ok(anthropic::list_models(&self.http, &endpoint()?).await?)
                }
                ProviderKind::Gemini => Ok(gemini::list_models(&self.http, &endpoint()?).await?),
                ProviderKind::Ollama => Ok(ollama::list_models(&self.http, &endpoint()?).await?),
                ProviderKind::Local => {
                    Ok(self.local.models().into_iter().map(local_model).collect())
                }
                ProviderKind::Scripted => self.connect(&provider).map(|_| provider.models),
            }
        })
    }

    fn discover(&self) -> BoxFuture<'_, Vec<Offer>> {
        Box::pin(discover::look(&self.http, Ports::default(), discover::LIMIT))
    }
}
