//! Standing permissions.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Grant, GrantId, GroupId, Record, Removed};
use rusqlite::{Row, params};

const COLUMNS: &str =
    "id, agent, group_id, soul, tool, covers, always, schema, at_ms, used_ms, uses";

pub fn put(write: &mut Write<'_>, grant: &Grant) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO grants ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)"
        ))?
        .execute(params![
            grant.id.0,
            grant.agent.0,
            grant.group.0,
            grant.soul,
            grant.tool,
            value::json(&grant.covers)?,
            grant.always,
            grant.schema,
            grant.at_ms,
            grant.used_ms,
            grant.uses,
        ])?;
    write.saved(Record::Grant(grant.clone()));
    Ok(())
}

pub fn remove(write: &mut Write<'_>, id: GrantId) -> Result<(), StoreError> {
    let gone = write.db.prepare_cached("DELETE FROM grants WHERE id = ?1")?.execute([id.0])?;
    if gone == 0 {
        return Err(StoreError::NotFound(format!("grant {id}")));
    }
    write.removed(Removed::Grant { id });
    Ok(())
}

/// In the order in which they were given.
pub fn all(read: &Read<'_>) -> Result<Vec<Grant>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM grants ORDER BY at_ms, id"), [], grant)
}

/// What an agent, or whoever of a soul works for it, may use a tool for in a group.
pub fn of(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    soul: Option<&str>,
    tool: &str,
) -> Result<Vec<Grant>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM grants
                 WHERE agent = ?1 AND group_id = ?2 AND soul IS ?3 AND tool = ?4
                 ORDER BY at_ms, id"
        ),
        params![agent.0, group.0, soul, tool],
        grant,
    )
}

fn grant(row: &Row<'_>) -> rusqlite::Result<Grant> {
    Ok(Grant {
        id: GrantId(row.get(0)?),
        agent: AgentId(row.get(1)?),
        group: GroupId(row.get(2)?),
        soul: row.get(3)?,
        tool: row.get(4)?,
        covers: value::from_json(5, &row.get::<_, String>(5)?)?,
        always: row.get(6)?,
        schema: row.get(7)?,
        at_ms: row.get(8)?,
        used_ms: row.get(9)?,
        uses: row.get(10)?,
    })
}
