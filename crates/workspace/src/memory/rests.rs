//! How long a provider is left alone that made no vectors.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Before it is asked again for the first time; twice as long each time after.
const FIRST: Duration = Duration::from_secs(30);
const LONGEST: Duration = Duration::from_secs(600);
/// Nobody is believed who wants more.
const LONGEST_ASKED: Duration = Duration::from_secs(3600);

#[derive(Debug, Default)]
pub(super) struct Rests(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// In a row.
    failed: u32,
    /// What it said itself.
    asked: Option<Duration>,
}

impl Rests {
    /// It answered with what it wants to be left alone for, or not.
    pub(super) fn heard(&self, asked: Option<Duration>) {
        self.state().asked = asked;
    }

    pub(super) fn worked(&self) {
        *self.state() = State::default();
    }

    /// After it failed once more. Up to half as long again, by `chance`, so that not all
    /// come back together; never sooner than it said.
    pub(super) fn next(&self, chance: u32) -> Duration {
        let mut state = self.state();
        let ours = FIRST.saturating_mul(1 << state.failed.min(8)).min(LONGEST);
        state.failed += 1;
        let least = state.asked.map_or(ours, |asked| asked.min(LONGEST_ASKED).max(ours));
        least + (ours / 2).mul_f64(f64::from(chance) / f64::from(u32::MAX))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rest_is_longer_until_it_works_and_none_is_shorter_than_was_asked_for() {
        let rests = Rests::default();
        let seconds = |rests: &Rests| rests.next(0).as_secs();
        assert_eq!([seconds(&rests), seconds(&rests), seconds(&rests)], [30, 60, 120]);
        for _ in 0..10 {
            seconds(&rests);
        }
        assert_eq!(seconds(&rests), 600);
        rests.heard(Some(Duration::from_secs(90_000)));
        assert_eq!(seconds(&rests), 3600);
        rests.worked();
        assert_eq!(seconds(&rests), 30);
        assert_eq!(rests.next(u32::MAX), Duration::from_secs(90));
    }
}
