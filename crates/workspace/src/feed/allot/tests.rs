//! Who is given what; and that every thread ends, whatever interests whom.

use super::*;
use crate::limits::{self, Spent};
use domain::{AgentState, Caps};
use proptest::prelude::*;
use std::collections::VecDeque;
use uuid::Uuid;

fn id(n: usize) -> AgentId {
    AgentId(Uuid::from_u128(n as u128 + 1))
}

fn candidate(n: usize) -> Candidate {
    let seat = Seat {
        agent: id(n),
        name: format!("a{n}"),
        role: String::new(),
        position: 0,
        state: AgentState::Idle,
        muted: false,
        weight: 0,
    };
    Candidate {
        seat,
        reads: true,
        understands: true,
        has_it: false,
        mentioned: false,
        is_answered: false,
        interest: None,
        given_this_hour: 0,
        rests: false,
        is_in_thread: false,
        given_ms: None,
        given_as: 0,
    }
}

fn interested(n: usize, percent: Option<u32>) -> Candidate {
    let apart = percent.unwrap_or_default();
    let interest = Some(Interest { interest: "tea".into(), percent, apart });
    Candidate { interest, ..candidate(n) }
}

fn post() -> Item {
    let author = Author::User;
    Item {
        author,
        depth: 0,
        is_post: true,
        is_archived: false,
        is_locked: false,
        is_out_of_sight: false,
    }
}

fn tea(percent: Option<u32>) -> Reason {
    Reason::Interested { interest: "tea".into(), percent }
}

fn check(item: Item, candidates: &[Candidate], expected: &[(usize, Verdict, Reason)]) {
    let rulings = allot(&item, candidates, &FeedRules::default());
    let told: Vec<_> =
        rulings.into_iter().map(|ruling| (ruling.agent, ruling.verdict, ruling.reason)).collect();
    let expected: Vec<_> =
        expected.iter().map(|(n, verdict, reason)| (id(*n), *verdict, reason.clone())).collect();
    assert_eq!(told, expected);
}

#[test]
fn whom_it_concerns_most_answers_and_the_others_know_why_not() {
    let all = [candidate(0), interested(1, Some(87)), interested(2, None), interested(3, Some(90))];
    check(
        post(),
        &all,
        &[
            (2, Verdict::Speak, tea(None)),
            (3, Verdict::Speak, tea(Some(90))),
            (0, Verdict::Pass, Reason::NotInterested),
            (1, Verdict::Pass, Reason::EnoughAnswers { limit: 2 }),
        ],
    );
}

#[test]
fn what_stands_out_more_counts_and_not_what_is_near_to_everything() {
    let near = |n, percent, apart| {
        let interest = Some(Interest { interest: "tea".into(), percent: Some(percent), apart });
        Candidate { interest, ..candidate(n) }
    };
    check(
        post(),
        &[near(0, 87, 20), near(1, 84, 250), near(2, 86, 90)],
        &[
            (1, Verdict::Speak, tea(Some(84))),
            (2, Verdict::Speak, tea(Some(86))),
            (0, Verdict::Pass, Reason::EnoughAnswers { limit: 2 }),
        ],
    );
}

fn resting(one: Candidate, state: AgentState) -> Candidate {
    let seat = Seat { state, ..one.seat };
    Candidate { seat, ..one }
}

#[test]
fn who_is_paused_takes_nobodys_place() {
    let paused = |n| resting(interested(n, None), AgentState::Paused);
    let in_error = resting(interested(2, None), AgentState::Error);
    let speaks = (3, Verdict::Speak, tea(Some(90)));
    let expected =
        [speaks, (0, Verdict::Pass, Reason::Paused), (2, Verdict::Pass, Reason::InError)];
    check(post(), &[paused(0), in_error, interested(3, Some(90))], &expected);
    // Where they are all that it interests, one of them waits with it.
    let expected = [
        (0, Verdict::Wait, tea(None)),
        (2, Verdict::Pass, Reason::NotInterested),
        (1, Verdict::Pass, Reason::Paused),
    ];
    check(post(), &[paused(0), paused(1), candidate(2)], &expected);
    // Nor does one that is named.
    let named = Candidate { mentioned: true, ..paused(0) };
    let expected = [
        (1, Verdict::Speak, tea(None)),
        (2, Verdict::Speak, tea(None)),
        (0, Verdict::Wait, Reason::Mentioned),
    ];
    check(post(), &[named, interested(1, None), interested(2, None)], &expected);
}

