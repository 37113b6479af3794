//! How each memory came to be as it is: one row for each change.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Memory, MemoryChange, MemoryId, MemoryVersion};
use rusqlite::params;

pub(super) fn add(
    write: &mut Write<'_>,
    memory: &Memory,
    change: MemoryChange,
    by: Option<AgentId>,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO memory_versions (memory, version, at_ms, change, by, as_it_was)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            memory.id.0,
            memory.version,
            memory.changed_at_ms,
            value::word(&change)?,
            by.map(|agent| agent.0),
            value::json(memory)?,
        ])?;
    Ok(())
}

/// The first version first.
pub fn of(read: &Read<'_>, memory: MemoryId) -> Result<Vec<MemoryVersion>, StoreError> {
    read.list(
        "SELECT version, at_ms, change, by, as_it_was FROM memory_versions WHERE memory = ?1 ORDER BY version",
        [memory.0],
        |row| {
            let memory: Option<String> = row.get(4)?;
            Ok(MemoryVersion {
                version: row.get(0)?,
                at_ms: row.get(1)?,
                change: value::from_word(2, &row.get::<_, String>(2)?)?,
                by: row.get::<_, Option<uuid::Uuid>>(3)?.map(AgentId),
                memory: memory.map(|text| value::from_json(4, &text)).transpose()?,
            })
        },
    )
}

/// When a person last said it: added it, repeated it, or put it into other words, as far as
/// that has not been taken back. `None` where none of the last changes is one of these.
pub fn last_said(read: &Read<'_>, memory: MemoryId) -> Result<Option<i64>, StoreError> {
    let last: Vec<(MemoryChange, i64, Option<String>, bool)> = read.list(
        "SELECT change, at_ms, json_extract(as_it_was, '$.text'), by IS NULL FROM memory_versions
         WHERE memory = ?1 ORDER BY version DESC LIMIT 50",
        [memory.0],
        |row| {
            let change = value::from_word(0, &row.get::<_, String>(0)?)?;
            Ok((change, row.get(1)?, row.get(2)?, row.get(3)?))
        },
    )?;
    let mut undone = 0_u32;
    for (nth, (change, at_ms, text, is_of_person)) in last.iter().enumerate() {
        if *change == MemoryChange::Undone {
            undone += 1;
            continue;
        }
        if undone > 0 {
            undone -= 1;
            continue;
        }
        let before = last.get(nth + 1).and_then(|(_, _, before, _)| before.as_ref());
        let is_said = match change {
            MemoryChange::Added | MemoryChange::Repeated => true,
            MemoryChange::Edited | MemoryChange::Merged => text.as_ref() != before,
            MemoryChange::Superseded
            | MemoryChange::Contested
            | MemoryChange::Settled
            | MemoryChange::Wrong
            | MemoryChange::Outdated
            | MemoryChange::Pinned
            | MemoryChange::Unpinned
            | MemoryChange::Forgotten
            | MemoryChange::Undone => false,
        };
        if is_said && *is_of_person {
            return Ok(Some(*at_ms));
        }
    }
    Ok(None)
}

/// Changes what a version was, where something of it is forgotten.
pub fn rewrite(write: &mut Write<'_>, version: u32, memory: &Memory) -> Result<(), StoreError> {
    let rewrite = "UPDATE memory_versions SET as_it_was = ?3 WHERE memory = ?1 AND version = ?2";
    write.db.prepare_cached(rewrite)?.execute(params![
        memory.id.0,
        version,
        value::json(memory)?
    ])?;
    Ok(())
}

/// Takes the words of all versions away. That there were these changes stays.
pub fn forget(write: &mut Write<'_>, memory: MemoryId) -> Result<(), StoreError> {
    let forget = "UPDATE memory_versions SET as_it_was = NULL WHERE memory = ?1";
    write.db.prepare_cached(forget)?.execute([memory.0])?;
    Ok(())
}
