//! The same for the feed: fifty posts are given out and answered, and whatever a
//! kill cuts off is done once all the same.

#[expect(dead_code, reason = "the child names what it sends")]
mod plan;
mod truth;

use crate::kills;
use crate::life::{Death, Ended, live};
use std::collections::BTreeSet;
use std::process::Command;
use tempfile::TempDir;
use tests::Dice;

/// With the most times it may pass before.
pub(crate) const FAILPOINTS: &[(&str, u64)] = &[
    ("feed.written", 50),
    ("feed.taken", 60),
    ("feed.giving", 60),
    ("feed.given", 60),
    ("turn.begun", 40),
    ("turn.settled", 40),
    ("store.commit", 300),
    ("store.committed", 300),
];

/// In one folder, before it is left in peace.
const KILLS_A_FOLDER: u32 = 25;

#[test]
fn every_post_is_given_out_once_wherever_the_process_is_killed() {
    let kills = kills().div_ceil(8);
    let mut dice = Dice::new();
    println!("COTERIE_SEED={}", dice.seed);
    let (mut killed, mut at) = (0, 0);
    while killed < kills {
        let folder = TempDir::new().expect("a temporary folder");
        let mut acknowledged = BTreeSet::new();
        for life in 0.. {
            let is_over = killed == kills || life == KILLS_A_FOLDER;
            let death = if is_over {
                Death::No
            } else if dice.below(4) == 0 {
                Death::AfterLines(1 + dice.below(3_000))
            } else {
                at = (at + 1) % FAILPOINTS.len();
                let (failpoint, most) = FAILPOINTS[at];
                Death::At(failpoint, 1 + dice.below(most))
            };
            let mut child = Command::new(env!("CARGO_BIN_EXE_crash-feed-child"));
            child.arg(folder.path());
            let ended = live(child, death, |line| {
                acknowledged.extend(line.strip_prefix("ack ").map(str::to_owned));
            });
            match ended.unwrap_or_else(|why| panic!("the child {why}")) {
                Ended::Killed => killed += 1,
                Ended::Quiet => break,
            }
        }
        assert_eq!(acknowledged.len(), plan::POSTS);
        truth::at_the_end(&folder.path().join("coterie.db"));
    }
    println!("killed {killed} times");
}
