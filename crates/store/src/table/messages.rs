//! Messages, in the order of `seq`.

use super::{branches, outbox};
use crate::value::{self, USER};
use crate::{Read, StoreError, Write};
use domain::{
    AgentId, Attachment, Author, Body, FeedSourceId, GroupId, Message, MessageId, Notice, Record,
    RunId,
};
use rusqlite::{Row, params};
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

const COLUMNS: &str =
    "seq, id, group_id, parent, author, body, chain_depth, root, run, at_ms, attachments";

/// A message before it has its place in the order.
#[derive(Debug, Clone, PartialEq)]
pub struct New {
    pub id: MessageId,
    pub group: GroupId,
    pub parent: Option<MessageId>,
    pub author: Author,
    pub body: Body,
    pub attachments: Vec<Attachment>,
    pub chain_depth: u32,
    pub root: MessageId,
    pub run: Option<RunId>,
    pub at_ms: i64,
}

pub fn add(write: &mut Write<'_>, new: New) -> Result<Message, StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO messages (id, group_id, parent, author, body, chain_depth, root, run, at_ms, attachments)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            new.id.0,
            new.group.0,
            new.parent.map(|id| id.0),
            value::author(new.author),
            value::json(&new.body)?,
            new.chain_depth,
            new.root.0,
            new.run.map(|id| id.0),
            new.at_ms,
            (!new.attachments.is_empty()).then(|| value::json(&new.attachments)).transpose()?,
        ])?;
    let message = Message {
        seq: write.db.last_insert_rowid(),
        id: new.id,
        group: new.group,
        parent: new.parent,
        author: new.author,
        body: new.body,
        attachments: new.attachments,
        chain_depth: new.chain_depth,
        root: new.root,
        run: new.run,
        at_ms: new.at_ms,
    };
    branches::grow(write, message.group, message.seq)?;
    if message.text().is_some() {
        outbox::add(write, outbox::Text::Message(message.seq))?;
    }
    write.saved(Record::Message(message.clone()));
    Ok(message)
}

/// Puts something else where its words stood.
pub fn replace_body(
    write: &mut Write<'_>,
    message: &Message,
    body: Body,
) -> Result<Message, StoreError> {
    write
        .db
        .prepare_cached("UPDATE messages SET body = ?2, attachments = NULL WHERE id = ?1")?
        .execute(params![message.id.0, value::json(&body)?])?;
    let message = Message { body, attachments: Vec::new(), ..message.clone() };
    // What was found by its words is found no longer.
    outbox::add(write, outbox::Text::Message(message.seq))?;
    write.saved(Record::Message(message.clone()));
    Ok(message)
}

pub fn find(read: &Read<'_>, id: MessageId) -> Result<Option<Message>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM messages WHERE id = ?1"), [id.0], message)
}

pub fn by_seq(read: &Read<'_>, seq: i64) -> Result<Option<Message>, StoreError> {
    read.one(&format!("SELECT {COLUMNS} FROM messages WHERE seq = ?1"), [seq], message)
}

/// All that a source ever told, the oldest first.
pub fn of_source(read: &Read<'_>, source: FeedSourceId) -> Result<Vec<Message>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE length(author) = 17 AND author = ?1 ORDER BY seq"
        ),
        [value::author(Author::Source(source))],
        message,
    )
}

/// The same in other groups: what was forked from there, or into it, has the author
/// and the time of this one.
pub fn copies(read: &Read<'_>, of: &Message) -> Result<Vec<Message>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM messages
             WHERE at_ms = ?1 AND author = ?2 AND body = ?3 AND group_id <> ?4 ORDER BY seq"
        ),
        params![of.at_ms, value::author(of.author), value::json(&of.body)?, of.group.0],
        message,
    )
}

/// Those whose words were taken away.
pub fn removed(read: &Read<'_>) -> Result<Vec<Message>, StoreError> {
    let gone = value::json(&Body::Notice { notice: Notice::Removed })?;
    read.list(&format!("SELECT {COLUMNS} FROM messages WHERE body = ?1"), [gone], message)
}

/// Stands in the branch of its group that is shown.
const SHOWN: &str = "NOT EXISTS (SELECT 1 FROM aside WHERE aside.seq = messages.seq)";

