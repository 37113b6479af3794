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
    let Some((_, name)) = model.split_once('/').filter(|(provider, name)| {
        // A file of this machine may have blanks in its path.
        let blank =
            |c: char| if *provider == models::LOCAL { c.is_control() } else { c.is_whitespace() };
        !provider.is_empty() && !name.is_empty() && !name.contains(blank)
    }) else {
        let known = known_models(shared)?;
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

/// The models that providers say they have, as they are written.
fn known_models(shared: &Shared) -> Result<String, Fault> {
    let mut known = shared.store.read(providers::all)?;
    if !known.iter().any(|provider| provider.name == models::LOCAL) {
        known.push(models::local_provider());
    }
    let named = |provider: &Provider| {
        let name = provider.name.clone();
        provider.models.iter().map(move |info| format!("{name}/{}", info.name)).collect::<Vec<_>>()
    };
    Ok(known.iter().flat_map(named).collect::<Vec<_>>().join(", "))
}
