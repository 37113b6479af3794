//! The workspace that tools act on.

use super::{
    Delegate, ReadResource, UseSkill, ask_user, feed, memory_save, memory_search, message_agent,
    schedule, soul_propose, time,
};
use crate::shared::Shared;
use std::sync::{Arc, OnceLock, Weak};
use tools::{Returned, Tool};

/// The tools are part of a workspace and do not keep it open; it does not exist
/// before them.
#[derive(Clone, Default)]
pub(crate) struct Ground(Arc<OnceLock<Weak<Shared>>>);

impl Ground {
    pub(crate) fn lay(&self, shared: &Arc<Shared>) {
        // A second workspace has tools of its own.
        let _ = self.0.set(Arc::downgrade(shared));
    }

    pub(crate) fn shared(&self) -> Result<Arc<Shared>, Returned> {
        let shared = self.0.get().and_then(Weak::upgrade);
        shared.ok_or_else(|| Returned::failed("the workspace is closing"))
    }

    /// Every tool that acts on it.
    pub(crate) fn tools(&self) -> Vec<Arc<dyn Tool>> {
        vec![
            Arc::new(ask_user::tool(self.clone())),
            Arc::new(feed::comment(self.clone())),
            Arc::new(feed::post(self.clone())),
            Arc::new(Delegate::new(self.clone())),
            Arc::new(memory_save::tool(self.clone())),
            Arc::new(memory_search::tool(self.clone())),
            Arc::new(message_agent::tool(self.clone())),
            Arc::new(ReadResource::new(self.clone())),
            Arc::new(schedule::tool(self.clone())),
            Arc::new(soul_propose::tool(self.clone())),
            Arc::new(time::tool(self.clone())),
            Arc::new(UseSkill::new(self.clone())),
        ]
    }
}
