//! What makes a group a post of the feed.

use crate::value::{self, USER};
use crate::{Read, StoreError, Write};
use domain::{CommunityId, FeedDay, FeedFilter, GroupId, MessageId, Post, Record};
use rusqlite::types::Value;
use rusqlite::{Row, params, params_from_iter};
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

/// The newest `limit` before a post's `seq` that fit, the newest first. Also one with nothing
/// new but what is hidden counts as unread.
pub fn page(
    read: &Read<'_>,
    filter: &FeedFilter,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Post>, StoreError> {
    let mut sql = format!("SELECT {COLUMNS} FROM posts WHERE seq < ?1");
    let mut values = vec![Value::from(before.unwrap_or(i64::MAX)), Value::from(limit)];
    match filter.community {
        Some(community) => {
            values.push(Value::from(community.0.as_bytes().to_vec()));
            sql += " AND community = ?3";
        }
        None => sql += " AND community NOT IN (SELECT id FROM communities WHERE archived)",
    }
    if let Some(author) = filter.author {
        values.push(value::author(author).map_or(Value::Null, Value::Blob));
        sql += &format!(
            " AND EXISTS (SELECT 1 FROM messages
              WHERE id = posts.message AND author IS ?{})",
            values.len()
        );
    }
    if filter.unread {
        sql += &format!(
            " AND EXISTS (SELECT 1 FROM messages AS said LEFT JOIN members AS person
              ON person.group_id = said.group_id AND person.who = {USER}
              WHERE said.group_id = posts.group_id AND said.author <> {USER}
              AND said.seq > coalesce(person.cursor, 0))"
        );
    }
    sql += " ORDER BY seq DESC LIMIT ?2";
    read.list(&sql, params_from_iter(values), post)
}

/// Tells whoever looks at it that something came of it that stands in no row of its own.
pub fn told(write: &mut Write<'_>, group: GroupId) -> Result<(), StoreError> {
    if let Some(post) = find(write, group)? {
        write.saved(Record::Post(post));
    }
    Ok(())
}

pub fn find(read: &Read<'_>, group: GroupId) -> Result<Option<Post>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM posts WHERE group_id = ?1"), [group.0], post)
}

pub fn get(read: &Read<'_>, group: GroupId) -> Result<Post, StoreError> {
    find(read, group)?.ok_or_else(|| StoreError::NotFound(format!("post {group}")))
}

/// What was written since a moment, and what was given out and what not, by day and by
/// whom, oldest first. The workspace's own notes are nobody's.
pub fn activity(
    read: &Read<'_>,
    community: Option<CommunityId>,
    since_ms: i64,
) -> Result<Vec<FeedDay>, StoreError> {
    // What somebody was given and then left counts as given; a ruling may be made again.
    let sql = "
        WITH here AS MATERIALIZED (
            SELECT group_id, message FROM posts WHERE ?1 IS NULL OR community = ?1)
        SELECT date(at_ms / 1000, 'unixepoch') AS day, who,
            sum(what = 'post'), sum(what = 'comment'), sum(what = 'given'), sum(what = 'refused')
        FROM (
            SELECT said.at_ms, said.author AS who,
                CASE WHEN said.id = here.message THEN 'post' ELSE 'comment' END AS what
            FROM here CROSS JOIN messages AS said ON said.group_id = here.group_id
            WHERE said.author IS NOT NULL
            UNION ALL
            SELECT given.at_ms, given.agent, 'given' FROM admissions AS given
            JOIN here USING (group_id) JOIN messages AS said ON said.id = given.item
            WHERE said.author IS NOT given.agent
            UNION ALL
            SELECT min(ruled.at_ms), ruled.agent, 'refused'
            FROM here CROSS JOIN messages AS said ON said.group_id = here.group_id
            CROSS JOIN decisions AS ruled ON ruled.message = said.id
            WHERE ruled.verdict = 'pass' AND NOT EXISTS (
                SELECT 1 FROM admissions WHERE item = said.id AND admissions.agent = ruled.agent)
            GROUP BY ruled.message, ruled.agent)
        WHERE at_ms >= ?2
        GROUP BY day, who ORDER BY day, who";
    read.list(sql, params![community.map(|id| id.0), since_ms], |row| {
        Ok(FeedDay {
            day: row.get(0)?,
            who: value::from_author(row, 1)?,
            posts: row.get(2)?,
            comments: row.get(3)?,
            given: row.get(4)?,
            refused: row.get(5)?,
        })
    })
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
