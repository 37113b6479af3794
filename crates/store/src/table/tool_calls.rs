//! The dispatch ledger: each use of a tool, committed before it begins.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, CallId, CallState, GroupId, RunId, ToolCall};
use rusqlite::{Row, params};
use uuid::Uuid;

const COLUMNS: &str = "id, run, model_id, tool, arguments, effects, state, result, at_ms, ended_ms";

/// A use that begins. It stays with the run that began it, whichever goes on
/// with it.
pub fn add(write: &mut Write<'_>, call: &ToolCall) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO tool_calls ({COLUMNS})
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

/// Every use of these two.
pub fn of_tools(read: &Read<'_>, tools: [&str; 2]) -> Result<Vec<ToolCall>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM tool_calls WHERE tool IN (?1, ?2)"), tools, tool_call)
}

/// Puts other words in the place of what it was used with and what it gave.
pub fn rewrite(write: &mut Write<'_>, call: &ToolCall) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE tool_calls SET arguments = ?2, result = ?3 WHERE id = ?1")?
        .execute(params![call.id.0, value::json(&call.arguments)?, call.result])?;
    Ok(())
}

/// The results that may name pictures.
pub fn with_pictures(read: &Read<'_>) -> Result<Vec<String>, StoreError> {
    read.list("SELECT result FROM tool_calls WHERE instr(result, '[picture: ') > 0", [], |row| {
        row.get(0)
    })
}

/// Begun by this run, and not heard of since.
pub fn dispatched(read: &Read<'_>, run: RunId) -> Result<Vec<ToolCall>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM tool_calls WHERE run = ?1 AND state = 'dispatched'"),
        [run.0],
        tool_call,
    )
}

/// Few are open at any time, and an agent has more runs every day: they are looked for
/// from the former.
const OPEN: &str = "tool_calls INDEXED BY tool_calls_open WHERE state = 'dispatched'";

/// What runs of the agent in the group have begun and not ended.
pub fn left_by(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Vec<ToolCall>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM {OPEN} AND EXISTS
                 (SELECT 1 FROM runs WHERE runs.id = run AND agent = ?1 AND group_id = ?2)"
        ),
        params![agent.0, group.0],
        tool_call,
    )
}

/// What runs of the agent have begun and not ended, wherever they were.
pub fn open_of(read: &Read<'_>, agent: AgentId) -> Result<Vec<ToolCall>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM {OPEN} AND EXISTS
                 (SELECT 1 FROM runs WHERE runs.id = run AND agent = ?1)"
        ),
        [agent.0],
        tool_call,
    )
}

/// A run that wanted to use tools, or went on with one that did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Used {
    pub id: RunId,
    pub resumes: Option<RunId>,
    pub reads_to: i64,
}

/// The agent's runs in a group that wanted to use tools and read further than
/// `after`, and those that went on with others. What was refused or left before
/// it began is told by the steps alone: the ledger knows nothing of it.
pub fn runs_that_used_tools(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    after: i64,
) -> Result<Vec<Used>, StoreError> {
    read.list(
        r#"SELECT r.id, r.resumes, r.reads_to FROM runs r
         WHERE r.agent = ?1 AND r.group_id = ?2 AND r.reads_to >= ?3 AND r.state <> 'running'
           AND (r.resumes IS NOT NULL
                OR EXISTS (SELECT 1 FROM tool_calls t WHERE t.run = r.id)
                OR EXISTS (SELECT 1 FROM steps s WHERE s.run = r.id
                           AND s.kind LIKE '{"step":"tool_proposed",%'))
         ORDER BY r.seq"#,
        params![agent.0, group.0, after],
        |row| {
            let resumes = row.get::<_, Option<Uuid>>(1)?.map(RunId);
            Ok(Used { id: RunId(row.get(0)?), resumes, reads_to: row.get(2)? })
        },
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
