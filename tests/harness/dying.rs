//! Dying as a process does that is killed.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// As `kill -9` would, in the thread that is the `hits`th to pass the failpoint.
///
/// # Panics
/// If the program was built without failpoints.
pub fn die_at(failpoint: &str, hits: usize) {
    assert!(fail::has_failpoints(), "built without failpoints");
    let left = AtomicUsize::new(hits);
    let die = move || {
        if left.fetch_sub(1, Relaxed) == 1 {
            let signal = rustix::process::Signal::KILL;
            rustix::process::kill_process(rustix::process::getpid(), signal)
                .expect("may kill itself");
        }
    };
    fail::cfg_callback(failpoint, die).expect("a callback can always be set");
}
