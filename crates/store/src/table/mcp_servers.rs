//! Servers of the Model Context Protocol that a person set up.

use crate::{Read, StoreError, Write, value};
use domain::McpSetup;
use rusqlite::{Row, params};

/// A server, with what was learned of it when it was there last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub setup: McpSetup,
    /// In the words of whoever speaks with it.
    pub known: Option<String>,
}

/// In order of their names.
pub fn all(read: &Read<'_>) -> Result<Vec<Known>, StoreError> {
    read.list("SELECT setup, known FROM mcp_servers ORDER BY name", [], server)
}

pub fn find(read: &Read<'_>, name: &str) -> Result<Option<Known>, StoreError> {
    read.one("SELECT setup, known FROM mcp_servers WHERE name = ?1", [name], server)
}

/// Adds it, or sets it up anew. One that is somewhere else than before is another, of
/// which nothing is known.
pub fn put(write: &mut Write<'_>, setup: &McpSetup) -> Result<(), StoreError> {
    let before = find(write, &setup.name)?.filter(|before| before.setup.place == setup.place);
    let known = before.and_then(|before| before.known);
    write
        .db
        .prepare_cached(
            "INSERT OR REPLACE INTO mcp_servers (name, setup, known) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![setup.name, value::json(setup)?, known])?;
    Ok(())
}

/// Nothing happens where it has been removed meanwhile.
pub fn learn(write: &mut Write<'_>, name: &str, known: &str) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE mcp_servers SET known = ?2 WHERE name = ?1")?
        .execute(params![name, known])?;
    Ok(())
}

pub fn remove(write: &mut Write<'_>, name: &str) -> Result<(), StoreError> {
    let gone =
        write.db.prepare_cached("DELETE FROM mcp_servers WHERE name = ?1")?.execute([name])?;
    if gone == 0 {
        return Err(StoreError::NotFound(format!("MCP server {name}")));
    }
    Ok(())
}

fn server(row: &Row<'_>) -> rusqlite::Result<Known> {
    Ok(Known { setup: value::from_json(0, &row.get::<_, String>(0)?)?, known: row.get(1)? })
}
