//! Giving turns: the rulings on a message become decisions and wakes, in the
//! transaction that stores the message.

use crate::limits::{self, Spent};
use crate::souls;
use crate::supervisor::{self, Answer};
use crate::turn_policy::{self, Heard, Rules, Ruling, Seat, is_handed_on};
use domain::{
    Agent, AgentId, Author, CallState, Group, Member, Message, MessageId, Participant, Reason,
    Settings, TurnPolicy, Verdict,
};
use store::table::{agents, decisions, members, messages, souls as soul_table, tool_calls, wakes};
use store::{Read, StoreError, Write};

/// The agents of a group, in their order.
pub(crate) fn seats(read: &Read<'_>, group: &Group) -> Result<Vec<Seat>, StoreError> {
    let mut seats = Vec::new();
    for member in members::of_group(read, group.id)? {
        if let Participant::Agent(id) = member.who {
            let agent = agents::get(read, id)?;
            let weight = match group.policy {
                TurnPolicy::Weighted => weight(read, &member, &agent)?,
                TurnPolicy::DefaultResponder
                | TurnPolicy::Mention
                | TurnPolicy::Rounds
                | TurnPolicy::RoundRobin
                | TurnPolicy::Supervisor
                | TurnPolicy::Broadcast
                | TurnPolicy::Manual => 0,
            };
            seats.push(Seat {
                agent: id,
                name: agent.name,
                role: agent.role,
                position: member.position,
                state: agent.state,
                muted: member.muted,
                weight,
            });
        }
    }
    Ok(seats)
}

/// What the member was given in this group, else what its soul says.
fn weight(read: &Read<'_>, member: &Member, agent: &Agent) -> Result<u32, StoreError> {
    if let Some(own) = member.talkativeness {
        return Ok(u32::from(own));
    }
    let version = soul_table::version(read, &agent.soul, agent.soul_version)?;
    let soul = version.and_then(|version| souls::parse(&agent.soul, &version.text).ok());
    let front = soul.map_or_else(|| souls::Front::of(&agent.soul), |soul| soul.front);
    let effective = souls::effective(None, &front, &Settings::default());
    Ok(u32::from(effective.talkativeness))
}

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
    let spent = match root {
        Some(root) => spent(read, group, root)?,
        None => Since::default(),
    };
    spent.limit(&mut rulings, heard.author, group, seats);
    Ok(rulings)
}

fn rules(read: &Read<'_>, group: &Group, root: Option<MessageId>) -> Result<Rules, StoreError> {
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

fn position(read: &Read<'_>, group: &Group, agent: AgentId) -> Result<Option<i64>, StoreError> {
    let who = Participant::Agent(agent);
    let member = match members::find(read, group.id, who)? {
        Some(member) => Some(member),
        None => members::former(read, group.id, who)?,
    };
    Ok(member.map(|member| member.position))
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
    record(write, group, message, rulings)
}

/// The oldest of an agent's open wakes in a group, with those that the same
/// turn answers. A turn that the policy hands on is a turn of its own, so that
/// its end hands on again.
pub(crate) fn answered_together(mut open: Vec<wakes::Wake>) -> Vec<wakes::Wake> {
    let alone = |wake: &&wakes::Wake| is_handed_on(&wake.reason);
    let together = open.iter().take_while(|wake| !alone(wake)).count();
    open.truncate(together.max(1));
    open
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
    let ruling = Ruling { agent, verdict: Verdict::Speak, reason, hindrance: None, depth };
    record(write, group, message, vec![ruling]).map(drop)
}

/// What follows from the end of a turn, whatever came of it: in rounds the
/// next member's, with a supervisor the question who is next.
///
/// It is all about the person's message `root`; another one since then has
/// ended it.
pub(crate) fn go_on(
    write: &mut Write<'_>,
    group: &Group,
    root: MessageId,
    agent: AgentId,
    ended: &Reason,
) -> Result<Vec<AgentId>, StoreError> {
    if !is_handed_on(ended) {
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

/// A supervisor's answer, and who was there to be named.
pub(crate) struct Supervised {
    root: Message,
    seats: Vec<Seat>,
    pub answer: Answer,
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
    let talk = spent(write, group, said.root.id)?.talk;
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
        None if somebody_spoke(write, root.id, round)? => {
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
    spent(write, group, message.root)?.limit(&mut rulings, after, group, seats);
    record(write, group, message, rulings)
}

fn record(
    write: &mut Write<'_>,
    group: &Group,
    message: &Message,
    rulings: Vec<Ruling>,
) -> Result<Vec<AgentId>, StoreError> {
    let mut woken = Vec::new();
    for ruling in rulings {
        if ruling.verdict != Verdict::Pass {
            add_wake(write, group, message, &ruling)?;
            woken.push(ruling.agent);
        }
        decide(write, message, ruling.agent, ruling.verdict, ruling.recorded())?;
    }
    Ok(woken)
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

fn somebody_spoke(read: &Read<'_>, root: MessageId, round: u32) -> Result<bool, StoreError> {
    messages::any_at_depth(read, root, round)
}

/// What has been spent since a person's message.
#[derive(Default)]
struct Since {
    messages: u32,
    talk: Vec<AgentId>,
    promised: u32,
}

impl Since {
    fn limit(&self, rulings: &mut [Ruling], after: Author, group: &Group, seats: &[Seat]) {
        let most = limits::messages_per_post(&group.caps, group.policy, seats.len());
        let Since { messages, promised, .. } = *self;
        let spent = Spent { messages, talk: &self.talk, promised };
        limits::apply(rulings, after, &group.caps, most, spent);
    }
}

fn spent(read: &Read<'_>, group: &Group, root: MessageId) -> Result<Since, StoreError> {
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
