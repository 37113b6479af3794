//! Models in whose place others answer until a person puts something right, as far as
//! groups were told.

use crate::{Read, StoreError, Write};
use domain::AgentId;
use rusqlite::params;

/// Whose model, and which.
pub fn all(read: &Read<'_>) -> Result<Vec<(AgentId, String)>, StoreError> {
    let sql = "SELECT agent, model FROM stood_in";
    read.list(sql, [], |row| Ok((AgentId(row.get(0)?), row.get(1)?)))
}

pub fn add(write: &mut Write<'_>, agent: AgentId, model: &str) -> Result<(), StoreError> {
    let sql = "INSERT INTO stood_in (agent, model) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    write.db.prepare_cached(sql)?.execute(params![agent.0, model])?;
    Ok(())
}

pub fn remove(write: &mut Write<'_>, agent: AgentId, model: &str) -> Result<(), StoreError> {
    let sql = "DELETE FROM stood_in WHERE agent = ?1 AND model = ?2";
    write.db.prepare_cached(sql)?.execute(params![agent.0, model])?;
    Ok(())
}
