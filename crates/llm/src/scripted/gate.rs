//! A place where an answer waits for the test.

use std::sync::Arc;
use tokio::sync::watch;

/// Closed until [`Gate::open`]. Clones are the same gate.
#[derive(Debug, Clone, Default)]
pub struct Gate {
    state: Arc<watch::Sender<State>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct State {
    open: bool,
    arrived: usize,
}

impl Gate {
    pub fn new() -> Self {
        Gate::default()
    }

    /// Lets through who waits and who comes later.
    pub fn open(&self) {
        self.state.send_modify(|state| state.open = true);
    }

    /// Waits until so many answers have come to the gate.
    pub async fn arrived(&self, answers: usize) {
        self.until(|state| state.arrived >= answers).await;
    }

    /// Arrives, and goes on when it is open.
    pub async fn pass(&self) {
        self.state.send_modify(|state| state.arrived += 1);
        self.until(|state| state.open).await;
    }

    async fn until(&self, reached: impl FnMut(&State) -> bool) {
        let waited = self.state.subscribe().wait_for(reached).await.is_ok();
        debug_assert!(waited, "the sender lives in self");
    }
}
