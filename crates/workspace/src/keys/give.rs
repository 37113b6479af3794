//! Which key a provider is asked with: the stored one that it names, else the
//! variable.

use super::change::keep_for;
use super::{Safe, are_for, fault, noted, own_key, pasted, tell};
use crate::redacted;
use crate::shared::Shared;
use domain::{Fault, FaultCode, ModelInfo, Provider, ProviderKind};
use futures::future::join_all;
use llm::{Model, ModelFault, Texts, Trouble, Vectors};
use secrets::{Error, Place, Secret};
use std::sync::Arc;

/// Somebody who can ask the provider.
pub(crate) async fn serve(
    shared: &Arc<Shared>,
    provider: &Provider,
) -> Result<Arc<dyn Model>, Fault> {
    let key = key_of(shared, provider).await?;
    shared.models.serve(provider, key)
}

/// Vectors of texts, by a model of the provider.
pub(crate) async fn vectors(
    shared: &Arc<Shared>,
    provider: &Provider,
    texts: Texts,
) -> Result<Vectors, ModelFault> {
    let key = key_of(shared, provider).await.map_err(|fault| {
        let kind = fault.kind;
        ModelFault { kind, ..ModelFault::new(Trouble::Key, fault.message, fault.fix) }
    })?;
    shared.models.vectors(provider.clone(), key, texts).await
}

/// Which of the models make vectors that all providers have, as `provider/model`. Of one
/// that does not answer nothing is said.
pub(crate) async fn vector_models(shared: &Arc<Shared>, providers: Vec<Provider>) -> Vec<String> {
    let listed = providers.into_iter().map(|provider| async {
        let key = key_of(shared, &provider).await.ok()?;
        let name = provider.name.clone();
        let models = shared.models.vector_models(provider, key).await.ok()?;
        Some(models.into_iter().map(move |model| format!("{name}/{model}")))
    });
    let redactor = shared.safe.redactor();
    let all = join_all(listed).await.into_iter().flatten().flatten();
    all.filter(|model| redactor.redact(model) == *model).collect()
}

/// Which models the provider says that it has; it need not be saved yet. Asked with
/// the key that is tried, if one is, and else with its own.
pub(crate) async fn models_of(
    shared: &Arc<Shared>,
    provider: Provider,
    tried: Option<domain::Secret>,
) -> Result<Vec<ModelInfo>, Fault> {
    let key = match tried {
        Some(tried) => {
            let tried = Secret::from(pasted::key(tried.expose()));
            shared.safe.redactor().learn(&own_key(&provider.name), &tried);
            Some(tried)
        }
        None => key_of(shared, &provider).await?,
    };
    let redactor = shared.safe.redactor();
    let mut listed = shared.models.list(provider.clone(), key).await;
    // A server may give back what it was asked with. No model is called that.
    if let Ok(models) = &mut listed {
        models.retain(|model| redactor.redact(&model.name) == model.name);
    }
    listed.map_err(|fault| {
        // What a server says of its key comes from outside.
        let mut fault = redacted::fault(redactor, fault);
        if fault.code == FaultCode::Key {
            fault.fix = fault::fix_of_refused(&shared.safe, &provider).unwrap_or(fault.fix);
        }
        fault
    })
}

/// What is kept under this name, for whom a person has given it to.
pub(crate) async fn value_of(shared: &Arc<Shared>, name: &str) -> Result<Secret, Fault> {
    stored(shared, name.to_owned()).await.map_err(|error| fault::of(&error))
}

/// None where it wants none.
async fn key_of(shared: &Arc<Shared>, provider: &Provider) -> Result<Option<Secret>, Fault> {
    match provider.kind {
        ProviderKind::Openai
        | ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Ollama => {}
        ProviderKind::Local | ProviderKind::Scripted => return Ok(None),
    }
    shared.store.read(|read| are_for(&shared.safe, read, provider))?;
    let found = match (&provider.key, &provider.key_env) {
        (None, None) => return Ok(None),
        (None, Some(variable)) => in_variable(shared, variable.clone()).await,
        (Some(name), variable) => match (stored(shared, name.clone()).await, variable) {
            (Err(Error::NotFound { .. }), Some(variable)) => {
                in_variable(shared, variable.clone()).await
            }
            (found, _) => found,
        },
    };
    // One that was entered before its server was listed with it.
    if let (Ok(_), Some(name), Some(server)) = (&found, &provider.key, provider.server())
        && *name == own_key(&provider.name)
    {
        keep_for(shared, name.clone(), server).await;
    }
    found.map(Some).map_err(|error| fault::without_key(&provider.name, &error))
}

async fn in_variable(shared: &Arc<Shared>, variable: String) -> Result<Secret, Error> {
    let wanted = variable.clone();
    let found = Safe::ask(shared, move |vault| vault.variable(&wanted)).await;
    if found.is_ok() {
        shared.safe.note_variable(&variable);
    }
    found
}

async fn stored(shared: &Arc<Shared>, name: String) -> Result<Secret, Error> {
    let is_at_hand = shared.safe.vault.is_at_hand(&name);
    let place = shared.safe.place_of(&name);
    let was = shared.safe.vault.sealed();
    let found = Safe::ask(shared, move |vault| vault.get(&name)).await;
    if is_at_hand {
        return found;
    }
    match place {
        Some(Place::Keyring) => noted(shared, &found).await,
        // A passphrase that was handed in has opened it.
        Some(Place::SealedFile) if was != shared.safe.vault.sealed() => tell(shared),
        Some(Place::SealedFile | Place::Environment { .. }) | None => {}
    }
    if let (Ok(_), Some(place)) = (&found, place) {
        recognise_the_others(shared, place);
    }
    found
}

/// The place is open: what else lies there is learned before a tool shows it.
fn recognise_the_others(shared: &Arc<Shared>, place: Place) {
    let vault = shared.safe.vault.clone();
    tokio::task::spawn_blocking(move || vault.recognise(|other| *other == place));
}
