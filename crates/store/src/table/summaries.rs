//! Summaries: what stands for the older part of a conversation in an agent's
//! prompt. The newest one of an agent in a group holds; earlier ones stay.

use crate::{Read, StoreError, Write};
use domain::{AgentId, GroupId, RunId};
use rusqlite::params;

#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    pub agent: AgentId,
    pub group: GroupId,
    /// The run in which it was made.
    pub run: RunId,
    /// It stands for the messages up to this `seq`.
    pub upto: i64,
    pub text: String,
    pub tokens_before: u32,
    pub tokens_after: u32,
    pub at_ms: i64,
}

pub fn add(write: &mut Write<'_>, summary: &Summary) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO summaries (agent, group_id, run, upto, text, tokens_before, tokens_after, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            summary.agent.0,
            summary.group.0,
            summary.run.0,
            summary.upto,
            summary.text,
            summary.tokens_before,
            summary.tokens_after,
            summary.at_ms,
        ])?;
    Ok(())
}

pub fn newest(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Option<Summary>, StoreError> {
    read.one(
        "SELECT run, upto, text, tokens_before, tokens_after, at_ms FROM summaries
         WHERE agent = ?1 AND group_id = ?2 ORDER BY seq DESC LIMIT 1",
        params![agent.0, group.0],
        |row| {
            Ok(Summary {
                agent,
                group,
                run: RunId(row.get(0)?),
                upto: row.get(1)?,
                text: row.get(2)?,
                tokens_before: row.get(3)?,
                tokens_after: row.get(4)?,
                at_ms: row.get(5)?,
            })
        },
    )
}
