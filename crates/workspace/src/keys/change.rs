//! What a person orders about keys. After each of them everybody is told how it
//! stands, also where it failed on its way.

use super::{
    OF_PROVIDERS, Regained, Safe, fault, lock_up, noted, own, own_key, pasted, resume_if, tell,
};
use crate::shared::Shared;
use domain::{Fault, FaultCode, KeyHome, Provider};
use secrets::{Error, Home, Moved, Place, Redactor, Secret, Vault};
use std::sync::Arc;
use store::Durability;
use store::table::providers;

pub(crate) async fn set(
    shared: &Arc<Shared>,
    name: String,
    value: &domain::Secret,
) -> Result<(), Fault> {
    keep(shared, name.clone(), value).await?;
    fail::fail_point!("key.stored");
    take_into_use(shared, name).await
}

/// What no provider can be asked with takes no key's place.
pub(crate) async fn keep(
    shared: &Arc<Shared>,
    name: String,
    value: &domain::Secret,
) -> Result<(), Fault> {
    check_key_name(&name, shared.safe.redactor())?;
    let is_providers = name.starts_with(OF_PROVIDERS);
    // What else is kept is somebody else's: `Bearer ` may well be a part of it.
    let value = match is_providers {
        true => Secret::from(pasted::key(value.expose())),
        false => Secret::from(value.expose().trim_end_matches(['\r', '\n'])),
    };
    if is_providers && !value.expose().chars().all(can_be_sent) {
        let why = "it holds characters that no provider's key can have";
        return Err(fault::of(&Error::BadValue { name, why }));
    }
    let stored = at_home(shared, move |vault| vault.set(&name, &value)).await;
    shared.safe.changed();
    stored.map_err(|error| fault::of(&error))
}

/// In a header of HTTP.
fn can_be_sent(letter: char) -> bool {
    letter.is_ascii_graphic() || letter == ' '
}

pub(crate) async fn use_variable(
    shared: &Arc<Shared>,
    name: String,
    variable: String,
) -> Result<(), Fault> {
    check_key_name(&name, shared.safe.redactor())?;
    check_variable(&variable, shared.safe.redactor())?;
    let key = name.clone();
    let used = Safe::ask(shared, move |vault| vault.use_variable(&key, &variable)).await;
    used.map_err(|error| fault::of(&error))?;
    shared.safe.changed();
    take_into_use(shared, name).await
}

/// A name is shown and kept where everybody sees it. Neither message nor fix repeats it.
fn check_key_name(name: &str, redactor: &Redactor) -> Result<(), Fault> {
    if redactor.redact(name) == name {
        return Ok(());
    }
    Err(Fault::bad_input(
        "what was given as the name of a key is a key itself",
        "name it, as in coterie key set provider/openai, and enter the key when it is asked for; \
         replace the key where you got it, if others may have seen it",
    ))
}

/// Fails on what is no name of a variable: a key may have been pasted where the
/// name belongs, so neither the message nor the fix repeats it.
pub(crate) fn check_variable(variable: &str, redactor: &Redactor) -> Result<(), Fault> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_name =
        variable.chars().all(plain) && !variable.starts_with(|c: char| c.is_ascii_digit());
    if !variable.is_empty() && is_name && redactor.redact(variable) == variable {
        return Ok(());
    }
    Err(Fault::bad_input(
        "what was given is a key, or no name that a variable can have",
        "name the variable that holds the key, such as OPENAI_API_KEY, or enter the key itself with coterie key set NAME",
    ))
}

/// A provider's own key is what it is asked with from now on, unless it names
/// another; and who stopped for want of this key goes on.
pub(crate) async fn take_into_use(shared: &Arc<Shared>, name: String) -> Result<(), Fault> {
    let own = name.clone();
    let server = shared
        .store
        .write(Durability::Process, move |write| {
            let owner = own.strip_prefix(OF_PROVIDERS).map(|owner| providers::get(write, owner));
            let Some(owner) = owner.transpose()?.flatten() else { return Ok(None) };
            if owner.key.is_none() {
                providers::put(write, &Provider { key: Some(own), ..owner.clone() })?;
            }
            Ok::<_, Fault>(owner.server())
        })
        .await?;
    if let Some(server) = server {
        keep_for(shared, name.clone(), server).await;
    }
    tell(shared);
    resume_if(shared, Regained::Key(name)).await;
    Ok(())
}

/// `forget` takes it off the list without reaching its place.
pub(crate) async fn remove(shared: &Arc<Shared>, name: String, forget: bool) -> Result<(), Fault> {
    let place = shared.safe.place_of(&name);
    let key = name.clone();
    let removed = Safe::ask(shared, move |vault| match forget {
        true => vault.forget(&key),
        false => vault.remove(&key),
    })
    .await;
    match place {
        Some(Place::Keyring) if !forget => noted(shared, &removed).await,
        Some(Place::Keyring | Place::SealedFile | Place::Environment { .. }) | None => tell(shared),
    }
    shared.models.forget();
    shared.safe.changed();
    let only_named = |error: &Error| matches!(error, Error::NotFound { .. });
    removed.map_err(|error| match variable_of(shared, &name) {
        Some((provider, variable)) if only_named(&error) => Fault::new(
            FaultCode::Refused,
            format!("{name} is what the environment variable {variable} holds"),
            format!("set up provider {provider} again without it, or unset {variable}"),
        ),
        _ => fault::of(&error),
    })
}

/// The provider that is asked with a variable, and has no key of this name stored.
fn variable_of(shared: &Shared, name: &str) -> Option<(String, String)> {
    let provider = name.strip_prefix(OF_PROVIDERS)?;
    let provider = shared.store.read(|read| providers::get(read, provider)).ok()??;
    Some((provider.name, provider.key_env?))
}

