//! What has been spent of a group's caps since a person's message.

use crate::limits::{self, Spent};
use crate::turn_policy::{Ruling, Seat};
use domain::{AgentId, Author, CallState, Group, MessageId};
use store::table::{messages, tool_calls, wakes};
use store::{Read, StoreError};

#[derive(Default)]
pub(super) struct Since {
    messages: u32,
    /// Who wrote them, since a tool last brought something new.
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
    let speakers = messages::of_agents_since(read, root)?.into_iter().map(|(agent, _)| agent);
    let mut talk: Vec<AgentId> = speakers.collect();
    let messages = count(talk.len());
    // Fewer are no ping-pong anyway.
    if messages >= group.caps.pair_hops {
        talk.drain(..before_last_tool(read, group, root)?.min(talk.len()));
    }
    Ok(Since { messages, talk, promised: count(wakes::open_for_root(read, root)?.len()) })
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
