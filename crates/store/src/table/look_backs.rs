//! How far a model has looked back at each group for what is worth remembering.

use crate::{Read, StoreError, Write};
use domain::GroupId;
use rusqlite::params;

/// The last message that was looked at; 0 before the first look.
pub fn upto(read: &Read<'_>, group: GroupId) -> Result<i64, StoreError> {
    let upto = "SELECT upto FROM look_backs WHERE group_id = ?1";
    Ok(read.one(upto, [group.0], |row| row.get(0))?.unwrap_or(0))
}

pub fn put(write: &mut Write<'_>, group: GroupId, upto: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO look_backs (group_id, upto) VALUES (?1, ?2)
             ON CONFLICT DO UPDATE SET upto = ?2",
        )?
        .execute(params![group.0, upto])?;
    Ok(())
}
