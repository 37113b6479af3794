//! Which uses are in progress with a server.
//!
//! A server of the older era does not say which of them it asks about.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A handle, cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Open(Arc<Mutex<Vec<String>>>);

/// One of them, until it is dropped.
pub(crate) struct Use {
    open: Open,
    key: Option<String>,
}

impl Open {
    pub(crate) fn begin(&self, key: Option<String>) -> Use {
        self.lock().extend(key.clone());
        Use { open: self.clone(), key }
    }

    /// Their keys, the newest last.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut open = self.open.lock();
        if let Some(at) = open.iter().rposition(|one| Some(one) == self.key.as_ref()) {
            open.remove(at);
        }
    }
}
