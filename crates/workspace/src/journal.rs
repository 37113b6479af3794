//! Where a run's steps and words go while it lasts.

use crate::shared::Shared;
use agent::Journal;
use async_trait::async_trait;
use domain::{Run, StepKind};
use std::sync::Arc;
use store::table::steps;
use store::{Durability, StoreError};

pub(crate) struct RunJournal<'s> {
    shared: &'s Arc<Shared>,
    run: &'s Run,
    first_token_ms: Option<i64>,
}

impl<'s> RunJournal<'s> {
    pub(crate) fn new(shared: &'s Arc<Shared>, run: &'s Run) -> Self {
        RunJournal { shared, run, first_token_ms: None }
    }

    pub(crate) fn first_token_ms(&self) -> Option<i64> {
        self.first_token_ms
    }
}

#[async_trait]
impl Journal for RunJournal<'_> {
    async fn step(&mut self, step: StepKind) {
        let (run, now) = (self.run.id, self.shared.now_ms());
        let stored = self
            .shared
            .store
            .write(Durability::Process, move |write| steps::add(write, run, &step, now))
            .await;
        if let Err(error) = stored {
            // The turn goes on: its words are worth more than its log.
            let error: StoreError = error;
            tracing::error!(%run, %error, "a step cannot be stored");
        }
    }

    fn wrote(&mut self, text: &str, reasoning: &str) {
        fail::fail_point!("turn.streaming");
        self.first_token_ms.get_or_insert_with(|| self.shared.now_ms());
        self.shared.events.write_live(self.run.id, self.run.agent, self.run.group, text, reasoning);
    }
}
