//! What groups are called. People say a name to mean one group or one agent's
//! direct chat, so no two of them that live have the same one, in any letters.

use crate::{letters, seen};
use domain::{Fault, FaultCode, FaultKind, GroupId};
use store::table::{agents, groups};
use store::{Read, StoreError};
use uuid::Uuid;

/// The name without the blanks around it, if it can be one.
pub(super) fn checked_name(name: String) -> Result<String, Fault> {
    let name = name.trim().to_owned();
    if seen::is_blank(&name) || name.chars().count() > 80 || name.chars().any(char::is_control) {
        return Err(Fault::bad_input(
            format!("{name:?} cannot be a group's name"),
            "use 1 to 80 characters on one line",
        )
        .of(FaultKind::GroupNameUnfit { name }));
    }
    Ok(name)
}

/// The name, if no other live group and no agent has it.
pub(super) fn free_name(read: &Read<'_>, name: String, group: GroupId) -> Result<String, Fault> {
    if others_called(read, &name, group)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("there is a group called {name:?} already"),
            "choose another name, or first rename or archive that group",
        )
        .of(FaultKind::GroupNameTaken { name }));
    }
    if is_agents(read, &name)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("there is an agent called {name:?}, and its direct chat goes by that name"),
            "choose another name for the group",
        )
        .of(FaultKind::GroupNameOfAgent { name }));
    }
    Ok(name)
}

/// The names of the members, or a template's title, with a number where another group
/// is called so, or one agent is.
pub(super) fn free_like(read: &Read<'_>, names: &str) -> Result<String, StoreError> {
    let (mut name, mut n) = (names.to_owned(), 2);
    while is_taken(read, &name)? || is_agents(read, &name)? {
        name = format!("{names} ({n})");
        n += 1;
    }
    Ok(name)
}

/// Whether a live group has the name. A direct chat is called after its agent,
/// so it has none.
pub(crate) fn is_taken(read: &Read<'_>, name: &str) -> Result<bool, StoreError> {
    others_called(read, name, GroupId(Uuid::nil()))
}

fn others_called(read: &Read<'_>, name: &str, but: GroupId) -> Result<bool, StoreError> {
    let mut others = groups::names_like(read, name)?.into_iter().filter(|(id, _)| *id != but);
    Ok(others.any(|(_, other)| letters::same(&other, name)))
}

fn is_agents(read: &Read<'_>, name: &str) -> Result<bool, StoreError> {
    let agents = agents::names_like(read, name)?;
    Ok(agents.iter().any(|(_, other)| letters::same(other, name)))
}
