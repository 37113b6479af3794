//! Wakes: work that waits for an agent's loop.
//!
//! Open means not done. A wake is claimed by the run that answers it and done
//! when that run has settled, in the same transaction, so that each is
//! answered by exactly one settled run.

use super::messages::SINCE;
use crate::{Read, StoreError, Write, value};
use domain::{AgentId, Author, GroupId, MessageId, Reason, RunId};
use rusqlite::{Params, Row, params};
use uuid::Uuid;

const COLUMNS: &str = "seq, agent, group_id, message, message_seq, author, root, depth, reason, attempts, claimed_by, tried_by";

#[derive(Debug, Clone, PartialEq)]
pub struct Wake {
    pub seq: i64,
    pub agent: AgentId,
    pub group: GroupId,
    /// The message that woke it, and its place.
    pub message: MessageId,
    pub message_seq: i64,
    pub author: Author,
    pub root: MessageId,
    /// Chain depth of the answer.
    pub depth: u32,
    pub reason: Reason,
    /// Runs that were started for it so far.
    pub attempts: u32,
    pub claimed_by: Option<RunId>,
    /// The last run that was started for it.
    pub tried_by: Option<RunId>,
}

/// What became of a wake.
#[derive(Debug, Clone, PartialEq)]
pub struct Fate {
    pub wake: Wake,
    pub done: bool,
    /// The run that settled it; `None` while it is open, and when it was
    /// dismissed.
    pub done_by: Option<RunId>,
}

/// A wake before it has its place in the order.
#[derive(Debug, Clone, PartialEq)]
pub struct New {
    pub agent: AgentId,
    pub group: GroupId,
    pub message: MessageId,
    pub message_seq: i64,
    pub author: Author,
    pub root: MessageId,
    pub depth: u32,
    pub reason: Reason,
}

pub fn add(write: &mut Write<'_>, new: &New) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO wakes (agent, group_id, message, message_seq, author, root, depth, reason, attempts, done)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0, 0)",
        )?
        .execute(params![
            new.agent.0,
            new.group.0,
            new.message.0,
            new.message_seq,
            value::author(new.author),
            new.root.0,
            new.depth,
            value::json(&new.reason)?,
        ])?;
    Ok(())
}

/// The agent's open wakes in the group whose oldest wake has waited longest, of those
/// groups that no budget has stopped.
pub fn next_batch(read: &Read<'_>, agent: AgentId) -> Result<Vec<Wake>, StoreError> {
    let oldest = "SELECT group_id FROM wakes WHERE agent = ?1 AND done = 0 AND claimed_by IS NULL
                  AND NOT EXISTS (SELECT 1 FROM groups WHERE id = group_id AND problem IS NOT NULL)
                  ORDER BY seq LIMIT 1";
    open(read, &format!("agent = ?1 AND claimed_by IS NULL AND group_id = ({oldest})"), [agent.0])
}

pub fn claimed_by(read: &Read<'_>, run: RunId) -> Result<Vec<Wake>, StoreError> {
    open(read, CLAIMED, [run.0])
}

/// The agent's open wakes in one group, claimed or not.
pub fn open_in_group(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
) -> Result<Vec<Wake>, StoreError> {
    open(read, "agent = ?1 AND group_id = ?2", [agent.0, group.0])
}

/// All open wakes of an agent.
pub fn open_of(read: &Read<'_>, agent: AgentId) -> Result<Vec<Wake>, StoreError> {
    open(read, "agent = ?1", [agent.0])
}

/// Answers still to come for this root: each may become a message that counts
/// with those that there are.
pub fn open_for_root(read: &Read<'_>, root: MessageId) -> Result<Vec<Wake>, StoreError> {
    let places = format!(
        "(SELECT group_id FROM messages WHERE id = ?1
          UNION SELECT group_id FROM messages WHERE {SINCE})"
    );
    let which = format!(
        "root = ?1 AND group_id IN {places}
         AND agent IN (SELECT who FROM members WHERE group_id IN {places})"
    );
    open(read, &which, [root.0])
}

/// Open wakes of one group, for who waits for it to fall quiet.
pub fn open_of_group(read: &Read<'_>, group: GroupId) -> Result<Vec<Wake>, StoreError> {
    open(read, &in_group("?1"), [group.0])
}

/// How many are open in posts of the feed, over all of them.
pub fn open_in_posts(read: &Read<'_>) -> Result<Vec<Wake>, StoreError> {
    open(read, "group_id IN (SELECT group_id FROM posts)", [])
}

