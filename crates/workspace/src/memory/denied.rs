//! What a person has said was never so, or is so no longer, does not hold again because
//! an agent, a model or a file repeats it.
//!
//! It waits beside the person's word, for them to decide. Only who says it themselves,
//! later than that, has it hold again.

use super::holds;
use super::rivals::{rivals, wrong};
use ::memory::{says_again, says_over};
use domain::{Memory, MemoryChange, MemoryScope, MemoryState, Trust};
use store::table::memory_versions;
use store::{Read, StoreError};

/// What a person's word against it makes of a memory.
#[derive(Default)]
pub(super) struct Denied {
    /// The newest word against it: it waits beside this one.
    pub(super) by: Option<Memory>,
    /// It is said in a person's own words since: these were wrong to be called wrong.
    pub(super) no_more: Vec<Memory>,
}

/// `said_ms` is when the memory was said.
pub(super) fn denied(read: &Read<'_>, memory: &Memory, said_ms: i64) -> Result<Denied, StoreError> {
    let mut denied = Denied::default();
    if memory.valid_to_ms.is_some_and(|end| end <= said_ms) {
        // What was so once is no word against what holds.
        return Ok(denied);
    }
    let mut against = Vec::new();
    for other in wrong(read, memory)? {
        if other.id != memory.id && reaches(other.scope, memory.scope) && says_again(&other, memory)
        {
            against.extend(judged(read, &other)?.map(|at_ms| (at_ms, other)));
        }
    }
    against.extend(ended(read, memory, said_ms)?);
    against.sort_by_key(|(at_ms, _)| *at_ms);
    let Some((last, _)) = against.last() else { return Ok(denied) };
    if memory.trust == Trust::Person && said_ms >= *last {
        denied.no_more = against.into_iter().map(|(_, other)| other).collect();
        denied.no_more.retain(|other| other.state == MemoryState::Wrong);
        return Ok(denied);
    }
    denied.by = against.pop().map(|(_, other)| other);
    Ok(denied)
}

/// Those that a person has said are so no longer, each with when; nothing where one that
/// they vouch for says it again since.
fn ended(read: &Read<'_>, memory: &Memory, said_ms: i64) -> Result<Vec<(i64, Memory)>, StoreError> {
    let mut scopes = vec![memory.scope, MemoryScope::User, MemoryScope::Workspace];
    scopes.dedup();
    let mut ended = Vec::new();
    for scope in scopes {
        for other in rivals(read, scope, memory)? {
            if other.trust == Trust::Person && says_over(&other, memory) && holds(&other, said_ms) {
                let said = memory_versions::last_said(read, other.id)?;
                ended.push((said.unwrap_or(other.created_at_ms), other));
                continue;
            }
            if other.id == memory.id || !says_again(&other, memory) {
                continue;
            }
            if other.valid_to_ms.is_none_or(|end| end > said_ms) {
                if other.trust == Trust::Person {
                    return Ok(Vec::new());
                }
                continue;
            }
            ended.extend(judged(read, &other)?.map(|at_ms| (at_ms, other)));
        }
    }
    Ok(ended)
}

/// When a person said it, if that is still their word.
fn judged(read: &Read<'_>, memory: &Memory) -> Result<Option<i64>, StoreError> {
    let versions = memory_versions::of(read, memory.id)?.into_iter().rev();
    let mut words = versions.filter(|version| {
        version.by.is_none()
            && matches!(version.change, MemoryChange::Wrong | MemoryChange::Outdated)
    });
    Ok(words.next().map(|version| version.at_ms))
}

/// What is so in one conversation may be otherwise in another.
fn reaches(scope: MemoryScope, other: MemoryScope) -> bool {
    match (scope, other) {
        (MemoryScope::Group(one), MemoryScope::Group(other)) => one == other,
        (
            MemoryScope::User
            | MemoryScope::Workspace
            | MemoryScope::Agent(_)
            | MemoryScope::Group(_),
            _,
        ) => true,
    }
}
