//! Keeps the index of messages and runs in step with the database, in the
//! background: no post and no turn waits for it.

use crate::derived::blocking;
use crate::shared::Shared;
use domain::{Record, RunState, Update};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// What comes within so long is read together: making a change visible reads anew
/// what is known of every text. Who searches does not wait for it.
const TOGETHER: Duration = Duration::from_secs(30);
/// The index is let go when nobody has said anything for so long.
const IDLE: Duration = Duration::from_secs(300);

/// Hears of every commit, and wakes whoever keeps the index in step.
pub(crate) struct Ear {
    changed: Arc<Notify>,
}

impl Ear {
    pub(super) fn new(changed: Arc<Notify>) -> Ear {
        Ear { changed }
    }

    pub(crate) fn hear(&self, updates: &[Update]) {
        let is_text = |update: &Update| match update {
            Update::Saved { record: Record::Message(_) } => true,
            Update::Saved { record: Record::Run(run) } => run.state != RunState::Running,
            _ => false,
        };
        if updates.iter().any(is_text) {
            self.changed.notify_one();
        }
    }
}

pub(crate) async fn keep_in_step(shared: Arc<Shared>) {
    loop {
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = shared.everywhere.index.changed.notified() => {}
            () = tokio::time::sleep(IDLE) => {
                let with = shared.clone();
                drop(tokio::task::spawn_blocking(move || with.everywhere.index.close()).await);
                continue;
            }
        }
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = tokio::time::sleep(TOGETHER) => {}
        }
        let caught_up = blocking(&shared, |shared| {
            let caught_up = shared.everywhere.catch_up(shared);
            shared.everywhere.index.rest();
            caught_up
        });
        if let Err(fault) = caught_up.await {
            tracing::warn!(%fault, "the index of messages and runs is behind");
        }
    }
}
