//! Questions about risky uses of tools, one a use.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Approval, ApprovalState, CallId, GroupId, Record, RunId};
use rusqlite::{Row, params};

const COLUMNS: &str = "call, run, agent, group_id, tool, arguments, target, alike, binding, state, asked_ms, expires_ms, answered_ms";

/// Asks, or changes what was asked about the same use.
pub fn put(write: &mut Write<'_>, approval: &Approval) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO approvals ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
        ))?
        .execute(params![
            approval.call.0,
            approval.run.0,
            approval.agent.0,
            approval.group.0,
            approval.tool,
            value::json(&approval.arguments)?,
            approval.target,
            approval.like,
            approval.binding,
            value::word(&approval.state)?,
            approval.asked_ms,
            approval.expires_ms,
            approval.answered_ms,
        ])?;
    write.saved(Record::Approval(approval.clone()));
    Ok(())
}

pub fn find(read: &Read<'_>, call: CallId) -> Result<Option<Approval>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM approvals WHERE call = ?1"), [call.0], approval)
}

/// What waits for an answer, oldest first.
pub fn waiting(read: &Read<'_>) -> Result<Vec<Approval>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM approvals WHERE state = 'waiting' ORDER BY asked_ms, call"),
        [],
        approval,
    )
}

/// The newest first.
pub fn newest(read: &Read<'_>, limit: u32) -> Result<Vec<Approval>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM approvals ORDER BY asked_ms DESC, call DESC LIMIT ?1"),
        [limit],
        approval,
    )
}

/// What an agent asked and was answered at that moment.
pub fn answered_at(
    read: &Read<'_>,
    agent: AgentId,
    at_ms: i64,
) -> Result<Vec<Approval>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM approvals WHERE agent = ?1 AND answered_ms = ?2
                 ORDER BY asked_ms, call"
        ),
        params![agent.0, at_ms],
        approval,
    )
}

/// Questions about uses of the agent that have not begun, wherever they were
/// asked or in one group.
pub fn open_of(
    read: &Read<'_>,
    agent: AgentId,
    group: Option<GroupId>,
) -> Result<Vec<Approval>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM approvals WHERE state IN ('waiting', 'allowed', 'covered') AND agent = ?1
                 AND (?2 IS NULL OR group_id = ?2) ORDER BY asked_ms, call"
        ),
        params![agent.0, group.map(|group| group.0)],
        approval,
    )
}

fn approval(row: &Row<'_>) -> rusqlite::Result<Approval> {
    Ok(Approval {
        call: CallId(row.get(0)?),
        run: RunId(row.get(1)?),
        agent: AgentId(row.get(2)?),
        group: GroupId(row.get(3)?),
        tool: row.get(4)?,
        arguments: value::from_json(5, &row.get::<_, String>(5)?)?,
        target: row.get(6)?,
        like: row.get(7)?,
        binding: row.get(8)?,
        state: value::from_word::<ApprovalState>(9, &row.get::<_, String>(9)?)?,
        asked_ms: row.get(10)?,
        expires_ms: row.get(11)?,
        answered_ms: row.get(12)?,
    })
}
