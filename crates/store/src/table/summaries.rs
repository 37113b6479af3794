//! Summaries: how much of a conversation an agent still reads word for word,
//! and what stands for the rest. The newest row of an agent in a group holds;
//! earlier ones stay, and so do the messages.

use crate::{Read, StoreError, Write};
use domain::{AgentId, GroupId, RunId};
use rusqlite::{Row, params};

#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub agent: AgentId,
    pub group: GroupId,
    /// The run in which it was made.
    pub run: RunId,
    /// The text stands for what happened up to this `seq`.
    pub told: i64,
    /// Nothing up to this `seq` is read word for word; not before `told`.
    pub upto: i64,
    /// The results of tools used up to this `seq` are read shortened.
    pub shortened: i64,
    /// Whether a model was asked for it.
    pub asked: bool,
    /// Empty while nothing was ever summarised.
    pub text: String,
    pub tokens_before: u32,
    pub tokens_after: u32,
    pub at_ms: i64,
}

const COLUMNS: &str =
    "agent, group_id, run, told, upto, shortened, asked, text, tokens_before, tokens_after, at_ms";

pub fn add(write: &mut Write<'_>, summary: &Summary) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO summaries ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ))?
        .execute(params![
            summary.agent.0,
            summary.group.0,
            summary.run.0,
            summary.told,
            summary.upto,
            summary.shortened,
            summary.asked,
            summary.text,
            summary.tokens_before,
            summary.tokens_after,
            summary.at_ms,
        ])?;
    Ok(())
}

/// Forgets those that stand for something from this `seq` on.
pub fn void_from(write: &mut Write<'_>, group: GroupId, from: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "DELETE FROM summaries WHERE group_id = ?1 AND (upto >= ?2 OR shortened >= ?2)",
        )?
        .execute(params![group.0, from])?;
    Ok(())
}

/// The texts that stand for this `seq` too, among other messages.
pub fn that_tell(read: &Read<'_>, group: GroupId, seq: i64) -> Result<Vec<String>, StoreError> {
    read.list(
        "SELECT DISTINCT text FROM summaries WHERE group_id = ?1 AND told >= ?2 AND text <> ''",
        params![group.0, seq],
        |row| row.get(0),
    )
}

pub fn newest(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Option<Summary>, StoreError> {
    read.one(
        &format!(
            "SELECT {COLUMNS} FROM summaries WHERE agent = ?1 AND group_id = ?2 ORDER BY seq DESC LIMIT 1"
        ),
        params![agent.0, group.0],
        summary,
    )
}

/// The turns that the agent has begun in the group since a model was last
/// asked for a summary, the one that asked not counted; `None` when none ever
/// was.
pub fn turns_since_asked(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Option<u32>, StoreError> {
    let asked = read.one(
        "SELECT r.seq FROM summaries s JOIN runs r ON r.id = s.run
         WHERE s.agent = ?1 AND s.group_id = ?2 AND s.asked = 1 ORDER BY s.seq DESC LIMIT 1",
        params![agent.0, group.0],
        |row| row.get::<_, i64>(0),
    )?;
    let Some(asked) = asked else { return Ok(None) };
    read.one(
        "SELECT count(*) FROM runs WHERE group_id = ?2 AND seq > ?3 AND agent = ?1",
        params![agent.0, group.0, asked],
        |row| row.get(0),
    )
}

fn summary(row: &Row<'_>) -> rusqlite::Result<Summary> {
    Ok(Summary {
        agent: AgentId(row.get(0)?),
        group: GroupId(row.get(1)?),
        run: RunId(row.get(2)?),
        told: row.get(3)?,
        upto: row.get(4)?,
        shortened: row.get(5)?,
        asked: row.get(6)?,
        text: row.get(7)?,
        tokens_before: row.get(8)?,
        tokens_after: row.get(9)?,
        at_ms: row.get(10)?,
    })
}
