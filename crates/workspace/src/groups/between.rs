//! The conversation of two agents, which the person reads and may join.

use super::names::free_like;
use super::seat;
use domain::{Agent, Caps, Fault, Group, GroupId, GroupKind, Participant, TurnPolicy};
use store::Write;
use store::table::groups;
use uuid::Uuid;

/// The one of these two; made where there is none yet.
pub(crate) fn between(
    write: &mut Write<'_>,
    one: &Agent,
    other: &Agent,
    now: i64,
) -> Result<Group, Fault> {
    let id = id_of(one, other);
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
fn id_of(one: &Agent, other: &Agent) -> GroupId {
    let (first, second) = if one.id < other.id { (one, other) } else { (other, one) };
    GroupId(Uuid::new_v5(&first.id.0, second.id.0.as_bytes()))
}
