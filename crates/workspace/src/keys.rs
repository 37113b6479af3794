//! Keys: the vault of an open workspace, and what is known of how its places stand.
//!
//! A keyring may hang and a passphrase takes a second, so every call of the
//! vault is on a thread that may wait, and nobody holds anything meanwhile:
//! neither the one writer nor a place in the queue. `give` finds the key that a
//! provider is asked with, `change` does what a person orders, `resume` brings
//! back who stopped for want of a key, `fault` says what is wrong.

mod change;
mod fault;
mod for_whom;
mod give;
mod pasted;
mod resume;

pub(crate) use change::{
    can_keep, change_passphrase, check_variable, forget_unused, keep, lock, move_to,
    provider_changed, remove, seal, set, take_into_use, unlock, use_variable,
};
pub(crate) use fault::fix_of_refused;
pub(crate) use for_whom::{are_for, is_for};
pub(crate) use give::{models_of, serve, value_of, vector_models, vectors};
pub(crate) use pasted::{known_before_turns, without_keys};
pub(crate) use resume::{Regained, resume};

use crate::clock::Clock;
use crate::events::Events;
use crate::shared::Shared;
use domain::{Fault, Key, KeyHome, KeyPlace, Keys, Provider, SealedFile, Update};
use secrets::{Cost, Environment, Error, Home, Keyring, Listed, Opening, Place, Redactor, Secret};
use secrets::{Sealed, Vault};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::table::providers;
use tokio::sync::OnceCell;

/// What the names of providers' own keys begin with.
const OF_PROVIDERS: &str = "provider/";

/// What the vault is opened with.
#[derive(Clone)]
pub struct KeyParts {
    pub keyring: Keyring,
    /// Variables of this process may hold keys.
    pub environment: Environment,
    /// What a guess at a passphrase costs.
    pub cost: Cost,
    /// Stands in the log of this process too, which begins before the vault.
    pub redactor: Redactor,
    /// Opens the sealed file when it is first needed, where nobody can be asked.
    pub passphrase: Option<domain::Secret>,
}

impl KeyParts {
    /// The keyring of whoever runs this process.
    pub fn real(environment: Environment) -> Self {
        KeyParts { keyring: Keyring::system(), cost: Cost::usual(), ..KeyParts::of(environment) }
    }

    /// A keyring that is gone with the process, and no variables.
    pub fn in_memory() -> Self {
        KeyParts::of(Arc::new(|_| None))
    }

    fn of(environment: Environment) -> Self {
        KeyParts {
            keyring: Keyring::in_memory(),
            environment,
            cost: Cost::least(),
            redactor: Redactor::default(),
            passphrase: None,
        }
    }
}

pub(crate) struct Safe {
    vault: Vault,
    events: Events,
    clock: Arc<dyn Clock>,
    keyring: Mutex<KeyringState>,
    passphrase: Mutex<Option<Secret>>,
    /// Whether all that is kept was to be read, so that it is known in texts.
    learned: Mutex<bool>,
    /// Whether what can be read without asking anybody was, before agents took turns.
    known_before_turns: OnceCell<()>,
    /// When a variable that is on no list was last used.
    variables_used: Mutex<HashMap<String, i64>>,
    /// What everybody was told last.
    told: Mutex<Option<Keys>>,
    /// How often a key or a provider was changed here.
    changes: AtomicU64,
}

/// How the keyring was when this process last asked it.
#[derive(Default)]
enum KeyringState {
    /// Whom it had failed before may still wait for it.
    #[default]
    NotAsked,
    Usable,
    Away(Fault),
}

impl Safe {
    pub(crate) fn open(
        data: &Path,
        parts: KeyParts,
        events: Events,
        clock: Arc<dyn Clock>,
    ) -> Result<Safe, Fault> {
        let KeyParts { keyring, environment, cost, redactor, passphrase } = parts;
        let time = clock.clone();
        let vault = Vault::open(Opening {
            data: data.to_owned(),
            keyring,
            service: "coterie".into(),
            environment,
            clock: Arc::new(move || time.now_ms()),
            cost,
            redactor,
        })
        .map_err(|error| fault::of(&error))?;
        // What stands in variables can be known without asking anybody.
        vault.recognise(|place| matches!(place, Place::Environment { .. }));
        Ok(Safe {
            vault,
            events,
            clock,
            keyring: Mutex::default(),
            passphrase: Mutex::new(passphrase.map(|passphrase| own(&passphrase))),
            learned: Mutex::default(),
            known_before_turns: OnceCell::new(),
            variables_used: Mutex::default(),
            told: Mutex::default(),
            changes: AtomicU64::default(),
        })
    }

