//! What an agent was given and a budget had no room for after all: it goes back, and is
//! given out again when there is room.
//!
//! What the answer may have needed stands in the decision that says so, so that it is not
//! given to the same agent again before there is so much.

use crate::budget::Left;
use crate::shared::Shared;
use crate::{acts, estimate};
use domain::{AgentId, BudgetScope, Fault, FeedEventState, MessageId, Reason};
use store::table::spend::Amount;
use store::table::wakes::Wake;
use store::table::{admissions, agents, decisions, feed_events, groups};
use store::{Read, StoreError, Write};

/// Whether the feed has given out all of these, and can do so again.
pub(crate) fn can_go_back(read: &Read<'_>, wakes: &[Wake]) -> Result<bool, StoreError> {
    for wake in wakes {
        let waits_or_is_done = match feed_events::state_of(read, wake.message)? {
            Some(FeedEventState::Waiting | FeedEventState::Taken | FeedEventState::Done) => true,
            Some(FeedEventState::Dead) | None => false,
        };
        if !waits_or_is_done || !admissions::has(read, wake.message, wake.agent)? {
            return Ok(false);
        }
    }
    Ok(!wakes.is_empty())
}

/// The agent is not to answer the item now, and never was as far as quotas go.
pub(crate) fn goes_back(
    write: &mut Write<'_>,
    item: MessageId,
    agent: AgentId,
) -> Result<(), StoreError> {
    admissions::remove(write, item, agent)?;
    feed_events::wait_again(write, item)
}

/// The budget that has no room today for an answer of anybody to what waits longest.
pub(super) fn is_full(read: &Read<'_>, shared: &Shared) -> Result<Option<BudgetScope>, Fault> {
    let Some(event) = feed_events::next_waiting(read)? else { return Ok(None) };
    let left = Left::of_feed(read, shared.now_ms())?;
    if !left.is_limited() {
        return Ok(None);
    }
    let group = groups::get(read, event.group)?;
    let mut full = None;
    let mut living = agents::living(read)?;
    acts::without_those_at_a_task(read, &mut living)?;
    for agent in &living {
        let most = estimate::at_most(read, shared, &group, agent, "")?;
        match left.clone().take(most.or_more(needed(read, event.item, agent.id)?)) {
            Ok(()) => return Ok(None),
            Err(scope) => full = Some(scope),
        }
    }
    Ok(full)
}

/// What the agent's answer to the item needed the last time that there was no room for it.
pub(super) fn needed(
    read: &Read<'_>,
    item: MessageId,
    agent: AgentId,
) -> Result<Amount, StoreError> {
    let about = decisions::about(read, item)?.into_iter().rev();
    let needed = about.filter(|one| one.agent == agent).find_map(|one| match one.reason {
        Reason::NoRoomYet { tokens, microusd, .. } => {
            Some(Amount { tokens, microusd, unpriced: 0 })
        }
        _ => None,
    });
    Ok(needed.unwrap_or_default())
}
