//! What a run has its tools do at the moment.

use domain::CallId;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The uses of a run that have been asked for and have not ended, each with whether it
/// only looks.
#[derive(Debug, Default)]
pub(crate) struct AtWork(Mutex<HashMap<CallId, bool>>);

impl AtWork {
    pub(super) fn asked(&self, call: CallId) {
        self.uses().insert(call, false);
    }

    pub(super) fn only_looks(&self, call: CallId) {
        self.uses().insert(call, true);
    }

    /// Whether it only looked, and was the last one.
    pub(super) fn ended(&self, call: CallId) -> bool {
        let mut uses = self.uses();
        uses.remove(&call) == Some(true) && uses.is_empty()
    }

    fn uses(&self) -> MutexGuard<'_, HashMap<CallId, bool>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn only_the_end_of_one_that_looks_and_is_the_last_can_wait() {
        let at_work = AtWork::default();
        let [look, other, write] = [1, 2, 3].map(|n| CallId(Uuid::from_u128(n)));
        assert!(!at_work.ended(look), "it was never asked for");
        for call in [look, other, write] {
            at_work.asked(call);
        }
        at_work.only_looks(look);
        at_work.only_looks(other);
        assert!(!at_work.ended(look), "others are at work");
        assert!(!at_work.ended(write), "it does more than look");
        assert!(at_work.ended(other));
        at_work.asked(write);
        assert!(!at_work.ended(write), "it does more than look");
    }
}
