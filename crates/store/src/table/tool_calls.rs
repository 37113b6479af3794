//! The dispatch ledger: each use of a tool, committed before it begins.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, CallId, CallState, GroupId, RunId, ToolCall};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, run, model_id, tool, arguments, effects, state, result, at_ms, ended_ms";

/// A use that begins, or begins again for another run.
pub fn put(write: &mut Write<'_>, call: &ToolCall) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO tool_calls ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        ))?
        .execute(params![
            call.id.0,
            call.run.0,
            call.model_id,
            call.tool,
            value::json(&call.arguments)?,
            value::word(&call.effects)?,
            value::word(&call.state)?,
            call.result,
            call.at_ms,
            call.ended_ms,
        ])?;
    Ok(())
}

/// How a use ended. Gives false when it never began.
pub fn end(
    write: &mut Write<'_>,
    id: CallId,
    state: CallState,
    result: &str,
    at_ms: i64,
) -> Result<bool, StoreError> {
    let ended = write
        .db
        .prepare_cached(
            "UPDATE tool_calls SET state = ?2, result = ?3, ended_ms = ?4 WHERE id = ?1",
        )?
        .execute(params![id.0, value::word(&state)?, result, at_ms])?;
    Ok(ended == 1)
}

pub fn find(read: &Read<'_>, id: CallId) -> Result<Option<ToolCall>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM tool_calls WHERE id = ?1"), [id.0], tool_call)
}

pub fn of_run(read: &Read<'_>, run: RunId) -> Result<Vec<ToolCall>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM tool_calls WHERE run = ?1 ORDER BY at_ms, rowid"),
        [run.0],
        tool_call,
    )
}

/// Begun by this run, and not heard of since.
pub fn dispatched(read: &Read<'_>, run: RunId) -> Result<Vec<ToolCall>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM tool_calls WHERE run = ?1 AND state = 'dispatched'"),
        [run.0],
        tool_call,
    )
}

/// What earlier runs of the agent in the group had begun when they were cut
/// off.
pub fn left_by(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Vec<ToolCall>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM tool_calls WHERE state = 'dispatched' AND run IN
                 (SELECT id FROM runs WHERE agent = ?1 AND group_id = ?2 AND state <> 'running')"
        ),
        params![agent.0, group.0],
        tool_call,
    )
}

/// The agent's runs in a group that used tools and read further than `after`,
/// each with how far it had read.
pub fn runs_that_used_tools(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    after: i64,
) -> Result<Vec<(RunId, i64)>, StoreError> {
    read.list(
        "SELECT r.id, r.reads_to FROM runs r
         WHERE r.agent = ?1 AND r.group_id = ?2 AND r.reads_to >= ?3 AND r.state <> 'running'
           AND EXISTS (SELECT 1 FROM tool_calls t WHERE t.run = r.id)
         ORDER BY r.seq",
        params![agent.0, group.0, after],
        |row| Ok((RunId(row.get(0)?), row.get(1)?)),
    )
}

fn tool_call(row: &Row<'_>) -> rusqlite::Result<ToolCall> {
    Ok(ToolCall {
        id: CallId(row.get(0)?),
        run: RunId(row.get(1)?),
        model_id: row.get(2)?,
        tool: row.get(3)?,
        arguments: value::from_json(4, &row.get::<_, String>(4)?)?,
        effects: value::from_word(5, &row.get::<_, String>(5)?)?,
        state: value::from_word(6, &row.get::<_, String>(6)?)?,
        result: row.get(7)?,
        at_ms: row.get(8)?,
        ended_ms: row.get(9)?,
    })
}
