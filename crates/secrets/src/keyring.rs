//! The keyring of the operating system as a shelf.
//!
//! Every visit is one call on a thread of its own with a limit, because a
//! Secret Service can hang for ever (a prompt that nobody sees). A value that
//! is too large for one entry (Credential Manager takes 2,560 bytes) is cut into
//! pieces; each says which piece of what it is, so that a mixture is never
//! taken for a value.

use crate::files;
use crate::limited::{Limited, Wanted};
use crate::platform;
use crate::shelf::{Place, Shelf, Slot};
use crate::{Error, Secret};
use keyring_core::{CredentialStore, Entry, Error as Theirs};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use zeroize::Zeroizing;

mod memory;
mod pieces;

const LIMIT: Duration = Duration::from_secs(5);

type Open = Arc<dyn Fn() -> keyring_core::Result<Arc<CredentialStore>> + Send + Sync>;

/// A keyring that is opened when it is first needed. A cheap handle.
#[derive(Clone)]
pub struct Keyring {
    open: Open,
    is_unlocked: Arc<dyn Fn() -> bool + Send + Sync>,
    /// An open connection that nobody uses now. One that failed is not put back.
    spare: Arc<Mutex<Option<Arc<CredentialStore>>>>,
    limited: Limited,
}

impl Keyring {
    /// What people call the one of this system.
    #[must_use]
    pub fn name() -> &'static str {
        platform::KEYRING
    }

    /// The one that belongs to who runs this process.
    #[must_use]
    pub fn system() -> Self {
        let is_unlocked = Arc::new(platform::is_unlocked);
        Keyring { is_unlocked, ..Keyring::over(Arc::new(platform::open), LIMIT) }
    }

    /// One that is gone with the process, for tests of what stands on a vault.
    #[must_use]
    pub fn in_memory() -> Self {
        let store: Arc<CredentialStore> = memory::Memory::new();
        Keyring::over(Arc::new(move || Ok(store.clone())), LIMIT)
    }

    /// The same, locked for as long as this is true.
    #[must_use]
    pub fn in_memory_locked_while(locked: Arc<AtomicBool>) -> Self {
        let while_locked = locked.clone();
        let is_unlocked = Arc::new(move || !while_locked.load(Ordering::SeqCst));
        let before = move |_: &'static str| match locked.load(Ordering::SeqCst) {
            true => Err(Theirs::NoStorageAccess("locked".into())),
            false => Ok(()),
        };
        let entries = memory::Entries::default();
        let store: Arc<CredentialStore> = memory::Memory::with(entries, Arc::new(before));
        Keyring { is_unlocked, ..Keyring::over(Arc::new(move || Ok(store.clone())), LIMIT) }
    }

    /// As on a system that has none, for tests of what stands on a vault.
    #[must_use]
    pub fn none() -> Self {
        let absent = || Err(Theirs::NotSupportedByStore("there is none".into()));
        Keyring::over(Arc::new(absent), LIMIT)
    }

    fn over(open: Open, limit: Duration) -> Self {
        let is_unlocked = Arc::new(|| true);
        Keyring { open, is_unlocked, spare: Arc::default(), limited: Limited::new(limit) }
    }

    pub(crate) fn look(&self) -> Result<(), Error> {
        self.visit(|_, _| Ok(()))
    }

    /// Whether nobody would be asked for a password by reading from it.
    pub(crate) fn is_open(&self) -> bool {
        let is_unlocked = self.is_unlocked.clone();
        self.limited.run(move |_| Ok(is_unlocked())).unwrap_or(false)
    }

    /// One call with a connection of its own. A connection that stood unused may
    /// have lost its other end since: then the call is made again on a new one.
    fn visit<T: Send + 'static>(
        &self,
        call: impl Fn(&CredentialStore, &Wanted) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (open, spare) = (self.open.clone(), self.spare.clone());
        self.limited.run(move |wanted| {
            let idle = || spare.lock().unwrap_or_else(PoisonError::into_inner);
            let waiting = idle().take();
            if let Some(store) = waiting {
                let result = call(store.as_ref(), wanted);
                if is_sound(&result) {
                    *idle() = Some(store);
                    return result;
                }
                wanted.check()?;
            }
            let store = open().map_err(unopened)?;
            let result = call(store.as_ref(), wanted);
            if is_sound(&result) {
                *idle() = Some(store);
            }
            result
        })
    }
}

