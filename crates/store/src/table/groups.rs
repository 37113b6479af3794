//! Groups.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Caps, Group, GroupId, Record};
use rusqlite::{Row, params};
use uuid::Uuid;

const COLUMNS: &str = "id, name, kind, policy, default_agent, messages_per_post, chain_depth, pair_hops, \
                       runs_per_hour, archived, created_ms, supervisor, problem";

/// All, also the archived, oldest first.
pub fn all(read: &Read<'_>) -> Result<Vec<Group>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM groups ORDER BY rowid"), [], group)
}

/// Those that a budget has stopped.
pub fn stopped(read: &Read<'_>) -> Result<Vec<Group>, StoreError> {
    let stopped = format!("SELECT {COLUMNS} FROM groups WHERE problem IS NOT NULL ORDER BY rowid");
    read.list(&stopped, [], group)
}

/// The names of the groups that live, direct chats and tasks left out, that
/// people may take for this one: in ASCII those that differ in capitals, else
/// all that are not in ASCII either.
pub fn names_like(read: &Read<'_>, name: &str) -> Result<Vec<(GroupId, String)>, StoreError> {
    let live = "SELECT id, name FROM groups WHERE kind = 'group' AND archived = 0";
    let row = |row: &Row<'_>| Ok((GroupId(row.get(0)?), row.get(1)?));
    match name.is_ascii() {
        true => read.list(&format!("{live} AND name = ?1 COLLATE NOCASE"), [name], row),
        false => read.list(&format!("{live} AND name GLOB '*[^ -~]*'"), [], row),
    }
}

pub fn find(read: &Read<'_>, id: GroupId) -> Result<Option<Group>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM groups WHERE id = ?1"), [id.0], group)
}

pub fn get(read: &Read<'_>, id: GroupId) -> Result<Group, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("group {id}")))
}

pub fn put(write: &mut Write<'_>, group: &Group) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO groups ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
             ON CONFLICT (id) DO UPDATE SET name = ?2, kind = ?3, policy = ?4, default_agent = ?5,
                 messages_per_post = ?6, chain_depth = ?7, pair_hops = ?8, runs_per_hour = ?9, archived = ?10, supervisor = ?12,
                 problem = ?13"
        ))?
        .execute(params![
            group.id.0,
            group.name,
            value::word(&group.kind)?,
            value::word(&group.policy)?,
            group.default_agent.map(|agent| agent.0),
            group.caps.messages_per_post,
            group.caps.chain_depth,
            group.caps.pair_hops,
            group.caps.runs_per_hour,
            group.archived,
            group.created_ms,
            group.supervisor.map(|agent| agent.0),
            group.problem.as_ref().map(value::json).transpose()?,
        ])?;
    write.saved(Record::Group(group.clone()));
    Ok(())
}

fn group(row: &Row<'_>) -> rusqlite::Result<Group> {
    let problem: Option<String> = row.get(12)?;
    Ok(Group {
        id: GroupId(row.get(0)?),
        name: row.get(1)?,
        kind: value::from_word(2, &row.get::<_, String>(2)?)?,
        policy: value::from_word(3, &row.get::<_, String>(3)?)?,
        default_agent: row.get::<_, Option<Uuid>>(4)?.map(AgentId),
        caps: Caps {
            messages_per_post: row.get(5)?,
            chain_depth: row.get(6)?,
            pair_hops: row.get(7)?,
            runs_per_hour: row.get(8)?,
        },
        archived: row.get(9)?,
        created_ms: row.get(10)?,
        supervisor: row.get::<_, Option<Uuid>>(11)?.map(AgentId),
        problem: problem.map(|text| value::from_json(12, &text)).transpose()?,
    })
}
