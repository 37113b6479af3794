//! What a person did to keep order in a thread, kept for ever.

use crate::{Read, StoreError, Write, value};
use domain::{GroupId, MessageId, Moderated, Moderation};
use rusqlite::params;
use std::collections::HashSet;

pub fn add(write: &mut Write<'_>, group: GroupId, moderated: &Moderated) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO moderations (group_id, item, how, why, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![
            group.0,
            moderated.item.0,
            value::word(&moderated.how)?,
            moderated.why,
            moderated.at_ms
        ])?;
    Ok(())
}

/// Oldest first.
pub fn of_group(read: &Read<'_>, group: GroupId) -> Result<Vec<Moderated>, StoreError> {
    read.list(
        "SELECT item, how, why, at_ms FROM moderations WHERE group_id = ?1 ORDER BY seq",
        [group.0],
        |row| {
            Ok(Moderated {
                item: MessageId(row.get(0)?),
                how: value::from_word(1, &row.get::<_, String>(1)?)?,
                why: row.get(2)?,
                at_ms: row.get(3)?,
            })
        },
    )
}

/// What is out of sight in a thread.
pub fn hidden(read: &Read<'_>, group: GroupId) -> Result<HashSet<MessageId>, StoreError> {
    let mut hidden = HashSet::new();
    for Moderated { item, how, .. } in of_group(read, group)? {
        match how {
            Moderation::Hide => drop(hidden.insert(item)),
            Moderation::Show => drop(hidden.remove(&item)),
            Moderation::Lock | Moderation::Unlock | Moderation::Remove => {}
        }
    }
    Ok(hidden)
}
