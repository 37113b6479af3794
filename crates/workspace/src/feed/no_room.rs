//! What an agent was given and a budget had no room for after all: it goes back, and is
//! given out again when there is room.
//!
//! What the answer may have needed stands in the decision that says so, so that it is not
//! given to the same agent again before there is so much.

use domain::{AgentId, FeedEventState, MessageId, Reason};
use store::table::spend::Amount;
use store::table::wakes::Wake;
use store::table::{admissions, decisions, feed_events};
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
