//! Decides who may speak after a message.
//!
//! Pure: it looks at the message, the group's rules and who sits in the group,
//! never at the store or the clock. `limits` cuts down what it allows, `desk`
//! does the speaking.

use crate::{mentions, weighted};
use domain::{AgentId, AgentState, Author, Reason, TurnPolicy, Verdict};

/// An agent's place in a group, with what a policy asks about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seat {
    pub agent: AgentId,
    pub name: String,
    pub role: String,
    /// Its place in the group's order.
    pub position: i64,
    pub state: AgentState,
    pub muted: bool,
    /// How talkative it is, from 0 to 100; 0 where no lot is drawn.
    pub weight: u32,
}

/// What was said, to whom a policy applies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    pub author: Author,
    pub text: &'a str,
    /// Whose message it answers. Only people and programs say so.
    pub answers: Option<AgentId>,
    pub depth: u32,
}

/// What a group goes by.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules {
    pub policy: TurnPolicy,
    pub default_agent: Option<AgentId>,
    pub supervisor: Option<AgentId>,
    /// The position of whoever was the last to have a turn in order.
    pub last_in_order: Option<i64>,
    /// What a lot is drawn from; `None` for a message that nobody sent yet.
    pub seed: Option<u128>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ruling {
    pub agent: AgentId,
    pub verdict: Verdict,
    pub reason: Reason,
    /// What keeps it from speaking now, if its verdict is to wait.
    pub hindrance: Option<Reason>,
    /// Chain depth of the answer, where there is to be one.
    pub depth: u32,
}

impl Ruling {
    /// What goes on record: why it speaks, or why it does not do so now.
    pub(crate) fn recorded(&self) -> Reason {
        self.hindrance.as_ref().unwrap_or(&self.reason).clone()
    }
}

/// One ruling for each seat but the author's own, in the order in which they
/// would answer. Whom a supervisor is still to decide about gets none yet.
///
/// Nobody answers their own message, and the workspace's own notices wake
/// nobody. In every policy that answers unasked, an @mention by a person or a
/// program from outside decides instead, and so does an answer to an agent's words.
pub(crate) fn decide(heard: Heard<'_>, rules: &Rules, seats: &[Seat]) -> Vec<Ruling> {
    let others: Vec<&Seat> =
        seats.iter().filter(|seat| heard.author != Author::Agent(seat.agent)).collect();
    match (heard.author, rules.policy) {
        (Author::System, _) => Vec::new(),
        (_, TurnPolicy::Manual) => all_pass(&others, &Reason::OnlyWhenAsked),
        // A round is a person's to open and a supervisor is asked about their words: what
        // comes from outside has one answer there, and leaves the turns as they are.
        (Author::Outside(_) | Author::Source(_), TurnPolicy::Rounds | TurnPolicy::Supervisor) => {
            match addressed(heard, &others).is_empty() {
                true => default_responds(rules, &others),
                false => mentioned_speak(heard, &others, &Reason::NotMentioned),
            }
        }
        (Author::User | Author::Outside(_) | Author::Source(_), TurnPolicy::Broadcast) => {
            others.iter().map(|seat| speak(seat, Reason::Broadcast, 1)).collect()
        }
        (Author::User, TurnPolicy::Rounds) => open_rounds(&others),
        (Author::User | Author::Outside(_) | Author::Source(_), TurnPolicy::Mention) => {
            mentioned_speak(heard, &others, &Reason::NotMentioned)
        }
        (
            Author::User | Author::Outside(_) | Author::Source(_),
            TurnPolicy::DefaultResponder
            | TurnPolicy::RoundRobin
            | TurnPolicy::Weighted
            | TurnPolicy::Supervisor,
        ) if !addressed(heard, &others).is_empty() => {
            mentioned_speak(heard, &others, &Reason::NotMentioned)
        }
        (Author::User | Author::Outside(_) | Author::Source(_), TurnPolicy::DefaultResponder) => {
            default_responds(rules, &others)
        }
        (Author::User | Author::Outside(_) | Author::Source(_), TurnPolicy::RoundRobin) => {
            next_in_order(rules, &others)
        }
        (Author::User | Author::Outside(_) | Author::Source(_), TurnPolicy::Weighted) => {
            one_drawn(rules, &others)
        }
        (Author::User, TurnPolicy::Supervisor) => supervisor_first(rules, seats),
        // In rounds a turn passes on when the one before has settled.
        (Author::Agent(_), TurnPolicy::Rounds) => Vec::new(),
        (
            Author::Agent(_),
            TurnPolicy::DefaultResponder
            | TurnPolicy::Mention
            | TurnPolicy::RoundRobin
            | TurnPolicy::Weighted
            | TurnPolicy::Supervisor
            | TurnPolicy::Broadcast,
        ) => mentioned_speak(heard, &others, &Reason::NobodyAddressed),
    }
}

/// Whether the policy itself gives the next turn when this one is over.
pub(crate) fn is_handed_on(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Turn { .. } | Reason::Supervising { .. } | Reason::ChosenBySupervisor { .. }
    )
}

