//! Agents. Changes of state go through [`put`] together with a row in
//! `transitions`; which changes are legal is `workspace`'s to say.

use crate::{Read, StoreError, Write, value};
use domain::{Agent, AgentId, GroupId, Record};
use rusqlite::{Row, params};
use uuid::Uuid;

const COLUMNS: &str = "id, name, soul, soul_version, role, description, language, avatar, model, state, problem, created_ms, parent";

/// All that are not terminated, oldest first.
pub fn living(read: &Read<'_>) -> Result<Vec<Agent>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM agents WHERE state <> 'terminated' ORDER BY rowid"),
        [],
        agent,
    )
}

/// Everybody, also the terminated, whose words still stand in groups.
pub fn all(read: &Read<'_>) -> Result<Vec<Agent>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM agents ORDER BY rowid"), [], agent)
}

pub fn find(read: &Read<'_>, id: AgentId) -> Result<Option<Agent>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM agents WHERE id = ?1"), [id.0], agent)
}

pub fn get(read: &Read<'_>, id: AgentId) -> Result<Agent, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("agent {id}")))
}

/// The names of the living that people may take for this one: in ASCII those
/// that differ in capitals, else all that are not in ASCII either.
pub fn names_like(read: &Read<'_>, name: &str) -> Result<Vec<(AgentId, String)>, StoreError> {
    let living = "SELECT id, name FROM agents WHERE state <> 'terminated'";
    let row = |row: &Row<'_>| Ok((AgentId(row.get(0)?), row.get(1)?));
    match name.is_ascii() {
        true => read.list(&format!("{living} AND name = ?1"), [name], row),
        false => read.list(&format!("{living} AND name GLOB '*[^ -~]*'"), [], row),
    }
}

pub fn with_soul(read: &Read<'_>, soul: &str) -> Result<Vec<Agent>, StoreError> {
    read.list(
        &format!("SELECT {COLUMNS} FROM agents WHERE soul = ?1 AND state <> 'terminated'"),
        [soul],
        agent,
    )
}

/// Those that an agent delegates to and that are not terminated, oldest first.
pub fn children(read: &Read<'_>, parent: AgentId) -> Result<Vec<Agent>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM agents WHERE parent = ?1 AND state <> 'terminated' ORDER BY rowid"
        ),
        [parent.0],
        agent,
    )
}

/// Members of a group who have stopped for a problem.
pub fn stopped_in(read: &Read<'_>, group: GroupId) -> Result<Vec<Agent>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM agents WHERE state = 'error'
             AND id IN (SELECT who FROM members WHERE group_id = ?1 AND left_ms IS NULL)"
        ),
        [group.0],
        agent,
    )
}

/// Inserts or replaces; fails when another living agent has the name.
pub fn put(write: &mut Write<'_>, agent: &Agent) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO agents ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET name = ?2, soul = ?3, soul_version = ?4, role = ?5, description = ?6,
                 language = ?7, avatar = ?8, model = ?9, state = ?10, problem = ?11"
        ))?
        .execute(params![
            agent.id.0,
            agent.name,
            agent.soul,
            agent.soul_version,
            agent.role,
            agent.description,
            agent.language,
            agent.avatar,
            agent.model,
            value::word(&agent.state)?,
            agent.problem.as_ref().map(value::json).transpose()?,
            agent.created_ms,
            agent.parent.map(|parent| parent.0),
        ])
        .map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => {
                StoreError::Exists(format!("an agent called {}", agent.name))
            }
            _ => error.into(),
        })?;
    write.saved(Record::Agent(agent.clone()));
    Ok(())
}

fn agent(row: &Row<'_>) -> rusqlite::Result<Agent> {
    let problem: Option<String> = row.get(10)?;
    Ok(Agent {
        id: AgentId(row.get(0)?),
        name: row.get(1)?,
        soul: row.get(2)?,
        soul_version: row.get(3)?,
        role: row.get(4)?,
        description: row.get(5)?,
        language: row.get(6)?,
        avatar: row.get(7)?,
        model: row.get(8)?,
        state: value::from_word(9, &row.get::<_, String>(9)?)?,
        problem: problem.map(|text| value::from_json(10, &text)).transpose()?,
        created_ms: row.get(11)?,
        parent: row.get::<_, Option<Uuid>>(12)?.map(AgentId),
    })
}
