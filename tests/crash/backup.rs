//! The same for the whole workspace in one file: wherever the process is killed while it
//! writes a backup or puts one in place, there is a whole workspace, the one before or the
//! one after, and the backup is there whole or not at all. Another workspace that takes it in
//! has all of it once.

use crate::life::{Death, Ended, live};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use store::table::{groups, messages};
use store::{Store, StoreError};
use tempfile::TempDir;
use workspace::Places;

/// With how often it is passed at least.
pub(crate) const FAILPOINTS: &[(&str, u64)] = &[
    ("backup.copied", 1),
    ("backup.named", 1),
    ("backup.packing", 4),
    ("backup.written", 1),
    ("take_in.unpacked", 1),
    ("take_in.placed", 1),
    ("take_in.entered", 1),
    // Once for each of the two, and those of looking through it.
    ("restore.unpacking", 8),
    ("restore.unpacked", 1),
    ("restore.ready", 1),
    ("restore.moved", 7),
    ("restore.placed", 1),
    ("restore.resting", 1),
];

#[test]
fn a_workspace_is_whole_wherever_a_backup_or_its_restoring_is_killed() {
    for (failpoint, hits) in FAILPOINTS {
        for hit in 1..=*hits {
            let folder = Folder(TempDir::new().expect("a temporary folder"));
            let ended = folder.live(Death::At(failpoint, hit));
            assert!(matches!(ended, Ended::Killed), "nothing was killed at {failpoint} {hit}");
            folder.holds_a_whole_backup_or_none();
            assert!(matches!(folder.live(Death::No), Ended::Quiet));
            folder.is_restored();
        }
    }
}

struct Folder(TempDir);

impl Folder {
    fn live(&self, death: Death) -> Ended {
        let mut child = Command::new(env!("CARGO_BIN_EXE_crash-backup-child"));
        child.arg(self.0.path());
        live(child, death, |_| {}).unwrap_or_else(|why| panic!("the child {why}"))
    }

    fn backup(&self) -> PathBuf {
        self.0.path().join("all.coterie")
    }

    fn holds_a_whole_backup_or_none(&self) {
        if !self.backup().exists() {
            return;
        }
        let elsewhere = TempDir::new().expect("a temporary folder");
        let places = Places::bare(elsewhere.path().to_owned());
        let path = self.backup().display().to_string();
        workspace::restore_unopened(&places, &path).expect("what has its name is whole");
        assert_eq!(said(&places.restore().join("coterie.db")), ["one"]);
    }

    /// What was said after the backup is where the person finds it, and nowhere else.
    fn is_restored(&self) {
        let data = self.0.path().join("data");
        assert_eq!(said(&data.join("coterie.db")), ["one"]);
        assert!(data.join("souls/ada.md").exists());
        let beside = self.0.path().join("beside");
        assert_eq!(said(&beside.join("coterie.db")), ["one"]);
        let souls = fs::read_dir(beside.join("souls")).expect("it is there").count();
        assert_eq!(souls, 7, "six ship, and one came");
        let laid_open = fs::read_dir(beside.join("temporary"));
        assert!(laid_open.map_or(true, |mut all| all.next().is_none()), "something is left");
        let replaced = fs::read_dir(data.join("replaced")).expect("there is a way back").flatten();
        let replaced: Vec<_> = replaced.map(|folder| folder.path()).collect();
        let [replaced] = &replaced[..] else { panic!("one way back: {replaced:?}") };
        assert_eq!(said(&replaced.join("coterie.db")), ["one", "two"]);
        assert!(replaced.join("souls/ada.md").exists());
        let left = ["restore", "restore.unfinished", "restore.gone"];
        assert!(left.iter().all(|name| !data.join(name).exists()), "something is left");
    }
}

/// Everything that the person said, in order.
fn said(database: &Path) -> Vec<String> {
    let (store, _) = Store::open(database, |_| {}).expect("the database opens");
    store
        .read(|read| {
            let mut said = Vec::new();
            for group in groups::all(read)? {
                let all = messages::page(read, group.id, 0, None, 500)?;
                said.extend(all.iter().filter_map(|message| message.text().map(str::to_owned)));
            }
            Ok::<_, StoreError>(said)
        })
        .expect("the database can be read")
}
