//! What is decided about a text: what the group's policy says, cut down by its
//! caps.

use super::spent::spent;
use crate::turn_policy::{self, Heard, Rules, Ruling, Seat};
use domain::{AgentId, Group, MessageId, Participant, Reason, TurnPolicy, Verdict};
use store::table::{decisions, members};
use store::{Read, StoreError};

/// What would be decided about a text, with the caps applied. `root` is the
/// person's message that it goes back to, if it has been stored.
pub(crate) fn rule(
    read: &Read<'_>,
    group: &Group,
    seats: &[Seat],
    heard: Heard<'_>,
    root: Option<MessageId>,
) -> Result<Vec<Ruling>, StoreError> {
    let rules = rules(read, group, root)?;
    let mut rulings = turn_policy::decide(heard, &rules, seats);
    spent(read, group, root)?.limit(&mut rulings, heard.author, group, seats);
    Ok(rulings)
}

pub(super) fn rules(
    read: &Read<'_>,
    group: &Group,
    root: Option<MessageId>,
) -> Result<Rules, StoreError> {
    Ok(Rules {
        policy: group.policy,
        default_agent: group.default_agent,
        supervisor: group.supervisor,
        last_in_order: match group.policy {
            TurnPolicy::RoundRobin => last_in_order(read, group)?,
            TurnPolicy::DefaultResponder
            | TurnPolicy::Mention
            | TurnPolicy::Rounds
            | TurnPolicy::Weighted
            | TurnPolicy::Supervisor
            | TurnPolicy::Broadcast
            | TurnPolicy::Manual => None,
        },
        seed: root.map(|root| root.0.as_u128()),
    })
}

/// Where whoever had the last turn in order sits, or sat before it left.
fn last_in_order(read: &Read<'_>, group: &Group) -> Result<Option<i64>, StoreError> {
    let mut looked_at = 64_u32;
    loop {
        let newest = decisions::of_group(read, group.id, looked_at)?;
        let mut given = newest.iter().rev().filter(|decision| {
            decision.verdict == Verdict::Speak && decision.reason == Reason::NextInOrder
        });
        if let Some(last) = given.next() {
            return position(read, group, last.agent);
        }
        if newest.len() < looked_at as usize {
            return Ok(None);
        }
        looked_at = looked_at.saturating_mul(16);
    }
}

pub(super) fn position(
    read: &Read<'_>,
    group: &Group,
    agent: AgentId,
) -> Result<Option<i64>, StoreError> {
    let who = Participant::Agent(agent);
    let member = match members::find(read, group.id, who)? {
        Some(member) => Some(member),
        None => members::former(read, group.id, who)?,
    };
    Ok(member.map(|member| member.position))
}
