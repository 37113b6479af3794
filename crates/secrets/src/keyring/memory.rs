//! A keyring that is gone with the process.

use keyring_core::api::{CredentialApi, CredentialStoreApi};
use keyring_core::{Credential, Entry, Error, Result};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use zeroize::Zeroizing;

pub(super) type Entries = Arc<Mutex<HashMap<(String, String), Zeroizing<Vec<u8>>>>>;

/// Called before each use of an entry. An error it gives is the answer.
pub(super) type Before = Arc<dyn Fn(&'static str) -> Result<()> + Send + Sync>;

pub(super) struct Memory {
    pub(super) entries: Entries,
    before: Before,
}

impl Memory {
    pub(super) fn new() -> Arc<Self> {
        Memory::with(Entries::default(), Arc::new(|_| Ok(())))
    }

    pub(super) fn with(entries: Entries, before: Before) -> Arc<Self> {
        Arc::new(Memory { entries, before })
    }
}

impl CredentialStoreApi for Memory {
    fn vendor(&self) -> String {
        "Coterie".into()
    }

    fn id(&self) -> String {
        "memory".into()
    }

    fn build(&self, service: &str, user: &str, _: Option<&HashMap<&str, &str>>) -> Result<Entry> {
        Ok(Entry::new_with_credential(Arc::new(Remembered {
            key: (service.to_owned(), user.to_owned()),
            entries: self.entries.clone(),
            before: self.before.clone(),
        })))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

struct Remembered {
    key: (String, String),
    entries: Entries,
    before: Before,
}

impl Remembered {
    fn with<T>(
        &self,
        what: &'static str,
        call: impl FnOnce(&mut HashMap<(String, String), Zeroizing<Vec<u8>>>) -> T,
    ) -> Result<T> {
        (self.before)(what)?;
        Ok(call(&mut self.entries.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl CredentialApi for Remembered {
    fn set_secret(&self, secret: &[u8]) -> Result<()> {
        let value = Zeroizing::new(secret.to_vec());
        self.with("set", |entries| drop(entries.insert(self.key.clone(), value)))
    }

    fn get_secret(&self) -> Result<Vec<u8>> {
        let found =
            self.with("get", |entries| entries.get(&self.key).map(|value| value.to_vec()))?;
        found.ok_or(Error::NoEntry)
    }

    fn delete_credential(&self) -> Result<()> {
        let removed = self.with("delete", |entries| entries.remove(&self.key))?;
        removed.map(drop).ok_or(Error::NoEntry)
    }

    fn get_credential(&self) -> Result<Option<Arc<Credential>>> {
        Ok(None)
    }

    fn get_specifiers(&self) -> Option<(String, String)> {
        Some(self.key.clone())
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
