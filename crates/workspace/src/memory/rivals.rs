//! Finds what is about the same thing as a memory, whatever its words call it.

use ::memory::{called, fingerprint, says_again};
use domain::{Memory, MemoryScope};
use store::table::memories::{self, About};
use store::{Read, StoreError};

/// Those of this scope that it may repeat or contradict.
pub(super) fn rivals(
    read: &Read<'_>,
    scope: MemoryScope,
    memory: &Memory,
) -> Result<Vec<Memory>, StoreError> {
    about(memory, |print, about| memories::rivals(read, scope, print, about))
}

/// The same of those that wait for a person to decide.
pub(super) fn waiting(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    about(memory, |print, about| memories::waiting(read, memory.scope, print, about))
}

/// The same of those that wait, in any scope.
pub(super) fn waiting_anywhere(
    read: &Read<'_>,
    memory: &Memory,
) -> Result<Vec<Memory>, StoreError> {
    about(memory, |print, about| memories::waiting_anywhere(read, print, about))
}

/// The same of those that a person has said were never so, in any scope.
pub(super) fn wrong(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    about(memory, |print, about| memories::wrong(read, print, about))
}

/// What others than a person keep for one agent or group that says what it says of all: what
/// becomes of a person's word becomes of what was noticed of it.
pub(super) fn copies(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    copies_among(memory, |print, about| memories::unvouched(read, print, about))
}

/// The same with those that held once.
pub(super) fn copies_ever(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    copies_among(memory, |print, about| memories::unvouched_ever(read, print, about))
}

fn copies_among(
    memory: &Memory,
    find: impl FnOnce(&str, Option<About<'_>>) -> Result<Vec<Memory>, StoreError>,
) -> Result<Vec<Memory>, StoreError> {
    if !matches!(memory.scope, MemoryScope::User | MemoryScope::Workspace) {
        return Ok(Vec::new());
    }
    let mut copies = about(memory, find)?;
    copies.retain(|one| one.scope != memory.scope && says_again(memory, one));
    Ok(copies)
}

/// The same of those that held once: they gave way, or have ended.
pub(super) fn past(
    read: &Read<'_>,
    scope: MemoryScope,
    memory: &Memory,
) -> Result<Vec<Memory>, StoreError> {
    let mut past = rivals(read, scope, memory)?;
    past.extend(about(memory, |print, about| memories::gave_way(read, scope, print, about))?);
    Ok(past)
}

fn about(
    memory: &Memory,
    find: impl FnOnce(&str, Option<About<'_>>) -> Result<Vec<Memory>, StoreError>,
) -> Result<Vec<Memory>, StoreError> {
    let stated = memory.statement.as_ref().map(|one| (&one.subject, called(&one.attribute)));
    let about = stated.as_ref().map(|(subject, attributes)| About { subject, attributes });
    find(&fingerprint(&memory.text), about)
}