/// The newest `limit` messages of the group's shown branch with
/// `after < seq < before`, oldest first.
pub fn page(
    read: &Read<'_>,
    group: GroupId,
    after: i64,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    let mut statement = read.db.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM messages WHERE group_id = ?1 AND seq > ?2 AND seq < ?3 AND {SHOWN} ORDER BY seq DESC LIMIT ?4"
    ))?;
    let rows =
        statement.query_map(params![group.0, after, before.unwrap_or(i64::MAX), limit], message)?;
    let mut page: Vec<Message> = rows.collect::<Result<_, _>>()?;
    page.reverse();
    Ok(page)
}

/// The oldest after this `seq` that are shown, oldest first.
pub fn of_group_since(
    read: &Read<'_>,
    group: GroupId,
    after: i64,
    limit: u32,
) -> Result<Vec<Message>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE group_id = ?1 AND seq > ?2 AND {SHOWN} ORDER BY seq LIMIT ?3"
        ),
        params![group.0, after, limit],
        message,
    )
}

pub fn last(read: &Read<'_>, group: GroupId) -> Result<Option<Message>, StoreError> {
    Ok(page(read, group, 0, None, 1)?.pop())
}

/// The newest that somebody said: what the workspace notes is nobody's word.
pub fn last_said(read: &Read<'_>, group: GroupId) -> Result<Option<Message>, StoreError> {
    read.one(
        &format!(
            "SELECT {COLUMNS} FROM messages
             WHERE group_id = ?1 AND author IS NOT NULL AND {SHOWN} ORDER BY seq DESC LIMIT 1"
        ),
        [group.0],
        message,
    )
}

/// What a person said in a group last before this point.
pub fn by_user_before(
    read: &Read<'_>,
    group: GroupId,
    before: i64,
) -> Result<Option<Message>, StoreError> {
    read.one(&format!(
        "SELECT {COLUMNS} FROM messages WHERE group_id = ?1 AND author = ?2 AND seq < ?3 AND {SHOWN} ORDER BY seq DESC LIMIT 1"
    ), params![group.0, Uuid::nil(), before], message)
}

/// The person's newest message in the group's shown branch.
pub fn last_by_user(read: &Read<'_>, group: GroupId) -> Result<Option<Message>, StoreError> {
    read.one(&format!(
        "SELECT {COLUMNS} FROM messages WHERE group_id = ?1 AND author = ?2 AND {SHOWN} ORDER BY seq DESC LIMIT 1"
    ), params![group.0, Uuid::nil()], message)
}

/// What agents have written that goes back to a root, wherever they wrote it. What
/// they say to each other about a task that was delegated on the way does not count
/// but where the root stands there itself.
pub(super) const SINCE: &str = "root = ?1 AND run IS NOT NULL
     AND ((SELECT kind FROM groups WHERE groups.id = messages.group_id) <> 'task'
          OR group_id = (SELECT group_id FROM messages WHERE id = ?1))";

/// How many messages agents have written that go back to this root.
pub fn by_agents_since(read: &Read<'_>, root: MessageId) -> Result<u32, StoreError> {
    let mut statement =
        read.db.prepare_cached(&format!("SELECT count(*) FROM messages WHERE {SINCE}"))?;
    Ok(statement.query_row([root.0], |row| row.get(0))?)
}

/// Whether an agent has written at this depth below the root.
pub fn any_at_depth(read: &Read<'_>, root: MessageId, depth: u32) -> Result<bool, StoreError> {
    let mut statement = read
        .db
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM messages WHERE root = ?1 AND chain_depth = ?2 AND run IS NOT NULL)")?;
    Ok(statement.query_row(params![root.0, depth], |row| row.get(0))?)
}

/// What an agent has written.
#[derive(Debug, Clone, PartialEq)]
pub struct Said {
    pub group: GroupId,
    pub by: AgentId,
    pub text: String,
    /// Whether it stands in the branch that is shown, and not aside.
    pub is_shown: bool,
}

/// What agents have written that goes back to this root, in every branch, oldest
/// first.
pub fn of_agents_since(read: &Read<'_>, root: MessageId) -> Result<Vec<Said>, StoreError> {
    let said = read.list(
        &format!("SELECT {COLUMNS}, {SHOWN} AS is_shown FROM messages WHERE {SINCE} ORDER BY seq"),
        [root.0],
        |row| Ok((message(row)?, row.get("is_shown")?)),
    )?;
    let of_agent = |(message, is_shown): (Message, bool)| match (message.author, message.text()) {
        (Author::Agent(by), Some(text)) => {
            Some(Said { group: message.group, by, text: text.to_owned(), is_shown })
        }
        (_, _) => None,
    };
    Ok(said.into_iter().filter_map(of_agent).collect())
}

