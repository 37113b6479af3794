//! The conversation of two agents, which the person reads and may join.

use super::names::free_like;
use super::seat;
use domain::{Agent, AgentId, Caps, Fault, Group, GroupId, GroupKind, Participant, TurnPolicy};
use store::table::{groups, members};
use store::{Read, StoreError, Write};
use uuid::Uuid;

/// The one of these two, if there is one.
pub(crate) fn find_between(
    read: &Read<'_>,
    one: &Agent,
    other: &Agent,
) -> Result<Option<Group>, StoreError> {
    groups::find(read, id_of(one.id, other.id))
}

/// Whether it is the conversation of this agent with another.
pub(crate) fn is_between(
    read: &Read<'_>,
    group: &Group,
    agent: AgentId,
) -> Result<bool, StoreError> {
    let members = members::of_group(read, group.id)?.into_iter();
    let mut others = members.filter_map(|member| match member.who {
        Participant::Agent(other) if other != agent => Some(other),
        Participant::Agent(_) | Participant::User => None,
    });
    Ok(others.any(|other| id_of(agent, other) == group.id))
}

/// The one of these two; made where there is none yet.
pub(crate) fn between(
    write: &mut Write<'_>,
    one: &Agent,
    other: &Agent,
    now: i64,
) -> Result<Group, Fault> {
    let id = id_of(one.id, other.id);
    if let Some(group) = groups::find(write, id)? {
        return Ok(group);
    }
    let group = Group {
        id,
        name: free_like(write, &format!("{}, {}", one.name, other.name))?,
        kind: GroupKind::Group,
        policy: TurnPolicy::Broadcast,
        default_agent: Some(other.id),
        supervisor: None,
        caps: Caps::default(),
        archived: false,
        created_ms: now,
        problem: None,
    };
    groups::put(write, &group)?;
    seat(write, id, Participant::User, 0, 0)?;
    seat(write, id, Participant::Agent(one.id), 1, 0)?;
    seat(write, id, Participant::Agent(other.id), 2, 0)?;
    Ok(group)
}

/// The same from either side.
fn id_of(one: AgentId, other: AgentId) -> GroupId {
    let (first, second) = if one < other { (one, other) } else { (other, one) };
    GroupId(Uuid::new_v5(&first.0, second.0.as_bytes()))
}
