//! Kills a whole process with SIGKILL, again and again, wherever it is, and
//! looks at what is left.
//!
//! A child opens a workspace, posts and waits for the answers. It is killed at
//! a failpoint, or from outside after some event; another child goes on in the
//! same folder. After each kill a copy of the database must hold what `truth`
//! says, and when everything has been answered the folder itself must.
//!
//! `COTERIE_KILLS` says how often, `COTERIE_SEED` repeats an earlier run.

mod backup;
mod feed;
mod life;
mod memory;
mod plan;
mod schedule;
mod tasks;
mod truth;

use life::{Death, Ended, live};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use tests::{Dice, number};

/// Where a child can be killed, with the most times it may pass before. Every
/// commit to the database passes the two of the store; the others stand where
/// something happens between two commits, or to a file.
const FAILPOINTS: &[(&str, u64)] = &[
    ("soul.written", 6),
    ("soul.saved", 6),
    ("secrets.step", 8),
    ("key.stored", 1),
    ("store.commit", 120),
    ("store.committed", 120),
    ("attachment.kept", 3),
    ("post.committed", 16),
    ("turn.begun", 12),
    ("turn.streaming", 12),
    ("agent.answered", 12),
    ("turn.answered", 12),
    ("turn.settled", 12),
    ("tool.dispatched", 12),
    ("effect.before", 8),
    ("effect.after", 8),
    ("approval.asked", 1),
    ("approval.answered", 1),
    ("question.asked", 1),
    ("question.answered", 1),
    ("tool.returned", 12),
    ("tool.ended", 12),
    ("task.given", 3),
    ("agent.ended", 1),
    ("fold.made", 2),
    ("fold.stored", 2),
    ("backup.copied", 1),
    ("backup.named", 1),
];

/// After so many kills in one folder it is left in peace, so that its end can
/// be looked at.
const KILLS_A_FOLDER: u32 = 12;

// Seen in langchain-ai/langgraph#7417, langchain-ai/langgraph#8039.
#[test]
fn nothing_is_lost_or_done_twice_wherever_the_process_is_killed() {
    let (kills, mut dice) = (kills(), Dice::new());
    println!("COTERIE_SEED={}", dice.seed);
    let mut tried = vec![0; FAILPOINTS.len()];
    let deaths = kill(kills, &mut dice, |dice, deaths| {
        // None is left out, and those that were not reached are tried more often.
        let killed =
            |name| deaths.iter().filter(move |it| matches!(it, Death::At(at, _) if *at == name));
        let had = |at: usize| tried[at] + 2 * killed(FAILPOINTS[at].0).count();
        let fewest = (0..tried.len()).map(had).min().unwrap_or(0);
        let due: Vec<usize> = (0..tried.len()).filter(|at| had(*at) == fewest).collect();
        let at = due[dice.below(due.len() as u64) as usize];
        tried[at] += 1;
        let (failpoint, most) = FAILPOINTS[at];
        Death::At(failpoint, 1 + dice.below(most))
    });
    let mut times: BTreeMap<&str, u32> = FAILPOINTS.iter().map(|(name, _)| (*name, 0)).collect();
    for death in deaths {
        if let Death::At(failpoint, _) = death {
            *times.entry(failpoint).or_default() += 1;
        }
    }
    println!("killed {times:?}");
    if kills as usize >= 5 * FAILPOINTS.len() {
        let never: Vec<_> = times.iter().filter(|(_, times)| **times == 0).collect();
        assert_eq!(never, [], "nothing was killed there");
    }
}

#[test]
fn the_process_is_killed_at_every_failpoint_that_there_is() {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    let mut sources = Vec::new();
    for folder in ["crates", "src-tauri", "tests/crash"] {
        gather(&whole.join(folder), &mut sources);
    }
    const BEGIN: &str = concat!("fail_point", "!(\"");
    let named = |text: &str| -> Vec<String> {
        let ends = text.split(BEGIN).skip(1);
        ends.filter_map(|rest| rest.split('"').next()).map(str::to_owned).collect()
    };
    let there: BTreeSet<String> = sources.iter().flat_map(|text| named(text)).collect();
    let killed = FAILPOINTS
        .iter()
        .chain(memory::FAILPOINTS)
        .chain(backup::FAILPOINTS)
        .chain(feed::FAILPOINTS)
        .chain(schedule::FAILPOINTS);
    let killed: BTreeSet<String> = killed.map(|(name, _)| (*name).to_owned()).collect();
    let missing: Vec<_> = there.difference(&killed).collect();
    assert!(missing.is_empty(), "nobody is killed at {missing:?}");
    let gone: Vec<_> = killed.difference(&there).collect();
    assert!(gone.is_empty(), "there is no {gone:?}");
}

