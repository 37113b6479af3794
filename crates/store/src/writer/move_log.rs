//! The log moves into the database on a thread of its own, so that no commit waits for it.

use super::Shared;
use rusqlite::Connection;
use std::time::Duration;

/// How often the log is moved beside whoever writes, in the hope that nobody does at the end.
const BESIDE_OTHERS: u32 = 4;
/// So long it is left alone between two of them.
pub(super) const PAUSE: Duration = Duration::from_millis(10);
/// A log of so many pages is moved while nobody may write: 24 MB.
const LONG: i64 = 12_000;

/// Has the thread run when nobody else wants its processor.
pub(super) fn give_way_to_others() {
    // Of one thread, on Linux. Refused, it moves the log all the same.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::nice(10);
}

/// Moves the log into the database while others write. Whoever writes next begins the log
/// anew where all of it was moved; where somebody wrote meanwhile it is tried again a
/// little later, as most write in bursts. Of those that never pause the rest is moved while
/// nobody writes once the log is long, so that it does not grow for ever.
pub(super) fn move_log(shared: &Shared, mover: &Connection, pause: impl FnMut()) {
    let moved = move_beside_others(shared, mover, pause).and_then(|left| match left >= LONG {
        true => checkpoint(&shared.pen().connection).map(drop),
        false => Ok(()),
    });
    if let Err(error) = moved {
        tracing::warn!(%error, "the log cannot move into the database yet");
    }
}

/// Gives how long the log still is, in pages.
fn move_beside_others(
    shared: &Shared,
    mover: &Connection,
    mut pause: impl FnMut(),
) -> rusqlite::Result<i64> {
    let mut length = 0;
    for _ in 0..BESIDE_OTHERS {
        shared.pen().since_checkpoint = 0;
        let log = checkpoint(mover)?;
        if log.moved == log.pages && shared.pen().since_checkpoint == 0 {
            return Ok(0);
        }
        length = log.pages;
        pause();
    }
    Ok(length)
}

struct Log {
    pages: i64,
    /// Those that are in the database.
    moved: i64,
}

fn checkpoint(connection: &Connection) -> rusqlite::Result<Log> {
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
        Ok(Log { pages: row.get(1)?, moved: row.get(2)? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::settings;
    use crate::writer::{Turn, Writer};
    use crate::{Durability, Store};
    use std::pin::pin;
    use std::task::{Context, Waker};
    use tempfile::TempDir;

    /// A database whose log only the test moves.
    struct Place {
        folder: TempDir,
        writer: Writer,
        mover: Connection,
    }

    impl Place {
        fn new() -> Place {
            let folder = TempDir::new().unwrap();
            let path = folder.path().join("coterie.db");
            drop(Store::open(&path, drop).unwrap());
            let open = || crate::store::connect(&path).unwrap();
            let writer = Writer::start(open(), open(), Default::default(), drop).unwrap();
            Place { writer, mover: open(), folder }
        }

        fn write(&self, bytes: usize) {
            let text = "x".repeat(bytes);
            let write = self.writer.write(Turn::Usual, Durability::Process, move |write| {
                settings::put_fact(write, "text", &text)
            });
            // Nobody else has the pen.
            assert!(pin!(write).poll(&mut Context::from_waker(Waker::noop())).is_ready());
        }

        /// Somebody who reads: what is written after it stays in the log as long as it goes on.
        fn reader(&self) -> Connection {
            let reader = crate::store::connect(&self.folder.path().join("coterie.db")).unwrap();
            reader.execute_batch("BEGIN; SELECT count(*) FROM settings").unwrap();
            reader
        }

        /// How much longer the log becomes by another write.
        fn grows_by(&self, bytes: usize) -> u64 {
            let log = self.folder.path().join("coterie.db-wal");
            let before = log.metadata().unwrap().len();
            self.write(bytes);
            log.metadata().unwrap().len() - before
        }

        /// Moves the log while somebody reads until the pause of this number.
        fn move_while_somebody_reads(&self, until: u32) -> u32 {
            let (mut reader, mut pauses) = (Some(self.reader()), 0);
            self.write(100);
            move_log(&self.writer.0, &self.mover, || {
                pauses += 1;
                if pauses == until {
                    reader = None;
                }
            });
            pauses
        }
    }

    #[test]
    fn a_log_that_was_moved_begins_anew() {
        let place = Place::new();
        place.write(100_000);
        assert!(place.grows_by(120_000) > 100_000, "it is not moved yet");
        move_log(&place.writer.0, &place.mover, || panic!("all of it was moved at once"));
        assert_eq!(place.grows_by(110_000), 0);
    }

    #[test]
    fn where_somebody_is_in_the_way_the_log_is_moved_a_little_later() {
        let place = Place::new();
        place.write(100_000);
        assert_eq!(place.move_while_somebody_reads(1), 1);
        assert_eq!(place.grows_by(50_000), 0);
    }

    #[test]
    fn only_of_a_long_log_the_rest_is_moved_while_nobody_writes() {
        let place = Place::new();
        place.write(100_000);
        assert_eq!(place.move_while_somebody_reads(BESIDE_OTHERS), BESIDE_OTHERS);
        assert!(place.grows_by(50_000) > 50_000);
        place.write(LONG as usize * 2048);
        place.move_while_somebody_reads(BESIDE_OTHERS);
        assert_eq!(place.grows_by(50_000), 0);
    }
}
