//! What agents are called. No two that live have the same name, in any letters,
//! and no group that lives has it either: people say it to mean one of them.

use crate::{groups, letters, seen};
use domain::{AgentId, Fault, FaultCode, FaultKind};
use store::table::agents;
use store::{Read, StoreError};
use unicode_normalization::UnicodeNormalization;

/// The name that a person chose, if no living agent and no group has it.
pub(super) fn own_name(read: &Read<'_>, name: String) -> Result<String, Fault> {
    if groups::is_name_taken(read, &name)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("there is a group called {name:?}"),
            "choose another name, or first rename or archive that group",
        )
        .of(FaultKind::AgentNameOfGroup { name }));
    }
    if is_name_taken(read, &name, None)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("there is an agent called {name:?} already"),
            "choose another name",
        )
        .of(FaultKind::AgentNameTaken { name }));
    }
    Ok(name)
}

/// Whether a group or a living agent other than `but` has the name, in any
/// letters.
pub(crate) fn is_name_taken(
    read: &Read<'_>,
    name: &str,
    but: Option<AgentId>,
) -> Result<bool, StoreError> {
    let mut others = agents::names_like(read, name)?.into_iter().filter(|(id, _)| Some(*id) != but);
    Ok(others.any(|(_, other)| letters::same(&other, name)) || groups::is_name_taken(read, name)?)
}

/// The name, or the first of name2, name3 … that nobody has.
pub(crate) fn free_name(read: &Read<'_>, name: &str) -> Result<String, StoreError> {
    let mut candidate = name.to_owned();
    let mut n = 2;
    while is_name_taken(read, &candidate, None)? {
        candidate = format!("{name}{n}");
        n += 1;
    }
    Ok(candidate)
}

/// What the person and the program itself are called where people and models read.
const OTHERS: [&str; 9] =
    ["you", "user", "system", "assistant", "coterie", "你", "用户", "系统", "助手"];

pub(super) fn check_name(name: &str) -> Result<(), Fault> {
    let fits = !seen::is_blank(name) && name.chars().count() <= 64;
    // Full-width letters too read as the word that they spell.
    let read: String = name.nfkc().collect();
    let stands_for_another = OTHERS.iter().any(|other| letters::same(other, &read));
    if !fits
        || stands_for_another
        || name.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '@' | ','))
    {
        return Err(Fault::bad_input(
            format!("{name:?} cannot be a name"),
            "use 1 to 64 characters without spaces, commas and @, so that it can be mentioned, and no word for the person or for Coterie",
        )
        .of(FaultKind::AgentNameUnfit { name: name.to_owned() }));
    }
    Ok(())
}
