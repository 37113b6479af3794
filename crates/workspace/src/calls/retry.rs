//! Whether a call that failed is made again, and after which pause; and
//! whether another model may answer in its place.
//!
//! Pure.

use llm::Trouble;
use std::time::Duration;

/// Tries of one call with one model, the first included.
pub(crate) const TRIES: u32 = 3;

/// The pause before the second try is at most this long, and each after it at
/// most four times as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const GROWTH: u32 = 4;
/// Nobody waits longer than this for a provider that asks for a pause.
const LONGEST_ASKED: Duration = Duration::from_secs(60);

/// The pause before the next try; `None` where there is to be none.
///
/// Full jitter: anything from nothing up to the longest, by `chance`, so that
/// those who failed together do not come back together. A pause that the
/// provider asks for is kept in any case, and comes before the chance.
pub(crate) fn pause(tries: u32, trouble: Trouble, chance: u32) -> Option<Duration> {
    if !trouble.may_pass() || tries >= TRIES {
        return None;
    }
    let longest = FIRST_PAUSE * GROWTH.pow(tries.saturating_sub(1));
    let by_chance = longest.mul_f64(f64::from(chance) / f64::from(u32::MAX));
    match trouble {
        Trouble::Busy { retry_after: Some(asked) } if asked > LONGEST_ASKED => None,
        Trouble::Busy { retry_after: Some(asked) } => Some(asked + by_chance),
        _ => Some(by_chance),
    }
}

/// Whether another model may well do what this one does not. A form of answer that
/// a model refuses is no reason: its provider asks it again in a plainer one.
pub(crate) fn lets_another(trouble: Trouble) -> bool {
    match trouble {
        Trouble::Unreachable
        | Trouble::BrokenAnswer
        | Trouble::Endless
        | Trouble::Busy { .. }
        | Trouble::ServerError
        | Trouble::Key
        | Trouble::UnknownModel
        | Trouble::Refused
        | Trouble::Engine
        | Trouble::ModelFile
        // Another may read more.
        | Trouble::TooLong => true,
        Trouble::Budget { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BudgetScope;

    const HALF: u32 = u32::MAX / 2;

    #[test]
    fn pauses_grow_and_chance_decides_how_much_of_them_is_waited() {
        let check = |tries, chance, expected_ms: Option<u64>| {
            let pause = pause(tries, Trouble::ServerError, chance);
            let ms = pause.map(|pause| pause.as_millis() as u64);
            assert_eq!(ms, expected_ms, "after {tries}");
        };
        check(1, 0, Some(0));
        check(1, HALF, Some(500));
        check(1, u32::MAX, Some(1_000));
        check(2, 0, Some(0));
        check(2, u32::MAX, Some(4_000));
        check(3, u32::MAX, None);
    }

    #[test]
    fn a_pause_that_is_asked_for_is_kept_and_one_that_is_too_long_is_not_waited() {
        let busy = |seconds| Trouble::Busy { retry_after: Some(Duration::from_secs(seconds)) };
        let check = |seconds, chance, expected_ms: Option<u64>| {
            let ms = pause(1, busy(seconds), chance).map(|pause| pause.as_millis() as u64);
            assert_eq!(ms, expected_ms, "{seconds} s");
        };
        check(3, 0, Some(3_000));
        check(3, u32::MAX, Some(4_000));
        check(0, 0, Some(0));
        check(60, 0, Some(60_000));
        check(61, 0, None);
    }

    #[test]
    fn what_will_not_pass_is_not_tried_again() {
        for trouble in [
            Trouble::Endless,
            Trouble::Key,
            Trouble::UnknownModel,
            Trouble::TooLong,
            Trouble::Refused,
            Trouble::ModelFile,
            Trouble::Budget { scope: BudgetScope::Day, tokens: 1, microusd: 0 },
        ] {
            assert_eq!(pause(1, trouble, 0), None, "{trouble:?}");
        }
    }

    #[test]
    fn only_a_limit_of_ours_is_no_reason_to_ask_another() {
        assert!(lets_another(Trouble::Key));
        assert!(lets_another(Trouble::Refused));
        assert!(!lets_another(Trouble::Budget { scope: BudgetScope::Day, tokens: 1, microusd: 0 }));
        assert!(lets_another(Trouble::TooLong));
    }
}
