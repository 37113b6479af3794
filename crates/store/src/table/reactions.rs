//! Reactions to messages, posts and comments: of each kind one from everybody.

use crate::{Read, StoreError, Write, value};
use domain::{GroupId, Message, MessageId, Reaction, Reactions, Record};
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

/// Of all messages of a group, in the order in which they came.
pub fn of_group(read: &Read<'_>, group: GroupId) -> Result<Vec<Reaction>, StoreError> {
    read.list(
        "SELECT item, who, sign FROM reactions JOIN messages ON messages.id = reactions.item
         WHERE messages.group_id = ?1 ORDER BY reactions.at_ms, who, sign",
        [group.0],
        |row| {
            let item = MessageId(row.get(0)?);
            Ok(Reaction { item, who: value::from_participant(row.get(1)?), sign: row.get(2)? })
        },
    )
}

/// Takes all away that were given to this.
pub fn clear(write: &mut Write<'_>, item: MessageId) -> Result<(), StoreError> {
    write.db.prepare_cached("DELETE FROM reactions WHERE item = ?1")?.execute([item.0])?;
    Ok(())
}

/// Everybody who shows the message of a conversation sees all of them as they are now.
pub fn publish(write: &mut Write<'_>, message: &Message) -> Result<(), StoreError> {
    let all = of_item(write, message.id)?;
    let Message { group, id: item, .. } = *message;
    write.saved(Record::Reactions(Reactions { group, item, all }));
    Ok(())
}
