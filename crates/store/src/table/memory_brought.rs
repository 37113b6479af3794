//! What came with a change of a memory: other memories, each with the version that it had then.

use crate::{Read, StoreError, Write};
use domain::MemoryId;
use rusqlite::params;

/// A memory as one of its changes left it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Version {
    pub memory: MemoryId,
    pub version: u32,
}

/// Notes that one came with the other; once more changes nothing.
pub fn add(write: &mut Write<'_>, with: Version, brought: Version) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT OR IGNORE INTO memory_brought (memory, version, other, other_version)
             VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![with.memory.0, with.version, brought.memory.0, brought.version])?;
    Ok(())
}

/// What came with it.
pub fn with(read: &Read<'_>, with: Version) -> Result<Vec<Version>, StoreError> {
    read.list(
        "SELECT other, other_version FROM memory_brought WHERE memory = ?1 AND version = ?2
         ORDER BY other",
        params![with.memory.0, with.version],
        |row| Ok(Version { memory: MemoryId(row.get(0)?), version: row.get(1)? }),
    )
}
