//! The caps of a group: which there can be, and what they leave of what its
//! policy would allow.
//!
//! Pure. Together they make every group fall quiet whatever the models say:
//! each answer is charged to the person's message that it goes back to, before
//! it is asked for.

use crate::turn_policy::Ruling;
use domain::{AgentId, Author, Caps, Fault, Reason, TurnPolicy, Verdict};

/// At most this many agent messages follow one post, in `rounds` too.
const MOST_IN_ROUNDS: u32 = 30;

/// What has been spent since the person last spoke.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Spent<'a> {
    /// Messages that agents have written since then, anywhere.
    pub messages: u32,
    /// Who wrote those in the group, in order, since a tool last brought something new.
    pub talk: &'a [AgentId],
    /// Answers that are promised but not written yet.
    pub promised: u32,
}

/// Every cap is at least 1, so that a group can speak, and at most so high
/// that it still ends.
pub(crate) fn checked(caps: Caps) -> Result<Caps, Fault> {
    let ranges = [
        ("messages per post", caps.messages_per_post, Caps::MOST.messages_per_post),
        ("chain depth", caps.chain_depth, Caps::MOST.chain_depth),
        ("hops between a pair", caps.pair_hops, Caps::MOST.pair_hops),
        ("runs per hour", caps.runs_per_hour, Caps::MOST.runs_per_hour),
    ];
    for (name, value, most) in ranges {
        if value == 0 || value > most {
            return Err(Fault::bad_input(
                format!("{name} goes from 1 to {most}, not {value}"),
                "choose one of these",
            ));
        }
    }
    Ok(caps)
}

/// How many agent messages one post may cause in this group.
pub(crate) fn messages_per_post(caps: &Caps, policy: TurnPolicy, agents: usize) -> u32 {
    match policy {
        TurnPolicy::Rounds => {
            let members = u32::try_from(agents).unwrap_or(u32::MAX).max(1);
            caps.messages_per_post.saturating_mul(members).min(MOST_IN_ROUNDS)
        }
        TurnPolicy::DefaultResponder
        | TurnPolicy::Mention
        | TurnPolicy::RoundRobin
        | TurnPolicy::Weighted
        | TurnPolicy::Supervisor
        | TurnPolicy::Broadcast
        | TurnPolicy::Manual => caps.messages_per_post,
    }
}

/// Turns answers beyond a cap into silence that names the cap.
pub(crate) fn apply(
    rulings: &mut [Ruling],
    author: Author,
    caps: &Caps,
    messages: u32,
    spent: Spent<'_>,
) {
    let mut used = spent.messages.saturating_add(spent.promised);
    for ruling in rulings.iter_mut().filter(|ruling| ruling.verdict != Verdict::Pass) {
        match refusal(ruling, author, caps, messages, used, spent.talk) {
            Some(reason) => {
                ruling.verdict = Verdict::Pass;
                ruling.reason = reason;
                ruling.hindrance = None;
            }
            None => used += 1,
        }
    }
}

fn refusal(
    ruling: &Ruling,
    author: Author,
    caps: &Caps,
    messages: u32,
    used: u32,
    talk: &[AgentId],
) -> Option<Reason> {
    if ruling.depth > caps.chain_depth {
        return Some(Reason::ChainDepth { limit: caps.chain_depth });
    }
    if used >= messages {
        return Some(Reason::MessageCap { limit: messages });
    }
    match author {
        Author::Agent(with) if hops(talk, with, ruling.agent) >= caps.pair_hops => {
            Some(Reason::PairHops { limit: caps.pair_hops, with })
        }
        Author::Agent(_)
        | Author::User
        | Author::Outside(_)
        | Author::Source(_)
        | Author::System => None,
    }
}

/// How long the two have been talking with nobody else between them.
fn hops(talk: &[AgentId], one: AgentId, other: AgentId) -> u32 {
    let run =
        talk.iter().rev().take_while(|speaker| **speaker == one || **speaker == other).count();
    u32::try_from(run).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn id(n: u128) -> AgentId {
        AgentId(Uuid::from_u128(n))
    }

    fn speak(n: u128, depth: u32) -> Ruling {
        let (verdict, reason) = (Verdict::Speak, Reason::Mentioned);
        Ruling { agent: id(n), verdict, reason, hindrance: None, depth }
    }

    fn check(mut rulings: Vec<Ruling>, author: Author, spent: Spent<'_>, expected: &[Reason]) {
        apply(&mut rulings, author, &Caps::default(), 10, spent);
        let reasons: Vec<Reason> = rulings.into_iter().map(|ruling| ruling.reason).collect();
        assert_eq!(reasons, expected);
    }

    #[test]
    fn the_chain_ends_at_its_depth() {
        let spent = Spent { messages: 0, talk: &[], promised: 0 };
        let expected = [Reason::Mentioned, Reason::ChainDepth { limit: 3 }];
        check(vec![speak(1, 3), speak(2, 4)], Author::User, spent, &expected);
    }

    #[test]
    fn promised_answers_count_before_they_are_written() {
        let spent = Spent { messages: 7, talk: &[], promised: 2 };
        let expected = [Reason::Mentioned, Reason::MessageCap { limit: 10 }];
        check(vec![speak(2, 1), speak(3, 1)], Author::User, spent, &expected);
    }

    #[test]
    fn two_agents_cannot_keep_each_other_talking() {
        let talk = [id(3), id(1), id(2), id(1), id(2)];
        let spent = Spent { messages: 5, talk: &talk, promised: 0 };
        let expected = [Reason::PairHops { limit: 4, with: id(2) }, Reason::Mentioned];
        check(vec![speak(1, 2), speak(3, 2)], Author::Agent(id(2)), spent, &expected);
        // A tool brought something new after the second message.
        let spent = Spent { talk: &talk[2..], ..spent };
        let expected = [Reason::Mentioned, Reason::Mentioned];
        check(vec![speak(1, 2), speak(3, 2)], Author::Agent(id(2)), spent, &expected);
    }

    #[test]
    fn rounds_count_for_each_member_and_thirty_at_the_most() {
        let caps = Caps::default();
        assert_eq!(messages_per_post(&caps, TurnPolicy::Rounds, 2), 20);
        assert_eq!(messages_per_post(&caps, TurnPolicy::Rounds, 9), 30);
        assert_eq!(messages_per_post(&caps, TurnPolicy::Broadcast, 9), 10);
    }
}