/// The Rust that lies there and below.
fn gather(folder: &Path, sources: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the sources are there").flatten() {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, sources);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            sources.push(fs::read_to_string(&path).expect("a source is text"));
        }
    }
}

#[test]
fn nothing_is_lost_or_done_twice_whenever_the_process_is_killed() {
    let (kills, mut dice) = (kills().div_ceil(4), Dice::new());
    println!("COTERIE_SEED={}", dice.seed);
    let deaths = kill(kills, &mut dice, |dice, _| Death::AfterLines(1 + dice.below(400)));
    println!("killed {} times", deaths.len());
}

/// Kills so often, in as many folders as that takes. Gives how each came.
fn kill(
    kills: u32,
    dice: &mut Dice,
    mut choose: impl FnMut(&mut Dice, &[Death]) -> Death,
) -> Vec<Death> {
    let mut deaths = Vec::new();
    while (deaths.len() as u32) < kills {
        let mut folder = Folder::new();
        for life in 0.. {
            let left = kills - deaths.len() as u32;
            let death =
                if life < KILLS_A_FOLDER.min(left) { choose(dice, &deaths) } else { Death::No };
            match folder.live(death) {
                Ended::Killed => {
                    deaths.push(death);
                    folder.look_at_a_copy();
                }
                Ended::Quiet => break,
            }
        }
        truth::at_the_end(&folder.database());
    }
    deaths
}

struct Folder {
    folder: TempDir,
    /// Posts whose answer was seen.
    acknowledged: BTreeSet<usize>,
}

impl Folder {
    fn new() -> Folder {
        let folder = TempDir::new().expect("a temporary folder");
        Folder { folder, acknowledged: BTreeSet::new() }
    }

    fn database(&self) -> PathBuf {
        self.folder.path().join("coterie.db")
    }

    fn live(&mut self, death: Death) -> Ended {
        // The first that is not known to have arrived; it may have all the same.
        let from = (0..).find(|n| !self.acknowledged.contains(n)).expect("there are more numbers");
        let mut child = Command::new(env!("CARGO_BIN_EXE_crash-child"));
        child.arg(self.folder.path()).arg(from.to_string());
        let acknowledged = &mut self.acknowledged;
        let ended = live(child, death, |line| {
            if let Some(n) = line.strip_prefix("ack ") {
                acknowledged.insert(n.parse().expect("the child counts"));
            }
        });
        ended.unwrap_or_else(|why| {
            self.folder.disable_cleanup(true);
            panic!("the child in {} {why}", self.folder.path().display())
        })
    }

    /// As the kill left it: the next child gets the original.
    fn look_at_a_copy(&self) {
        let copy = TempDir::new().expect("a temporary folder");
        for file in ["coterie.db", "coterie.db-wal", "effects"] {
            let from = self.folder.path().join(file);
            if from.exists() {
                fs::copy(from, copy.path().join(file)).expect("the disk has room");
            }
        }
        let kept = self.folder.path().join("backups/copy.db");
        if kept.exists() {
            truth::is_whole(&kept, copy.path());
        }
        let souls = copy.path().join("souls");
        fs::create_dir(&souls).expect("the disk has room");
        for file in fs::read_dir(self.folder.path().join("souls")).into_iter().flatten().flatten() {
            fs::copy(file.path(), souls.join(file.file_name())).expect("the disk has room");
        }
        let shelf = copy.path().join("attachments");
        fs::create_dir(&shelf).expect("the disk has room");
        let kept = fs::read_dir(self.folder.path().join("attachments"));
        for file in kept.into_iter().flatten().flatten() {
            fs::copy(file.path(), shelf.join(file.file_name())).expect("the disk has room");
        }
        let database = copy.path().join("coterie.db");
        if database.exists() {
            truth::always(&database, &self.acknowledged);
        } else {
            assert!(self.acknowledged.is_empty(), "acknowledged without a database");
        }
    }
}

fn kills() -> u32 {
    number("COTERIE_KILLS").map_or(200, |kills| u32::try_from(kills).expect("not that many"))
}
