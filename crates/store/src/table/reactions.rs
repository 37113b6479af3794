//! Reactions to posts and comments: of each kind one from everybody.

use crate::{Read, StoreError, Write, value};
use domain::{MessageId, Reaction};
use rusqlite::params;

/// Does nothing where it stands already.
pub fn add(write: &mut Write<'_>, reaction: &Reaction, at_ms: i64) -> Result<(), StoreError> {
    let add = "INSERT INTO reactions (item, who, sign, at_ms) VALUES (?1, ?2, ?3, ?4)
               ON CONFLICT DO NOTHING";
    let who = value::participant(reaction.who);
    write.db.prepare_cached(add)?.execute(params![reaction.item.0, who, reaction.sign, at_ms])?;
    Ok(())
}

pub fn remove(write: &mut Write<'_>, reaction: &Reaction) -> Result<(), StoreError> {
    let remove = "DELETE FROM reactions WHERE item = ?1 AND who = ?2 AND sign = ?3";
    let who = value::participant(reaction.who);
    write.db.prepare_cached(remove)?.execute(params![reaction.item.0, who, reaction.sign])?;
    Ok(())
}

/// In the order in which they came.
pub fn of_item(read: &Read<'_>, item: MessageId) -> Result<Vec<Reaction>, StoreError> {
    read.list(
        "SELECT who, sign FROM reactions WHERE item = ?1 ORDER BY at_ms, who, sign",
        [item.0],
        |row| {
            let who = value::from_participant(row.get(0)?);
            Ok(Reaction { item, who, sign: row.get(1)? })
        },
    )
}