pub(crate) async fn move_to(shared: &Arc<Shared>, to: KeyHome) -> Result<(), Fault> {
    let home = match to {
        KeyHome::Keyring => Home::Keyring,
        KeyHome::Sealed => Home::SealedFile,
    };
    let moved = Safe::ask(shared, move |vault| vault.move_to(home)).await;
    // Either way the keyring was asked only if something lay there or goes there.
    match &moved {
        Ok(_) if home == Home::SealedFile => tell(shared),
        moved => noted(shared, moved).await,
    }
    let Moved { failed, .. } = moved.map_err(|error| fault::of(&error))?;
    resume_if(shared, Regained::Place(home.into())).await;
    let Some((name, error)) = failed.first() else { return Ok(()) };
    let message = match failed.len() {
        1 => format!("{name} could not be moved: {error}"),
        all => format!("{all} keys could not be moved, {name} among them: {error}"),
    };
    Err(Fault { message, ..fault::of(error) })
}

pub(crate) async fn seal(shared: &Arc<Shared>, passphrase: &domain::Secret) -> Result<(), Fault> {
    let passphrase = own(passphrase);
    let sealed = Safe::ask(shared, move |vault| vault.create_sealed_file(&passphrase)).await;
    tell(shared);
    sealed.map_err(|error| fault::of(&error))
}

pub(crate) async fn unlock(shared: &Arc<Shared>, passphrase: &domain::Secret) -> Result<(), Fault> {
    let passphrase = own(passphrase);
    let unlocked = Safe::ask(shared, move |vault| {
        vault.unlock_sealed_file(&passphrase)?;
        vault.recognise(|place| *place == Place::SealedFile);
        Ok(())
    })
    .await;
    tell(shared);
    unlocked.map_err(|error| fault::of(&error))?;
    resume_if(shared, Regained::Place(Place::SealedFile)).await;
    Ok(())
}

/// Forgets the passphrase, however it came here.
pub(crate) async fn lock(shared: &Arc<Shared>) -> Result<(), Fault> {
    let with = shared.clone();
    // Behind whoever is just opening it.
    let locked = tokio::task::spawn_blocking(move || {
        *lock_up(&with.safe.passphrase) = None;
        with.safe.vault.lock_sealed_file();
    });
    locked.await.map_err(|_| fault::of(&Error::Keyring { why: "the call broke off".into() }))?;
    shared.models.forget();
    tell(shared);
    Ok(())
}

pub(crate) async fn change_passphrase(
    shared: &Arc<Shared>,
    old: &domain::Secret,
    new: &domain::Secret,
) -> Result<(), Fault> {
    let (old, new) = (own(old), own(new));
    let changed = Safe::ask(shared, move |vault| vault.change_passphrase(&old, &new)).await;
    // It is open from then on, whatever it was before.
    tell(shared);
    changed.map_err(|error| fault::of(&error))?;
    resume_if(shared, Regained::Place(Place::SealedFile)).await;
    Ok(())
}

/// What it is asked with may be another key now: the one it had goes, if it was
/// its own, and who stopped because of it goes on.
pub(crate) async fn provider_changed(
    shared: &Arc<Shared>,
    before: Option<&Provider>,
    now: &Provider,
) {
    let asked_with = |provider: &Provider| (provider.key.clone(), provider.key_env.clone());
    if before.map(asked_with) == Some(asked_with(now)) {
        return;
    }
    match before {
        Some(before) if before.key == Some(own_key(&now.name)) => {
            forget_unused(shared, before).await;
        }
        Some(_) | None => tell(shared),
    }
    resume_if(shared, Regained::Provider(now.name.clone())).await;
}

/// A provider was changed or removed: its own key goes with it, unless somebody
/// is still asked with it. Where it cannot be reached it stays on the list,
/// and is for the same server as before.
pub(crate) async fn forget_unused(shared: &Arc<Shared>, was: &Provider) {
    let provider = &was.name;
    let name = own_key(provider);
    let used = shared.store.read(providers::all).unwrap_or_default();
    let is_used = used.iter().any(|one| one.key.as_ref() == Some(&name));
    if is_used || shared.safe.place_of(&name).is_none() {
        return tell(shared);
    }
    if let Some(server) = was.server() {
        keep_for(shared, name.clone(), server).await;
    }
    if let Err(fault) = remove(shared, name, false).await {
        tracing::warn!(%fault, provider, "its key stays where it is");
    }
}

/// The list of keys says from now on which server the key was entered for, whatever becomes
/// of its provider: removed, or another one from a backup. What it says already counts.
pub(super) async fn keep_for(shared: &Arc<Shared>, name: String, server: String) {
    if shared.safe.kept_for(&name).is_some() {
        return;
    }
    let key = name.clone();
    let kept = Safe::ask(shared, move |vault| vault.keep_for(&key, &server)).await;
    if let Err(error) = kept {
        tracing::warn!(%error, name, "whom a key is for is not kept");
    }
}

/// Whether a new key could be kept now.
pub(crate) async fn can_keep(shared: &Arc<Shared>) -> Result<(), Fault> {
    let checked = at_home(shared, |vault| vault.check(vault.home())).await;
    checked.map_err(|error| fault::of(&error))
}

/// A change of what is kept at home, after which it is known how the keyring stands.
async fn at_home<T: Send + 'static>(
    shared: &Arc<Shared>,
    call: impl Fn(&Vault) -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let done = Safe::ask(shared, call).await;
    match shared.safe.vault.home() {
        Home::Keyring => noted(shared, &done).await,
        Home::SealedFile => tell(shared),
    }
    done
}
