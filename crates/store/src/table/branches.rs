//! Which messages of a group are shown, and what each of them follows.
//!
//! The messages of a group are a tree. Most stand behind the one before them in
//! `seq`; only those that don't have a row. What stands in another branch than the
//! shown one is aside.

use crate::{Read, StoreError, Write};
use domain::{GroupId, MessageId, Record, RunId};
use rusqlite::params;
use std::collections::HashSet;

/// A place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub seq: i64,
    pub id: MessageId,
    /// The `seq` of what it follows; 0 where it is the first.
    pub follows: i64,
}

/// Every message of the group, oldest first; nothing where it has one branch.
pub fn tree(read: &Read<'_>, group: GroupId) -> Result<Vec<Place>, StoreError> {
    if !has_any(read, group)? {
        return Ok(Vec::new());
    }
    let rows = read.list(
        "SELECT messages.seq, id, follows FROM messages
         LEFT JOIN branches ON branches.seq = messages.seq
         WHERE messages.group_id = ?1 ORDER BY messages.seq",
        [group.0],
        |row| Ok((row.get(0)?, MessageId(row.get(1)?), row.get::<_, Option<i64>>(2)?)),
    )?;
    let mut before = 0;
    let place = |(seq, id, follows): (i64, MessageId, Option<i64>)| {
        let follows = follows.unwrap_or(before);
        before = seq;
        Place { seq, id, follows }
    };
    Ok(rows.into_iter().map(place).collect())
}

fn has_any(read: &Read<'_>, group: GroupId) -> Result<bool, StoreError> {
    let any = "SELECT 1 FROM branches WHERE group_id = ?1 UNION ALL
               SELECT 1 FROM aside WHERE group_id = ?1 LIMIT 1";
    Ok(read.one(any, [group.0], |row| row.get::<_, i64>(0))?.is_some())
}

/// Whether anything of the group is aside.
pub fn any_aside(read: &Read<'_>, group: GroupId) -> Result<bool, StoreError> {
    let any = "SELECT 1 FROM aside WHERE group_id = ?1 LIMIT 1";
    Ok(read.one(any, [group.0], |row| row.get::<_, i64>(0))?.is_some())
}

pub fn aside(read: &Read<'_>, group: GroupId) -> Result<HashSet<i64>, StoreError> {
    let aside = read.list("SELECT seq FROM aside WHERE group_id = ?1", [group.0], |row| row.get(0));
    Ok(aside?.into_iter().collect())
}

/// The runs that wrote what is aside, or were woken by it.
pub fn runs_aside(read: &Read<'_>, group: GroupId) -> Result<HashSet<RunId>, StoreError> {
    // Whom it woke is looked for among all that anybody was ever woken by.
    if !any_aside(read, group)? {
        return Ok(HashSet::new());
    }
    let runs = read.list(
        "SELECT run FROM messages JOIN aside ON aside.seq = messages.seq
         WHERE aside.group_id = ?1 AND run IS NOT NULL
         UNION SELECT done_by FROM wakes JOIN aside ON aside.seq = message_seq
         WHERE aside.group_id = ?1 AND done_by IS NOT NULL",
        [group.0],
        |row| Ok(RunId(row.get(0)?)),
    );
    Ok(runs?.into_iter().collect())
}

/// Puts aside whatever is shown from this `seq` on.
pub fn set_aside_from(write: &mut Write<'_>, group: GroupId, from: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT OR IGNORE INTO aside (seq, group_id)
             SELECT seq, group_id FROM messages WHERE group_id = ?1 AND seq >= ?2",
        )?
        .execute(params![group.0, from])?;
    write.saved(Record::Branch(group));
    Ok(())
}

/// Shows all messages of the group but these.
pub fn show_all_but(
    write: &mut Write<'_>,
    group: GroupId,
    aside: &HashSet<i64>,
) -> Result<(), StoreError> {
    write.db.prepare_cached("DELETE FROM aside WHERE group_id = ?1")?.execute([group.0])?;
    let mut add = write.db.prepare_cached("INSERT INTO aside (seq, group_id) VALUES (?1, ?2)")?;
    for seq in aside {
        add.execute(params![seq, group.0])?;
    }
    drop(add);
    write.saved(Record::Branch(group));
    Ok(())
}

/// The messages of the group that follow another one than the one before them, each with
/// the `seq` of what it follows.
pub fn forks(read: &Read<'_>, group: GroupId) -> Result<Vec<(i64, i64)>, StoreError> {
    let sql = "SELECT seq, follows FROM branches WHERE group_id = ?1 ORDER BY seq";
    read.list(sql, [group.0], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Has the messages of a group from this `seq` on, which are new, make these forks.
pub fn lay(
    write: &mut Write<'_>,
    group: GroupId,
    from: i64,
    forks: &[(i64, i64)],
) -> Result<(), StoreError> {
    let grown = "DELETE FROM branches WHERE group_id = ?1 AND seq >= ?2";
    write.db.prepare_cached(grown)?.execute(params![group.0, from])?;
    let fork = "INSERT INTO branches (seq, group_id, follows) VALUES (?1, ?2, ?3)";
    for (seq, follows) in forks {
        write.db.prepare_cached(fork)?.execute(params![seq, group.0, follows])?;
    }
    write.saved(Record::Branch(group));
    Ok(())
}

/// Writes down what a new message follows, where that is not the one before it.
pub(super) fn grow(write: &mut Write<'_>, group: GroupId, seq: i64) -> Result<(), StoreError> {
    if !any_aside(write, group)? {
        return Ok(());
    }
    let before = "SELECT coalesce(max(seq), 0) FROM messages WHERE group_id = ?1 AND seq < ?2";
    let shown = format!("{before} AND seq NOT IN (SELECT seq FROM aside WHERE group_id = ?1)");
    let newest = |sql: &str| {
        write.db.prepare_cached(sql)?.query_row(params![group.0, seq], |row| row.get::<_, i64>(0))
    };
    let (before, follows) = (newest(before)?, newest(&shown)?);
    if before != follows {
        write
            .db
            .prepare_cached("INSERT INTO branches (seq, group_id, follows) VALUES (?1, ?2, ?3)")?
            .execute(params![seq, group.0, follows])?;
    }
    Ok(())
}
