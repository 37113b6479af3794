//! Giving turns: the rulings on a message become decisions and wakes, in the
//! transaction that stores the message.

mod handing_on;
mod rulings;
mod seats;
mod spent;

pub(crate) use handing_on::{follow, go_on, go_on_without, rule_anew, supervised};
pub(crate) use rulings::rule;
pub(crate) use seats::seats;
pub(crate) use spent::said_and_promised;

use crate::shared::Shared;
use crate::turn_policy::{self, Heard, Ruling, is_a_task, is_handed_on};
use crate::{budget, estimate, feed};
use domain::{AgentId, Author, Fault, Group, GroupKind, Message, MessageId, Reason, Verdict};
use store::table::{agents, decisions, groups, messages, wakes};
use store::{Read, StoreError, Write};

/// Decides on a message that was just stored: writes a decision for each
/// member and a wake for each who is to speak and for whom there is surely room
/// in the budgets. Gives those to be woken.
pub(crate) fn give(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    message: &Message,
) -> Result<Vec<AgentId>, Fault> {
    let Some(text) = message.text() else { return Ok(Vec::new()) };
    if group.kind == GroupKind::Post {
        return feed::heard(write, shared, group, message);
    }
    let seats = seats(write, group)?;
    let answers = author_of(write, message.parent)?;
    let heard = Heard { author: message.author, text, answers, depth: message.chain_depth };
    let mut rulings = rule(write, group, &seats, heard, Some(message.root))?;
    estimate::hold_back(write, shared, group, message, &mut rulings)?;
    record_anew(write, shared, group, message, rulings)
}

/// The agent that wrote this message, if one did.
pub(crate) fn author_of(
    read: &Read<'_>,
    message: Option<MessageId>,
) -> Result<Option<AgentId>, StoreError> {
    let Some(message) = message else { return Ok(None) };
    Ok(match messages::find(read, message)?.map(|message| message.author) {
        Some(Author::Agent(agent)) => Some(agent),
        Some(Author::User | Author::Outside(_) | Author::Source(_) | Author::System) | None => None,
    })
}

/// Writes down what was ruled elsewhere, as far as the caps and the budgets allow
/// it. Gives those to be woken.
pub(crate) fn give_as_ruled(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    message: &Message,
    mut rulings: Vec<Ruling>,
) -> Result<Vec<AgentId>, Fault> {
    let since = spent::spent(write, group, Some(message.root))?;
    since.limit(&mut rulings, message.author, group, &[]);
    estimate::hold_back(write, shared, group, message, &mut rulings)?;
    record_anew(write, shared, group, message, rulings)
}

/// What the caps of a group leave of rulings on a message of the person that nobody has sent
/// yet, where so many answers to it are to come.
pub(crate) fn cap_unsent(group: &Group, rulings: &mut [Ruling], promised: u32) {
    spent::promised(promised).limit(rulings, Author::User, group, &[]);
}

/// The oldest of an agent's open wakes in a group, with those that the same
/// turn answers.
pub(crate) struct Together {
    pub wakes: Vec<wakes::Wake>,
    /// The turn reads no further than this message, where that is set: what
    /// stands behind it has a turn of its own.
    pub upto: Option<i64>,
}

/// A turn that the policy hands on is a turn of its own, so that its end hands
/// on again. So is one that nobody's words ask for: its task would be lost
/// among them. In the feed each comment is answered below it.
pub(crate) fn answered_together(mut open: Vec<wakes::Wake>, kind: GroupKind) -> Together {
    let alone = |wake: &wakes::Wake| {
        kind == GroupKind::Post || is_handed_on(&wake.reason) || is_a_task(&wake.reason)
    };
    let together = open.iter().take_while(|wake| !alone(wake)).count();
    let rest = open.split_off(together.max(1).min(open.len()));
    let last = open.iter().map(|wake| wake.message_seq).max();
    let next = rest.iter().find(|next| Some(next.message_seq) > last);
    let asks = |wake: &wakes::Wake| is_a_task(&wake.reason);
    let next = next.filter(|next| asks(next) || open.iter().any(asks));
    Together { upto: next.map(|next| next.message_seq - 1), wakes: open }
}

/// Whether a person's own words ask for it. A turn that the policy hands on is about
/// them too, and they are answered by all of its turns together.
pub(crate) fn is_of_a_person(wake: &wakes::Wake) -> bool {
    wake.author == Author::User && !is_handed_on(&wake.reason)
}

/// Gives one agent a turn about a message, whatever the policy says. One that cannot
/// speak now takes it when it can.
pub(crate) fn give_to(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
    agent: AgentId,
    reason: Reason,
) -> Result<(), StoreError> {
    let state = agents::get(write, agent)?.state;
    let ruling = turn_policy::given(agent, state, reason, message.chain_depth + 1);
    record(write, group, message, vec![ruling]).map(drop)
}