#[test]
fn of_those_that_one_tick_gave_something_who_had_it_first_comes_first() {
    let given = |n, given_as, given_this_hour| Candidate {
        given_ms: Some(9),
        given_as,
        given_this_hour,
        ..candidate(n)
    };
    let silent = |n| (n, Verdict::Pass, Reason::NotInterested);
    let speaks = (1, Verdict::Speak, Reason::NobodyElse);
    check(post(), &[given(0, 2, 1), given(1, 1, 1)], &[speaks.clone(), silent(0)]);
    check(post(), &[given(0, 0, 4), given(1, 0, 3)], &[speaks, silent(0)]);
}

#[test]
fn where_all_rest_one_answers_afterwards() {
    let paused = |n| resting(candidate(n), AgentState::Paused);
    let wait = (0, Verdict::Wait, Reason::NobodyElse);
    check(post(), &[paused(0), paused(1)], &[wait, (1, Verdict::Pass, Reason::NotInterested)]);
    // Whoever works comes first.
    let speaks = (1, Verdict::Speak, Reason::NobodyElse);
    check(post(), &[paused(0), candidate(1)], &[speaks, (0, Verdict::Pass, Reason::NotInterested)]);
}

#[test]
fn who_is_spoken_to_comes_before_whom_it_only_concerns() {
    let named = Candidate { mentioned: true, rests: true, ..candidate(0) };
    let answered = Candidate { is_answered: true, ..candidate(1) };
    check(
        Item { is_post: false, ..post() },
        &[interested(2, None), answered, named],
        &[
            (0, Verdict::Speak, Reason::Mentioned),
            (1, Verdict::Speak, Reason::RepliedTo),
            (2, Verdict::Pass, Reason::EnoughAnswers { limit: 2 }),
        ],
    );
}

#[test]
fn a_post_that_concerns_nobody_goes_to_who_has_rested_longest() {
    let lately = Candidate { given_ms: Some(9), ..candidate(0) };
    let long_ago = Candidate { given_ms: Some(3), ..candidate(1) };
    let paused = resting(candidate(2), AgentState::Paused);
    let expected = [
        (1, Verdict::Speak, Reason::NobodyElse),
        (0, Verdict::Pass, Reason::NotInterested),
        (2, Verdict::Pass, Reason::NotInterested),
    ];
    check(post(), &[lately.clone(), long_ago.clone(), paused.clone()], &expected);
    // A comment may well stay without an answer.
    let silent = [0, 1].map(|n| (n, Verdict::Pass, Reason::NotInterested));
    check(Item { is_post: false, ..post() }, &[lately, long_ago], &silent);
}

#[test]
fn quotas_and_rests_hold_whatever_is_said() {
    let full = Candidate { given_this_hour: 12, mentioned: true, ..candidate(0) };
    let rests = Candidate { rests: true, ..interested(1, None) };
    check(
        Item { is_post: false, ..post() },
        &[full, rests],
        &[
            (0, Verdict::Pass, Reason::FeedQuota { limit: 12 }),
            (1, Verdict::Pass, Reason::CoolingDown { minutes: 10 }),
        ],
    );
}

#[test]
fn who_does_not_read_it_or_does_not_know_its_language_is_not_given_it() {
    let outside = Candidate { reads: false, mentioned: true, ..candidate(0) };
    let at_a_loss = Candidate { understands: false, ..interested(1, None) };
    check(
        post(),
        &[outside, at_a_loss, candidate(2)],
        &[
            (2, Verdict::Speak, Reason::NobodyElse),
            (0, Verdict::Pass, Reason::NotInCommunity),
            (1, Verdict::Pass, Reason::UnknownLanguage),
        ],
    );
}

