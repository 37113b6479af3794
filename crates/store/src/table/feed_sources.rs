//! Sources: what is told in the feed by itself.

use crate::{Read, StoreError, Write, value};
use domain::{Author, FeedSource, FeedSourceId, Record, Watches};
use rusqlite::{Row, params};

const COLUMNS: &str = "id, plan, is_on, posts, posted_ms, created_ms, removed_ms";

/// All, also the removed, in the order in which they were made.
pub fn all(read: &Read<'_>) -> Result<Vec<FeedSource>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM feed_sources ORDER BY created_ms, id");
    read.list(&sql, [], source)
}

pub fn find(read: &Read<'_>, id: FeedSourceId) -> Result<Option<FeedSource>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM feed_sources WHERE id = ?1"), [id.0], source)
}

pub fn get(read: &Read<'_>, id: FeedSourceId) -> Result<FeedSource, StoreError> {
    find(read, id)?.ok_or_else(|| StoreError::NotFound(format!("source {id}")))
}

/// What it is called, also when it was removed.
pub fn name(read: &Read<'_>, id: FeedSourceId) -> Result<String, StoreError> {
    Ok(find(read, id)?.map(|source| source.plan.name).unwrap_or_default())
}

/// Inserts or replaces; what it has seen stays.
pub fn put(write: &mut Write<'_>, source: &FeedSource) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO feed_sources
                 (id, name, watches, plan, is_on, posts, posted_ms, created_ms, removed_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
             ON CONFLICT (id) DO UPDATE
             SET is_on = ?5, posts = ?6, posted_ms = ?7, removed_ms = ?9",
        )?
        .execute(params![
            source.id.0,
            source.plan.name,
            kind(&source.plan.watches),
            value::json(&source.plan)?,
            source.on,
            source.posts,
            source.posted_ms,
            source.created_ms,
            source.removed_ms,
        ])?;
    write.saved(Record::Source(source.clone()));
    Ok(())
}

fn kind(watches: &Watches) -> &'static str {
    match watches {
        Watches::Files { .. } => "files",
        Watches::Runs { .. } => "runs",
        Watches::Contradictions => "contradictions",
        Watches::Hook => "hook",
    }
}

/// What was in its folder at the last look, and when that was; `None` before the first.
pub fn seen(read: &Read<'_>, id: FeedSourceId) -> Result<Option<(String, i64)>, StoreError> {
    let sql = "SELECT seen, seen_ms FROM feed_sources WHERE id = ?1 AND seen IS NOT NULL";
    read.one(sql, [id.0], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Keeps what was in its folder and when; or forgets it.
pub fn put_seen(
    write: &mut Write<'_>,
    id: FeedSourceId,
    seen: Option<(&str, i64)>,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE feed_sources SET seen = ?2, seen_ms = ?3 WHERE id = ?1")?
        .execute(params![id.0, seen.map(|seen| seen.0), seen.map(|seen| seen.1)])?;
    Ok(())
}

/// When it wrote its posts since a moment, the oldest first.
pub fn posted_since(
    read: &Read<'_>,
    id: FeedSourceId,
    since_ms: i64,
) -> Result<Vec<i64>, StoreError> {
    read.list(
        "SELECT at_ms FROM messages
         WHERE length(author) = 17 AND author = ?1 AND at_ms > ?2 ORDER BY at_ms",
        params![value::author(Author::Source(id)), since_ms],
        |row| row.get(0),
    )
}

/// How deep the deepest turn is that goes back to a post of the source and was still
/// going on at a moment, or has begun since; of the newest turns.
pub fn depth_of_its_turns(
    read: &Read<'_>,
    id: FeedSourceId,
    since_ms: i64,
) -> Result<Option<u32>, StoreError> {
    let sql = "SELECT max(newest.depth)
               FROM (SELECT root, depth, ended_ms FROM runs ORDER BY seq DESC LIMIT 500) AS newest
               JOIN messages ON messages.id = newest.root
               WHERE messages.author = ?1
               AND (newest.ended_ms IS NULL OR newest.ended_ms >= ?2)";
    let author = value::author(Author::Source(id));
    Ok(read.db.prepare_cached(sql)?.query_row(params![author, since_ms], |row| row.get(0))?)
}

fn source(row: &Row<'_>) -> rusqlite::Result<FeedSource> {
    Ok(FeedSource {
        id: FeedSourceId(row.get(0)?),
        plan: value::from_json(1, &row.get::<_, String>(1)?)?,
        on: row.get(2)?,
        posts: row.get(3)?,
        posted_ms: row.get(4)?,
        created_ms: row.get(5)?,
        removed_ms: row.get(6)?,
    })
}
