//! Random numbers for tests that choose among very many ways.

use std::hash::{BuildHasher, RandomState};

/// Numbers that can be had again (splitmix64).
pub struct Dice {
    pub seed: u64,
    state: u64,
}

impl Dice {
    /// Of the seed that `COTERIE_SEED` gives, or else of any. A test prints it.
    pub fn new() -> Dice {
        let seed = number("COTERIE_SEED").unwrap_or_else(|| RandomState::new().hash_one(0));
        Dice { seed, state: seed }
    }

    /// One from 0 to below the limit.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

impl Default for Dice {
    fn default() -> Dice {
        Dice::new()
    }
}

/// What an environment variable says, where it is set.
///
/// # Panics
/// If it says no number.
#[must_use]
pub fn number(variable: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "whoever runs the test chooses")]
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable}={text} is no number")))
}
