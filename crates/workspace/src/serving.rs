//! What a person orders about who serves models.
//!
//! A key is shown to no server but the one that it was entered for. So a new address and
//! its key come together, in one command: whoever asked the provider meanwhile would else
//! send the new key to the old address, or the old key to the new one.

use crate::keys;
use crate::memory;
use crate::models::{self, priced};
use crate::shared::Shared;
use domain::{Fault, FaultCode, FaultKind, Provider, ProviderKind};
use secrets::Redactor;
use std::sync::Arc;
use store::table::providers;
use store::{Durability, Write};

/// Saves it, with the key that is its own from now on if one is given, unless there is
/// another than what it `replaces`.
pub(crate) async fn save(
    shared: &Arc<Shared>,
    provider: Provider,
    key: Option<domain::Secret>,
    replaces: Option<Provider>,
) -> Result<Provider, Fault> {
    check(&provider, shared.safe.redactor())?;
    let (before, provider) = match key {
        Some(key) => put_with_key(shared, provider, &key, replaces).await?,
        None => put(shared, provider, replaces).await?,
    };
    keys::provider_changed(shared, before.as_ref(), &provider).await;
    memory::take_up(shared).await?;
    Ok(provider)
}

/// What was there, and what is there now.
type Put = (Option<Provider>, Provider);

async fn put_with_key(
    shared: &Arc<Shared>,
    provider: Provider,
    key: &domain::Secret,
    replaces: Option<Provider>,
) -> Result<Put, Fault> {
    keys::can_keep(shared).await?;
    let before = shared.store.read(|read| providers::get(read, &provider.name))?;
    if replaces.is_some() && before != replaces {
        return Err(changed(&provider.name));
    }
    let is_elsewhere = |before: &Provider| before.server() != provider.server();
    let there = match &before {
        // With neither key, until it has its own.
        Some(one) if is_elsewhere(one) => {
            let keyless = Provider { key: None, key_env: None, ..provider.clone() };
            Some(put(shared, keyless, before.clone()).await?.1)
        }
        Some(_) | None => before.clone(),
    };
    let own = keys::own_key(&provider.name);
    if let Err(fault) = keys::keep(shared, own.clone(), key).await {
        if let Some(before) = before.filter(is_elsewhere) {
            put(shared, before, there).await?;
        }
        return Err(fault);
    }
    let provider = Provider { key: Some(own.clone()), ..provider };
    let refused = provider.clone();
    match put(shared, provider, there).await {
        Ok((_, provider)) => {
            keys::take_into_use(shared, own).await?;
            Ok((before, provider))
        }
        Err(fault) => {
            keys::forget_unused(shared, &refused).await;
            Err(fault)
        }
    }
}

async fn put(
    shared: &Arc<Shared>,
    provider: Provider,
    replaces: Option<Provider>,
) -> Result<Put, Fault> {
    let said = priced::said(shared, &provider.name);
    let with = shared.clone();
    let put = move |write: &mut Write<'_>| {
        let before = providers::get(write, &provider.name)?;
        if replaces.is_some() && before != replaces {
            return Err(changed(&provider.name));
        }
        keys::are_for(&with.safe, write, &provider)?;
        providers::put(write, &provider)?;
        let is_other = |before: &Provider| {
            before.kind != provider.kind || before.base_url != provider.base_url
        };
        if before.as_ref().is_some_and(is_other) {
            priced::forget(write, &provider.name)?;
        }
        // Of one that was not asked nothing new is known.
        if !said.is_empty() {
            priced::take_up(write, &provider, said)?;
        }
        Ok((before, provider))
    };
    let put = shared.store.write(Durability::Process, put).await?;
    shared.safe.changed();
    Ok(put)
}

fn changed(name: &str) -> Fault {
    let message = format!("provider {name} was changed or removed meanwhile");
    let fix = "look at it again, and do it once more if it is still what you want";
    let kind = FaultKind::ProviderChanged { name: name.to_owned() };
    Fault::new(FaultCode::Conflict, message, fix).of(kind)
}

pub(crate) async fn remove(shared: &Arc<Shared>, provider: String) -> Result<(), Fault> {
    let removed = move |write: &mut Write<'_>| {
        let was = providers::get(write, &provider)?;
        priced::forget(write, &provider)?;
        providers::remove(write, &provider)?;
        Ok::<_, Fault>(was)
    };
    if let Some(was) = shared.store.write(Durability::Process, removed).await? {
        keys::forget_unused(shared, &was).await;
    }
    memory::take_up(shared).await
}

/// Whether a provider could be one at all; nobody is asked.
pub(crate) fn check(provider: &Provider, redactor: &Redactor) -> Result<(), Fault> {
    let name = &provider.name;
    let is_key = |text: &str| redactor.redact(text) != text;
    if is_key(name) || provider.models.iter().any(|model| is_key(&model.name)) {
        let message = "what was given as a name of a provider or a model is a key";
        let fix = "give the name, and the key with coterie key set provider/NAME";
        return Err(Fault::bad_input(message, fix));
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) {
        return Err(Fault::bad_input(
            format!("{name:?} cannot be a provider's name"),
            "use letters, digits, - and _: it stands before the slash in provider/model",
        )
        .of(FaultKind::ProviderNameUnfit { name: name.clone() }));
    }
    if (name == models::LOCAL) != (provider.kind == ProviderKind::Local) {
        return Err(Fault::bad_input(
            format!(
                "{} is the name of the engine that is built in, and of nothing else",
                models::LOCAL
            ),
            "give the provider another name",
        )
        .of(FaultKind::ProviderNameBuiltIn));
    }
    if let Some(variable) = &provider.key_env {
        keys::check_variable(variable, redactor)?;
    }
    let fix = match provider.kind {
        ProviderKind::Openai => "give it as http://HOST:PORT/v1",
        ProviderKind::Anthropic => "give it as https://api.anthropic.com/v1",
        ProviderKind::Gemini => "give it as https://generativelanguage.googleapis.com/v1beta",
        ProviderKind::Ollama => "give it as http://HOST:11434",
        ProviderKind::Local | ProviderKind::Scripted => return Ok(()),
    };
    let address = provider.base_url.as_deref().unwrap_or_default();
    let after = address.strip_prefix("http://").or_else(|| address.strip_prefix("https://"));
    let before_the_path = after.unwrap_or_default().split('/').next().unwrap_or_default();
    let holds_key = is_key(address);
    if holds_key || before_the_path.contains('@') || address.contains(['?', '#']) {
        let message = "the address holds a password, a key or a query, and an address is kept where everybody sees it";
        let fix = "give the address without it, and the key with coterie key set provider/NAME";
        return Err(Fault::bad_input(message, fix).of(FaultKind::AddressHoldsKey));
    }
    if after.is_none_or(|after| after.is_empty() || after.starts_with(['/', ':'])) {
        let message = format!("{address:?} is no address of a model server");
        let kind = FaultKind::AddressUnfit { address: address.to_owned() };
        return Err(Fault::bad_input(message, fix).of(kind));
    }
    Ok(())
}