    /// Who is connected to a provider looks again with what it is asked.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Relaxed);
    }

    /// Another number than before once a key or a provider is another.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Relaxed)
    }

    pub(crate) fn redactor(&self) -> &Redactor {
        self.vault.redactor()
    }

    /// On a thread that may wait.
    async fn ask<T: Send + 'static>(
        shared: &Arc<Shared>,
        call: impl Fn(&Vault) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let with = shared.clone();
        let asked = tokio::task::spawn_blocking(move || with.safe.opening_if_needed(call)).await;
        asked.unwrap_or_else(|_| Err(Error::Keyring { why: "the call to it broke off".into() }))
    }

    /// Where the sealed file is locked and its passphrase was handed in, it is opened.
    fn opening_if_needed<T>(&self, call: impl Fn(&Vault) -> Result<T, Error>) -> Result<T, Error> {
        match call(&self.vault) {
            Err(Error::SealedLocked) => {}
            done => return done,
        }
        // One opens it, the others wait for that.
        let passphrase = lock_up(&self.passphrase);
        let Some(known) = &*passphrase else { return Err(Error::SealedLocked) };
        if self.vault.sealed() == Sealed::Locked {
            self.vault.unlock_sealed_file(known)?;
        }
        call(&self.vault)
    }

    /// Learns from how a call ended whether the keyring can be used. Gives whether
    /// it can be used again.
    fn note<T>(&self, done: &Result<T, Error>) -> bool {
        let state = match done {
            Ok(_) => KeyringState::Usable,
            Err(error) if fault::is_about_keyring(error) => KeyringState::Away(fault::of(error)),
            Err(_) => return false,
        };
        let mut known = lock_up(&self.keyring);
        let was = std::mem::replace(&mut *known, state);
        let is_usable = matches!(*known, KeyringState::Usable);
        if is_usable && matches!(was, KeyringState::Away(_)) {
            *lock_up(&self.learned) = false;
        }
        is_usable && !matches!(was, KeyringState::Usable)
    }

    fn place_of(&self, name: &str) -> Option<Place> {
        self.vault.list().into_iter().find(|listed| listed.name == name).map(|listed| listed.place)
    }

    /// Whom alone the key of this name may be shown to, where that was kept.
    fn kept_for(&self, name: &str) -> Option<String> {
        self.vault.list().into_iter().find(|listed| listed.name == name)?.only_for
    }

    fn note_variable(&self, variable: &str) {
        lock_up(&self.variables_used).insert(variable.to_owned(), self.clock.now_ms());
    }

    /// Every key, as it can be told without asking anybody.
    pub(crate) fn all(&self, providers: &[Provider]) -> Keys {
        let mut keys: Vec<Key> =
            self.vault.list().into_iter().map(|listed| told_of(listed, providers)).collect();
        keys.extend(providers.iter().filter_map(|provider| self.in_variable(provider)));
        Keys {
            keys,
            list: self.vault.damage().map(|error| fault::of(&error)),
            home: match self.vault.home() {
                Home::Keyring => KeyHome::Keyring,
                Home::SealedFile => KeyHome::Sealed,
            },
            keyring: match &*lock_up(&self.keyring) {
                KeyringState::Away(why) => Some(why.clone()),
                KeyringState::NotAsked | KeyringState::Usable => None,
            },
            keyring_name: Keyring::name().to_owned(),
            sealed: match self.vault.sealed() {
                Sealed::None => SealedFile::Absent,
                Sealed::Locked => SealedFile::Locked,
                Sealed::Unlocked => SealedFile::Open,
            },
            to_be_moved: u32::try_from(self.vault.to_be_moved()).unwrap_or(u32::MAX),
            lent: u32::try_from(self.vault.lent()).unwrap_or(u32::MAX),
            to_be_erased: u32::try_from(self.vault.to_be_erased()).unwrap_or(u32::MAX),
        }
    }

    /// The key of a provider that names a variable and nothing stored.
    fn in_variable(&self, provider: &Provider) -> Option<Key> {
        let variable = provider.key_env.clone().filter(|_| provider.key.is_none())?;
        let value = self.vault.variable(&variable).ok()?;
        Some(Key {
            name: own_key(&provider.name),
            ends_with: value.ending(),
            set_ms: 0,
            used_ms: lock_up(&self.variables_used).get(&variable).copied(),
            used_by: vec![provider.name.clone()],
            only_for: None,
            place: KeyPlace::Variable { variable },
        })
    }
}

