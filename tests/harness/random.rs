//! How many random cases a property is tried on that says: whatever comes from
//! outside, we read it to its end.
//!
//! `COTERIE_FUZZ_CASES` says how many. Crates take this file in by its path,
//! since they test themselves without the harness.

use proptest::prelude::*;
use proptest::test_runner::{TestError, TestRunner};
use std::fmt::Debug;

const CASES: u32 = 50_000;

#[expect(clippy::disallowed_methods, reason = "how long a test may take is up to who starts it")]
fn cases() -> u32 {
    let asked = std::env::var("COTERIE_FUZZ_CASES").ok();
    asked.map_or(CASES, |asked| asked.parse().expect("a number of cases"))
}

/// Tries a property on many cases. The macro of the library would let
/// `PROPTEST_CASES`, which is for the slow stories, decide how many.
pub(crate) fn holds<S: Strategy<Value: Debug>>(any: S, check: impl Fn(S::Value)) {
    let config =
        ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() };
    let tried = TestRunner::new(config).run(&any, |value| {
        check(value);
        Ok(())
    });
    match tried {
        Ok(()) => {}
        Err(TestError::Fail(why, smallest)) => panic!("{why}\nfor {smallest:?}"),
        Err(TestError::Abort(why)) => panic!("{why}"),
    }
}