/// What is open is found by its agent, of which there is always one to tell: an index
/// for each condition would cost every post and every turn a page of each.
const CLAIMED: &str = "claimed_by = ?1 AND agent = (SELECT agent FROM runs WHERE id = ?1)
     AND group_id = (SELECT group_id FROM runs WHERE id = ?1)";

fn in_group(group: &str) -> String {
    format!("group_id = {group} AND agent IN (SELECT who FROM members WHERE group_id = {group})")
}

fn open(read: &Read<'_>, which: &str, params: impl Params) -> Result<Vec<Wake>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM wakes WHERE done = 0 AND {which} ORDER BY seq");
    read.list(&sql, params, wake)
}

/// Every wake there ever was, in order, with what became of it.
pub fn fates(read: &Read<'_>) -> Result<Vec<Fate>, StoreError> {
    let sql = format!("SELECT {COLUMNS}, done, done_by FROM wakes ORDER BY seq");
    read.list(&sql, [], |row| {
        let done_by = row.get::<_, Option<Uuid>>(13)?.map(RunId);
        Ok(Fate { wake: wake(row)?, done: row.get(12)?, done_by })
    })
}

/// One wake, with what became of it.
pub fn fate(read: &Read<'_>, seq: i64) -> Result<Option<Fate>, StoreError> {
    let sql = format!("SELECT {COLUMNS}, done, done_by FROM wakes WHERE seq = ?1");
    read.one(&sql, [seq], |row| {
        let done_by = row.get::<_, Option<Uuid>>(13)?.map(RunId);
        Ok(Fate { wake: wake(row)?, done: row.get(12)?, done_by })
    })
}

/// Agents that have something to do.
pub fn agents_waiting(read: &Read<'_>) -> Result<Vec<AgentId>, StoreError> {
    read.list("SELECT DISTINCT agent FROM wakes WHERE done = 0 AND claimed_by IS NULL", [], |row| {
        Ok(AgentId(row.get(0)?))
    })
}

/// The run begins to answer these; the attempt is counted before it starts.
pub fn claim(write: &mut Write<'_>, wakes: &[Wake], run: RunId) -> Result<(), StoreError> {
    let mut statement = write.db.prepare_cached(
        "UPDATE wakes SET claimed_by = ?2, tried_by = ?2, attempts = attempts + 1 WHERE seq = ?1",
    )?;
    for wake in wakes {
        statement.execute(params![wake.seq, run.0])?;
    }
    Ok(())
}

/// What the run had claimed waits again.
pub fn release(write: &mut Write<'_>, run: RunId) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "UPDATE wakes SET claimed_by = NULL WHERE done = 0 AND {CLAIMED}"
        ))?
        .execute([run.0])?;
    Ok(())
}

/// The tries so far no longer count: a person asked for another.
pub fn forgive(write: &mut Write<'_>, agent: AgentId) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("UPDATE wakes SET attempts = 0 WHERE agent = ?1 AND done = 0")?
        .execute([agent.0])?;
    Ok(())
}

/// What the run had claimed is answered.
pub fn settle(write: &mut Write<'_>, run: RunId) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(&format!(
            "UPDATE wakes SET done = 1, done_by = ?1 WHERE done = 0 AND {CLAIMED}"
        ))?
        .execute([run.0])?;
    Ok(())
}

/// These will not be answered; a decision says why.
pub fn dismiss(write: &mut Write<'_>, wakes: &[Wake]) -> Result<(), StoreError> {
    let mut statement = write.db.prepare_cached("UPDATE wakes SET done = 1 WHERE seq = ?1")?;
    for wake in wakes {
        statement.execute([wake.seq])?;
    }
    Ok(())
}

fn wake(row: &Row<'_>) -> rusqlite::Result<Wake> {
    Ok(Wake {
        seq: row.get(0)?,
        agent: AgentId(row.get(1)?),
        group: GroupId(row.get(2)?),
        message: MessageId(row.get(3)?),
        message_seq: row.get(4)?,
        author: value::from_author(row, 5)?,
        root: MessageId(row.get(6)?),
        depth: row.get(7)?,
        reason: value::from_json(8, &row.get::<_, String>(8)?)?,
        attempts: row.get(9)?,
        claimed_by: row.get::<_, Option<Uuid>>(10)?.map(RunId),
        tried_by: row.get::<_, Option<Uuid>>(11)?.map(RunId),
    })
}
