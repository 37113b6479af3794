//! The keeper of programs, as it was built beside the tests.

use std::path::PathBuf;

/// # Panics
/// If the crate `processes` was not built.
pub fn keeper() -> PathBuf {
    let test = std::env::current_exe().expect("it runs");
    let built = test.ancestors().nth(2).expect("in target/PROFILE/deps");
    let keeper = built.join(format!("coterie-keeper{}", std::env::consts::EXE_SUFFIX));
    assert!(keeper.exists(), "{} is missing; build the crate processes", keeper.display());
    keeper
}
