//! Logs as a kill leaves them, damaged and cut off.

use super::*;
use domain::{Fault, FaultKind};
use rusqlite::Connection;
use tempfile::TempDir;

/// A database with three rows in its log, as a kill leaves it.
fn killed() -> (TempDir, PathBuf) {
    let folder = TempDir::new().unwrap();
    let (live, left) = (folder.path().join("live.db"), folder.path().join("coterie.db"));
    let connection = Connection::open(&live).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.execute_batch("CREATE TABLE said (words TEXT)").unwrap();
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(())).unwrap();
    for n in 0..3 {
        connection.execute("INSERT INTO said VALUES (?1)", [n]).unwrap();
    }
    std::fs::copy(&live, &left).unwrap();
    std::fs::copy(of(&live), of(&left)).unwrap();
    (folder, left)
}

fn with_log(path: &Path, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = std::fs::read(of(path)).unwrap();
    change(&mut bytes);
    std::fs::write(of(path), &bytes).unwrap();
    bytes
}

const PAGE: usize = 4096;
const FRAME: usize = FRAME_HEADER + PAGE;

// Seen in claude-code#53821, claude-code#49876, prime-agent#1785.
#[test]
fn a_log_that_sqlite_would_drop_is_told_and_a_copy_of_it_is_kept() {
    let first = [0, 8, 20, 30, HEADER + 9, HEADER + 18, HEADER + FRAME_HEADER + 100];
    let second = [9, 18, FRAME_HEADER + 100].map(|at| HEADER + FRAME + at);
    for at in first.into_iter().chain(second) {
        let (folder, path) = killed();
        let damaged = with_log(&path, |log| log[at] ^= 0x40);
        let error = crate::Store::open(&path, |_| {}).err().expect("it does not open");
        let fault = Fault::from(error);
        let kept = folder.path().join("coterie.db-wal.damaged");
        let kind = FaultKind::LogDamaged {
            path: path.display().to_string(),
            log: of(&path).display().to_string(),
            kept: kept.display().to_string(),
        };
        assert_eq!(fault.kind.as_deref(), Some(&kind), "byte {at}");
        assert!(fault.fix.contains("delete") && fault.fix.contains("backups/"), "{fault}");
        assert!(std::fs::read(of(&path)).unwrap() == damaged, "the log was changed");
        assert!(std::fs::read(&kept).unwrap() == damaged, "the copy is another");
        // The same once more is not kept twice.
        assert!(look(&path).is_err());
        let logs = std::fs::read_dir(folder.path()).unwrap().flatten();
        let logs = logs.filter(|file| file.file_name().to_string_lossy().contains("-wal"));
        assert_eq!(logs.count(), 2);
    }
}

#[test]
fn another_damage_is_kept_beside_the_first() {
    let (_folder, path) = killed();
    with_log(&path, |log| log[40] ^= 1);
    assert!(look(&path).is_err());
    with_log(&path, |log| log[90] ^= 1);
    let Err(StoreError::LogDamaged { kept, .. }) = look(&path) else { panic!("it is whole") };
    assert!(kept.ends_with("coterie.db-wal.damaged2"), "{}", kept.display());
}

#[test]
fn what_a_crash_leaves_of_a_log_is_no_damage() {
    let check = |change: fn(&mut Vec<u8>)| {
        let (_folder, path) = killed();
        with_log(&path, change);
        look(&path).expect("nothing that was committed is in it");
    };
    check(|_| {});
    check(Vec::clear);
    check(|log| log.truncate(HEADER));
    check(|log| log.truncate(HEADER + FRAME_HEADER + 7));
    check(|log| log.fill(0));
    // Only what comes last was cut off.
    check(|log| log.truncate(HEADER + 2 * FRAME - 9));
    // … or was written to its end and no further than its beginning.
    check(|log| log[HEADER + 2 * FRAME + FRAME_HEADER..].fill(0));
    // What was rolled back stands behind what was committed.
    check(|log| {
        log[HEADER + FRAME..][4..8].fill(0);
        log[HEADER + 2 * FRAME..][4..8].fill(0);
    });
    // The log was begun anew, and the kill came before the first frame …
    check(|log| {
        for frame in log[HEADER..].chunks_mut(FRAME) {
            frame[8] ^= 1;
        }
    });
    // … or between that frame's head and its page.
    check(|log| {
        for frame in log[HEADER + FRAME..].chunks_mut(FRAME) {
            frame[8] ^= 1;
        }
        log[HEADER + FRAME_HEADER] ^= 1;
    });
}

#[test]
fn a_whole_log_gives_what_it_holds() {
    let (_folder, path) = killed();
    look(&path).unwrap();
    let connection = Connection::open(&path).unwrap();
    let rows: i64 =
        connection.query_row("SELECT count(*) FROM said", [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 3);
}
