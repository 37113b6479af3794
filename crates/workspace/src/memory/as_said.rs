//! Reads what is written down by hand as if it had been said: what it states of the person
//! is made out by the same rules, unless somebody says what it states.

use super::over::states_end;
use super::person;
use ::memory::{Part, Writer, corrected, is_order, part_of, parts, stated};
use domain::{Memory, MemoryKind, NewMemory};
use store::{Read, StoreError};

/// With what it states, if it says so in plain words.
pub(super) fn as_said(
    read: &Read<'_>,
    new: NewMemory,
    writer: Writer,
    now: i64,
) -> Result<NewMemory, StoreError> {
    if new.statement.is_some() || is_of_one_time(new.kind) {
        return Ok(new);
    }
    let name = person::name(read)?;
    let statement = match (stated(&new.text, writer, &name), writer) {
        (None, Writer::Person) => states_end(read, new.scope, &new.text, now)?,
        (statement, _) => statement,
    };
    let kind = if is_order(&new.text) { as_wish(new.kind) } else { new.kind };
    Ok(NewMemory { kind, statement, ..new })
}

/// What somebody wrote down at once, each thing by itself if they said several, as where a person
/// says it to an agent.
pub(crate) fn each_by_itself(
    read: &Read<'_>,
    new: NewMemory,
    writer: Writer,
) -> Result<Vec<NewMemory>, StoreError> {
    Ok(each_of(new, writer, &person::name(read)?))
}

/// The same of what is known to be about the person, who has this name.
pub(super) fn each_of(new: NewMemory, writer: Writer, name: &str) -> Vec<NewMemory> {
    if new.statement.is_some() || is_of_one_time(new.kind) {
        return vec![new];
    }
    let parts = parts(&new.text, writer, name);
    if parts.is_empty() {
        return vec![new];
    }
    parts.into_iter().map(|part| as_part(&new, part)).collect()
}

/// With what a note about the person states, by whomever it was written. It is not said now, and
/// ends nothing.
pub(super) fn as_noted(new: NewMemory, name: &str) -> NewMemory {
    if new.statement.is_some() || is_of_one_time(new.kind) {
        return new;
    }
    NewMemory { statement: stated(&new.text, Writer::Person, name), ..new }
}

/// The same of what takes the place of the words of these: the part that goes on saying what
/// they stated, or the first, and the others. `None` where it is one.
pub(super) fn cut(
    read: &Read<'_>,
    text: &str,
    kind: MemoryKind,
    before: &[&Memory],
) -> Result<Option<(Part, Vec<Part>)>, StoreError> {
    if is_of_one_time(kind) {
        return Ok(None);
    }
    let name = person::name(read)?;
    let mut parts = parts(text, Writer::Person, &name);
    if parts.is_empty() {
        return Ok(None);
    }
    let own = parts.remove(part_of(before, &parts, &name));
    Ok(Some((own, parts)))
}

/// A part of what somebody wrote down, to be remembered like the whole.
pub(super) fn as_part(whole: &NewMemory, part: Part) -> NewMemory {
    let (kind, statement) =
        part.noticed.map_or((whole.kind, None), |noticed| (noticed.kind, noticed.statement));
    NewMemory {
        kind: if whole.kind == MemoryKind::Fact { kind } else { whole.kind },
        text: part.text,
        statement,
        ..whole.clone()
    }
}

/// The same of one whose words a person has just put in the place of these.
pub(super) fn as_corrected(
    read: &Read<'_>,
    memory: &mut Memory,
    before: &[&Memory],
    now: i64,
) -> Result<(), StoreError> {
    memory.statement = None;
    if is_of_one_time(memory.kind) {
        return Ok(());
    }
    memory.statement = match corrected(before, &memory.text, &person::name(read)?) {
        None => states_end(read, memory.scope, &memory.text, now)?,
        statement => statement,
    };
    memory.kind = if is_order(&memory.text) { as_wish(memory.kind) } else { memory.kind };
    Ok(())
}

/// What takes the place of a wish is one, and stands where that stood.
pub(super) fn take_kind(memory: &mut Memory, older: &[Memory]) {
    if older.iter().any(|old| old.kind == MemoryKind::Preference) {
        memory.kind = as_wish(memory.kind);
    }
}

/// How to answer is no fact, whatever somebody left it at.
fn as_wish(kind: MemoryKind) -> MemoryKind {
    match kind {
        MemoryKind::Fact | MemoryKind::Preference => MemoryKind::Preference,
        MemoryKind::Skill
        | MemoryKind::Relationship
        | MemoryKind::Episode
        | MemoryKind::Summary => kind,
    }
}

/// What happened is no state of anything that could end.
pub(super) fn is_of_one_time(kind: MemoryKind) -> bool {
    matches!(kind, MemoryKind::Episode | MemoryKind::Summary)
}
