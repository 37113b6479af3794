//! What comes with a change of a memory, and goes with it where that is taken back.
//!
//! Words that say several things change one memory and bring others; what gives way leaves what
//! it said beside that. It is one change: who takes it back takes back all that it did, but for
//! what somebody has said, corrected or confirmed since.

use super::undo::{
    decided_with, given_back, hold_again, merged_into, nearest, standing, step_back,
};
use super::waiting::{beside_what_holds, settle_beside};
use super::{found, put};
use domain::{Fault, Memory, MemoryChange, MemoryId, MemoryState, MemoryVersion};
use std::collections::HashSet;
use store::table::memory_brought::{self, Version};
use store::table::{memories, memory_versions};
use store::{Read, StoreError, Write};

/// A memory as it was just changed.
pub(super) fn as_changed(memory: &Memory) -> Version {
    Version { memory: memory.id, version: memory.version }
}

/// The same of one that is about to be changed.
pub(super) fn as_it_becomes(memory: &Memory) -> Version {
    Version { memory: memory.id, version: memory.version + 1 }
}

/// Notes that a memory came with a change, if it was remembered or said again by that.
pub(super) fn note(
    write: &mut Write<'_>,
    with: Version,
    brought: &Memory,
    now: i64,
) -> Result<(), StoreError> {
    let last = memory_versions::of(write, brought.id)?.pop();
    let came = last.is_some_and(|last| {
        last.at_ms >= now && matches!(last.change, MemoryChange::Added | MemoryChange::Repeated)
    });
    if came && brought.id != with.memory {
        memory_brought::add(write, with, as_changed(brought))?;
    }
    Ok(())
}

/// Takes away what came with a change of a memory that is taken back.
pub(super) fn take_away_with(
    write: &mut Write<'_>,
    memory: &Memory,
    version: u32,
    now: i64,
) -> Result<(), Fault> {
    for brought in memory_brought::with(write, Version { memory: memory.id, version })? {
        take_away(write, memory, brought, now)?;
    }
    Ok(())
}

/// Nothing is done to what somebody has changed since. What only gave way since goes with the rest,
/// so that it does not come back where what took its place is taken back.
fn take_away(
    write: &mut Write<'_>,
    with: &Memory,
    brought: Version,
    now: i64,
) -> Result<(), Fault> {
    let mut memory = found(write, brought.memory)?;
    let mut changes = standing(write, memory.id)?;
    let came = changes.iter().position(|one| one.version == brought.version);
    let Some(came) = came.map(|nth| changes.split_off(nth)) else { return Ok(()) };
    let [first, since @ ..] = came.as_slice() else { return Ok(()) };
    if !since.is_empty() && !only_gave_way(write, &memory, since)? {
        return Ok(());
    }
    if first.change != MemoryChange::Added {
        // It was said before.
        return if since.is_empty() { step_back(write, memory, now).map(drop) } else { Ok(()) };
    }
    let beside = beside_what_holds(write, &memory, now)?;
    let back = given_back(write, &memory, first.at_ms, now)?;
    let older = nearest(&memory, &back).filter(|_| since.is_empty());
    let by = older.map_or(with.id, |older| older.id);
    (memory.state, memory.pinned) = (MemoryState::Superseded(by), false);
    for _ in &came {
        put(write, &mut memory, MemoryChange::Undone, now)?;
    }
    for older in back {
        let older = found(write, older.id)?;
        hold_again(write, older, first.at_ms, now)?;
    }
    settle_beside(write, beside, now)
}

/// Whether all that became of it since is that it gave way to what was said later, and not to what
/// says it with others.
fn only_gave_way(
    read: &Read<'_>,
    memory: &Memory,
    since: &[MemoryVersion],
) -> Result<bool, StoreError> {
    let MemoryState::Superseded(by) = memory.state else { return Ok(false) };
    let Some(by) = memories::find(read, by)? else { return Ok(false) };
    let is_merged = merged_into(read, &by)?.iter().any(|one| one.id == memory.id);
    let gave_way = |version: &MemoryVersion| {
        matches!(version.change, MemoryChange::Superseded | MemoryChange::Settled)
    };
    Ok(!is_merged && since.iter().all(gave_way))
}

