//! Who was told that another model answers in the place of theirs.
//!
//! That a model fails and another one goes on stands in the run. Where nothing but a
//! person can put it right, as where a key is missing, the group is told too: once,
//! until that model has answered again.

use domain::AgentId;
use llm::Trouble;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[derive(Debug, Default)]
pub(crate) struct StandIns {
    /// Whose model, and which.
    told: Mutex<HashSet<(AgentId, String)>>,
}

impl StandIns {
    /// Whether a group is to be told why this agent's model is not asked; from then on
    /// it has been.
    pub(super) fn is_news(&self, agent: AgentId, model: &str, why: Trouble) -> bool {
        why.waits_for_a_person() && self.told().insert((agent, model.to_owned()))
    }

    pub(super) fn answered(&self, agent: AgentId, model: &str) {
        let mut told = self.told();
        if !told.is_empty() {
            told.remove(&(agent, model.to_owned()));
        }
    }

    fn told(&self) -> MutexGuard<'_, HashSet<(AgentId, String)>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
