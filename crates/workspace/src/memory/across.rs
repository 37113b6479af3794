//! What memories of different scopes have to do with each other.
//!
//! What a person says to all reaches what agents keep for fewer of the same thing: it gives way.
//! What an agent keeps waits beside what the person has said and that agent reads. It never goes
//! the other way: what a person has told to few changes nothing that others read.

use super::change::as_new;
use super::rivals;
use ::memory::{PERSON, Verdict, called, is_of_answers, says_again, verdict};
use domain::{Memory, MemoryScope, Trust};
use store::table::memories::{self, About};
use store::table::{memory_versions, runs};
use store::{Read, StoreError};

/// What agents keep for others than a person's word is for, that has to give way to it. What
/// says the same goes on beside it, and so do what begins later and what the person has called
/// right since.
pub(super) fn gives_way(
    read: &Read<'_>,
    word: &Memory,
    now: i64,
) -> Result<Vec<Memory>, StoreError> {
    let mut kept = kept(read, word)?;
    kept.retain(|one| {
        let is_later = one.trust == Trust::Person && one.changed_at_ms > now;
        !is_later
            && !says_again(word, one)
            && verdict(&as_beside(word, one), &as_new(word), word.trust, now) == Verdict::Supersedes
    });
    Ok(kept)
}

/// What holds that agents keep for others than a person's word is for, of the same thing.
pub(super) fn kept(read: &Read<'_>, word: &Memory) -> Result<Vec<Memory>, StoreError> {
    if !is_word_for_all(word) {
        return Ok(Vec::new());
    }
    let mut kept = Vec::new();
    for one in elsewhere(read, word)? {
        if reaches(word, &one) && is_of_agent(read, &one)? {
            kept.push(one);
        }
    }
    Ok(kept)
}

/// Whether no person has put it into their own words, for whom it is for alone.
fn is_of_agent(read: &Read<'_>, kept: &Memory) -> Result<bool, StoreError> {
    Ok(kept.trust != Trust::Person || memory_versions::last_said(read, kept.id)?.is_none())
}

/// Whether what a person says to all is said of what an agent keeps for others, too.
pub(super) fn reaches(word: &Memory, kept: &Memory) -> bool {
    is_word_for_all(word)
        && word.scope != kept.scope
        && is_kept(kept)
        && is_one_matter(kept.scope, word)
}

/// What holds that agents keep for others than these, of what the person says to all.
pub(super) fn kept_of(
    read: &Read<'_>,
    scope: MemoryScope,
    about: About<'_>,
) -> Result<Vec<Memory>, StoreError> {
    let mut kept = Vec::new();
    for one in memories::elsewhere(read, scope, about)? {
        if is_kept(&one) && is_one_matter(one.scope, &one) && is_of_agent(read, &one)? {
            kept.push(one);
        }
    }
    Ok(kept)
}

/// Whether it is a person's, and every agent reads it.
pub(super) fn is_word_for_all(memory: &Memory) -> bool {
    memory.trust == Trust::Person && is_for_all(memory.scope)
}

/// Whether it came of an agent, and not of a person: who says of it that it is right does not
/// say it to all. How they want to be answered by one agent they may say to that one.
fn is_kept(memory: &Memory) -> bool {
    let is_wish = memory.statement.as_ref().is_some_and(|one| is_of_answers(&one.attribute));
    let is_of_agent = memory.source.run.is_some() && !is_for_all(memory.scope);
    memory.trust != Trust::Person || is_of_agent && !is_wish
}

/// What the person has said for others than a memory is for, of the same thing, as far as whoever
/// keeps it reads that; nothing for what is a person's word itself.
pub(super) fn words(read: &Read<'_>, kept: &Memory) -> Result<Vec<Memory>, StoreError> {
    if kept.trust == Trust::Person {
        return Ok(Vec::new());
    }
    let scopes = read_with(read, kept)?;
    let mut words = elsewhere(read, kept)?;
    words.retain(|word| {
        let is_one = is_one_matter(kept.scope, word) && is_one_matter(word.scope, word);
        word.trust == Trust::Person && scopes.contains(&word.scope) && is_one
    });
    Ok(words)
}

/// What waits for others than a memory is for, of the same thing.
pub(super) fn waiting(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let mut waiting = rivals::waiting_anywhere(read, memory)?;
    waiting.retain(|one| one.scope != memory.scope);
    Ok(waiting)
}

/// The same of those that may wait beside it.
pub(super) fn waiting_beside(read: &Read<'_>, word: &Memory) -> Result<Vec<Memory>, StoreError> {
    let mut beside = Vec::new();
    for one in waiting(read, word)? {
        if is_one_matter(one.scope, word) && read_with(read, &one)?.contains(&word.scope) {
            beside.push(one);
        }
    }
    Ok(beside)
}

/// A memory as if it were for those whom another is for: so the two are compared.
pub(super) fn as_beside(one: &Memory, other: &Memory) -> Memory {
    Memory { scope: one.scope, ..other.clone() }
}

/// Whose words whoever keeps a memory reads.
fn read_with(read: &Read<'_>, kept: &Memory) -> Result<Vec<MemoryScope>, StoreError> {
    let mut scopes = vec![MemoryScope::User, MemoryScope::Workspace];
    if let Some(run) = kept.source.run.map(|run| runs::find(read, run)).transpose()?.flatten() {
        scopes.extend([MemoryScope::Agent(run.agent), MemoryScope::Group(run.group)]);
    }
    Ok(scopes)
}

/// What holds for others than a memory is for, of the same thing.
pub(super) fn elsewhere(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let Some(stated) = &memory.statement else { return Ok(Vec::new()) };
    let attributes = called(&stated.attribute);
    let about = About { subject: &stated.subject, attributes: &attributes };
    memories::elsewhere(read, memory.scope, about)
}

/// What is so in one conversation may be otherwise in another, but for what the person is; and
/// how they want to be answered there is their affair.
fn is_one_matter(scope: MemoryScope, word: &Memory) -> bool {
    let of_person = word.statement.as_ref().is_some_and(|stated| {
        stated.subject.eq_ignore_ascii_case(PERSON) && !is_of_answers(&stated.attribute)
    });
    of_person || !matches!(scope, MemoryScope::Group(_))
}

/// Whether every agent reads it.
pub(super) fn is_for_all(scope: MemoryScope) -> bool {
    match scope {
        MemoryScope::User | MemoryScope::Workspace => true,
        MemoryScope::Agent(_) | MemoryScope::Group(_) => false,
    }
}
