//! A thousand messages while the provider falls silent, people stop answers
//! and the process is killed twenty times: each message has its turn, once.
//!
//! The workspace is open in a process of its own (`endurance/child.rs`); the
//! person, the provider and whoever kills are here. Nothing hangs on how fast
//! anything is. `COTERIE_SEED` repeats the choices of an earlier run.

mod owner;
mod person;
mod provider;
mod truth;

use domain::{RunState, TurnPolicy};
use owner::Owner;
use person::Person;
use provider::{Manner, Provider};
use std::fs;
use std::panic::catch_unwind;
use tempfile::TempDir;
use tests::Dice;
use truth::Harm;

const MESSAGES: usize = 1_000;
const KILLS: usize = 20;
/// Posted at the same time, each to a group of its own.
const TOGETHER: usize = GROUPS.len();
/// Replies that are laid out for each message.
const REPLIES: usize = 2;
/// How much may happen after a post before the process is killed.
const LATEST: u64 = 60;

/// Groups with their members, rules, and who is named in what is posted.
const GROUPS: &[(&[&str], TurnPolicy, &[&str])] = &[
    (&["Ada", "Otto", "Bo"], TurnPolicy::Broadcast, &["Ada", "Bo"]),
    (&["Ada", "Bo"], TurnPolicy::Rounds, &["everybody"]),
    (&["Otto", "Ines"], TurnPolicy::Mention, &["Otto", "Ines"]),
    (&["Bo", "Ada"], TurnPolicy::DefaultResponder, &["Bo", "everybody"]),
    (&["Ines", "Ada", "Bo"], TurnPolicy::RoundRobin, &["everybody"]),
];

// Messages that were lost when a run timed out, when a gateway restarted or
// when they came in the middle of a run, seen in openclaw#67173,
// openclaw#5951, openclaw#51620 and openclaw#121831.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_thousand_messages_each_has_its_turn_once_through_timeouts_stops_and_kills() {
    let folder = TempDir::new().expect("a temporary folder");
    let mut dice = Dice::new();
    println!("COTERIE_SEED={}", dice.seed);
    let mut owner = Owner::start(folder.path());
    let mut provider = Provider::open().await;
    let person = Person::sit_down(folder.path(), &provider.base_url()).await;

    let (mut posted, mut kills, mut stops) = (Vec::new(), 0, 0);
    while posted.len() < MESSAGES {
        provider.lay_out(REPLIES * TOGETHER, &mut dice);
        person.encourage().await;
        let before = person.overview().await;
        let posts: Vec<_> = (0..TOGETHER).map(|n| person.post(posted.len() + n)).collect();
        if posted.len() * KILLS >= kills * MESSAGES {
            person.watch(before.mark, 1 + dice.below(LATEST)).await;
            owner.kill();
            kills += 1;
        }
        for post in posts {
            posted.push(post.await.expect("it waits for its answer"));
        }
        stops += person.stop_somebody(&mut dice).await;
        person.wait_for_an_end().await;
    }
    person.see_to_the_end().await;
    owner.close();

    let database = folder.path().join("coterie.db");
    for harm in Harm::ALL {
        let harmed = folder.path().join(format!("{harm:?}.db"));
        fs::copy(&database, &harmed).expect("the disk has room");
        truth::harm(&harmed, harm).await;
        let seen = catch_unwind(|| truth::holds(&harmed, &posted));
        assert!(seen.is_err(), "{harm:?} would not be noticed");
    }
    let tally = truth::holds(&database, &posted);
    provider.heard_everything_once_and_in_order();
    let (asked, met) = provider.met();
    println!("{tally:#?}\n{asked} requests, {met:?}, {stops} stops");
    // All of it did happen.
    assert_eq!((posted.len(), kills), (MESSAGES, KILLS));
    for state in [RunState::Settled, RunState::Stopped, RunState::Resumed] {
        assert!(tally.runs.contains_key(&state), "no run was {state:?}");
    }
    for manner in Manner::ALL {
        assert!(met.contains_key(&manner), "it never {manner:?}");
    }
    assert!(tally.tries_again > 0 && stops > 0 && tally.answers > MESSAGES / 10);
}
