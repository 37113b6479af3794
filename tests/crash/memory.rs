//! The same for what is remembered: a child imports, indexes and consolidates, and
//! whatever a kill cuts off goes on in the next life, asked for again or not.

#![expect(clippy::print_stdout, reason = "the seed and what was killed are read when it fails")]

#[expect(dead_code, reason = "the child says what a person does")]
mod plan;
mod truth;

use crate::kills;
use crate::life::{Death, Ended, live};
use plan::FILES;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;
use tempfile::TempDir;
use tests::Dice;

/// With the most times it may pass before.
pub(crate) const FAILPOINTS: &[(&str, u64)] = &[
    ("import.begun", 2),
    ("memories.imported", 4),
    ("import.done", 2),
    ("index.written", 4),
    ("vectors.kept", 60),
    ("vectors.indexed", 60),
    ("memories.consolidated", 6),
    ("store.commit", 60),
    ("store.committed", 60),
];

/// So often in one folder: the import is soon done, and there is less to hit.
const KILLS_A_FOLDER: u32 = 6;

#[test]
fn what_is_remembered_is_there_once_wherever_the_process_is_killed() {
    let mut at = 0;
    let deaths = kill(kills().div_ceil(4), |dice| {
        at = (at + 1) % FAILPOINTS.len();
        let (failpoint, most) = FAILPOINTS[at];
        Death::At(failpoint, 1 + dice.below(most))
    });
    println!("killed {deaths:?}");
    if kills() as usize >= 20 * FAILPOINTS.len() {
        let never = FAILPOINTS.iter().filter(|(name, _)| !deaths.contains_key(name));
        assert_eq!(never.collect::<Vec<_>>(), [] as [&(&str, u64); 0], "nothing was killed there");
    }
}

#[test]
fn what_is_remembered_is_there_once_whenever_the_process_is_killed() {
    let deaths = kill(kills().div_ceil(14), |dice| Death::AfterLines(1 + dice.below(1_500)));
    println!("killed {deaths:?}");
}

/// Kills so often, in as many folders as that takes. Gives how often at what.
fn kill(kills: u32, mut choose: impl FnMut(&mut Dice) -> Death) -> BTreeMap<&'static str, u32> {
    let mut dice = Dice::new();
    println!("COTERIE_SEED={}", dice.seed);
    let mut deaths = BTreeMap::new();
    let mut killed = 0;
    while killed < kills {
        let mut folder = Folder::new();
        for life in 0.. {
            let is_over = killed == kills || life == KILLS_A_FOLDER;
            let death = if is_over { Death::No } else { choose(&mut dice) };
            // A person asks once more, or trusts that it goes on.
            let asks_again = dice.below(2) == 0;
            match folder.live(death, asks_again) {
                Ended::Killed => {
                    killed += 1;
                    let what = match death {
                        Death::At(failpoint, _) => failpoint,
                        Death::AfterLines(_) | Death::No => "from outside",
                    };
                    *deaths.entry(what).or_default() += 1;
                    folder.look_at_a_copy();
                }
                Ended::Quiet => break,
            }
        }
        truth::at_the_end(&folder.folder.path().join("coterie.db"));
    }
    deaths
}

struct Folder {
    folder: TempDir,
    /// `file N` and `said N` whose answer was seen.
    acknowledged: BTreeSet<String>,
    /// Of each file, whether the database knows that it is to be imported.
    is_known: [bool; FILES.len()],
}

impl Folder {
    fn new() -> Folder {
        let folder = TempDir::new().expect("a temporary folder");
        plan::write_files(folder.path());
        Folder { folder, acknowledged: BTreeSet::new(), is_known: [false; FILES.len()] }
    }

    fn live(&mut self, death: Death, asks_again: bool) -> Ended {
        let asked = self.is_known.map(|known| if known && !asks_again { '0' } else { '1' });
        let mut child = Command::new(env!("CARGO_BIN_EXE_crash-memory-child"));
        child.arg(self.folder.path()).arg(asked.iter().collect::<String>());
        let acknowledged = &mut self.acknowledged;
        let ended = live(child, death, |line| {
            acknowledged.extend(line.strip_prefix("ack ").map(str::to_owned));
        });
        ended.unwrap_or_else(|why| {
            self.folder.disable_cleanup(true);
            panic!("the child in {} {why}", self.folder.path().display())
        })
    }

    /// As the kill left it: the next child gets the original.
    fn look_at_a_copy(&mut self) {
        let copy = TempDir::new().expect("a temporary folder");
        for file in ["coterie.db", "coterie.db-wal"] {
            let from = self.folder.path().join(file);
            if from.exists() {
                fs::copy(from, copy.path().join(file)).expect("the disk has room");
            }
        }
        let database = copy.path().join("coterie.db");
        if !database.exists() {
            return assert!(self.acknowledged.is_empty(), "acknowledged without a database");
        }
        let begun = truth::always(&database, &self.acknowledged);
        for (file, known) in self.is_known.iter_mut().enumerate() {
            let path = plan::path(self.folder.path(), file);
            let is_begun = begun.contains(&path.display().to_string());
            *known = is_begun || self.acknowledged.contains(&format!("file {file}"));
        }
    }
}
