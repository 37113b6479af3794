//! The same for schedules and sources: each hour is given and answered once, and the end
//! of its turn told once, wherever the process is killed between its coming and the post.

use crate::kills;
use crate::life::{Death, Ended, live};
use domain::{Author, Became, Body, Notice, ScheduleId};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use store::table::{groups, messages, schedule_times, schedules, wakes};
use store::{Store, StoreError};
use tempfile::TempDir;
use tests::Dice;

/// With the most times it may pass before.
pub(crate) const FAILPOINTS: &[(&str, u64)] = &[
    ("schedule.due", 1),
    ("schedule.given", 1),
    ("source.told", 1),
    ("turn.begun", 1),
    ("turn.settled", 1),
    ("store.commit", 30),
    ("store.committed", 30),
];

/// As many as a view shows.
const HOURS: u32 = 8;

#[test]
fn every_time_is_given_once_wherever_the_process_is_killed() {
    let kills_an_hour = kills().div_ceil(8 * HOURS).max(2);
    let mut dice = Dice::new();
    println!("COTERIE_SEED={}", dice.seed);
    let folder = TempDir::new().expect("a temporary folder");
    let (mut at, mut killed) = (0, 0);
    for hour in 0..=HOURS {
        for life in 0.. {
            let death = if life == kills_an_hour {
                Death::No
            } else {
                at = (at + 1) % FAILPOINTS.len();
                let (failpoint, most) = FAILPOINTS[at];
                Death::At(failpoint, 1 + dice.below(most))
            };
            let mut child = Command::new(env!("CARGO_BIN_EXE_crash-schedule-child"));
            child.arg(folder.path()).arg(hour.to_string());
            match live(child, death, |_| {}).unwrap_or_else(|why| panic!("the child {why}")) {
                Ended::Killed => killed += 1,
                Ended::Quiet => break,
            }
        }
    }
    println!("killed {killed} times");
    assert!(killed >= HOURS, "some were killed with something due");
    at_the_end(&folder.path().join("coterie.db"));
}

fn at_the_end(database: &Path) {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    store
        .read(|read| {
            let all = schedules::all(read)?;
            let [schedule] = &all[..] else { panic!("one schedule: {all:?}") };
            let times = schedule_times::newest(read, schedule.id, 100)?;
            let due: BTreeSet<i64> = times.iter().map(|time| time.due_ms).collect();
            assert_eq!((times.len(), due.len()), (HOURS as usize, HOURS as usize), "each once");
            assert!(times.iter().all(|time| matches!(time.became, Became::Given { .. })));
            let mut told = 0;
            let mut answered = 0;
            let mut ends = 0;
            for group in groups::all(read)? {
                for message in messages::page(read, group.id, 0, None, 500)? {
                    told += u32::from(is_told(&message.body, schedule.id));
                    answered += u32::from(matches!(message.author, Author::Agent(_)));
                    if let (Author::Source(_), Some(text)) = (message.author, message.text()) {
                        ends += text.matches("answered in").count();
                    }
                }
            }
            assert_eq!((told, answered), (HOURS, HOURS), "told and answered once an hour");
            assert_eq!(ends, HOURS as usize, "the end of each turn is told once");
            assert!(wakes::fates(read)?.iter().all(|fate| fate.done), "nothing is left open");
            Ok::<_, StoreError>(())
        })
        .expect("the database can be read");
}

fn is_told(body: &Body, by: ScheduleId) -> bool {
    match body {
        Body::Notice { notice: Notice::Scheduled { schedule, .. } } => *schedule == by,
        Body::Notice { .. } | Body::Text { .. } => false,
    }
}
