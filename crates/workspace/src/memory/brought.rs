//! What comes with a change of a memory, and goes with it where that is taken back.
//!
//! Words that say several things change one memory and bring others; what gives way leaves what
//! it said beside that. It is one change: who takes it back takes back all that it did, but for
//! what somebody has said, corrected or confirmed since.

use super::undo::{decided_with, given_back, hold_again, nearest, standing, step_back};
use super::waiting::{beside_what_holds, settle_beside};
use super::{found, holds, put};
use domain::{Fault, Memory, MemoryChange, MemoryId, MemoryState};
use store::table::memory_brought::{self, Version};
use store::table::memory_versions;
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

/// Nothing is done to what somebody has changed since.
fn take_away(
    write: &mut Write<'_>,
    with: &Memory,
    brought: Version,
    now: i64,
) -> Result<(), Fault> {
    let mut memory = found(write, brought.memory)?;
    let last = standing(write, memory.id)?.pop();
    let Some(last) = last.filter(|last| last.version == brought.version) else { return Ok(()) };
    if last.change != MemoryChange::Added {
        step_back(write, memory, now)?;
        return Ok(());
    }
    let beside = beside_what_holds(write, &memory, now)?;
    let back = given_back(write, &memory, last.at_ms, now)?;
    let older = nearest(&memory, &back).cloned();
    let by = older.as_ref().map_or(with.id, |older| older.id);
    (memory.state, memory.pinned) = (MemoryState::Superseded(by), false);
    put(write, &mut memory, MemoryChange::Undone, now)?;
    if let Some(older) = older {
        hold_again(write, older, last.at_ms, now)?;
    }
    settle_beside(write, beside, now)
}

/// Whether nothing is left of its changes.
pub(super) fn was_taken_back(read: &Read<'_>, memory: &Memory) -> Result<bool, StoreError> {
    Ok(standing(read, memory.id)?.is_empty())
}

/// What came with the last change of a memory, or of the one with which that was decided: each
/// with what it came with.
pub(super) struct Came(Vec<(Version, Version)>);

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
                let with = Version { memory: id, version: last.version };
                let all = memory_brought::with(read, with)?.into_iter();
                came.extend(all.map(|brought| (with, brought)));
            }
        }
        Ok(Came(came))
    }

    /// As it is once a change is taken back: what was taken away, with what holds in its place,
    /// and what goes on holding since it was changed later.
    pub(super) fn now(self, read: &Read<'_>, now: i64) -> Result<Vec<Memory>, Fault> {
        let last = |id: MemoryId| Ok::<_, StoreError>(memory_versions::of(read, id)?.pop());
        let is_undone = |id: MemoryId| {
            Ok::<_, StoreError>(last(id)?.is_some_and(|one| one.change == MemoryChange::Undone))
        };
        let mut all = Vec::new();
        for (with, brought) in self.0 {
            if !is_undone(with.memory)? {
                continue;
            }
            let memory = found(read, brought.memory)?;
            match memory.state {
                MemoryState::Superseded(by) if was_taken_back(read, &memory)? => {
                    all.push(memory);
                    if by != with.memory {
                        all.push(found(read, by)?);
                    }
                }
                _ if holds(&memory, now) && !is_undone(memory.id)? => all.push(memory),
                _ => {}
            }
        }
        Ok(all)
    }
}
