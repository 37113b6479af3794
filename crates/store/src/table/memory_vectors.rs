//! The vectors of memories, with the model that made them: little-endian
//! 32-bit floats.

use crate::{Read, StoreError, Write};
use domain::MemoryId;
use rusqlite::params;

/// Keeps a vector, unless its memory has changed or gone since it was made of
/// these words.
pub fn put(
    write: &mut Write<'_>,
    key: u64,
    version: u32,
    model: &str,
    vector: &[u8],
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT OR REPLACE INTO memory_vectors (memory, model, vector)
             SELECT key, ?3, ?4 FROM memories WHERE key = ?1 AND version = ?2",
        )?
        .execute(params![key as i64, version, model, vector])?;
    Ok(())
}

pub fn find(read: &Read<'_>, key: u64, model: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read.one(
        "SELECT vector FROM memory_vectors WHERE memory = ?1 AND model = ?2",
        params![key as i64, model],
        |row| row.get(0),
    )
}

pub fn of(read: &Read<'_>, memory: MemoryId, model: &str) -> Result<Option<Vec<u8>>, StoreError> {
    read.one(
        "SELECT vector FROM memory_vectors
         WHERE memory = (SELECT key FROM memories WHERE id = ?1) AND model = ?2",
        params![memory.0, model],
        |row| row.get(0),
    )
}

/// Removes those of all models but these.
pub fn keep_those_of(write: &mut Write<'_>, models: [&str; 2]) -> Result<(), StoreError> {
    let remove = "DELETE FROM memory_vectors WHERE model NOT IN (?1, ?2)";
    write.db.prepare_cached(remove)?.execute(models)?;
    Ok(())
}

/// For words that have changed, or are forgotten.
pub fn remove(write: &mut Write<'_>, memory: MemoryId) -> Result<(), StoreError> {
    let remove =
        "DELETE FROM memory_vectors WHERE memory = (SELECT key FROM memories WHERE id = ?1)";
    write.db.prepare_cached(remove)?.execute([memory.0])?;
    Ok(())
}
