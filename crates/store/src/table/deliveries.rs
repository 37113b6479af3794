//! What other programs sent to sources that hear them: told once each, and known again
//! when it is sent again.

use crate::{Read, StoreError, Write};
use domain::FeedSourceId;
use rusqlite::params;

/// How many of a source are known again.
const KNOWN: u32 = 10_000;

/// Keeps it until it is told. Gives whether it is new: one of the same id was there
/// before, told or not.
pub fn add(
    write: &mut Write<'_>,
    source: FeedSourceId,
    delivery: &str,
    text: &str,
    at_ms: i64,
) -> Result<bool, StoreError> {
    let added = write
        .db
        .prepare_cached(
            "INSERT INTO deliveries (source, delivery, at_ms, text) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (source, delivery) DO NOTHING",
        )?
        .execute(params![source.0, delivery, at_ms, text])?;
    Ok(added == 1)
}

/// What is not told yet with the number of each, the oldest first.
pub fn untold(
    read: &Read<'_>,
    source: FeedSourceId,
    limit: u32,
) -> Result<Vec<(i64, String)>, StoreError> {
    read.list(
        "SELECT seq, text FROM deliveries
         WHERE source = ?1 AND text IS NOT NULL ORDER BY seq LIMIT ?2",
        params![source.0, limit],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

/// Takes the words out of what stands up to a number, and forgets what is long past.
pub fn told(write: &mut Write<'_>, source: FeedSourceId, upto: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "UPDATE deliveries SET text = NULL
             WHERE source = ?1 AND seq <= ?2 AND text IS NOT NULL",
        )?
        .execute(params![source.0, upto])?;
    write
        .db
        .prepare_cached(
            "DELETE FROM deliveries WHERE source = ?1 AND text IS NULL AND seq <= (
                 SELECT seq FROM deliveries WHERE source = ?1
                 ORDER BY seq DESC LIMIT 1 OFFSET ?2)",
        )?
        .execute(params![source.0, KNOWN])?;
    Ok(())
}

/// How many came since a moment.
pub fn since(read: &Read<'_>, source: FeedSourceId, since_ms: i64) -> Result<u32, StoreError> {
    let sql = "SELECT count(*) FROM deliveries WHERE source = ?1 AND at_ms > ?2";
    let mut statement = read.db.prepare_cached(sql)?;
    Ok(statement.query_row(params![source.0, since_ms], |row| row.get(0))?)
}
