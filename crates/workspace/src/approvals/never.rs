//! What never happens, as the person says: anywhere, or in one group.

use super::Use;
use super::named::ways;
use domain::{BlockedUse, GroupId, MessageId, Run};
use std::collections::BTreeSet;
use store::table::{messages, settings};
use store::{Read, StoreError, Write};
use tools::fits;

/// Where something is done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At {
    pub(crate) group: GroupId,
    /// What a person said that it goes back to: maybe in another group, since an agent that
    /// has a task, or is asked by another one, works in a group of its own.
    pub(crate) root: Option<MessageId>,
}

impl At {
    pub(crate) fn of(run: &Run) -> Self {
        At { group: run.group, root: Some(run.root) }
    }

    fn is_of(self, read: &Read<'_>, blocked: &BlockedUse) -> Result<bool, StoreError> {
        let Some(only) = blocked.group.filter(|only| *only != self.group) else { return Ok(true) };
        let said = self.root.map(|root| messages::find(read, root)).transpose()?.flatten();
        Ok(said.is_some_and(|said| said.group == only))
    }
}

/// Whether the person has put it on the list of what never happens.
pub(crate) fn is_blocked(read: &Read<'_>, at: At, wanted: &Use) -> Result<bool, StoreError> {
    for blocked in &settings::get(read)?.approvals.blocked {
        if wanted.is_blocked_by(blocked) && at.is_of(read, blocked)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What this tool never touches there, as patterns: it leaves that out of what it finds.
pub(crate) fn unseen(read: &Read<'_>, at: At, tool: &str) -> Result<Vec<String>, StoreError> {
    let mut patterns = Vec::new();
    for blocked in &settings::get(read)?.approvals.blocked {
        if fits(&blocked.tool, tool) && at.is_of(read, blocked)? {
            patterns.extend(ways(&blocked.pattern));
        }
    }
    Ok(patterns)
}

/// Those of the tools that are used for nothing at all there, so that no agent is told of
/// them; nowhere in particular means anywhere.
pub(crate) fn unused<'n>(
    read: &Read<'_>,
    at: Option<At>,
    tools: impl Iterator<Item = &'n str> + Clone,
) -> Result<BTreeSet<String>, StoreError> {
    let mut unused = BTreeSet::new();
    for blocked in &settings::get(read)?.approvals.blocked {
        let holds = match at {
            Some(at) => at.is_of(read, blocked)?,
            None => blocked.group.is_none(),
        };
        if holds {
            let all = tools.clone().filter(|tool| blocks_all_of(blocked, tool));
            unused.extend(all.map(str::to_owned));
        }
    }
    Ok(unused)
}

/// What never happens in one group does not in a new one that is made of it either.
pub(crate) fn block_as_in(
    write: &mut Write<'_>,
    old: GroupId,
    new: GroupId,
) -> Result<(), StoreError> {
    let mut settings = settings::to_change(write)?;
    let blocked = &mut settings.approvals.blocked;
    let own = blocked.iter().filter(|one| one.group == Some(old));
    let own: Vec<_> = own.map(|one| BlockedUse { group: Some(new), ..one.clone() }).collect();
    if own.is_empty() {
        return Ok(());
    }
    blocked.extend(own);
    settings::put(write, &settings)
}

/// Whether no use of the tool is left.
pub(crate) fn blocks_all_of(blocked: &BlockedUse, tool: &str) -> bool {
    blocked.pattern == "*" && fits(&blocked.tool, tool)
}
