//! What people have written and not said yet, one row a group.

use crate::{Read, StoreError, Write, value};
use domain::{Draft, GroupId, Message, MessageId, Written};
use rusqlite::{Row, params};
use std::collections::HashSet;

const COLUMNS: &str = "group_id, text, attachments, reply_to, unsent";

pub fn all(read: &Read<'_>) -> Result<Vec<Draft>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM drafts ORDER BY rowid"), [], draft)
}

pub fn get(read: &Read<'_>, group: GroupId) -> Result<Draft, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM drafts WHERE group_id = ?1");
    Ok(read.one(&sql, [group.0], draft)?.unwrap_or_else(|| Draft::empty(group)))
}

/// An empty one leaves nothing behind.
pub fn put(write: &mut Write<'_>, draft: &Draft) -> Result<(), StoreError> {
    if draft.is_empty() {
        let mut statement = write.db.prepare_cached("DELETE FROM drafts WHERE group_id = ?1")?;
        statement.execute([draft.group.0])?;
        return Ok(());
    }
    write
        .db
        .prepare_cached(&format!(
            "INSERT INTO drafts ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (group_id) DO UPDATE
                 SET text = ?2, attachments = ?3, reply_to = ?4, unsent = ?5"
        ))?
        .execute(params![
            draft.group.0,
            draft.written.text,
            value::json(&draft.written.attachments)?,
            draft.written.reply_to.map(|message| message.0),
            value::json(&draft.unsent)?,
        ])?;
    Ok(())
}

/// This was said: it waits no longer, and is no longer being written.
pub fn said(write: &mut Write<'_>, said: &Message) -> Result<(), StoreError> {
    let mut draft = get(write, said.group)?;
    let before = draft.clone();
    draft.unsent.retain(|unsent| unsent.id.0 != said.id.0);
    let Written { text, attachments, .. } = &draft.written;
    if said.text() == Some(text.trim()) && said.attachments == *attachments {
        draft.written = Written::default();
    }
    if draft == before { Ok(()) } else { put(write, &draft) }
}

/// The hashes of all that they are to show.
pub fn attached(read: &Read<'_>) -> Result<HashSet<String>, StoreError> {
    let drafts = all(read)?.into_iter();
    let files = drafts.flat_map(|draft| {
        let waiting = draft.unsent.into_iter().flat_map(|unsent| unsent.written.attachments);
        draft.written.attachments.into_iter().chain(waiting)
    });
    Ok(files.map(|attachment| attachment.hash).collect())
}

fn draft(row: &Row<'_>) -> rusqlite::Result<Draft> {
    Ok(Draft {
        group: GroupId(row.get(0)?),
        written: Written {
            text: row.get(1)?,
            attachments: value::from_json(2, &row.get::<_, String>(2)?)?,
            reply_to: row.get::<_, Option<_>>(3)?.map(MessageId),
        },
        unsent: value::from_json(4, &row.get::<_, String>(4)?)?,
    })
}
