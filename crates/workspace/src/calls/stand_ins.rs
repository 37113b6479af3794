//! Who was told that another model answers in the place of theirs.
//!
//! That a model fails and another one goes on stands in the run. Where nothing but a
//! person can put it right, as where a key is missing, the group is told too: once,
//! until that model has answered again.

use domain::AgentId;
use llm::Trouble;
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use store::table::stood_in;
use store::{Read, StoreError};

#[derive(Debug)]
pub(crate) struct StandIns {
    /// Whose model, and which; what is stored, so that a turn need not look there.
    told: Mutex<HashSet<(AgentId, String)>>,
}

impl StandIns {
    pub(crate) fn open(read: &Read<'_>) -> Result<StandIns, StoreError> {
        let told = stood_in::all(read)?.into_iter().collect();
        Ok(StandIns { told: Mutex::new(told) })
    }

    /// Whether a group is to be told why this agent's model is not asked; from then on
    /// it has been.
    pub(super) fn is_news(&self, agent: AgentId, model: &str, why: Trouble) -> bool {
        why.waits_for_a_person() && self.told().insert((agent, model.to_owned()))
    }

    /// Whether somebody was told that this agent's model does not answer, which it does.
    pub(super) fn is_back(&self, agent: AgentId, model: &str) -> bool {
        let mut told = self.told();
        !told.is_empty() && told.remove(&(agent, model.to_owned()))
    }

    fn told(&self) -> MutexGuard<'_, HashSet<(AgentId, String)>> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