/// A turn about a message that was looked at before.
pub(crate) fn owe(
    write: &mut Write<'_>,
    message: &Message,
    ruling: Ruling,
) -> Result<(), StoreError> {
    let group = groups::get(write, message.group)?;
    record(write, &group, message, vec![ruling]).map(drop)
}

/// Ends what is still owed for earlier messages of the group, where the policy
/// hands turns on: a person who speaks begins anew.
pub(crate) fn supersede(write: &mut Write<'_>, group: &Group) -> Result<(), StoreError> {
    let open = wakes::open_of_group(write, group.id)?;
    let owed = |wake: &wakes::Wake| wake.claimed_by.is_none() && is_handed_on(&wake.reason);
    let owed: Vec<_> = open.into_iter().filter(owed).collect();
    dismiss(write, &owed, &Reason::Superseded)
}

/// Wakes that will not be answered, with the reason on record.
pub(crate) fn dismiss(
    write: &mut Write<'_>,
    waiting: &[wakes::Wake],
    reason: &Reason,
) -> Result<(), StoreError> {
    wakes::dismiss(write, waiting)?;
    for wake in waiting {
        if let Some(message) = messages::find(write, wake.message)? {
            decide(write, &message, wake.agent, Verdict::Pass, reason.clone())?;
        }
    }
    Ok(())
}

/// Whether the agent has heard the message as the answer to what it had asked.
pub(crate) fn was_an_answer(
    read: &Read<'_>,
    agent: AgentId,
    message: &Message,
) -> Result<bool, StoreError> {
    if message.author != Author::User {
        return Ok(false);
    }
    let about = decisions::about(read, message.id)?;
    Ok(about.iter().any(|one| one.agent == agent && one.reason == Reason::AnswersQuestion))
}

/// Those of these turns that nobody has taken up: they wait now, and why is on record
/// beside what they are about.
pub(crate) fn hold_up(
    write: &mut Write<'_>,
    open: Vec<wakes::Wake>,
    why: &Reason,
) -> Result<(), StoreError> {
    // What a run was started for, that run tells.
    let untried = |wake: &wakes::Wake| wake.claimed_by.is_none() && wake.tried_by.is_none();
    for wake in open.into_iter().filter(untried) {
        if let Some(message) = messages::find(write, wake.message)? {
            waits(write, &message, wake.agent, why)?;
        }
    }
    Ok(())
}

/// The agent is to answer it later, and why is on record; once, as long as that is so.
pub(crate) fn waits(
    write: &mut Write<'_>,
    message: &Message,
    agent: AgentId,
    why: &Reason,
) -> Result<(), StoreError> {
    let about = decisions::about(write, message.id)?;
    let last = about.iter().rev().find(|decision| decision.agent == agent);
    match last.is_some_and(|last| last.verdict == Verdict::Wait && last.reason == *why) {
        true => Ok(()),
        false => decide(write, message, agent, Verdict::Wait, why.clone()),
    }
}

/// Records what was ruled; a group that a budget has stopped may be tried again for it.
fn record_anew(
    write: &mut Write<'_>,
    shared: &Shared,
    group: &Group,
    message: &Message,
    rulings: Vec<Ruling>,
) -> Result<Vec<AgentId>, Fault> {
    let somebody = rulings.iter().any(|ruling| ruling.verdict != Verdict::Pass);
    match group.problem.is_some() && somebody {
        true => {
            let group = budget::try_again(write, shared, group.clone(), message.root)?;
            Ok(record(write, &group, message, rulings)?)
        }
        false => Ok(record(write, group, message, rulings)?),
    }
}

fn record(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
    rulings: Vec<Ruling>,
) -> Result<Vec<AgentId>, StoreError> {
    let held = budget::stopped_for(group);
    let mut woken = Vec::new();
    for mut ruling in rulings {
        if let (Verdict::Speak, Some(scope)) = (ruling.verdict, held) {
            ruling.verdict = Verdict::Wait;
            ruling.hindrance = Some(Reason::OverBudget { scope });
        }
        if ruling.verdict != Verdict::Pass {
            add_wake(write, group, message, &ruling)?;
            woken.push(ruling.agent);
        }
        decide(write, message, ruling.agent, ruling.verdict, ruling.recorded())?;
    }
    Ok(woken)
}

fn add_wake(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
    ruling: &Ruling,
) -> Result<(), StoreError> {
    let wake = wakes::New {
        agent: ruling.agent,
        group: group.id,
        message: message.id,
        message_seq: message.seq,
        author: message.author,
        root: message.root,
        depth: ruling.depth,
        reason: ruling.reason.clone(),
    };
    wakes::add(write, &wake)
}

fn decide(
    write: &mut Write<'_>,
    message: &Message,
    agent: AgentId,
    verdict: Verdict,
    reason: Reason,
) -> Result<(), StoreError> {
    let new = decisions::New {
        group: message.group,
        agent,
        message: message.id,
        root: message.root,
        verdict,
        reason,
        run: None,
        at_ms: message.at_ms,
    };
    decisions::add(write, new).map(|_| ())
}
