//! What programs from outside may do.

use crate::{Read, StoreError, Write, value};
use domain::{Author, Pass, PassId, Record};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, rights, at_ms, used_ms, uses, revoked_ms";

/// All, also the revoked, in the order in which they were given.
pub fn all(read: &Read<'_>) -> Result<Vec<Pass>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM passes ORDER BY at_ms, id"), [], pass)
}

pub fn find(read: &Read<'_>, id: PassId) -> Result<Option<Pass>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM passes WHERE id = ?1"), [id.0], pass)
}

pub fn get(read: &Read<'_>, id: PassId) -> Result<Pass, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("pass {id}")))
}

/// What a program is called, also when its pass holds no longer.
pub fn name(read: &Read<'_>, id: PassId) -> Result<String, StoreError> {
    Ok(find(read, id)?.map(|pass| pass.rights.name).unwrap_or_default())
}

/// Inserts or replaces.
pub fn put(write: &mut Write<'_>, pass: &Pass) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO passes (id, name, rights, at_ms, used_ms, uses, revoked_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (id) DO UPDATE
                 SET name = ?2, rights = ?3, used_ms = ?5, uses = ?6, revoked_ms = ?7",
        )?
        .execute(params![
            pass.id.0,
            pass.rights.name,
            value::json(&pass.rights)?,
            pass.at_ms,
            pass.used_ms,
            pass.uses,
            pass.revoked_ms,
        ])?;
    write.saved(Record::Pass(pass.clone()));
    Ok(())
}

/// How much the program has said since then, everywhere.
pub fn said_since(read: &Read<'_>, id: PassId, since_ms: i64) -> Result<u32, StoreError> {
    let mut statement = read.db.prepare_cached(
        "SELECT count(*) FROM messages
         WHERE length(author) = 17 AND author = ?1 AND at_ms > ?2",
    )?;
    let author = value::author(Author::Outside(id));
    Ok(statement.query_row(params![author, since_ms], |row| row.get(0))?)
}

fn pass(row: &Row<'_>) -> rusqlite::Result<Pass> {
    Ok(Pass {
        id: PassId(row.get(0)?),
        rights: value::from_json(1, &row.get::<_, String>(1)?)?,
        at_ms: row.get(2)?,
        used_ms: row.get(3)?,
        uses: row.get(4)?,
        revoked_ms: row.get(5)?,
    })
}
