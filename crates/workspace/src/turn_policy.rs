//! Decides who may speak after a message.
//!
//! Pure: it looks at the message, the group's policy and who sits in the
//! group, never at the store or the clock. `limits` cuts down what it allows,
//! `desk` does the speaking.

use crate::mentions;
use domain::{AgentId, AgentState, Author, Reason, TurnPolicy, Verdict};

/// An agent's place in a group, with what a policy asks about it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seat {
    pub agent: AgentId,
    pub name: String,
    pub state: AgentState,
    pub muted: bool,
}

/// What was said, to whom a policy applies.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard<'a> {
    pub author: Author,
    pub text: &'a str,
    pub depth: u32,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ruling {
    pub agent: AgentId,
    pub verdict: Verdict,
    pub reason: Reason,
    /// Chain depth of the answer, where there is to be one.
    pub depth: u32,
}

/// One ruling for each seat but the author's own, in the order in which they
/// would answer.
///
/// Nobody answers their own message, and the workspace's own notices wake
/// nobody.
pub(crate) fn decide(
    heard: Heard<'_>,
    policy: TurnPolicy,
    default_agent: Option<AgentId>,
    seats: &[Seat],
) -> Vec<Ruling> {
    let others: Vec<&Seat> =
        seats.iter().filter(|seat| heard.author != Author::Agent(seat.agent)).collect();
    match (heard.author, policy) {
        (Author::System, _) => Vec::new(),
        (_, TurnPolicy::Manual) => all_pass(&others, &Reason::OnlyWhenAsked),
        (
            Author::User,
            TurnPolicy::DefaultResponder
            | TurnPolicy::RoundRobin
            | TurnPolicy::Weighted
            | TurnPolicy::Supervisor,
        ) => default_responds(heard, default_agent, &others),
        (Author::User, TurnPolicy::Mention) => {
            mentioned_speak(heard, &others, &Reason::NotMentioned)
        }
        (Author::User, TurnPolicy::Broadcast) => {
            others.iter().map(|seat| speak(seat, Reason::Broadcast, 1)).collect()
        }
        (Author::User, TurnPolicy::Rounds) => open_rounds(&others),
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

/// Whose turn it is next in a round: the first able member after `last`, or
/// from the start when nobody has spoken yet.
pub(crate) fn next_in_round(seats: &[Seat], last: Option<AgentId>) -> Option<AgentId> {
    let start = match last {
        Some(last) => {
            seats.iter().position(|seat| seat.agent == last).map_or(seats.len(), |at| at + 1)
        }
        None => 0,
    };
    seats.iter().skip(start).find(|seat| is_able(seat)).map(|seat| seat.agent)
}

fn is_able(seat: &Seat) -> bool {
    !seat.muted
        && match seat.state {
            AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => true,
            AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
        }
}

fn default_responds(
    heard: Heard<'_>,
    default_agent: Option<AgentId>,
    others: &[&Seat],
) -> Vec<Ruling> {
    if !mentioned(heard, others).is_empty() {
        return mentioned_speak(heard, others, &Reason::NotMentioned);
    }
    let responder = default_agent
        .filter(|agent| others.iter().any(|seat| seat.agent == *agent))
        .or_else(|| others.first().map(|seat| seat.agent));
    others
        .iter()
        .map(|seat| {
            if Some(seat.agent) == responder {
                speak(seat, Reason::DefaultResponder, heard.depth + 1)
            } else {
                pass(seat, Reason::NotTheDefaultResponder)
            }
        })
        .collect()
}

/// Those who are named speak, in the order of their names in the text; the
/// rest stay silent for `otherwise`, or because others were named.
fn mentioned_speak(heard: Heard<'_>, others: &[&Seat], otherwise: &Reason) -> Vec<Ruling> {
    let named = mentioned(heard, others);
    let silence = if named.is_empty() { otherwise } else { &Reason::NotMentioned };
    let speakers = named.iter().map(|&at| speak(others[at], Reason::Mentioned, heard.depth + 1));
    let silent = (0..others.len())
        .filter(|at| !named.contains(at))
        .map(|at| pass(others[at], silence.clone()));
    speakers.chain(silent).collect()
}

fn open_rounds(others: &[&Seat]) -> Vec<Ruling> {
    let first = others.iter().position(|seat| is_able(seat));
    others
        .iter()
        .enumerate()
        .map(|(at, seat)| match first {
            Some(first) if at == first => speak(seat, Reason::Turn { round: 1 }, 1),
            Some(_) | None => pass(seat, unable(seat).unwrap_or(Reason::NotItsTurn)),
        })
        .collect()
}

fn mentioned(heard: Heard<'_>, others: &[&Seat]) -> Vec<usize> {
    let names: Vec<&str> = others.iter().map(|seat| seat.name.as_str()).collect();
    mentions::find(heard.text, &names)
}

fn all_pass(others: &[&Seat], reason: &Reason) -> Vec<Ruling> {
    others.iter().map(|seat| pass(seat, reason.clone())).collect()
}

/// Somebody who may speak but cannot: muted is no, the rest is later.
fn speak(seat: &Seat, reason: Reason, depth: u32) -> Ruling {
    match unable(seat) {
        None => Ruling { agent: seat.agent, verdict: Verdict::Speak, reason, depth },
        Some(why @ (Reason::Paused | Reason::InError)) => {
            Ruling { agent: seat.agent, verdict: Verdict::Wait, reason: why, depth }
        }
        Some(why) => pass(seat, why),
    }
}

fn pass(seat: &Seat, reason: Reason) -> Ruling {
    Ruling { agent: seat.agent, verdict: Verdict::Pass, reason, depth: 0 }
}

fn unable(seat: &Seat) -> Option<Reason> {
    if seat.muted {
        return Some(Reason::Muted);
    }
    match seat.state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => None,
        AgentState::Paused => Some(Reason::Paused),
        AgentState::Error => Some(Reason::InError),
        AgentState::Terminated => Some(Reason::Terminated),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn id(n: u128) -> AgentId {
        AgentId(Uuid::from_u128(n))
    }

    fn seats() -> Vec<Seat> {
        let seat = |n, name: &str| Seat {
            agent: id(n),
            name: name.into(),
            state: AgentState::Idle,
            muted: false,
        };
        vec![seat(1, "Ada"), seat(2, "Bo"), seat(3, "Otto")]
    }

    fn says(author: Author, text: &str, policy: TurnPolicy, seats: &[Seat]) -> Vec<String> {
        let depth = if author == Author::User { 0 } else { 1 };
        decide(Heard { author, text, depth }, policy, None, seats)
            .into_iter()
            .map(|ruling| {
                let name = &seats.iter().find(|seat| seat.agent == ruling.agent).unwrap().name;
                format!("{name} {:?} {:?}", ruling.verdict, ruling.reason)
            })
            .collect()
    }

    #[test]
    fn the_default_responder_answers_unless_somebody_is_named() {
        assert_eq!(
            says(Author::User, "hello", TurnPolicy::DefaultResponder, &seats()),
            [
                "Ada Speak DefaultResponder",
                "Bo Pass NotTheDefaultResponder",
                "Otto Pass NotTheDefaultResponder"
            ]
        );
        assert_eq!(
            says(Author::User, "@Otto and @Bo?", TurnPolicy::DefaultResponder, &seats()),
            ["Otto Speak Mentioned", "Bo Speak Mentioned", "Ada Pass NotMentioned"]
        );
    }

    #[test]
    fn an_agent_that_names_nobody_wakes_nobody() {
        for policy in [TurnPolicy::DefaultResponder, TurnPolicy::Mention, TurnPolicy::Broadcast] {
            assert_eq!(
                says(Author::Agent(id(1)), "done", policy, &seats()),
                ["Bo Pass NobodyAddressed", "Otto Pass NobodyAddressed"]
            );
        }
        assert_eq!(
            says(Author::Agent(id(1)), "@Bo?", TurnPolicy::Mention, &seats()),
            ["Bo Speak Mentioned", "Otto Pass NotMentioned"]
        );
    }

    #[test]
    fn rounds_begin_with_the_first_who_is_able() {
        let mut seats = seats();
        seats[0].muted = true;
        assert_eq!(
            says(Author::User, "go", TurnPolicy::Rounds, &seats),
            ["Ada Pass Muted", "Bo Speak Turn { round: 1 }", "Otto Pass NotItsTurn"]
        );
        assert_eq!(next_in_round(&seats, Some(id(2))), Some(id(3)));
        assert_eq!(next_in_round(&seats, Some(id(3))), None);
        assert_eq!(next_in_round(&seats, None), Some(id(2)));
    }

    #[test]
    fn paused_agents_are_waited_for_and_muted_ones_are_not() {
        let mut seats = seats();
        seats[0].state = AgentState::Paused;
        seats[1].muted = true;
        assert_eq!(
            says(Author::User, "all of you", TurnPolicy::Broadcast, &seats),
            ["Ada Wait Paused", "Bo Pass Muted", "Otto Speak Broadcast"]
        );
    }

    #[test]
    fn nobody_speaks_unasked_in_manual_and_after_notices() {
        assert!(
            says(Author::User, "@Ada", TurnPolicy::Manual, &seats())
                .iter()
                .all(|s| s.ends_with("OnlyWhenAsked"))
        );
        assert_eq!(
            says(Author::System, "@Ada", TurnPolicy::Broadcast, &seats()),
            Vec::<String>::new()
        );
    }
}
