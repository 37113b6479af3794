//! What a person says is so no longer, said or written down: it ends.
//!
//! What they write down is kept in their words. It takes the place of what it ends, and of
//! nothing else: what held before that does not hold again.

use super::across::{is_word_for_all, kept_of};
use super::as_said::is_of_one_time;
use super::come_back::says_no_more;
use super::holds;
use super::person;
use ::memory::{Ending, PERSON, is_no_longer, no_longer, over, says_of_none};
use domain::{Memory, MemoryScope, Statement, Trust};
use store::table::memories::{self, About};
use store::{Read, StoreError};

/// Those that hold of which the person says that it is over.
pub(super) fn meant(
    read: &Read<'_>,
    scope: MemoryScope,
    ending: &Ending,
    said_ms: i64,
) -> Result<Vec<Memory>, StoreError> {
    among(ending, said_ms, |about| memories::rivals(read, scope, "", Some(about)))
}

/// The same of what agents keep for others than these.
pub(super) fn meant_elsewhere(
    read: &Read<'_>,
    scope: MemoryScope,
    ending: &Ending,
    said_ms: i64,
) -> Result<Vec<Memory>, StoreError> {
    among(ending, said_ms, |about| kept_of(read, scope, about))
}

fn among(
    ending: &Ending,
    said_ms: i64,
    find: impl FnOnce(About<'_>) -> Result<Vec<Memory>, StoreError>,
) -> Result<Vec<Memory>, StoreError> {
    let mut meant = find(About { subject: PERSON, attributes: &ending.is_about() })?;
    meant.retain(|one| holds(one, said_ms) && is_ended(one, std::slice::from_ref(ending)));
    Ok(meant)
}

/// Those that end when this holds.
pub(super) fn ended_by(
    read: &Read<'_>,
    memory: &Memory,
    now: i64,
) -> Result<Vec<Memory>, StoreError> {
    let mut ends = Vec::new();
    if memory.statement.as_ref().is_some_and(is_no_longer) {
        ends = ended(read, memory.scope, &memory.text, now)?;
    } else if memory.trust == Trust::Person && memory.statement.is_some() {
        // Who prefers it now prefers nothing to it any more.
        for ending in said_over(read, &memory.text)?.iter().filter(|one| one.is_of_preference()) {
            ends.extend(meant(read, memory.scope, ending, now)?);
        }
    }
    // What agents keep ends by its words alone: it states nothing of what not everybody reads.
    if is_word_for_all(memory) && !is_of_one_time(memory.kind) {
        for ending in said_over(read, &memory.text)? {
            ends.extend(meant_elsewhere(read, memory.scope, &ending, now)?);
        }
    }
    Ok(ends)
}

fn ended(
    read: &Read<'_>,
    scope: MemoryScope,
    text: &str,
    now: i64,
) -> Result<Vec<Memory>, StoreError> {
    let mut ended: Vec<Memory> = Vec::new();
    for ending in said_over(read, text)? {
        let meant = meant(read, scope, &ending, now)?.into_iter();
        for memory in meant {
            if ended.iter().all(|one| one.id != memory.id) {
                ended.push(memory);
            }
        }
    }
    Ok(ended)
}

/// What words state by which something ends: of several things the first. Where nothing that is
/// remembered does, it is so no longer all the same.
pub(super) fn states_end(
    read: &Read<'_>,
    scope: MemoryScope,
    text: &str,
    now: i64,
) -> Result<Option<Statement>, StoreError> {
    let ended = ended(read, scope, text, now)?;
    if let Some(stated) = ended.iter().find_map(|one| one.statement.as_ref()) {
        return Ok(Some(no_longer(stated)));
    }
    Ok(said_over(read, text)?.iter().find_map(says_of_none))
}

/// Whether a memory that was otherwise before holds nothing up any more that gave way to it:
/// nothing comes back that it says is over, nor what was so before that.
pub(super) fn frees<'a>(
    read: &Read<'_>,
    memory: &'a Memory,
    before: &Memory,
    now: i64,
) -> Result<impl Fn(&Memory) -> bool + use<'a>, StoreError> {
    let over = said_over(read, &memory.text)?;
    let is_over = is_ended(before, &over);
    let says_no_more = says_no_more(memory, now);
    Ok(move |other: &Memory| !is_over && !is_ended(other, &over) && says_no_more(other))
}

fn said_over(read: &Read<'_>, text: &str) -> Result<Vec<Ending>, StoreError> {
    Ok(over(text, &person::name(read)?))
}

fn is_ended(memory: &Memory, over: &[Ending]) -> bool {
    memory.statement.as_ref().is_some_and(|stated| over.iter().any(|one| one.ends(stated)))
}
