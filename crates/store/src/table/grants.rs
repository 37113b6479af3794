//! Standing permissions.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Grant, GrantId, GroupId, Record, Removed};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, agent, group_id, tool, covers, always, schema, at_ms, used_ms, uses";

pub fn put(write: &mut Write<'_>, grant: &Grant) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO grants ({COLUMNS})
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)"
        ))?
        .execute(params![
            grant.id.0,
            grant.agent.0,
            grant.group.0,
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

/// What an agent may use a tool for in a group.
pub fn of(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    tool: &str,
) -> Result<Vec<Grant>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM grants WHERE agent = ?1 AND group_id = ?2 AND tool = ?3
                 ORDER BY at_ms, id"
        ),
        params![agent.0, group.0, tool],
        grant,
    )
}

fn grant(row: &Row<'_>) -> rusqlite::Result<Grant> {
    Ok(Grant {
        id: GrantId(row.get(0)?),
        agent: AgentId(row.get(1)?),
        group: GroupId(row.get(2)?),
        tool: row.get(3)?,
        covers: value::from_json(4, &row.get::<_, String>(4)?)?,
        always: row.get(5)?,
        schema: row.get(6)?,
        at_ms: row.get(7)?,
        used_ms: row.get(8)?,
        uses: row.get(9)?,
    })
}
