//! Which runs read which memories.

use crate::{Read, StoreError, Write};
use domain::{MemoryId, RunId};
use rusqlite::params;

pub fn add(write: &mut Write<'_>, memory: MemoryId, run: RunId) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("INSERT OR IGNORE INTO recalls (memory, run) VALUES (?1, ?2)")?
        .execute(params![memory.0, run.0])?;
    Ok(())
}

/// The newest first.
pub fn of(read: &Read<'_>, memory: MemoryId, limit: u32) -> Result<Vec<RunId>, StoreError> {
    // Ids of runs grow with time.
    read.list(
        "SELECT run FROM recalls WHERE memory = ?1 ORDER BY run DESC LIMIT ?2",
        params![memory.0, limit],
        |row| row.get(0).map(RunId),
    )
}
