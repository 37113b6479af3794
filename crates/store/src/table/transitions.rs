//! Every change of an agent's state, with its time and cause.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, AgentState, Transition, TransitionCause};
use rusqlite::{Row, params};

pub fn add(
    write: &mut Write<'_>,
    agent: AgentId,
    from: Option<AgentState>,
    to: AgentState,
    cause: &TransitionCause,
    at_ms: i64,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO agent_transitions (agent, from_state, to_state, cause, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            agent.0,
            from.as_ref().map(value::word).transpose()?,
            value::word(&to)?,
            value::json(cause)?,
            at_ms
        ])?;
    Ok(())
}

/// Newest first.
pub fn newest(read: &Read<'_>, agent: AgentId, limit: u32) -> Result<Vec<Transition>, StoreError> {
    read.list(
        "SELECT seq, agent, from_state, to_state, cause, at_ms FROM agent_transitions
         WHERE agent = ?1 ORDER BY seq DESC LIMIT ?2",
        params![agent.0, limit],
        transition,
    )
}

fn transition(row: &Row<'_>) -> rusqlite::Result<Transition> {
    let from: Option<String> = row.get(2)?;
    Ok(Transition {
        seq: row.get(0)?,
        agent: AgentId(row.get(1)?),
        from: from.map(|word| value::from_word(2, &word)).transpose()?,
        to: value::from_word(3, &row.get::<_, String>(3)?)?,
        cause: value::from_json(4, &row.get::<_, String>(4)?)?,
        at_ms: row.get(5)?,
    })
}