/// Whether a turn is about what the runtime asks of one agent, in place of what
/// somebody said.
pub(crate) fn is_a_task(reason: &Reason) -> bool {
    matches!(
        reason,
        Reason::Scheduled | Reason::Heartbeat | Reason::AskedForDigest | Reason::AskedToPost
    )
}

/// Whose turn it is next in a round: the first able member behind this
/// position, or from the start when nobody has spoken yet.
pub(crate) fn next_in_round(seats: &[Seat], behind: Option<i64>) -> Option<AgentId> {
    let behind = |seat: &&Seat| behind.is_none_or(|position| seat.position > position);
    seats.iter().filter(behind).find(|seat| is_able(seat)).map(|seat| seat.agent)
}

/// The supervisor's turn to name the next speaker. A muted one may: what it
/// writes is never posted. One with an error may not, and one that is paused
/// is waited for.
pub(crate) fn supervising(rules: &Rules, seats: &[Seat], round: u32) -> Option<Ruling> {
    let chosen = [rules.supervisor, rules.default_agent].into_iter().flatten();
    let mut chosen = chosen.filter_map(|agent| seats.iter().find(|seat| seat.agent == agent));
    let supervisor = chosen.next().or(seats.first())?;
    let heard = Seat { muted: false, ..supervisor.clone() };
    let ruling = speak(&heard, Reason::Supervising { round }, round);
    match unable(&heard) {
        Some(Reason::InError) => Some(pass(supervisor, Reason::InError)),
        Some(_) | None => Some(ruling),
    }
}

/// Who answers where the supervisor names nobody: the default responder, or
/// the first who can if that one cannot. The others have their silence on
/// record when it is about all of them, in the first round.
pub(crate) fn instead_of_supervisor(rules: &Rules, seats: &[Seat], round: u32) -> Vec<Ruling> {
    let able = || seats.iter().filter(|seat| is_able(seat));
    let default = able().find(|seat| Some(seat.agent) == rules.default_agent);
    let Some(responder) = default.or(able().next()) else { return Vec::new() };
    let silent = able().filter(|seat| round == 1 && seat.agent != responder.agent);
    let silent = silent.map(|seat| pass(seat, Reason::NotTheDefaultResponder));
    [speak(responder, Reason::DefaultResponder, round)].into_iter().chain(silent).collect()
}

/// Whether it could speak at once.
pub(crate) fn is_able(seat: &Seat) -> bool {
    unable(seat).is_none()
}

fn default_responds(rules: &Rules, others: &[&Seat]) -> Vec<Ruling> {
    // Whoever is muted answers nobody, and somebody has to.
    let mut can = others.iter().filter(|seat| !seat.muted);
    let named = can.clone().find(|seat| Some(seat.agent) == rules.default_agent);
    let responder = named.or_else(|| can.next()).map(|seat| seat.agent);
    let ruling = |seat: &&Seat| match Some(seat.agent) == responder {
        true => speak(seat, Reason::DefaultResponder, 1),
        false if seat.muted => pass(seat, Reason::Muted),
        false => pass(seat, Reason::NotTheDefaultResponder),
    };
    others.iter().map(ruling).collect()
}

/// Those who are named speak, in the order of their names in the text; the
/// rest stay silent for `otherwise`, or because others were named.
fn mentioned_speak(heard: Heard<'_>, others: &[&Seat], otherwise: &Reason) -> Vec<Ruling> {
    let addressed = addressed(heard, others);
    let silence = if addressed.is_empty() { otherwise } else { &Reason::NotMentioned };
    let is_silent = |at: &usize| addressed.iter().all(|(speaker, _)| speaker != at);
    let silent = (0..others.len()).filter(is_silent);
    let silent: Vec<Ruling> = silent.map(|at| pass(others[at], silence.clone())).collect();
    let speakers = addressed.into_iter();
    let speakers = speakers.map(|(at, reason)| speak(others[at], reason, heard.depth + 1));
    speakers.chain(silent).collect()
}

/// Who can be given a turn where one of several has it: whoever is able, and while
/// nobody is, whoever will be when it is back.
fn can_be_given(others: &[&Seat]) -> impl Fn(&Seat) -> bool {
    let anybody = others.iter().any(|seat| is_able(seat));
    move |seat| match unable(seat) {
        None => true,
        Some(Reason::Paused | Reason::InError) => !anybody,
        Some(_) => false,
    }
}

fn open_rounds(others: &[&Seat]) -> Vec<Ruling> {
    let can = can_be_given(others);
    let first = others.iter().position(|seat| can(seat));
    one_speaks(others, first, &Reason::Turn { round: 1 }, |_| Reason::NotItsTurn)
}

/// The first who can speak behind the last one, or from the start again.
fn next_in_order(rules: &Rules, others: &[&Seat]) -> Vec<Ruling> {
    let behind = |seat: &Seat| rules.last_in_order.is_none_or(|last| seat.position > last);
    let can = can_be_given(others);
    let next = others.iter().position(|seat| can(seat) && behind(seat));
    let next = next.or_else(|| others.iter().position(|seat| can(seat)));
    one_speaks(others, next, &Reason::NextInOrder, |_| Reason::NotItsTurn)
}

