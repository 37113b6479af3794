//! Every policy as a table: who may speak after which words, and why not the
//! others.

use super::*;
use uuid::Uuid;

fn id(n: u128) -> AgentId {
    AgentId(Uuid::from_u128(n))
}

fn seats() -> Vec<Seat> {
    let seat = |n: u8, name: &str| Seat {
        agent: id(n.into()),
        name: name.into(),
        role: String::new(),
        position: n.into(),
        state: AgentState::Idle,
        muted: false,
        weight: 50,
    };
    vec![seat(1, "Ada"), seat(2, "Bo"), seat(3, "Otto")]
}

fn rules(policy: TurnPolicy) -> Rules {
    Rules { policy, default_agent: None, supervisor: None, last_in_order: None, seed: Some(0) }
}

fn hears(author: Author, text: &str, rules: &Rules, seats: &[Seat]) -> Vec<String> {
    let depth = if author == Author::User { 0 } else { 1 };
    decide(Heard { author, text, answers: None, depth }, rules, seats)
        .into_iter()
        .map(|ruling| {
            let name = &seats.iter().find(|seat| seat.agent == ruling.agent).unwrap().name;
            format!("{name} {:?} {:?}", ruling.verdict, ruling.recorded())
        })
        .collect()
}

fn says(author: Author, text: &str, policy: TurnPolicy, seats: &[Seat]) -> Vec<String> {
    hears(author, text, &rules(policy), seats)
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
fn a_mention_decides_in_every_policy_that_answers_unasked() {
    for policy in [
        TurnPolicy::DefaultResponder,
        TurnPolicy::Mention,
        TurnPolicy::RoundRobin,
        TurnPolicy::Weighted,
        TurnPolicy::Supervisor,
    ] {
        let mut seats = seats();
        seats[1].weight = 0;
        assert_eq!(
            says(Author::User, "@bo?", policy, &seats),
            ["Bo Speak Mentioned", "Ada Pass NotMentioned", "Otto Pass NotMentioned"],
            "{policy:?}"
        );
    }
}

#[test]
fn a_person_calls_everybody_at_once_and_an_agent_does_not() {
    for policy in [TurnPolicy::DefaultResponder, TurnPolicy::Mention, TurnPolicy::Weighted] {
        assert_eq!(
            says(Author::User, "@all what do you think?", policy, &seats()),
            ["Ada Speak Mentioned", "Bo Speak Mentioned", "Otto Speak Mentioned"],
            "{policy:?}"
        );
        assert_eq!(
            says(Author::Agent(id(1)), "@all done", policy, &seats()),
            ["Bo Pass NobodyAddressed", "Otto Pass NobodyAddressed"]
        );
    }
}

#[test]
fn whose_words_are_answered_speaks_after_whom_is_named() {
    let seats = seats();
    let hears = |text, policy| -> Vec<(AgentId, Verdict, Reason)> {
        let heard = Heard { author: Author::User, text, answers: Some(id(3)), depth: 0 };
        let ruled = decide(heard, &rules(policy), &seats).into_iter();
        ruled.map(|ruling| (ruling.agent, ruling.verdict, ruling.reason)).collect()
    };
    let answers = (id(3), Verdict::Speak, Reason::RepliedTo);
    let silent = |n| (id(n), Verdict::Pass, Reason::NotMentioned);
    for policy in [TurnPolicy::DefaultResponder, TurnPolicy::Mention, TurnPolicy::RoundRobin] {
        assert_eq!(hears("why?", policy), [answers.clone(), silent(1), silent(2)], "{policy:?}");
        let named = (id(1), Verdict::Speak, Reason::Mentioned);
        assert_eq!(hears("@Ada why?", policy), [named, answers.clone(), silent(2)]);
        let once = (id(3), Verdict::Speak, Reason::Mentioned);
        assert_eq!(hears("@Otto why?", policy), [once, silent(1), silent(2)]);
    }
}

#[test]
fn an_agent_that_names_nobody_wakes_nobody() {
    for policy in [
        TurnPolicy::DefaultResponder,
        TurnPolicy::Mention,
        TurnPolicy::RoundRobin,
        TurnPolicy::Weighted,
        TurnPolicy::Supervisor,
        TurnPolicy::Broadcast,
    ] {
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
    assert_eq!(next_in_round(&seats, Some(2)), Some(id(3)));
    assert_eq!(next_in_round(&seats, Some(3)), None);
    assert_eq!(next_in_round(&seats, None), Some(id(2)));
}

#[test]
fn in_round_robin_the_next_one_speaks_and_after_the_last_the_first() {
    let check = |last, unable: &[usize], expected: &str| {
        let mut seats = seats();
        for at in unable {
            seats[*at].state = AgentState::Paused;
        }
        let rules = Rules { last_in_order: last, ..rules(TurnPolicy::RoundRobin) };
        let ruled = hears(Author::User, "next", &rules, &seats);
        let given = ruled.iter().filter(|line| !line.contains(" Pass "));
        assert_eq!(given.collect::<Vec<_>>(), [expected]);
        assert_eq!(ruled.len(), 3);
        assert_eq!(ruled.iter().filter(|line| line.ends_with("Paused")).count(), unable.len());
    };
    check(None, &[], "Ada Speak NextInOrder");
    check(Some(1), &[], "Bo Speak NextInOrder");
    check(Some(3), &[], "Ada Speak NextInOrder");
    check(Some(1), &[1], "Otto Speak NextInOrder");
    check(Some(2), &[2, 0], "Bo Speak NextInOrder");
    // Whoever sat on the second place has left.
    check(Some(2), &[], "Otto Speak NextInOrder");
    check(Some(7), &[], "Ada Speak NextInOrder");
    // Nobody is there: it waits for whose turn it is.
    check(Some(1), &[0, 1, 2], "Bo Wait Paused");
}

#[test]
fn one_is_drawn_by_weight_and_the_lot_is_on_record() {
    let mut seats = seats();
    seats[0].weight = 0;
    seats[2].muted = true;
    for seed in 0..50 {
        let rules = Rules { seed: Some(seed), ..rules(TurnPolicy::Weighted) };
        let lot = weighted::draw(&[0, 50, 0], seed);
        let roll = lot.roll;
        assert_eq!(
            hears(Author::User, "who?", &rules, &seats),
            [
                format!("Ada Pass NotDrawn {{ weight: 0, of: 50, roll: {roll} }}"),
                format!("Bo Speak Drawn {{ weight: 50, of: 50, roll: {roll} }}"),
                "Otto Pass Muted".to_owned(),
            ]
        );
    }
    seats[1].weight = 0;
    let nobody = says(Author::User, "who?", TurnPolicy::Weighted, &seats);
    assert!(nobody.iter().all(|line| line.contains(" Pass ")), "{nobody:?}");
}

#[test]
fn before_a_message_is_sent_the_most_talkative_stands_for_who_is_drawn() {
    let mut seats = seats();
    seats[1].weight = 90;
    let rules = Rules { seed: None, ..rules(TurnPolicy::Weighted) };
    let speakers: Vec<AgentId> = decide(
        Heard { author: Author::User, text: "who?", answers: None, depth: 0 },
        &rules,
        &seats,
    )
    .into_iter()
    .filter(|ruling| ruling.verdict == Verdict::Speak)
    .map(|ruling| ruling.agent)
    .collect();
    assert_eq!(speakers, [id(2)]);
}

#[test]
fn the_supervisor_is_asked_first() {
    let chosen = Rules { supervisor: Some(id(2)), ..rules(TurnPolicy::Supervisor) };
    let mut seats = seats();
    seats[2].muted = true;
    let asked = ["Bo Speak Supervising { round: 1 }", "Otto Pass Muted"];
    assert_eq!(hears(Author::User, "go", &chosen, &seats), asked);
    // What a muted supervisor writes is never posted anyway.
    seats[1].muted = true;
    assert_eq!(hears(Author::User, "go", &chosen, &seats), asked);
    // Without one it is the default agent, and without that the first.
    let default = Rules { default_agent: Some(id(3)), ..rules(TurnPolicy::Supervisor) };
    let asked = hears(Author::User, "go", &default, &seats);
    assert_eq!(asked, ["Otto Speak Supervising { round: 1 }", "Bo Pass Muted"]);
    let asked = says(Author::User, "go", TurnPolicy::Supervisor, &seats);
    assert_eq!(asked[0], "Ada Speak Supervising { round: 1 }");
}

#[test]
fn a_supervisor_that_is_paused_is_waited_for_and_one_with_an_error_is_not() {
    let rules = Rules { supervisor: Some(id(2)), ..rules(TurnPolicy::Supervisor) };
    let mut seats = seats();
    seats[1].state = AgentState::Paused;
    let waiting =
        decide(Heard { author: Author::User, text: "go", answers: None, depth: 0 }, &rules, &seats);
    assert_eq!(
        waiting,
        [Ruling {
            agent: id(2),
            verdict: Verdict::Wait,
            reason: Reason::Supervising { round: 1 },
            hindrance: Some(Reason::Paused),
            depth: 1
        }]
    );
    seats[1].state = AgentState::Error;
    assert_eq!(
        hears(Author::User, "go", &rules, &seats),
        ["Bo Pass InError", "Ada Speak DefaultResponder", "Otto Pass NotTheDefaultResponder"]
    );
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
fn while_everybody_rests_the_one_whose_turn_it_is_is_waited_for() {
    let mut seats = seats();
    seats[0].muted = true;
    seats[1].state = AgentState::Paused;
    seats[2].state = AgentState::Error;
    let waits = |policy| -> Vec<String> {
        let ruled = says(Author::User, "hello", policy, &seats);
        ruled.into_iter().filter(|line| line.contains(" Wait ")).collect()
    };
    assert_eq!(waits(TurnPolicy::Rounds), ["Bo Wait Paused"]);
    assert_eq!(waits(TurnPolicy::RoundRobin), ["Bo Wait Paused"]);
    assert_eq!(waits(TurnPolicy::Weighted).len(), 1);
}

#[test]
fn nobody_speaks_unasked_in_manual_and_nothing_wakes_after_notices() {
    assert!(
        says(Author::User, "@Ada", TurnPolicy::Manual, &seats())
            .iter()
            .all(|s| s.ends_with("OnlyWhenAsked"))
    );
    for policy in TurnPolicy::ALL {
        assert_eq!(says(Author::System, "@Ada", policy, &seats()), Vec::<String>::new());
    }
}

/// A program from outside.
fn program() -> Author {
    Author::Outside(domain::PassId(Uuid::from_u128(7)))
}

#[test]
fn what_comes_from_outside_wakes_as_a_persons_words_do_where_no_turns_are_handed_on() {
    use TurnPolicy::{Broadcast, DefaultResponder, Manual, Mention, RoundRobin, Weighted};
    for policy in [Broadcast, DefaultResponder, Manual, Mention, RoundRobin, Weighted] {
        for text in ["hello", "@Bo, hello"] {
            let decided = |author| {
                decide(Heard { author, text, answers: None, depth: 0 }, &rules(policy), &seats())
            };
            assert_eq!(decided(program()), decided(Author::User), "{policy:?}: {text}");
        }
    }
}

#[test]
fn what_comes_from_outside_opens_no_round_and_asks_no_supervisor() {
    for policy in [TurnPolicy::Rounds, TurnPolicy::Supervisor] {
        for (text, answers) in [("hello", "Ada"), ("@Bo, hello", "Bo")] {
            let rulings = decide(
                Heard { author: program(), text, answers: None, depth: 0 },
                &rules(policy),
                &seats(),
            );
            assert!(rulings.iter().all(|ruling| !is_handed_on(&ruling.reason)), "{rulings:?}");
            let speak = rulings.iter().filter(|ruling| ruling.verdict == Verdict::Speak);
            let seats = seats();
            let name = |agent| seats.iter().find(|seat| seat.agent == agent).unwrap().name.clone();
            let speak: Vec<String> = speak.map(|ruling| name(ruling.agent)).collect();
            assert_eq!(speak, [answers], "{policy:?}: {text}");
        }
    }
}
