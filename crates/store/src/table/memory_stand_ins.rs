//! Which memory stands for one that was to be taken in from a file, where it is
//! another one that says the same.

use crate::{Read, StoreError, Write};
use domain::MemoryId;
use rusqlite::params;

pub fn of(read: &Read<'_>, wanted: MemoryId) -> Result<Option<MemoryId>, StoreError> {
    let sql = "SELECT memory FROM memory_stand_ins WHERE wanted = ?1";
    read.one(sql, [wanted.0], |row| row.get(0).map(MemoryId))
}

/// The first that stood for it goes on standing for it.
pub fn put(write: &mut Write<'_>, wanted: MemoryId, memory: MemoryId) -> Result<(), StoreError> {
    let sql =
        "INSERT INTO memory_stand_ins (wanted, memory) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
    write.db.prepare_cached(sql)?.execute(params![wanted.0, memory.0])?;
    Ok(())
}