/// Whether nothing is left of its changes.
pub(super) fn was_taken_back(read: &Read<'_>, memory: &Memory) -> Result<bool, StoreError> {
    Ok(standing(read, memory.id)?.is_empty())
}

/// What came with the last change of a memory, or of the one with which that was decided.
pub(super) struct Came(Vec<With>);

/// What a change brought, or what it said in its own words, and what gave way to that.
struct With {
    change: Version,
    brought: MemoryId,
    gave_way: Vec<MemoryId>,
}

impl Came {
    pub(super) fn with(read: &Read<'_>, memory: &Memory) -> Result<Came, Fault> {
        let mut changed = vec![memory.id];
        if let MemoryState::Superseded(by) = memory.state {
            changed.push(by);
        }
        changed.extend(decided_with(read, memory)?.map(|decided| decided.id));
        let mut came = Vec::new();
        for id in changed {
            if let Some(last) = standing(read, id)?.pop() {
                let change = Version { memory: id, version: last.version };
                if matches!(last.change, MemoryChange::Edited | MemoryChange::Merged) {
                    let gave_way = gave_way_to(read, id, last.at_ms)?;
                    came.push(With { change, brought: id, gave_way });
                }
                for brought in memory_brought::with(read, change)? {
                    let mut versions = memory_versions::of(read, brought.memory)?.into_iter();
                    let added = versions.find(|one| one.version == brought.version);
                    let gave_way = match added.filter(|one| one.change == MemoryChange::Added) {
                        Some(added) => gave_way_to(read, brought.memory, added.at_ms)?,
                        None => Vec::new(),
                    };
                    came.push(With { change, brought: brought.memory, gave_way });
                }
            }
        }
        Ok(Came(came))
    }

    /// As it is once a change is taken back: what was taken away, what holds again in its place or
    /// what does so instead, and what stays since it was changed later.
    pub(super) fn now(self, read: &Read<'_>, of: MemoryId) -> Result<Vec<Memory>, Fault> {
        let is_undone = |id: MemoryId| {
            let last = memory_versions::of(read, id)?.pop();
            Ok::<_, StoreError>(last.is_some_and(|one| one.change == MemoryChange::Undone))
        };
        let mut named = Vec::new();
        for With { change, brought, gave_way } in self.0 {
            if !is_undone(change.memory)? {
                continue;
            }
            named.push(brought);
            let is_itself = brought == change.memory;
            if !is_itself && !was_taken_back(read, &found(read, brought)?)? {
                // Said once less, or changed since.
                named.truncate(named.len() - usize::from(is_undone(brought)?));
                continue;
            }
            for other in gave_way {
                named.push(other);
                if let MemoryState::Superseded(by) = found(read, other)?.state {
                    named.push(by);
                }
            }
        }
        let mut seen = HashSet::from([of]);
        named.retain(|id| seen.insert(*id));
        let mut all = named.into_iter().map(|id| found(read, id)).collect::<Result<Vec<_>, _>>()?;
        all.retain(|one| matches!(one.state, MemoryState::Current | MemoryState::Superseded(_)));
        Ok(all)
    }
}

/// What gave way to a memory at this moment.
pub(super) fn gave_way_to(
    read: &Read<'_>,
    memory: MemoryId,
    at_ms: i64,
) -> Result<Vec<MemoryId>, StoreError> {
    let others = memories::about(read, memory)?.into_iter();
    let mut gave_way = Vec::new();
    for other in others.filter(|other| other.state == MemoryState::Superseded(memory)) {
        let last = standing(read, other.id)?.pop();
        let is_that =
            |last: MemoryVersion| last.at_ms == at_ms && last.change == MemoryChange::Superseded;
        if last.is_some_and(is_that) {
            gave_way.push(other.id);
        }
    }
    Ok(gave_way)
}