#[test]
fn nobody_is_given_what_is_locked_hidden_their_own_or_theirs_already() {
    let locked = Item { is_locked: true, ..post() };
    check(locked, &[interested(0, None)], &[(0, Verdict::Pass, Reason::ThreadLocked)]);
    let archived = Item { is_archived: true, ..post() };
    check(archived, &[interested(0, None)], &[(0, Verdict::Pass, Reason::Archived)]);
    let hidden = Item { is_out_of_sight: true, ..post() };
    check(hidden, &[interested(0, None)], &[(0, Verdict::Pass, Reason::OutOfSight)]);
    check(Item { author: Author::Agent(id(0)), ..post() }, &[interested(0, None)], &[]);
    let had = Candidate { has_it: true, ..interested(0, None) };
    check(post(), std::slice::from_ref(&had), &[]);
    // What an agent has written itself, it was not given.
    let own = Item { author: Author::Agent(id(0)), ..post() };
    let both = [(1, Verdict::Speak, tea(None)), (2, Verdict::Speak, tea(None))];
    check(own, &[had, interested(1, None), interested(2, None)], &both);
}

/// A thread in which everybody who is given something answers it, and names others.
fn answers_to_one_post(interests: &[Vec<bool>], mentions: &[Vec<bool>], per_item: u32) -> Vec<u32> {
    let caps = Caps::default();
    let rules = FeedRules { answers_per_item: per_item, ..FeedRules::default() };
    let count = interests.len();
    let (mut depths, mut talk, mut given) = (Vec::new(), Vec::new(), vec![0_u32; count]);
    let mut waiting = VecDeque::from([(Author::User, 0_u32, Author::System)]);
    while let Some((author, depth, parent)) = waiting.pop_front() {
        let by = match author {
            Author::Outside(_) | Author::Source(_) => {
                unreachable!("only people and agents do here")
            }
            Author::Agent(agent) => Some(agent.0.as_u128() as usize - 1),
            Author::User | Author::System => None,
        };
        let candidates: Vec<Candidate> = (0..count)
            .map(|n| Candidate {
                mentioned: by.is_some_and(|by| mentions[by][n]),
                is_answered: parent == Author::Agent(id(n)),
                given_this_hour: given[n],
                ..if interests[by.unwrap_or(n)][n] { interested(n, None) } else { candidate(n) }
            })
            .collect();
        let item = Item { author, depth, is_post: depth == 0, ..post() };
        let mut rulings = allot(&item, &candidates, &rules);
        let spent = Spent { messages: talk.len() as u32, talk: &talk, promised: 0 };
        limits::apply(&mut rulings, author, &caps, caps.messages_per_post, spent);
        for ruling in rulings.iter().filter(|ruling| ruling.verdict == Verdict::Speak) {
            given[ruling.agent.0.as_u128() as usize - 1] += 1;
            talk.push(ruling.agent);
            depths.push(ruling.depth);
            waiting.push_back((Author::Agent(ruling.agent), ruling.depth, author));
        }
        assert!(given.iter().all(|given| *given <= rules.per_hour));
    }
    depths
}

proptest! {
    /// It ends at all, or this would never be over.
    #[test]
    fn every_thread_falls_quiet_whatever_interests_whom(
        count in 1_usize..9,
        bits in prop::collection::vec(any::<bool>(), 162),
        per_item in 1_u32..9,
    ) {
        let square = |from: usize| -> Vec<Vec<bool>> {
            (0..count).map(|row| (0..count).map(|at| bits[from + row * 9 + at]).collect()).collect()
        };
        let depths = answers_to_one_post(&square(0), &square(81), per_item);
        prop_assert!(depths.len() <= Caps::default().messages_per_post as usize);
        prop_assert!(depths.iter().all(|depth| *depth <= Caps::default().chain_depth));
        prop_assert!(!depths.is_empty(), "a post is answered by somebody");
    }
}
