//! Tasks that an agent has given to a child of its own.

use crate::{Read, StoreError, Write, value};
use domain::{AgentId, CallId, GroupId, MessageId, RunId};
use rusqlite::params;

#[derive(Debug, Clone, PartialEq)]
pub struct Delegation {
    pub child: AgentId,
    /// The tool call that gave the task, and the run it was made in.
    pub call: CallId,
    pub run: RunId,
    /// The person's message that it all goes back to.
    pub root: MessageId,
    pub group: GroupId,
    /// The only tools that the child may use; `None` for all that it has.
    pub tools: Option<Vec<String>>,
}

pub fn add(write: &mut Write<'_>, new: &Delegation) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO delegations (child, call, run, root, group_id, tools)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            new.child.0,
            new.call.0,
            new.run.0,
            new.root.0,
            new.group.0,
            new.tools.as_ref().map(value::json).transpose()?,
        ])?;
    Ok(())
}

/// The task that a child was made for.
pub fn of_child(read: &Read<'_>, child: AgentId) -> Result<Option<Delegation>, StoreError> {
    read.one(
        "SELECT call, run, root, group_id, tools FROM delegations WHERE child = ?1",
        [child.0],
        |row| {
            let tools: Option<String> = row.get(4)?;
            Ok(Delegation {
                child,
                call: CallId(row.get(0)?),
                run: RunId(row.get(1)?),
                root: MessageId(row.get(2)?),
                group: GroupId(row.get(3)?),
                tools: tools.map(|text| value::from_json(4, &text)).transpose()?,
            })
        },
    )
}

/// How many tasks one message of a person has led to so far.
pub fn count_for(read: &Read<'_>, root: MessageId) -> Result<u32, StoreError> {
    let count =
        read.one("SELECT count(*) FROM delegations WHERE root = ?1", [root.0], |row| row.get(0))?;
    Ok(count.unwrap_or(0))
}
