//! How much a model reads and writes at once, where a person says it.

use super::{LOCAL, local_provider, own};
use crate::served::Served;
use crate::shared::Shared;
use domain::{Fault, FaultCode, FaultKind, ModelInfo, Provider};
use std::path::Path;
use std::sync::Arc;
use store::table::providers;
use store::{Durability, Write};

/// A prompt and an answer have no room in less.
const LEAST: u32 = 256;
/// More is a slip of the hand.
const MOST: u32 = 100_000_000;

/// Also of a model that its provider does not name, but of no file that is not on
/// the list. What a file was not made for it is not given.
pub(crate) async fn set(
    shared: &Arc<Shared>,
    model: String,
    tokens: Option<u32>,
) -> Result<Provider, Fault> {
    let named = shared.store.read(|read| Served::find(read, &model).map(|served| served.provider));
    let provider = named.map_err(|fault| Fault { code: FaultCode::NotFound, ..fault })?.name;
    let name = model[provider.len() + 1..].to_owned();
    if let Some(tokens) = tokens {
        let made_for = match provider == LOCAL {
            true => own::made_for(shared, &name).await?,
            false => None,
        };
        check(&model, tokens, made_for.unwrap_or(MOST))?;
    }
    let set = move |write: &mut Write<'_>| {
        let own = || (provider == LOCAL).then(local_provider);
        let Some(mut provider) = providers::get(write, &provider)?.or_else(own) else {
            return Err(no_provider(&provider));
        };
        match provider.models.iter_mut().find(|info| info.name == name) {
            Some(info) => info.chosen_tokens = tokens,
            None if provider.name == LOCAL && Path::new(&name).is_absolute() => {
                return Err(own::not_listed(&name));
            }
            None => {
                let info = ModelInfo { chosen_tokens: tokens, ..ModelInfo::new(name, None) };
                provider.models.push(info);
            }
        }
        providers::put(write, &provider)?;
        Ok(provider)
    };
    shared.store.write(Durability::Process, set).await
}

/// What a provider says that one of its models reads, while it refuses more: from now on it is
/// not asked more. What a person has said stays.
pub(crate) async fn learn(shared: &Arc<Shared>, model: &str, tokens: u32) {
    let Some((provider, name)) = model.split_once('/') else { return };
    let (provider, name) = (provider.to_owned(), name.to_owned());
    let learn = move |write: &mut Write<'_>| {
        let Some(mut provider) = providers::get(write, &provider)? else { return Ok(()) };
        match provider.models.iter_mut().find(|info| info.name == name) {
            Some(info) => info.context_tokens = Some(tokens),
            None => provider.models.push(ModelInfo::new(name, Some(tokens))),
        }
        providers::put(write, &provider)
    };
    if let Err(error) = shared.store.write(Durability::Process, learn).await {
        tracing::error!(%model, %error, "what it reads could not be kept");
    }
}

fn check(model: &str, tokens: u32, most: u32) -> Result<(), Fault> {
    if (LEAST..=most).contains(&tokens) {
        return Ok(());
    }
    let kind = FaultKind::ModelWindowUnfit { model: model.to_owned(), least: LEAST, most };
    let message = format!("{model} cannot read {tokens} tokens at once");
    Err(Fault::bad_input(message, format!("choose from {LEAST} to {most}")).of(kind))
}

/// It was removed meanwhile.
fn no_provider(name: &str) -> Fault {
    let message = format!("there is no provider called {name}");
    let kind = FaultKind::ProviderUnknown { name: name.to_owned() };
    Fault::not_found(message, "coterie provider list shows which there are").of(kind)
}