/// While there is no message to draw from, the most talkative stands for
/// whoever it will be.
fn one_drawn(rules: &Rules, others: &[&Seat]) -> Vec<Ruling> {
    let can = can_be_given(others);
    let weight = |seat: &Seat| if can(seat) { seat.weight } else { 0 };
    let weights: Vec<u32> = others.iter().map(|seat| weight(seat)).collect();
    let lot = weighted::draw(&weights, rules.seed.unwrap_or_default());
    let drawn = match rules.seed {
        Some(_) => lot.drawn,
        None => (0..weights.len()).rev().max_by_key(|at| weights[*at]).filter(|_| lot.of > 0),
    };
    let (of, roll) = (lot.of, lot.roll);
    let reason = Reason::Drawn { weight: drawn.map_or(0, |at| weights[at]), of, roll };
    one_speaks(others, drawn, &reason, |at| Reason::NotDrawn { weight: weights[at], of, roll })
}

/// Who can be chosen is decided when the supervisor has answered; the others
/// cannot in any case.
fn supervisor_first(rules: &Rules, seats: &[Seat]) -> Vec<Ruling> {
    let Some(supervisor) = supervising(rules, seats, 1) else { return Vec::new() };
    let instead = match supervisor.verdict {
        Verdict::Speak | Verdict::Wait => Vec::new(),
        Verdict::Pass => instead_of_supervisor(rules, seats, 1),
    };
    let silent = seats.iter().filter(|seat| seat.agent != supervisor.agent);
    let silent = silent.filter_map(|seat| unable(seat).map(|why| pass(seat, why)));
    let silent: Vec<Ruling> = silent.collect();
    [supervisor].into_iter().chain(instead).chain(silent).collect()
}

/// The one at `speaker` speaks; the rest stay silent because they cannot, or
/// for the reason that belongs to their place.
fn one_speaks(
    others: &[&Seat],
    speaker: Option<usize>,
    reason: &Reason,
    silence: impl Fn(usize) -> Reason,
) -> Vec<Ruling> {
    let ruling = |(at, seat): (usize, &&Seat)| {
        if Some(at) == speaker {
            speak(seat, reason.clone(), 1)
        } else {
            pass(seat, unable(seat).unwrap_or_else(|| silence(at)))
        }
    };
    others.iter().enumerate().map(ruling).collect()
}

/// Who is named, and then who is answered. Only a person calls everybody at once.
fn addressed(heard: Heard<'_>, others: &[&Seat]) -> Vec<(usize, Reason)> {
    let names: Vec<&str> = others.iter().map(|seat| seat.name.as_str()).collect();
    let named = match heard.author {
        Author::User => mentions::find_or_everybody(heard.text, &names),
        _ => mentions::find(heard.text, &names),
    };
    let answered = others.iter().position(|seat| Some(seat.agent) == heard.answers);
    let answered = answered.filter(|at| !named.contains(at));
    let named = named.into_iter().map(|at| (at, Reason::Mentioned));
    named.chain(answered.map(|at| (at, Reason::RepliedTo))).collect()
}

fn all_pass(others: &[&Seat], reason: &Reason) -> Vec<Ruling> {
    others.iter().map(|seat| pass(seat, reason.clone())).collect()
}

/// Somebody who may speak but cannot: muted is no, the rest is later.
pub(crate) fn speak(seat: &Seat, reason: Reason, depth: u32) -> Ruling {
    match seat.muted {
        true => pass(seat, Reason::Muted),
        false => given(seat.agent, seat.state, reason, depth),
    }
}

/// A turn that is its own, muted or not, as soon as it can take it.
pub(crate) fn given(agent: AgentId, state: AgentState, reason: Reason, depth: u32) -> Ruling {
    let ruling = Ruling { agent, verdict: Verdict::Speak, reason, hindrance: None, depth };
    match away(state) {
        None => ruling,
        Some(why @ (Reason::Paused | Reason::InError)) => {
            Ruling { verdict: Verdict::Wait, hindrance: Some(why), ..ruling }
        }
        Some(why) => Ruling { verdict: Verdict::Pass, reason: why, ..ruling },
    }
}

pub(crate) fn pass(seat: &Seat, reason: Reason) -> Ruling {
    Ruling { agent: seat.agent, verdict: Verdict::Pass, reason, hindrance: None, depth: 0 }
}

/// What keeps it from speaking now.
pub(crate) fn unable(seat: &Seat) -> Option<Reason> {
    if seat.muted {
        return Some(Reason::Muted);
    }
    away(seat.state)
}

fn away(state: AgentState) -> Option<Reason> {
    match state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => None,
        AgentState::Paused => Some(Reason::Paused),
        AgentState::Error => Some(Reason::InError),
        AgentState::Terminated => Some(Reason::Terminated),
    }
}

#[cfg(test)]
mod tests;
