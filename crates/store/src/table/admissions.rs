//! Who was given what of the feed: nobody the same item twice. What an agent writes
//! there unasked stands here too, as given to itself: it has one quota for both.

use crate::{Read, StoreError, Write};
use domain::{AgentId, GroupId, MessageId};
use rusqlite::params;

/// Says whether it is new.
pub fn add(
    write: &mut Write<'_>,
    item: MessageId,
    agent: AgentId,
    group: GroupId,
    at_ms: i64,
) -> Result<bool, StoreError> {
    let added = write
        .db
        .prepare_cached(
            "INSERT INTO admissions (item, agent, group_id, at_ms) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT DO NOTHING",
        )?
        .execute(params![item.0, agent.0, group.0, at_ms])?;
    Ok(added > 0)
}

/// It was given the item and is not to answer it now: as if it never had been.
pub fn remove(write: &mut Write<'_>, item: MessageId, agent: AgentId) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("DELETE FROM admissions WHERE item = ?1 AND agent = ?2")?
        .execute(params![item.0, agent.0])?;
    Ok(())
}

/// Whether the agent was given this item.
pub fn has(read: &Read<'_>, item: MessageId, agent: AgentId) -> Result<bool, StoreError> {
    let sql = "SELECT EXISTS (SELECT 1 FROM admissions WHERE item = ?1 AND agent = ?2)";
    Ok(read.db.prepare_cached(sql)?.query_row(params![item.0, agent.0], |row| row.get(0))?)
}

/// How much the agent was given, or wrote unasked, since a moment; nobody counts further
/// than to `most`.
pub fn since(read: &Read<'_>, agent: AgentId, at_ms: i64, most: u32) -> Result<u32, StoreError> {
    let sql = "SELECT count(*) FROM
               (SELECT 1 FROM admissions WHERE agent = ?1 AND at_ms > ?2 LIMIT ?3)";
    Ok(read.db.prepare_cached(sql)?.query_row(params![agent.0, at_ms, most], |row| row.get(0))?)
}

/// When the agent was last given anything, anywhere.
pub fn last(read: &Read<'_>, agent: AgentId) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT max(at_ms) FROM admissions WHERE agent = ?1";
    Ok(read.db.prepare_cached(sql)?.query_row([agent.0], |row| row.get(0))?)
}

/// When each agent was last given anything in this thread; without those who never were.
pub fn last_in(read: &Read<'_>, group: GroupId) -> Result<Vec<(AgentId, i64)>, StoreError> {
    // Whoever was given something sits there or has sat there: so each is found by the
    // index that begins with the agent.
    read.list(
        "SELECT agent, max(at_ms) FROM admissions WHERE group_id = ?1
         AND agent IN (SELECT who FROM members WHERE group_id = ?1) GROUP BY agent",
        [group.0],
        |row| Ok((AgentId(row.get(0)?), row.get(1)?)),
    )
}

/// Who was given this item.
pub fn of_item(read: &Read<'_>, item: MessageId) -> Result<Vec<AgentId>, StoreError> {
    let sql = "SELECT agent FROM admissions WHERE item = ?1";
    read.list(sql, [item.0], |row| Ok(AgentId(row.get(0)?)))
}