/// Whether the connection can be used for more.
fn is_sound<T>(result: &Result<T, Error>) -> bool {
    !matches!(result, Err(error) if error.is_about_the_place())
}

/// That a keyring can not even be opened says that there is none, unless it says more.
fn unopened(error: Theirs) -> Error {
    match platform::plain(error) {
        Error::Keyring { why } => Error::Absent { why },
        error => error,
    }
}

/// The shelf of one data directory in a keyring that others use too.
pub(crate) struct KeyringShelf {
    pub(crate) keyring: Keyring,
    pub(crate) service: String,
    /// Tells the entries of this data directory from those of another.
    pub(crate) scope: String,
}

impl KeyringShelf {
    /// The entries of a slot, in order: made, not looked up.
    fn entries(&self, slot: &Slot) -> Names {
        let scope = slot.lent_by.as_ref().unwrap_or(&self.scope);
        let base = format!("{}@{scope}-{}", slot.name, slot.number);
        let users = match slot.pieces {
            1 => vec![base],
            all => (1..=all).map(|piece| format!("{base}.{piece}of{all}")).collect(),
        };
        let label = format!("Coterie: {}", slot.name);
        Names { service: self.service.clone(), users, label }
    }
}

struct Names {
    service: String,
    users: Vec<String>,
    label: String,
}

impl Names {
    fn entry(&self, store: &CredentialStore, user: &str) -> Result<Entry, Error> {
        let modifiers = platform::modifiers(&self.label);
        store.build(&self.service, user, Some(&modifiers)).map_err(platform::plain)
    }
}

impl Shelf for KeyringShelf {
    fn pieces(&self, value: &Secret) -> u32 {
        pieces::count(value)
    }

    fn put(&self, slot: &Slot, value: &Secret) -> Result<(), Error> {
        let names = self.entries(slot);
        let pieces = pieces::cut(value);
        debug_assert_eq!(pieces.len(), names.users.len(), "the slot was made for this value");
        self.keyring.visit(move |store, wanted| {
            for (user, piece) in names.users.iter().zip(&pieces) {
                wanted.check()?;
                files::step();
                names.entry(store, user)?.set_password(piece).map_err(platform::plain)?;
            }
            Ok(())
        })
    }

    fn get(&self, slot: &Slot) -> Result<Secret, Error> {
        let names = self.entries(slot);
        let gone = || Error::Gone { name: slot.name.clone(), place: Place::Keyring };
        let read = self.keyring.visit(move |store, wanted| {
            let mut pieces = Vec::with_capacity(names.users.len());
            for user in &names.users {
                wanted.check()?;
                match names.entry(store, user)?.get_password() {
                    Ok(piece) => pieces.push(Zeroizing::new(piece)),
                    Err(Theirs::NoEntry) => return Ok(None),
                    Err(error) => return Err(platform::plain(error)),
                }
            }
            Ok(Some(pieces))
        })?;
        pieces::join(read.ok_or_else(gone)?).map_err(|why| Error::Damaged {
            what: format!("{} in {}", slot.name, platform::KEYRING),
            why: why.into(),
        })
    }

    fn clear(&self, slot: &Slot) -> Result<(), Error> {
        let names = self.entries(slot);
        self.keyring.visit(move |store, wanted| {
            for user in &names.users {
                wanted.check()?;
                match names.entry(store, user)?.delete_credential() {
                    Ok(()) | Err(Theirs::NoEntry) => {}
                    Err(error) => return Err(platform::plain(error)),
                }
            }
            Ok(())
        })
    }

    fn is_quiet(&self) -> bool {
        self.keyring.limited.is_quiet()
    }
}

#[cfg(test)]
pub(crate) mod tests;
