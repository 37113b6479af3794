//! What makes a group a post of the feed.

use crate::{Read, StoreError, Write};
use domain::{CommunityId, GroupId, MessageId, Post, Record};
use rusqlite::{Row, params};
use uuid::Uuid;

const COLUMNS: &str = "seq, group_id, community, message, locked, at_ms";

/// A post before it has its place in the order.
#[derive(Debug, Clone, PartialEq)]
pub struct New {
    pub group: GroupId,
    pub community: CommunityId,
    pub message: Option<MessageId>,
    pub at_ms: i64,
}

pub fn add(write: &mut Write<'_>, new: &New) -> Result<Post, StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO posts (group_id, community, message, locked, at_ms)
             VALUES (?1, ?2, ?3, 0, ?4)",
        )?
        .execute(params![new.group.0, new.community.0, new.message.map(|id| id.0), new.at_ms])?;
    let seq = write.db.last_insert_rowid();
    let New { group, community, message, at_ms } = *new;
    let post = Post { seq, group, community, message, locked: false, at_ms };
    write.saved(Record::Post(post.clone()));
    Ok(post)
}

/// Stores what may change of it, and tells everybody to look again.
pub fn update(write: &mut Write<'_>, post: &Post) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE posts SET message = ?2, locked = ?3 WHERE group_id = ?1")?
        .execute(params![post.group.0, post.message.map(|id| id.0), post.locked])?;
    write.saved(Record::Post(post.clone()));
    Ok(())
}

/// The newest `limit` before a post's `seq`, the newest first.
pub fn page(
    read: &Read<'_>,
    community: Option<CommunityId>,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Post>, StoreError> {
    let before = before.unwrap_or(i64::MAX);
    match community {
        Some(community) => read.list(
            &format!(
                "SELECT {COLUMNS} FROM posts WHERE community = ?1 AND seq < ?2
                 ORDER BY seq DESC LIMIT ?3"
            ),
            params![community.0, before, limit],
            post,
        ),
        None => read.list(
            &format!("SELECT {COLUMNS} FROM posts WHERE seq < ?1 ORDER BY seq DESC LIMIT ?2"),
            params![before, limit],
            post,
        ),
    }
}

pub fn find(read: &Read<'_>, group: GroupId) -> Result<Option<Post>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM posts WHERE group_id = ?1"), [group.0], post)
}

pub fn get(read: &Read<'_>, group: GroupId) -> Result<Post, StoreError> {
    find(read, group)?.ok_or_else(|| StoreError::NotFound(format!("post {group}")))
}

fn post(row: &Row<'_>) -> rusqlite::Result<Post> {
    Ok(Post {
        seq: row.get(0)?,
        group: GroupId(row.get(1)?),
        community: CommunityId(row.get(2)?),
        message: row.get::<_, Option<Uuid>>(3)?.map(MessageId),
        locked: row.get(4)?,
        at_ms: row.get(5)?,
    })
}
