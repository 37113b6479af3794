//! Memories of whose words a model makes nothing: it is not asked for them again and
//! again. They are found by their words.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Default)]
pub(super) struct LeftOut(Mutex<Known>);

#[derive(Default)]
struct Known {
    /// The model that was asked.
    by: String,
    /// By the memory's key, with the version whose words it was asked for.
    versions: HashMap<u64, u32>,
}

impl LeftOut {
    pub(super) fn add(&self, by: &str, memories: impl Iterator<Item = (u64, u32)>) {
        let mut known = self.known();
        if known.by != by {
            *known = Known { by: by.to_owned(), versions: HashMap::new() };
        }
        known.versions.extend(memories);
    }

    pub(super) fn has(&self, by: &str, key: u64, version: u32) -> bool {
        let known = self.known();
        known.by == by && known.versions.get(&key) == Some(&version)
    }

    pub(super) fn count(&self, by: &str) -> usize {
        let known = self.known();
        if known.by == by { known.versions.len() } else { 0 }
    }

    /// The model may be another by now, for all that its name says.
    pub(super) fn clear(&self) {
        *self.known() = Known::default();
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
