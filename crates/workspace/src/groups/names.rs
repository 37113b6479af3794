//! What groups are called. People say a name to mean one group, so no two that
//! live have the same one.

use crate::seen;
use domain::{Fault, FaultCode, FaultKind, GroupId, GroupKind};
use std::collections::HashSet;
use store::table::groups;
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

/// The name, if no other live group has it.
pub(super) fn free_name(read: &Read<'_>, name: String, group: GroupId) -> Result<String, Fault> {
    let lowered = name.to_lowercase();
    match live_names(read, group)?.contains(&lowered) {
        false => Ok(name),
        true => Err(Fault::new(
            FaultCode::Conflict,
            format!("there is a group called {name:?} already"),
            "choose another name, or first rename or archive that group",
        )
        .of(FaultKind::GroupNameTaken { name })),
    }
}

/// The names of the members, with a number where another group is called after
/// the same ones.
pub(super) fn after_members(read: &Read<'_>, names: &str) -> Result<String, StoreError> {
    let taken = live_names(read, GroupId(Uuid::nil()))?;
    let numbered = (2..).map(|n| format!("{names} ({n})"));
    let mut candidates = std::iter::once(names.to_owned()).chain(numbered);
    let free = candidates.find(|name| !taken.contains(&name.to_lowercase()));
    Ok(free.expect("the numbers never end"))
}

/// In lower case, since a name is matched without regard to case. A direct
/// chat is called after its agent, which groups may be called after too.
fn live_names(read: &Read<'_>, but: GroupId) -> Result<HashSet<String>, StoreError> {
    let live = groups::all(read)?
        .into_iter()
        .filter(|group| group.kind == GroupKind::Group && !group.archived && group.id != but);
    Ok(live.map(|group| group.name.to_lowercase()).collect())
}
