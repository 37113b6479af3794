//! A clock that stands still until it is moved.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;
use workspace::Clock;

#[derive(Debug)]
pub struct TestClock {
    now_ms: AtomicI64,
}

impl Default for TestClock {
    /// Some day in 2026.
    fn default() -> Self {
        TestClock { now_ms: AtomicI64::new(1_780_000_000_000) }
    }
}

impl TestClock {
    pub fn advance(&self, by: Duration) {
        let by = i64::try_from(by.as_millis()).expect("a test waits less than an aeon");
        self.now_ms.fetch_add(by, Ordering::Relaxed);
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.now_ms.load(Ordering::Relaxed)
    }
}
