//! What an agent has lived through in a group, as far as it is still read.

use crate::brief::{self, Left, Placed};
use crate::exchange;
use crate::fold::{self, Kept};
use domain::{AgentId, Member, Message, RunId};
use std::collections::HashSet;
use store::table::{messages, steps, tool_calls};
use store::{Read, StoreError};

/// Earlier messages that a brief may draw on, beside all that are unread; how
/// much of it fits is decided later.
const HISTORY: u32 = 2 * fold::MOST_PIECES as u32;
/// More unread messages than this no window holds.
const MOST_UNREAD: u32 = 20_000;

/// What a member has lived through in its group.
pub(super) struct Past {
    pub history: Vec<Placed>,
    /// Earlier messages that are quoted in it.
    pub quoted: Vec<Message>,
    pub left: Left,
}

/// What the member may see: everything unread, and what came before it that no
/// summary stands for. With it goes what the agent did in earlier runs, and what
/// the last try of this turn left open.
pub(super) fn look(
    read: &Read<'_>,
    member: &Member,
    agent: AgentId,
    tried: Option<RunId>,
    kept: &Kept,
) -> Result<Past, StoreError> {
    let after = member.joined_after.max(kept.told);
    let mut history = messages::page(read, member.group, after, None, HISTORY)?;
    let reaches_back_to_cursor = history.first().is_none_or(|oldest| oldest.seq <= member.cursor);
    if !reaches_back_to_cursor && history.len() == HISTORY as usize {
        let after = member.cursor.max(after);
        history = messages::page(read, member.group, after, None, MOST_UNREAD)?;
    }
    let before = history.first().map_or(after, |oldest| oldest.seq - 1);
    let read_before = messages::read_before(read, member.group, agent, before)?;
    let newest = history.last().map_or(0, |newest| newest.seq);
    let (mut done, mut left, mut steered) = (Vec::new(), Left::default(), HashSet::new());
    for (run, reads_to) in tool_calls::runs_that_used_tools(read, agent, member.group, before)? {
        let steps = steps::of_run(read, run)?;
        steered.extend(exchange::steered(&steps));
        // What is the last thing that happened is gone on with.
        if Some(run) == tried && reads_to >= newest {
            let open = exchange::read(&steps);
            left = Left { rounds: open.rounds, unanswered: open.unanswered };
            done.push((reads_to, open.turns));
        } else {
            done.push((reads_to, exchange::done(&steps)));
        }
    }
    history.retain(|message| !steered.contains(&message.id));
    let quoted = quoted(read, member, &history)?;
    let mut history = brief::as_lived(history, &read_before, done);
    history.retain(|piece| piece.place > kept.told);
    Ok(Past { history, quoted, left })
}

/// What is quoted and lies further back, as far as the member may see it.
fn quoted(
    read: &Read<'_>,
    member: &Member,
    history: &[Message],
) -> Result<Vec<Message>, StoreError> {
    let known: HashSet<_> = history.iter().map(|message| message.id).collect();
    let parents = history.iter().filter_map(|message| message.parent);
    let mut quoted = Vec::new();
    for parent in parents.filter(|parent| !known.contains(parent)) {
        let parent = messages::find(read, parent)?;
        quoted.extend(parent.filter(|parent| parent.seq > member.joined_after));
    }
    Ok(quoted)
}
