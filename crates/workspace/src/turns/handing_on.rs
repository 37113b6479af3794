//! What follows from the end of a turn where the policy hands turns on: the
//! next in a round, or what a supervisor decides.
//!
//! It is all about one message of a person, `root`; another one since then has
//! ended it.

use super::rulings::{position, rules};
use super::seats::seats;
use super::spent::spent;
use super::{decide, give, record};
use crate::shared::Shared;
use crate::supervisor::{self, Answer};
use crate::turn_policy::{self, Ruling, Seat, is_handed_on};
use domain::{AgentId, Author, Fault, Group, Message, MessageId, Reason, TurnPolicy, Verdict};
use store::table::{groups, messages, wakes};
use store::{Read, StoreError, Write};

/// A supervisor's answer, and who was there to be named.
pub(crate) struct Supervised {
    root: Message,
    seats: Vec<Seat>,
    pub answer: Answer,
}

/// What follows from the end of a turn, whatever came of it: in rounds the
/// next member's, with a supervisor the question who is next.
pub(crate) fn go_on(
    write: &mut Write<'_>,
    group: &Group,
    root: MessageId,
    agent: AgentId,
    ended: &Reason,
) -> Result<Vec<AgentId>, StoreError> {
    if !is_handed_on(ended) || group.archived {
        return Ok(Vec::new());
    }
    let Some(root) = still_newest(write, group, root)? else { return Ok(Vec::new()) };
    let seats = seats(write, group)?;
    match (group.policy, ended) {
        (TurnPolicy::Rounds, Reason::Turn { round }) => {
            hand_on(write, group, &root, &seats, agent, *round)
        }
        (TurnPolicy::Supervisor, Reason::ChosenBySupervisor { round, .. }) => {
            let rules = rules(write, group, None)?;
            let asked = turn_policy::supervising(&rules, &seats, round + 1);
            grant(write, group, &root, &seats, Author::User, asked)
        }
        // It has named nobody.
        (TurnPolicy::Supervisor, Reason::Supervising { round }) => {
            let rules = rules(write, group, None)?;
            let instead = turn_policy::instead_of_supervisor(&rules, &seats, *round);
            grant(write, group, &root, &seats, Author::User, instead)
        }
        // The policy was changed meanwhile.
        (_, _) => Ok(Vec::new()),
    }
}

/// Where another policy came into force before anybody had answered, that one decides.
pub(crate) fn rule_anew(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    ended: &wakes::Wake,
) -> Result<Vec<AgentId>, Fault> {
    let holds = match (group.policy, &ended.reason) {
        (TurnPolicy::Rounds, Reason::Turn { .. }) => true,
        (TurnPolicy::Supervisor, reason) => {
            matches!(reason, Reason::ChosenBySupervisor { .. } | Reason::Supervising { .. })
        }
        (_, reason) => !is_handed_on(reason),
    };
    if holds || group.archived || messages::by_agents_since(write, ended.root)? > 0 {
        return Ok(Vec::new());
    }
    match still_newest(write, group, ended.root)? {
        Some(root) => give(write, shared, group, &root),
        None => Ok(Vec::new()),
    }
}

/// What follows where these turns will never be taken.
pub(crate) fn go_on_without(
    write: &mut Write<'_>,
    dismissed: &[wakes::Wake],
) -> Result<Vec<AgentId>, StoreError> {
    let mut woken = Vec::new();
    for wake in dismissed {
        let group = groups::get(write, wake.group)?;
        woken.extend(go_on(write, &group, wake.root, wake.agent, &wake.reason)?);
    }
    Ok(woken)
}

/// What a supervisor's run has said, if it still matters.
pub(crate) fn supervised(
    read: &Read<'_>,
    group: &Group,
    root: MessageId,
    text: Option<&str>,
) -> Result<Option<Supervised>, StoreError> {
    let current = still_newest(read, group, root)?;
    let Some(root) = current.filter(|_| group.policy == TurnPolicy::Supervisor) else {
        return Ok(None);
    };
    let seats = seats(read, group)?;
    let answer = supervisor::read_answer(text, &supervisor::offered(&seats));
    Ok(Some(Supervised { root, seats, answer }))
}

/// Does what the supervisor has decided; those whom it passes over the first
/// time have it on record.
pub(crate) fn follow(
    write: &mut Write<'_>,
    group: &Group,
    by: AgentId,
    round: u32,
    said: &Supervised,
) -> Result<Vec<AgentId>, StoreError> {
    let offered = supervisor::offered(&said.seats);
    let next = match said.answer {
        Answer::Next(at) => Some(offered[at]),
        Answer::Nobody => None,
        Answer::Unusable => {
            let failed = Reason::Supervising { round };
            return go_on(write, group, said.root.id, by, &failed);
        }
    };
    let chosen = next.map(|seat| Ruling {
        agent: seat.agent,
        verdict: Verdict::Speak,
        reason: Reason::ChosenBySupervisor { by, round },
        hindrance: None,
        depth: round,
    });
    let talk = spent(write, group, Some(said.root.id))?.talk;
    let after = match (talk.last(), next) {
        (Some(last), Some(next)) if *last != next.agent => Author::Agent(*last),
        (_, _) => Author::User,
    };
    let woken = grant(write, group, &said.root, &said.seats, after, chosen)?;
    if round == 1 {
        let passed = offered.iter().filter(|seat| next.is_none_or(|next| next != **seat));
        for seat in passed.filter(|seat| seat.agent != by) {
            let reason = Reason::NotChosen { by };
            decide(write, &said.root, seat.agent, Verdict::Pass, reason)?;
        }
    }
    Ok(woken)
}

/// Gives the next turn of a round after `last` has had its own.
fn hand_on(
    write: &mut Write<'_>,
    group: &Group,
    root: &Message,
    seats: &[Seat],
    last: AgentId,
    round: u32,
) -> Result<Vec<AgentId>, StoreError> {
    let behind = position(write, group, last)?.unwrap_or(i64::MAX);
    let in_this_round = turn_policy::next_in_round(seats, Some(behind)).map(|next| (next, round));
    let next = match in_this_round {
        None if messages::any_at_depth(write, root.id, round)? => {
            turn_policy::next_in_round(seats, None).map(|first| (first, round + 1))
        }
        next => next,
    };
    let ruling = next.map(|(agent, round)| Ruling {
        agent,
        verdict: Verdict::Speak,
        reason: Reason::Turn { round },
        hindrance: None,
        depth: round,
    });
    grant(write, group, root, seats, Author::User, ruling)
}

/// Turns about a message, as far as the caps allow them. `after` is whose
/// words they would follow.
fn grant(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
    seats: &[Seat],
    after: Author,
    rulings: impl IntoIterator<Item = Ruling>,
) -> Result<Vec<AgentId>, StoreError> {
    let mut rulings: Vec<Ruling> = rulings.into_iter().collect();
    spent(write, group, Some(message.root))?.limit(&mut rulings, after, group, seats);
    record(write, group, message, rulings)
}

/// The person's message, unless another has come since.
fn still_newest(
    read: &Read<'_>,
    group: &Group,
    root: MessageId,
) -> Result<Option<Message>, StoreError> {
    let newest = messages::last_by_user(read, group.id)?;
    if newest.is_some_and(|newest| newest.id != root) {
        return Ok(None);
    }
    messages::find(read, root)
}
