//! Who serves a model: finds the provider named in `provider/model` and hands
//! out somebody who can ask it.

pub(crate) mod own;
pub(crate) mod priced;
pub(crate) mod windows;

use crate::Places;
use crate::clock::{Clock, SystemClock};
use domain::{Fault, FaultKind, ModelInfo, Offer, Price, Provider, ProviderKind};
use futures::future::BoxFuture;
use llm::anthropic::{self, Anthropic};
use llm::discover::{self, Ports};
use llm::gemini::{self, Gemini};
use llm::http::{Endpoint, Http, Key};
use llm::local::{Local, Setup, Within};
use llm::ollama::{self, Ollama};
use llm::openai::{self, OpenAi};
use llm::scripted::Scripted;
use llm::{Model, ModelFault, Texts, Trouble, Vectors, known_prices};
use secrets::Secret;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where models come from. The real one is [`Connected`]; tests bring their
/// own.
pub trait Models: Send + Sync {
    fn serve(&self, provider: &Provider, key: Option<Secret>) -> Result<Arc<dyn Model>, Fault>;

    /// Asks a provider which models it has; says what is wrong if it cannot
    /// be reached.
    fn list(
        &self,
        provider: Provider,
        key: Option<Secret>,
    ) -> BoxFuture<'_, Result<Vec<ModelInfo>, Fault>>;

    /// Vectors of texts. Fails for what makes none.
    fn vectors(
        &self,
        provider: Provider,
        _key: Option<Secret>,
        texts: Texts,
    ) -> BoxFuture<'_, Result<Vectors, ModelFault>> {
        Box::pin(async move { Err(makes_none(&provider, &texts.model)) })
    }

    /// Which of a provider's models make vectors, as far as it says so.
    fn vector_models(
        &self,
        _provider: Provider,
        _key: Option<Secret>,
    ) -> BoxFuture<'_, Result<Vec<String>, ModelFault>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Model servers that run on this machine.
    fn discover(&self) -> BoxFuture<'_, Vec<Offer>>;

    /// What a provider said that its models cost when it was last asked for them.
    fn prices(&self, _provider: &str) -> Vec<Price> {
        Vec::new()
    }

    /// Lets go of every key that it was handed.
    fn forget(&self) {}
}

/// The provider of the engine that ships with Coterie.
pub const LOCAL: &str = "local";
/// The starter model's name with its provider.
pub const STARTER: &str = "local/SmolLM2-135M-Instruct.Q4_1";

/// What the starter model reads and writes at once.
const STARTER_WINDOW: u32 = 4096;
/// The same for a file of the person's own, where it was made for as much: more
/// takes memory that many machines lack.
const OWN_WINDOW: u32 = 8192;

/// The built-in provider, as a record.
pub(crate) fn local_provider() -> Provider {
    let starter = local_model(STARTER.trim_start_matches("local/").to_owned());
    Provider {
        name: LOCAL.into(),
        kind: ProviderKind::Local,
        base_url: None,
        key_env: None,
        key: None,
        models: vec![starter],
    }
}

fn local_model(name: String) -> ModelInfo {
    let demo = STARTER.ends_with(&name);
    ModelInfo { demo, ..ModelInfo::new(name, Some(STARTER_WINDOW)) }
}

/// Real providers. Each is connected once and kept until its record or its key changes.
pub struct Connected {
    http: Http,
    local: Arc<Local>,
    assets: PathBuf,
    /// By the provider's name, with the record and the key it was connected by.
    open: Mutex<HashMap<String, Open>>,
    /// By the provider's name.
    prices: Mutex<HashMap<String, Vec<Price>>>,
}

struct Open {
    provider: Provider,
    key: Option<Secret>,
    model: Arc<dyn Model>,
}

