//! Whose a standing permission is.

use crate::acts;
use domain::{AgentId, Grant, GroupId};
use store::table::{agents, grants};
use store::{Read, StoreError};

/// Who is asked for, as what they were allowed is kept: an agent where it works, or a soul that
/// works on the tasks of one.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Holder {
    pub(super) agent: AgentId,
    pub(super) group: GroupId,
    pub(super) soul: Option<String>,
}

impl Holder {
    pub(super) fn of(read: &Read<'_>, agent: AgentId, group: GroupId) -> Result<Self, StoreError> {
        let Some((first, place)) = acts::given_by(read, agent)? else {
            return Ok(Holder { agent, group, soul: None });
        };
        let soul = Some(agents::get(read, agent)?.soul);
        Ok(Holder { agent: first, group: place, soul })
    }

    pub(super) fn has(&self, grant: &Grant) -> bool {
        self.agent == grant.agent && self.group == grant.group && self.soul == grant.soul
    }

    pub(super) fn grants(&self, read: &Read<'_>, tool: &str) -> Result<Vec<Grant>, StoreError> {
        grants::of(read, self.agent, self.group, self.soul.as_deref(), tool)
    }
}
