//! The outbox: what the index for searching everywhere has yet to read, in the
//! order in which it came.
//!
//! Nothing is ever taken out of it, so that an index which is lost is filled
//! again from the first line on.

use crate::{Read, StoreError, Write};
use rusqlite::{Row, params};

/// Something to be read, or read again, by its `seq`. What is not there any more
/// leaves the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Text {
    Message(i64),
    Run(i64),
}

pub fn add(write: &mut Write<'_>, text: Text) -> Result<(), StoreError> {
    let (message, run) = match text {
        Text::Message(seq) => (Some(seq), None),
        Text::Run(seq) => (None, Some(seq)),
    };
    write
        .db
        .prepare_cached("INSERT INTO outbox (message, run) VALUES (?1, ?2)")?
        .execute(params![message, run])?;
    Ok(())
}

/// What came after a line, each with its own line, the oldest first.
pub fn since(read: &Read<'_>, line: u64, limit: u32) -> Result<Vec<(u64, Text)>, StoreError> {
    let lines = read.list(
        "SELECT seq, message, run FROM outbox WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        params![line as i64, limit],
        text,
    )?;
    Ok(lines)
}

/// The number of the last line; 0 before the first.
pub fn last(read: &Read<'_>) -> Result<u64, StoreError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM outbox";
    let last: i64 = read.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
    Ok(last as u64)
}

fn text(row: &Row<'_>) -> rusqlite::Result<(u64, Text)> {
    let line: i64 = row.get(0)?;
    let message: Option<i64> = row.get(1)?;
    let text = match message {
        Some(seq) => Text::Message(seq),
        None => Text::Run(row.get(2)?),
    };
    Ok((line as u64, text))
}