/// The `seq` of the last message anywhere; 0 before the first.
pub fn newest(read: &Read<'_>) -> Result<i64, StoreError> {
    let newest = "SELECT coalesce(max(seq), 0) FROM messages";
    Ok(read.db.prepare_cached(newest)?.query_row([], |row| row.get(0))?)
}

/// What the person has said after this `seq`, anywhere, the oldest first.
pub fn of_user_since(read: &Read<'_>, after: i64, limit: u32) -> Result<Vec<Message>, StoreError> {
    read.list(
        &format!(
            "SELECT {COLUMNS} FROM messages WHERE seq > ?1 AND author = {USER} ORDER BY seq LIMIT ?2"
        ),
        params![after, limit],
        message,
    )
}

/// How far the group had been read when each of the agent's messages after
/// this `seq` was begun.
pub fn read_before(
    read: &Read<'_>,
    group: GroupId,
    agent: AgentId,
    after: i64,
) -> Result<HashMap<MessageId, i64>, StoreError> {
    let pairs = read.list(
        "SELECT m.id, r.reads_to FROM messages m JOIN runs r ON r.id = m.run
         WHERE m.group_id = ?1 AND m.seq > ?3 AND m.author = ?2",
        params![group.0, agent.0, after],
        |row| Ok((MessageId(row.get(0)?), row.get(1)?)),
    )?;
    Ok(pairs.into_iter().collect())
}

/// The oldest after this `seq` anywhere, in whatever branch, oldest first.
pub fn since(read: &Read<'_>, after: i64, limit: u32) -> Result<Vec<Message>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM messages WHERE seq > ?1 ORDER BY seq LIMIT ?2");
    read.list(&sql, params![after, limit], message)
}

/// Which messages the group has, in whatever branch, each with its `seq`, oldest first.
pub fn in_order(read: &Read<'_>, group: GroupId) -> Result<Vec<(i64, MessageId)>, StoreError> {
    let sql = "SELECT seq, id FROM messages WHERE group_id = ?1 ORDER BY seq";
    read.list(sql, [group.0], |row| Ok((row.get(0)?, MessageId(row.get(1)?))))
}

/// Who has written in each group, and how many messages.
pub fn by_author(read: &Read<'_>) -> Result<Vec<(GroupId, Author, u32)>, StoreError> {
    read.list(
        "SELECT group_id, author, count(*) FROM messages GROUP BY group_id, author",
        [],
        |row| Ok((GroupId(row.get(0)?), value::from_author(row, 1)?, row.get(2)?)),
    )
}

/// The hashes of all that any message shows.
pub fn attached(read: &Read<'_>) -> Result<HashSet<String>, StoreError> {
    let lists =
        read.list("SELECT attachments FROM messages WHERE attachments IS NOT NULL", [], |row| {
            value::from_json::<Vec<Attachment>>(0, &row.get::<_, String>(0)?)
        })?;
    Ok(lists.into_iter().flatten().map(|attachment| attachment.hash).collect())
}

/// What the messages of a group show, up to this `seq`.
pub fn attached_in(
    read: &Read<'_>,
    group: GroupId,
    upto: i64,
) -> Result<Vec<Attachment>, StoreError> {
    let lists = read.list(
        "SELECT attachments FROM messages
         WHERE attachments IS NOT NULL AND group_id = ?1 AND seq <= ?2 ORDER BY seq",
        params![group.0, upto],
        |row| value::from_json::<Vec<Attachment>>(0, &row.get::<_, String>(0)?),
    )?;
    Ok(lists.into_iter().flatten().collect())
}

fn message(row: &Row<'_>) -> rusqlite::Result<Message> {
    Ok(Message {
        seq: row.get(0)?,
        id: MessageId(row.get(1)?),
        group: GroupId(row.get(2)?),
        parent: row.get::<_, Option<Uuid>>(3)?.map(MessageId),
        author: value::from_author(row, 4)?,
        body: value::from_json(5, &row.get::<_, String>(5)?)?,
        chain_depth: row.get(6)?,
        root: MessageId(row.get(7)?),
        run: row.get::<_, Option<Uuid>>(8)?.map(RunId),
        at_ms: row.get(9)?,
        attachments: match row.get::<_, Option<String>>(10)? {
            Some(attachments) => value::from_json(10, &attachments)?,
            None => Vec::new(),
        },
    })
}
