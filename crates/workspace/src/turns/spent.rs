//! What has been spent of a group's caps since a person's message, wherever agents
//! have written what goes back to it.

use crate::limits::{self, Spent};
use crate::turn_policy::{Ruling, Seat};
use domain::{AgentId, Author, CallState, Group, MessageId};
use store::table::{messages, tool_calls, wakes};
use store::{Read, StoreError};

#[derive(Default)]
pub(super) struct Since {
    messages: u32,
    /// Who wrote those in the group, since a tool last brought something new.
    pub talk: Vec<AgentId>,
    promised: u32,
}

impl Since {
    /// Turns answers beyond a cap into silence that names it. `after` is whose
    /// words they would follow.
    pub(super) fn limit(
        &self,
        rulings: &mut [Ruling],
        after: Author,
        group: &Group,
        seats: &[Seat],
    ) {
        let most = limits::messages_per_post(&group.caps, group.policy, seats.len());
        let Since { messages, promised, .. } = *self;
        let spent = Spent { messages, talk: &self.talk, promised };
        limits::apply(rulings, after, &group.caps, most, spent);
    }
}

/// Nothing has been spent on a message that nobody has sent yet.
pub(super) fn spent(
    read: &Read<'_>,
    group: &Group,
    root: Option<MessageId>,
) -> Result<Since, StoreError> {
    let Some(root) = root else { return Ok(Since::default()) };
    let said = messages::of_agents_since(read, root)?;
    let messages = count(said.len());
    // Who talks elsewhere comes between nobody here.
    let here = said.into_iter().filter(|said| said.group == group.id);
    let mut talk: Vec<AgentId> = here.map(|said| said.by).collect();
    // Fewer are no ping-pong anyway.
    if count(talk.len()) >= group.caps.pair_hops {
        talk.drain(..before_last_tool(read, group, root)?.min(talk.len()));
    }
    Ok(Since { messages, talk, promised: count(wakes::open_for_root(read, root)?.len()) })
}

/// On a message that nobody has sent yet, where so many answers to it are to come.
pub(super) fn promised(promised: u32) -> Since {
    Since { promised, ..Since::default() }
}

/// How many messages of agents there are and will be that go back to a root: what
/// one of them writes by itself has room beside them or is not written.
pub(crate) fn said_and_promised(read: &Read<'_>, root: MessageId) -> Result<u32, StoreError> {
    let promised = count(wakes::open_for_root(read, root)?.len());
    Ok(messages::by_agents_since(read, root)?.saturating_add(promised))
}

/// More than these a post does not cause, whatever else is said meanwhile.
const MOST_SINCE: u32 = 10_000;

/// How many messages agents had written since the root when a tool last
/// brought one of them something.
fn before_last_tool(read: &Read<'_>, group: &Group, root: MessageId) -> Result<usize, StoreError> {
    let Some(asked) = messages::find(read, root)? else { return Ok(0) };
    let since = messages::page(read, group.id, asked.seq, None, MOST_SINCE)?;
    let runs = since.iter().filter(|message| message.root == root).filter_map(|said| said.run);
    let runs: Vec<_> = runs.collect();
    for (at, run) in runs.iter().enumerate().rev() {
        let calls = tool_calls::of_run(read, *run)?;
        if calls.iter().any(|call| call.state == CallState::Succeeded) {
            return Ok(at);
        }
    }
    Ok(0)
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
