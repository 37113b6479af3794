//! Giving turns: the rulings on a message become decisions and wakes, in the
//! transaction that stores the message.

use crate::limits::{self, Spent};
use crate::turn_policy::{self, Heard, Ruling, Seat};
use domain::{
    AgentId, Author, Group, Message, MessageId, Participant, Reason, TurnPolicy, Verdict,
};
use store::table::{agents, decisions, members, messages, wakes};
use store::{Read, StoreError, Write};

/// The agents of a group, in their order.
pub(crate) fn seats(read: &Read<'_>, group: &Group) -> Result<Vec<Seat>, StoreError> {
    let mut seats = Vec::new();
    for member in members::of_group(read, group.id)? {
        if let Participant::Agent(id) = member.who {
            let agent = agents::get(read, id)?;
            seats.push(Seat {
                agent: id,
                name: agent.name,
                state: agent.state,
                muted: member.muted,
            });
        }
    }
    Ok(seats)
}

/// What would be decided about a text, with the caps applied.
pub(crate) fn rule(
    read: &Read<'_>,
    group: &Group,
    seats: &[Seat],
    heard: Heard<'_>,
    root: Option<MessageId>,
) -> Result<Vec<Ruling>, StoreError> {
    let mut rulings = turn_policy::decide(heard, group.policy, group.default_agent, seats);
    let (speakers, promised) = match root {
        Some(root) => spent(read, root)?,
        None => (Vec::new(), 0),
    };
    let most = limits::messages_per_post(&group.caps, group.policy, seats.len());
    limits::apply(
        &mut rulings,
        heard.author,
        &group.caps,
        most,
        Spent { speakers: &speakers, promised },
    );
    Ok(rulings)
}

/// Decides on a message that was just stored: writes a decision for each
/// member and a wake for each who is to speak. Gives those to be woken.
pub(crate) fn give(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
) -> Result<Vec<AgentId>, StoreError> {
    let Some(text) = message.text() else { return Ok(Vec::new()) };
    let seats = seats(write, group)?;
    let heard = Heard { author: message.author, text, depth: message.chain_depth };
    let rulings = rule(write, group, &seats, heard, Some(message.root))?;
    let mut woken = Vec::new();
    for ruling in rulings {
        if ruling.verdict != Verdict::Pass {
            add_wake(write, group, message, &ruling)?;
            woken.push(ruling.agent);
        }
        decide(write, message, ruling.agent, ruling.verdict, ruling.reason)?;
    }
    Ok(woken)
}

/// Gives one agent a turn about a message, whatever the policy says.
pub(crate) fn give_to(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
    agent: AgentId,
    reason: Reason,
) -> Result<(), StoreError> {
    let depth = message.chain_depth + 1;
    let ruling = Ruling { agent, verdict: Verdict::Speak, reason, depth };
    add_wake(write, group, message, &ruling)?;
    decide(write, message, agent, ruling.verdict, ruling.reason)
}

/// Gives the next turn of a round after `last` has had its own. `root` is the
/// person's message that the rounds are about; another one since then has
/// ended them.
pub(crate) fn hand_on(
    write: &mut Write<'_>,
    group: &Group,
    root: &Message,
    last: AgentId,
    round: u32,
) -> Result<Vec<AgentId>, StoreError> {
    let newest = messages::last_by_user(write, group.id)?;
    if group.policy != TurnPolicy::Rounds || newest.is_some_and(|newest| newest.id != root.id) {
        return Ok(Vec::new());
    }
    let seats = seats(write, group)?;
    let (next, round) = match turn_policy::next_in_round(&seats, Some(last)) {
        Some(next) => (next, round),
        None if somebody_spoke(write, root.id, round)? => {
            match turn_policy::next_in_round(&seats, None) {
                Some(first) => (first, round + 1),
                None => return Ok(Vec::new()),
            }
        }
        None => return Ok(Vec::new()),
    };
    let mut ruling = [Ruling {
        agent: next,
        verdict: Verdict::Speak,
        reason: Reason::Turn { round },
        depth: round,
    }];
    let (speakers, promised) = spent(write, root.id)?;
    let most = limits::messages_per_post(&group.caps, group.policy, seats.len());
    limits::apply(
        &mut ruling,
        Author::User,
        &group.caps,
        most,
        Spent { speakers: &speakers, promised },
    );
    let [ruling] = ruling;
    let speaks = ruling.verdict == Verdict::Speak;
    if speaks {
        add_wake(write, group, root, &ruling)?;
    }
    decide(write, root, next, ruling.verdict, ruling.reason)?;
    Ok(if speaks { vec![next] } else { Vec::new() })
}

/// Ends what is still owed for earlier messages of the group: in rounds, a
/// person who speaks begins anew.
pub(crate) fn supersede(write: &mut Write<'_>, group: &Group) -> Result<(), StoreError> {
    if group.policy != TurnPolicy::Rounds {
        return Ok(());
    }
    let open = wakes::open_of_group(write, group.id)?;
    let waiting: Vec<_> = open.into_iter().filter(|wake| wake.claimed_by.is_none()).collect();
    dismiss(write, &waiting, &Reason::Superseded)
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

fn somebody_spoke(read: &Read<'_>, root: MessageId, round: u32) -> Result<bool, StoreError> {
    messages::any_at_depth(read, root, round)
}

/// Who has spoken since the root, and how many answers are still owed.
fn spent(read: &Read<'_>, root: MessageId) -> Result<(Vec<AgentId>, u32), StoreError> {
    let speakers =
        messages::of_agents_since(read, root)?.into_iter().map(|(agent, _)| agent).collect();
    let promised = u32::try_from(wakes::open_for_root(read, root)?.len()).unwrap_or(u32::MAX);
    Ok((speakers, promised))
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
