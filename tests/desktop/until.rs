//! The one way to wait: the page tells nobody what happens on it, so it is
//! looked at again and again.

use std::time::{Duration, Instant};

/// Only a broken window takes so long; nothing here measures time.
const PATIENCE: Duration = Duration::from_secs(60);
const BETWEEN_LOOKS: Duration = Duration::from_millis(30);

/// Looks until there is something, and panics with `what` if it never comes.
pub(crate) async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(Instant::now() < deadline, "never happened: {what}");
        tokio::time::sleep(BETWEEN_LOOKS).await;
    }
}
