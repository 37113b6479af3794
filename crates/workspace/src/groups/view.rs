//! A group as the roster shows it.

use domain::{AgentId, AgentState, Group, GroupId, GroupView, RunState};
use std::collections::BTreeMap;
use store::table::{agents, groups, members, messages, runs, wakes};
use store::{Read, StoreError};

pub(crate) fn view(read: &Read<'_>, group: Group) -> Result<GroupView, StoreError> {
    let members = members::of_group(read, group.id)?;
    let last = messages::last_said(read, group.id)?;
    // Where two agents talk, what it goes back to stands elsewhere.
    let root = match messages::last_by_user(read, group.id)? {
        Some(post) => Some(post.id),
        None => last.as_ref().map(|last| last.root),
    };
    let messages_since_post = match root {
        Some(root) => messages::by_agents_since(read, root)?,
        None => 0,
    };
    let answers_to_come = answers_to_come(read, group.id)?;
    Ok(GroupView { group, members, last, messages_since_post, answers_to_come })
}

fn answers_to_come(read: &Read<'_>, group: GroupId) -> Result<u32, StoreError> {
    Ok(owed(read, wakes::open_of_group(read, group)?)?.coming)
}

/// Answers that are owed.
#[derive(Default)]
pub(crate) struct Owed {
    /// A loop has taken them up or will take them up by itself. Who waits for a person's word
    /// on something goes on with it, or without when its time is over.
    pub coming: u32,
    /// Of runs that were interrupted for good.
    pub interrupted: u32,
    /// The others: their agent rests, or their group has stopped.
    pub held: BTreeMap<AgentId, u32>,
}

pub(crate) fn owed(
    read: &Read<'_>,
    open: impl IntoIterator<Item = wakes::Wake>,
) -> Result<Owed, StoreError> {
    let mut owed = Owed::default();
    for wake in open {
        let awake = match agents::get(read, wake.agent)?.state {
            AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => true,
            AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
        };
        let claimed = wake.claimed_by.map(|run| runs::get(read, run)).transpose()?;
        let goes_on = match &claimed {
            Some(run) => run.state == RunState::Running,
            None => groups::get(read, wake.group)?.problem.is_none(),
        };
        match claimed {
            _ if awake && goes_on => owed.coming += 1,
            Some(run) if run.state == RunState::Interrupted => owed.interrupted += 1,
            Some(_) | None => *owed.held.entry(wake.agent).or_default() += 1,
        }
    }
    Ok(owed)
}
