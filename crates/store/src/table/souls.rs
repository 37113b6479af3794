//! Souls and every version that was ever in force.

use crate::{Read, StoreError, Write, value};
use domain::{Record, Removed, Soul, SoulVersion};
use rusqlite::{Row, params};

const COLUMNS: &str = "name, path, version, hash, file_hash, problem, warnings, updated_ms";
const VERSION_COLUMNS: &str = "soul, version, hash, text, source, at_ms";

pub fn all(read: &Read<'_>) -> Result<Vec<Soul>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM souls ORDER BY name"), [], soul)
}

pub fn get(read: &Read<'_>, name: &str) -> Result<Option<Soul>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM souls WHERE name = ?1"), [name], soul)
}

pub fn put(write: &mut Write<'_>, soul: &Soul) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT OR REPLACE INTO souls ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
        ))?
        .execute(params![
            soul.name,
            soul.path,
            soul.version,
            soul.hash,
            soul.file_hash,
            soul.problem.as_ref().map(value::json).transpose()?,
            value::json(&soul.warnings)?,
            soul.updated_ms,
        ])?;
    write.saved(Record::Soul(soul.clone()));
    Ok(())
}

/// Forgets the record alone: that of one that never was in force, or of a name that no
/// soul has any more.
pub fn remove(write: &mut Write<'_>, name: &str) -> Result<(), StoreError> {
    write.db.prepare_cached("DELETE FROM souls WHERE name = ?1")?.execute([name])?;
    write.removed(Removed::Soul { name: name.to_owned() });
    Ok(())
}

/// All that there is of a soul is another name's from now on; its record goes, and the caller
/// puts the new one.
pub fn rename(write: &mut Write<'_>, from: &str, to: &str) -> Result<(), StoreError> {
    for table in ["soul_versions", "soul_proposals"] {
        write
            .db
            .prepare_cached(&format!("UPDATE {table} SET soul = ?2 WHERE soul = ?1"))?
            .execute([from, to])?;
    }
    remove(write, from)
}

/// Newest first; with empty texts, which are long.
pub fn versions(read: &Read<'_>, name: &str) -> Result<Vec<SoulVersion>, StoreError> {
    read.list(
        "SELECT soul, version, hash, '', source, at_ms FROM soul_versions WHERE soul = ?1 ORDER BY version DESC", [name], version_row)
}

pub fn version(
    read: &Read<'_>,
    name: &str,
    version: i64,
) -> Result<Option<SoulVersion>, StoreError> {
    read.one(
        &format!("SELECT {VERSION_COLUMNS} FROM soul_versions WHERE soul = ?1 AND version = ?2"),
        params![name, version],
        version_row,
    )
}

pub fn add_version(write: &mut Write<'_>, version: &SoulVersion) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO soul_versions ({VERSION_COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"
        ))?
        .execute(params![
            version.soul,
            version.version,
            version.hash,
            version.text,
            value::word(&version.source)?,
            version.at_ms,
        ])?;
    Ok(())
}

fn soul(row: &Row<'_>) -> rusqlite::Result<Soul> {
    let problem: Option<String> = row.get(5)?;
    Ok(Soul {
        name: row.get(0)?,
        path: row.get(1)?,
        version: row.get(2)?,
        hash: row.get(3)?,
        file_hash: row.get(4)?,
        problem: problem.map(|text| value::from_json(5, &text)).transpose()?,
        warnings: value::from_json(6, &row.get::<_, String>(6)?)?,
        updated_ms: row.get(7)?,
    })
}

fn version_row(row: &Row<'_>) -> rusqlite::Result<SoulVersion> {
    Ok(SoulVersion {
        soul: row.get(0)?,
        version: row.get(1)?,
        hash: row.get(2)?,
        text: row.get(3)?,
        source: value::from_word(4, &row.get::<_, String>(4)?)?,
        at_ms: row.get(5)?,
    })
}