/// What a provider's own key is called.
pub(crate) fn own_key(provider: &str) -> String {
    format!("{OF_PROVIDERS}{provider}")
}

fn told_of(listed: Listed, providers: &[Provider]) -> Key {
    let uses = |provider: &&Provider| provider.key.as_ref() == Some(&listed.name);
    let is_unused = !providers.iter().any(|provider| uses(&provider));
    let is_of_provider = listed.name.starts_with(OF_PROVIDERS);
    Key {
        used_by: providers.iter().filter(uses).map(|provider| provider.name.clone()).collect(),
        place: match listed.place {
            Place::Keyring => KeyPlace::Keyring,
            Place::SealedFile => KeyPlace::Sealed,
            Place::Environment { variable } => KeyPlace::Variable { variable },
        },
        name: listed.name,
        ends_with: listed.ending,
        set_ms: listed.set_at_ms,
        used_ms: listed.used_at_ms,
        only_for: listed.only_for.filter(|_| is_unused && is_of_provider),
    }
}

/// What every key is called that is on the list.
pub(crate) fn names(shared: &Shared) -> Vec<String> {
    shared.safe.vault.list().into_iter().map(|listed| listed.name).collect()
}

/// How it stands with the keys now.
pub(crate) fn all(shared: &Shared) -> Result<Keys, Fault> {
    let providers = shared.store.read(providers::all)?;
    Ok(shared.safe.all(&providers))
}

/// Asks the keyring whether it can be used, and says how it stands then.
pub(crate) async fn check(shared: &Arc<Shared>) -> Result<Keys, Fault> {
    let checked = Safe::ask(shared, |vault| {
        vault.check(Home::Keyring)?;
        // What a copy still reads where its original keeps it gets a place of its own.
        if vault.lent() > 0 {
            vault.recognise(|place| *place == Place::Keyring);
        }
        Ok(())
    })
    .await;
    noted(shared, &checked).await;
    all(shared)
}

/// Whoever stopped for want of a variable that this process has been given goes on.
pub(crate) async fn resume_at_start(shared: &Arc<Shared>) {
    resume_if(shared, Regained::Variables).await;
}

/// Says at the start where keys are wanted and there is no keyring. Nobody is
/// asked for a password by that.
pub(crate) async fn look_at_start(shared: Arc<Shared>) {
    let Ok(keys) = all(&shared) else { return };
    let providers = shared.store.read(providers::all).unwrap_or_default();
    let lies_there = keys.keys.iter().any(|key| key.place == KeyPlace::Keyring);
    let wanted = keys.home == KeyHome::Keyring && providers.iter().any(|one| one.key.is_some());
    if lies_there || wanted {
        let looked = Safe::ask(&shared, Vault::look_for_keyring).await;
        // That there is one does not say that it is open.
        if looked.is_err() {
            noted(&shared, &looked).await;
        }
    }
}

/// After a call that asked the keyring: what it says of it is told, and who
/// stopped because of it goes on.
async fn noted<T>(shared: &Arc<Shared>, done: &Result<T, Error>) {
    if shared.safe.note(done) {
        resume_if(shared, Regained::Place(Place::Keyring)).await;
    }
    tell(shared);
}

async fn resume_if(shared: &Arc<Shared>, regained: Regained) {
    if let Err(fault) = resume(shared, regained).await {
        tracing::warn!(%fault, "those who wait for a key stay where they are");
    }
}

/// Publishes how it stands with the keys, where that is news.
pub(crate) fn tell(shared: &Shared) {
    let mut told = lock_up(&shared.safe.told);
    match all(shared) {
        Ok(keys) if told.as_ref() != Some(&keys) => {
            *told = Some(keys.clone());
            shared.safe.events.publish(vec![Update::Keys { keys }]);
        }
        Ok(_) => {}
        Err(fault) => tracing::warn!(%fault, "the keys cannot be told"),
    }
}

fn own(secret: &domain::Secret) -> Secret {
    Secret::from(secret.expose())
}

/// Whoever panicked beside it left something whole in it.
fn lock_up<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
