//! What has happened and is not told in the feed yet, for each source that watches it.
//!
//! It is written in the transaction in which it happens, and taken out in the one that
//! tells it, so that each is told once.

use crate::{Read, StoreError, Write};
use domain::{FeedSourceId, MemoryId, RunId};
use rusqlite::{Row, params};
use uuid::Uuid;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happened {
    /// It has ended.
    Run(RunId),
    /// It contradicts another.
    Memory(MemoryId),
}

/// For every source that watches such; does nothing where none does.
pub(super) fn add(write: &mut Write<'_>, happened: Happened) -> Result<(), StoreError> {
    let (watches, run, memory) = match happened {
        Happened::Run(run) => ("runs", Some(run.0), None),
        Happened::Memory(memory) => ("contradictions", None, Some(memory.0)),
    };
    write
        .db
        .prepare_cached(
            "INSERT INTO happenings (source, run, memory)
             SELECT id, ?2, ?3 FROM feed_sources
             WHERE watches = ?1 AND is_on = 1 AND removed_ms IS NULL",
        )?
        .execute(params![watches, run, memory])?;
    Ok(())
}

/// The number of the last one; 0 before the first.
pub fn last(read: &Read<'_>) -> Result<i64, StoreError> {
    let last = "SELECT coalesce(max(seq), 0) FROM happenings";
    Ok(read.db.prepare_cached(last)?.query_row([], |row| row.get(0))?)
}

/// Takes out what came after a number: it is no news.
pub fn take_back(write: &mut Write<'_>, after: i64) -> Result<(), StoreError> {
    write.db.prepare_cached("DELETE FROM happenings WHERE seq > ?1")?.execute([after])?;
    Ok(())
}

/// What a source has not told yet with the number of each, the oldest first.
pub fn of_source(
    read: &Read<'_>,
    source: FeedSourceId,
    limit: u32,
) -> Result<Vec<(i64, Happened)>, StoreError> {
    read.list(
        "SELECT seq, run, memory FROM happenings WHERE source = ?1 ORDER BY seq LIMIT ?2",
        params![source.0, limit],
        happened,
    )
}

/// Takes out what stands up to a number.
pub fn told(write: &mut Write<'_>, source: FeedSourceId, upto: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("DELETE FROM happenings WHERE source = ?1 AND seq <= ?2")?
        .execute(params![source.0, upto])?;
    Ok(())
}

fn happened(row: &Row<'_>) -> rusqlite::Result<(i64, Happened)> {
    let run: Option<Uuid> = row.get(1)?;
    let happened = match run {
        Some(run) => Happened::Run(RunId(run)),
        None => Happened::Memory(MemoryId(row.get(2)?)),
    };
    Ok((row.get(0)?, happened))
}
