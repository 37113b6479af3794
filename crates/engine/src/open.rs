//! The answers that are asked for and not yet finished, shared by the thread
//! that reads lines and the one that writes answers.
//!
//! This is how a cancel overtakes the queue: the reader marks the id here, and
//! the writer looks between two tokens.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Default)]
pub(crate) struct Open(Arc<Inner>);

#[derive(Default)]
struct Inner {
    /// Id → cancelled.
    answers: Mutex<HashMap<u64, bool>>,
    ending: AtomicBool,
}

impl Open {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// False when that id is already open.
    pub(crate) fn begin(&self, id: u64) -> bool {
        self.answers().insert(id, false).is_none()
    }

    /// Does nothing for an id that is not open.
    pub(crate) fn cancel(&self, id: u64) {
        if let Some(cancelled) = self.answers().get_mut(&id) {
            *cancelled = true;
        }
    }

    pub(crate) fn is_cancelled(&self, id: u64) -> bool {
        self.is_ending() || self.answers().get(&id).copied().unwrap_or(false)
    }

    pub(crate) fn close(&self, id: u64) {
        self.answers().remove(&id);
    }

    /// The parent is gone or wants us gone: everything counts as cancelled.
    pub(crate) fn end(&self) {
        self.0.ending.store(true, Ordering::Release);
    }

    pub(crate) fn is_ending(&self) -> bool {
        self.0.ending.load(Ordering::Acquire)
    }

    fn answers(&self) -> MutexGuard<'_, HashMap<u64, bool>> {
        // A map of flags is whole whatever happened to the thread that held it.
        self.0.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancel_counts_only_while_its_answer_is_open() {
        let open = Open::new();
        open.cancel(1);
        assert!(open.begin(1));
        assert!(!open.is_cancelled(1), "a cancel from before the answer was asked for");
        open.cancel(1);
        assert!(open.is_cancelled(1));
        assert!(!open.begin(1), "an id that is in use");
        open.close(1);
        assert!(!open.is_cancelled(1));
    }

    #[test]
    fn ending_cancels_everything() {
        let open = Open::new();
        open.begin(1);
        open.end();
        assert!(open.is_cancelled(1) && open.is_cancelled(2));
    }
}
