//! A group as the roster shows it.

use domain::{AgentState, Group, GroupId, GroupView, RunState};
use store::table::{agents, groups, members, messages, runs, wakes};
use store::{Read, StoreError};

pub(crate) fn view(read: &Read<'_>, group: Group) -> Result<GroupView, StoreError> {
    let members = members::of_group(read, group.id)?;
    let last = messages::last(read, group.id)?;
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
    on_their_way(read, wakes::open_of_group(read, group)?)
}

/// Wakes that a loop has taken up or will take up by itself: not those of
/// agents that rest or of groups that have stopped, nor those of a run that was interrupted for good. Who waits for a person's
/// word on something goes on with it, or without when its time is over.
pub(crate) fn on_their_way(
    read: &Read<'_>,
    open: impl IntoIterator<Item = wakes::Wake>,
) -> Result<u32, StoreError> {
    let mut owed = 0;
    for wake in open {
        let awake = match agents::get(read, wake.agent)?.state {
            AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => true,
            AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
        };
        let going_on = match wake.claimed_by {
            Some(run) => runs::get(read, run)?.state == RunState::Running,
            None => groups::get(read, wake.group)?.problem.is_none(),
        };
        owed += u32::from(awake && going_on);
    }
    Ok(owed)
}
