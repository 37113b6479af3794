//! Which model an agent may be given for its own.

use crate::served::Served;
use crate::shared::Shared;
use crate::{keys, models};
use domain::{Fault, FaultKind, Provider};
use std::sync::Arc;
use store::table::providers;

/// Nothing is named by blanks.
pub(super) fn named_model(model: Option<String>) -> Option<String> {
    let model = model.map(|model| model.trim().to_owned());
    model.filter(|model| !model.is_empty())
}

/// Whether it is a role, or a model that somebody serves. A provider may serve
/// more than it lists; the engine of this machine runs only the files that are
/// there.
pub(super) async fn check_model(shared: &Arc<Shared>, model: &str) -> Result<(), Fault> {
    if matches!(model, "default" | "fast" | "reasoning") {
        return Ok(());
    }
    let providers = shared.store.read(providers::all)?;
    let Some(name) = name_of(model, &providers) else {
        let known = known_models(model, providers);
        return Err(Fault::bad_input(
            format!("{model:?} is no model"),
            format!("choose one of {known}, or a role: default, fast or reasoning"),
        )
        .of(FaultKind::ModelUnfit { model: model.to_owned(), known }));
    };
    let served = shared.store.read(|read| Served::find(read, model))?;
    if !served.is_local() {
        return Ok(());
    }
    let there = keys::models_of(shared, served.provider, None).await?;
    if there.iter().any(|info| info.name == name) {
        return Ok(());
    }
    let there: Vec<String> = there.iter().map(|info| format!("local/{}", info.name)).collect();
    let known = there.join(", ");
    Err(Fault::not_found(
        format!("there is no model {model} on this machine"),
        if known.is_empty() {
            "choose a model of a provider".to_owned()
        } else {
            format!("choose one of {known}")
        },
    )
    .of(FaultKind::ModelUnlisted { model: model.to_owned(), known }))
}

/// What its provider calls it, where it could be a model. A name with blanks has to be one
/// that is listed: else words were written in the place of a name.
fn name_of<'a>(model: &'a str, providers: &[Provider]) -> Option<&'a str> {
    let (provider, name) = model.split_once('/')?;
    let is_listed = || {
        let mut listed = providers.iter().filter(|one| one.name == provider);
        listed.any(|one| one.models.iter().any(|info| info.name == name))
    };
    // A file of this machine may have blanks in its path.
    let may_have_blanks = provider == models::LOCAL || is_listed();
    let unfit = |c: char| if may_have_blanks { c.is_control() } else { c.is_whitespace() };
    (!provider.is_empty() && !name.is_empty() && !name.contains(unfit)).then_some(name)
}

/// The models that providers say they have, as they are written: of the provider that was
/// named first, and no more than a person reads.
fn known_models(wanted: &str, mut known: Vec<Provider>) -> String {
    if !known.iter().any(|provider| provider.name == models::LOCAL) {
        known.push(models::local_provider());
    }
    let named = wanted.split_once('/').map(|(provider, _)| provider);
    known.sort_by_key(|provider| Some(provider.name.as_str()) != named);
    let models = known.iter().flat_map(|provider| {
        provider.models.iter().map(move |info| format!("{}/{}", provider.name, info.name))
    });
    let all: Vec<String> = models.collect();
    match all.get(..MOST_KNOWN) {
        Some(first) if all.len() > MOST_KNOWN => format!("{}, …", first.join(", ")),
        Some(_) | None => all.join(", "),
    }
}

const MOST_KNOWN: usize = 12;
