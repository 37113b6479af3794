//! The programs beside the owner, as they were built beside the tests.

use std::path::PathBuf;

/// The keeper of programs.
///
/// # Panics
/// If the crate `processes` was not built.
pub fn keeper() -> PathBuf {
    beside("coterie-keeper")
}

/// The engine of local models.
///
/// # Panics
/// If the crate `engine` was not built.
pub fn engine() -> PathBuf {
    beside("coterie-engine")
}

fn beside(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("it runs");
    let built = test.ancestors().nth(2).expect("in target/PROFILE/deps");
    let program = built.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "{} is missing; build it first", program.display());
    program
}
