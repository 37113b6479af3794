//! What agents are called. No two that live have the same name, in any letters,
//! and no group that lives has it either: people say it to mean one of them.

use crate::{groups, letters, seen};
use domain::{AgentId, Fault, FaultCode, FaultKind};
use store::table::{agents, settings};
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
    if is_of_the_person(read, &name)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("{name} is what you call yourself"),
            "choose another name",
        )
        .of(FaultKind::AgentNameYours { name }));
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

/// What the person may be called: nobody could tell who said what of two with one name.
pub(crate) fn check_your_name(read: &Read<'_>, name: &str) -> Result<(), Fault> {
    let mut agents = agents::names_like(read, name)?.into_iter();
    if agents.any(|(_, other)| letters::same(&other, name)) || groups::is_name_taken(read, name)? {
        return Err(Fault::new(
            FaultCode::Conflict,
            format!("an agent or a group is called {name:?}"),
            "choose another name for yourself",
        )
        .of(FaultKind::YourNameTaken { name: name.to_owned() }));
    }
    Ok(())
}

fn is_of_the_person(read: &Read<'_>, name: &str) -> Result<bool, StoreError> {
    Ok(letters::same(&settings::get(read)?.your_name, name))
}

/// Whether the person, a group or a living agent other than `but` has the name, in
/// any letters.
pub(crate) fn is_name_taken(
    read: &Read<'_>,
    name: &str,
    but: Option<AgentId>,
) -> Result<bool, StoreError> {
    let mut others = agents::names_like(read, name)?.into_iter().filter(|(id, _)| Some(*id) != but);
    Ok(others.any(|(_, other)| letters::same(&other, name))
        || groups::is_name_taken(read, name)?
        || is_of_the_person(read, name)?)
}

/// The name, or the first of name2, name3 … that nobody has.
pub(crate) fn free_name(read: &Read<'_>, name: &str) -> Result<String, StoreError> {
    let mut candidate = name.to_owned();
    let mut n = 2;
    while stands_for_another(&candidate) || is_name_taken(read, &candidate, None)? {
        candidate = format!("{name}{n}");
        n += 1;
    }
    Ok(candidate)
}

/// What somebody from another workspace is called here: the same, where nobody else is
/// and it can be a name.
pub(crate) fn name_here(read: &Read<'_>, name: &str) -> Result<String, StoreError> {
    free_name(read, if check_name(name).is_ok() { name } else { "Agent" })
}

/// What the person and the program itself are called where people and models read.
const OTHERS: [&str; 9] =
    ["you", "user", "system", "assistant", "coterie", "你", "用户", "系统", "助手"];

pub(crate) fn stands_for_another(name: &str) -> bool {
    // Full-width letters too read as the word that they spell.
    let read: String = name.nfkc().collect();
    OTHERS.iter().any(|other| letters::same(other, &read))
}

pub(super) fn check_name(name: &str) -> Result<(), Fault> {
    let fits = !seen::is_blank(name) && name.chars().count() <= 64;
    if !fits
        || stands_for_another(name)
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
