//! What was written in the feed and is to be given out: a durable queue.
//!
//! An event is written in the transaction that writes its item, and done in the one
//! that gives it out, so that each is given out once. Who takes one up has it for
//! a while; after that, or when the process has ended, it waits again.

use crate::{Read, StoreError, Write, value};
use domain::{Fault, FeedEvent, FeedEventState, GroupId, MessageId};
use rusqlite::{Row, params};
use std::ops::Range;

const COLUMNS: &str = "seq, item, group_id, state, tries, fault, at_ms";

/// Does nothing for an item that has one.
pub fn add(
    write: &mut Write<'_>,
    item: MessageId,
    group: GroupId,
    at_ms: i64,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO feed_events (item, group_id, state, tries, at_ms)
             VALUES (?1, ?2, 'waiting', 0, ?3) ON CONFLICT DO NOTHING",
        )?
        .execute(params![item.0, group.0, at_ms])?;
    Ok(())
}

/// Takes the oldest that wait and stand behind the first of two and not behind the second,
/// until a moment. The tries are counted before they are made.
pub fn take(
    write: &mut Write<'_>,
    among: Range<i64>,
    now_ms: i64,
    until_ms: i64,
    most: u32,
) -> Result<Vec<FeedEvent>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM feed_events WHERE seq > ?4 AND seq <= ?1 AND state <> 'done'
         AND (state = 'waiting' OR (state = 'taken' AND taken_until_ms <= ?2))
         ORDER BY seq LIMIT ?3"
    );
    let mut taken = write.list(&sql, params![among.end, now_ms, most, among.start], event)?;
    let mut take = write.db.prepare_cached(
        "UPDATE feed_events SET state = 'taken', tries = tries + 1, taken_until_ms = ?2
         WHERE seq = ?1",
    )?;
    for event in &mut taken {
        take.execute(params![event.seq, until_ms])?;
        (event.state, event.tries) = (FeedEventState::Taken, event.tries + 1);
    }
    Ok(taken)
}

/// Stores what became of one.
pub fn put(
    write: &mut Write<'_>,
    seq: i64,
    state: FeedEventState,
    fault: Option<&Fault>,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "UPDATE feed_events SET state = ?2, taken_until_ms = NULL, fault = ?3 WHERE seq = ?1",
        )?
        .execute(params![seq, value::word(&state)?, fault.map(value::json).transpose()?])?;
    Ok(())
}

/// It was taken and nothing was tried: it waits as before.
pub fn leave(write: &mut Write<'_>, event: &FeedEvent) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "UPDATE feed_events SET state = 'waiting', taken_until_ms = NULL, tries = tries - 1
             WHERE seq = ?1 AND state = 'taken' AND tries = ?2",
        )?
        .execute(params![event.seq, event.tries])?;
    Ok(())
}

/// It was given out and somebody is not to answer after all: it waits again, and no try
/// of it counts. Where it waits already, or for a person, it stays as it is.
pub fn wait_again(write: &mut Write<'_>, item: MessageId) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "UPDATE feed_events SET state = 'waiting', tries = 0 WHERE item = ?1 AND state = 'done'",
        )?
        .execute([item.0])?;
    Ok(())
}

/// One that failed too often waits again, with all its tries; says whether it was
/// such a one.
pub fn revive(write: &mut Write<'_>, seq: i64) -> Result<bool, StoreError> {
    let revived = write
        .db
        .prepare_cached(
            "UPDATE feed_events SET state = 'waiting', tries = 0 WHERE seq = ?1 AND state = 'dead'",
        )?
        .execute([seq])?;
    Ok(revived > 0)
}

/// What somebody had who is not there any more waits again.
pub fn release_all(write: &mut Write<'_>) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "UPDATE feed_events SET state = 'waiting', taken_until_ms = NULL
             WHERE state <> 'done' AND state = 'taken'",
        )?
        .execute([])?;
    Ok(())
}

pub fn find(read: &Read<'_>, seq: i64) -> Result<Option<FeedEvent>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM feed_events WHERE seq = ?1"), [seq], event)
}

/// How it stands with an item; `None` where it has no event.
pub fn state_of(read: &Read<'_>, item: MessageId) -> Result<Option<FeedEventState>, StoreError> {
    let found =
        read.one(&format!("SELECT {COLUMNS} FROM feed_events WHERE item = ?1"), [item.0], event)?;
    Ok(found.map(|event| event.state))
}

/// The number of the last one; 0 before the first.
pub fn last(read: &Read<'_>) -> Result<i64, StoreError> {
    let sql = "SELECT coalesce(max(seq), 0) FROM feed_events";
    Ok(read.db.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
}

/// The oldest that waits.
pub fn next_waiting(read: &Read<'_>) -> Result<Option<FeedEvent>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM feed_events WHERE state <> 'done' AND state = 'waiting'
         ORDER BY seq LIMIT 1"
    );
    read.one(&sql, [], event)
}

pub fn count(read: &Read<'_>, state: FeedEventState) -> Result<u32, StoreError> {
    // Few are open, and those have an index.
    let sql = match state {
        FeedEventState::Done => "SELECT count(*) FROM feed_events WHERE state = ?1",
        FeedEventState::Waiting | FeedEventState::Taken | FeedEventState::Dead => {
            "SELECT count(*) FROM feed_events WHERE state <> 'done' AND state = ?1"
        }
    };
    let word = value::word(&state)?;
    Ok(read.db.prepare_cached(sql)?.query_row([word], |row| row.get(0))?)
}

/// Those that failed and wait for another try or for a person, oldest first.
pub fn failed(read: &Read<'_>) -> Result<Vec<FeedEvent>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} FROM feed_events WHERE state <> 'done'
         AND (state = 'dead' OR (state = 'waiting' AND tries > 0 AND fault IS NOT NULL))
         ORDER BY seq"
    );
    read.list(&sql, [], event)
}

fn event(row: &Row<'_>) -> rusqlite::Result<FeedEvent> {
    Ok(FeedEvent {
        seq: row.get(0)?,
        item: MessageId(row.get(1)?),
        group: GroupId(row.get(2)?),
        state: value::from_word(3, &row.get::<_, String>(3)?)?,
        tries: row.get(4)?,
        fault: row
            .get::<_, Option<String>>(5)?
            .map(|fault| value::from_json(5, &fault))
            .transpose()?,
        at_ms: row.get(6)?,
    })
}
