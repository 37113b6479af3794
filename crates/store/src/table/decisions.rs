//! Decisions, kept for ever: why somebody spoke, and why nobody did.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Decision, GroupId, MessageId, Reason, Record, RunId, Verdict};
use rusqlite::{Row, params};
use uuid::Uuid;

const COLUMNS: &str = "decisions.seq, decisions.group_id, agent, message, decisions.root, verdict, reason, decisions.run, decisions.at_ms";

/// A decision before it has its place in the order.
#[derive(Debug, Clone, PartialEq)]
pub struct New {
    pub group: GroupId,
    pub agent: AgentId,
    pub message: MessageId,
    pub root: MessageId,
    pub verdict: Verdict,
    pub reason: Reason,
    pub run: Option<RunId>,
    pub at_ms: i64,
}

pub fn add(write: &mut Write<'_>, new: New) -> Result<Decision, StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO decisions (group_id, agent, message, root, verdict, reason, run, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            new.group.0,
            new.agent.0,
            new.message.0,
            new.root.0,
            value::word(&new.verdict)?,
            value::json(&new.reason)?,
            new.run.map(|id| id.0),
            new.at_ms,
        ])?;
    let decision = Decision {
        seq: write.db.last_insert_rowid(),
        group: new.group,
        agent: new.agent,
        message: new.message,
        root: new.root,
        verdict: new.verdict,
        reason: new.reason,
        run: new.run,
        at_ms: new.at_ms,
    };
    write.saved(Record::Decision(decision.clone()));
    Ok(decision)
}

/// Those about the newest messages of a group that are shown, oldest first.
pub fn of_group(read: &Read<'_>, group: GroupId, limit: u32) -> Result<Vec<Decision>, StoreError> {
    let mut statement = read.db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM messages AS said CROSS JOIN decisions ON message = said.id
         WHERE said.group_id = ?1 AND NOT EXISTS (SELECT 1 FROM aside WHERE aside.seq = said.seq)
         ORDER BY said.seq DESC, decisions.seq DESC LIMIT ?2"
    ))?;
    let rows = statement.query_map(params![group.0, limit], decision)?;
    let mut newest: Vec<Decision> = rows.collect::<Result<_, _>>()?;
    newest.reverse();
    Ok(newest)
}

pub fn about(read: &Read<'_>, message: MessageId) -> Result<Vec<Decision>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM decisions WHERE message = ?1 ORDER BY seq"),
        [message.0],
        decision,
    )
}

fn decision(row: &Row<'_>) -> rusqlite::Result<Decision> {
    Ok(Decision {
        seq: row.get(0)?,
        group: GroupId(row.get(1)?),
        agent: AgentId(row.get(2)?),
        message: MessageId(row.get(3)?),
        root: MessageId(row.get(4)?),
        verdict: value::from_word(5, &row.get::<_, String>(5)?)?,
        reason: value::from_json(6, &row.get::<_, String>(6)?)?,
        run: row.get::<_, Option<Uuid>>(7)?.map(RunId),
        at_ms: row.get(8)?,
    })
}
