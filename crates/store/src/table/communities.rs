//! Communities of the feed.

use crate::{Read, StoreError, Write, value};
use domain::{Community, CommunityId, Record};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, name, rules, members, archived, created_ms";

/// All, also the archived, oldest first.
pub fn all(read: &Read<'_>) -> Result<Vec<Community>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM communities ORDER BY rowid"), [], community)
}

pub fn find(read: &Read<'_>, id: CommunityId) -> Result<Option<Community>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM communities WHERE id = ?1"), [id.0], community)
}

pub fn get(read: &Read<'_>, id: CommunityId) -> Result<Community, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("community {id}")))
}

/// Inserts or replaces; fails when another that is not archived has the name.
pub fn put(write: &mut Write<'_>, community: &Community) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO communities ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (id) DO UPDATE SET name = ?2, rules = ?3, members = ?4, archived = ?5"
        ))?
        .execute(params![
            community.id.0,
            community.name,
            community.rules,
            value::json(&community.members)?,
            community.archived,
            community.created_ms,
        ])
        .map_err(|error| match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::ConstraintViolation) => {
                StoreError::Exists(format!("a community called {}", community.name))
            }
            _ => error.into(),
        })?;
    write.saved(Record::Community(community.clone()));
    Ok(())
}

fn community(row: &Row<'_>) -> rusqlite::Result<Community> {
    Ok(Community {
        id: CommunityId(row.get(0)?),
        name: row.get(1)?,
        rules: row.get(2)?,
        members: value::from_json(3, &row.get::<_, String>(3)?)?,
        archived: row.get(4)?,
        created_ms: row.get(5)?,
    })
}
