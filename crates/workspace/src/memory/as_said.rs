//! Reads what is written down by hand as if it had been said: what it states of the person
//! is made out by the same rules, unless somebody says what it states.

use crate::stand::name_of_person;
use ::memory::{Stated, Writer, stated, with_other_value};
use domain::{Memory, MemoryKind, NewMemory};
use store::table::settings;
use store::{Read, StoreError};

/// With what it states, if it says so in plain words.
pub(super) fn as_said(
    read: &Read<'_>,
    new: NewMemory,
    writer: Writer,
) -> Result<NewMemory, StoreError> {
    if new.statement.is_some() {
        return Ok(new);
    }
    let Some(Stated { statement, is_order }) = states(read, &new.text, new.kind, writer)? else {
        return Ok(new);
    };
    let kind = if is_order { as_wish(new.kind) } else { new.kind };
    Ok(NewMemory { kind, statement: Some(statement), ..new })
}

/// The same of one whose words a person has just put otherwise. What they do not say by
/// themselves they may say beside what they were before.
pub(super) fn as_corrected(
    read: &Read<'_>,
    memory: &mut Memory,
    before: &Memory,
) -> Result<(), StoreError> {
    let stated = states(read, &memory.text, memory.kind, Writer::Person)?;
    if stated.as_ref().is_some_and(|stated| stated.is_order) {
        memory.kind = as_wish(memory.kind);
    }
    let was = before.statement.as_ref();
    let carried = was.and_then(|was| with_other_value(&before.text, was, &memory.text));
    memory.statement = carried.or(stated.map(|stated| stated.statement));
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

fn states(
    read: &Read<'_>,
    text: &str,
    kind: MemoryKind,
    writer: Writer,
) -> Result<Option<Stated>, StoreError> {
    // What happened is no state of anything that could end.
    if matches!(kind, MemoryKind::Episode | MemoryKind::Summary) {
        return Ok(None);
    }
    Ok(stated(text, writer, name_of_person(&*settings::get(read)?)))
}