impl Connected {
    pub fn new(places: &Places) -> Self {
        let mut setup = Setup::new(&places.engine, places.assets.join("models"));
        setup.context = STARTER_WINDOW;
        setup.own_context = OWN_WINDOW;
        Connected {
            http: Http::new(|| SystemClock.now_ms()),
            local: Arc::new(Local::new(setup)),
            assets: places.assets.clone(),
            open: Mutex::default(),
            prices: Mutex::default(),
        }
    }

    fn open(&self) -> MutexGuard<'_, HashMap<String, Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn said_prices(&self) -> MutexGuard<'_, HashMap<String, Vec<Price>>> {
        self.prices.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers what a provider says that its models cost, and what is known of
    /// those of whose price it says nothing.
    fn price(&self, service: &Endpoint, models: &[ModelInfo], mut said: Vec<Price>) {
        for known in known_prices(service, models) {
            if !said.iter().any(|price| price.model == known.model) {
                said.push(known);
            }
        }
        self.said_prices().insert(service.name().to_owned(), said);
    }

    fn connect(&self, provider: &Provider, key: Option<&Secret>) -> Result<Arc<dyn Model>, Fault> {
        let endpoint = || endpoint(provider, key);
        match provider.kind {
            ProviderKind::Local => Ok(Arc::new(Within::of(&self.local, chosen_windows(provider)))),
            ProviderKind::Openai => Ok(Arc::new(OpenAi::new(self.http.clone(), endpoint()?))),
            ProviderKind::Anthropic => Ok(Arc::new(Anthropic::new(self.http.clone(), endpoint()?))),
            ProviderKind::Gemini => Ok(Arc::new(Gemini::new(self.http.clone(), endpoint()?))),
            ProviderKind::Ollama => {
                Ok(Arc::new(Ollama::new(self.http.clone(), endpoint()?, windows(provider))))
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
}

/// What is known of the price of a model that no list has named.
pub(crate) fn known_price(provider: &Provider, model: &str) -> Option<Price> {
    let at = reached_at(provider, None).ok()?;
    known_prices(&at, &[ModelInfo::new(model, None)]).pop()
}

fn makes_none(provider: &Provider, model: &str) -> ModelFault {
    let model = format!("{}/{model}", provider.name);
    let message = format!("{model} makes no vectors");
    let fix = "choose an embedding model of OpenAI, Gemini, Ollama or a server that speaks like \
               OpenAI, or unset the role to use the one that ships";
    let kind = Some(Box::new(FaultKind::ModelMakesNoVectors { model }));
    ModelFault { kind, ..ModelFault::new(Trouble::UnknownModel, message, fix) }
}

fn endpoint(provider: &Provider, key: Option<&Secret>) -> Result<Endpoint, Fault> {
    Ok(reached_at(provider, key)?)
}

fn reached_at(provider: &Provider, key: Option<&Secret>) -> Result<Endpoint, ModelFault> {
    let base_url = provider.base_url.as_deref().unwrap_or_default();
    let endpoint = Endpoint::new(&provider.name, base_url)?;
    Ok(match key {
        Some(key) => endpoint.with_key(Key::new(key.expose())),
        None => endpoint,
    })
}

/// How much each of a provider's models may read, as far as that is known.
fn windows(provider: &Provider) -> HashMap<String, u32> {
    let known = |model: &ModelInfo| Some((model.name.clone(), model.window_tokens()?));
    provider.models.iter().filter_map(known).collect()
}

/// The same of those that a person has chosen it for.
fn chosen_windows(provider: &Provider) -> HashMap<String, u32> {
    let chosen = |model: &ModelInfo| Some((model.name.clone(), model.chosen_tokens?));
    provider.models.iter().filter_map(chosen).collect()
}

impl Models for Connected {
    fn serve(&self, provider: &Provider, key: Option<Secret>) -> Result<Arc<dyn Model>, Fault> {
        let mut open = self.open();
        if let Some(known) = open.get(&provider.name)
            && known.provider == *provider
            && known.key == key
        {
            return Ok(known.model.clone());
        }
        let model = self.connect(provider, key.as_ref())?;
        let known = Open { provider: provider.clone(), key, model: model.clone() };
        open.insert(provider.name.clone(), known);
        Ok(model)
    }

    fn list(
        &self,
        provider: Provider,
        key: Option<Secret>,
    ) -> BoxFuture<'_, Result<Vec<ModelInfo>, Fault>> {
        Box::pin(async move {
            let endpoint = || endpoint(&provider, key.as_ref());
            match provider.kind {
                ProviderKind::Openai => {
                    let all = openai::list_with_prices(&self.http, &endpoint()?).await?;
                    let (infos, prices): (Vec<_>, Vec<_>) =
                        all.into_iter().map(|listed| (listed.info, listed.price)).unzip();
                    self.price(&endpoint()?, &infos, prices.into_iter().flatten().collect());
                    Ok(infos)
                }
                ProviderKind::Anthropic => {
                    let infos = anthropic::list_models(&self.http, &endpoint()?).await?;
                    self.price(&endpoint()?, &infos, Vec::new());
                    Ok(infos)
                }
                ProviderKind::Gemini => {
                    let infos = gemini::list_models(&self.http, &endpoint()?).await?;
                    self.price(&endpoint()?, &infos, Vec::new());
                    Ok(infos)
                }
                ProviderKind::Ollama => Ok(ollama::list_models(&self.http, &endpoint()?).await?),
                ProviderKind::Local => {
                    let known = |info: ModelInfo| {
                        let one = provider.models.iter().find(|one| one.name == info.name);
                        ModelInfo { chosen_tokens: one.and_then(|one| one.chosen_tokens), ..info }
                    };
                    let ships = self.local.models().into_iter().map(local_model).map(known);
                    let own = provider.models.iter().cloned();
                    let own = own.filter(|info| Path::new(&info.name).is_absolute());
                    Ok(ships.chain(own).collect())
                }
                ProviderKind::Scripted => self.connect(&provider, None).map(|_| provider.models),
            }
        })
    }

    fn vectors(
        &self,
        provider: Provider,
        key: Option<Secret>,
        texts: Texts,
    ) -> BoxFuture<'_, Result<Vectors, ModelFault>> {
        Box::pin(async move {
            let at = || reached_at(&provider, key.as_ref());
            match provider.kind {
                ProviderKind::Openai => openai::vectors(&self.http, &at()?, &texts).await,
                ProviderKind::Gemini => gemini::vectors(&self.http, &at()?, &texts).await,
                ProviderKind::Ollama => ollama::vectors(&self.http, &at()?, &texts).await,
                ProviderKind::Anthropic | ProviderKind::Local | ProviderKind::Scripted => {
                    Err(makes_none(&provider, &texts.model))
                }
            }
        })
    }

    fn vector_models(
        &self,
        provider: Provider,
        key: Option<Secret>,
    ) -> BoxFuture<'_, Result<Vec<String>, ModelFault>> {
        Box::pin(async move {
            let at = || reached_at(&provider, key.as_ref());
            match provider.kind {
                ProviderKind::Openai => openai::list_vector_models(&self.http, &at()?).await,
                ProviderKind::Gemini => gemini::list_vector_models(&self.http, &at()?).await,
                ProviderKind::Ollama => ollama::list_vector_models(&self.http, &at()?).await,
                ProviderKind::Anthropic | ProviderKind::Local | ProviderKind::Scripted => {
                    Ok(Vec::new())
                }
            }
        })
    }

    fn discover(&self) -> BoxFuture<'_, Vec<Offer>> {
        Box::pin(discover::look(&self.http, Ports::default(), discover::LIMIT))
    }

    fn prices(&self, provider: &str) -> Vec<Price> {
        self.said_prices().get(provider).cloned().unwrap_or_default()
    }

    fn forget(&self) {
        self.open().clear();
    }
}
