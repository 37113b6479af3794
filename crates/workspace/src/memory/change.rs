//! What a person does with a memory: correct it, pin it, judge it, take a change
//! back.

use super::remember::give_way;
use super::{check, found, not_forgotten, put};
use domain::{
    Fault, FaultCode, Judgement, Memory, MemoryChange, MemoryId, MemoryPatch, MemoryState,
    MemoryVersion, NewMemory, Trust,
};
use store::table::{memories, memory_vectors, memory_versions};
use store::{Read, StoreError, Write};

/// A correction is a person's word, and outranks what an agent noticed.
pub(crate) fn edit(
    write: &mut Write<'_>,
    id: MemoryId,
    patch: MemoryPatch,
    now: i64,
) -> Result<Memory, Fault> {
    let before = not_forgotten(write, id)?;
    let text = patch.text.map_or_else(|| before.text.clone(), |text| text.trim().to_owned());
    // A statement belongs to its words: others say something else.
    let same = text == before.text;
    let mut memory = Memory {
        statement: patch.statement.or_else(|| before.statement.clone().filter(|_| same)),
        text,
        kind: patch.kind.unwrap_or(before.kind),
        scope: patch.scope.unwrap_or(before.scope),
        tags: patch.tags.unwrap_or_else(|| before.tags.clone()),
        importance: patch.importance.unwrap_or(before.importance),
        valid_from_ms: patch.valid_from_ms.unwrap_or(before.valid_from_ms),
        valid_to_ms: patch.valid_to_ms.unwrap_or(before.valid_to_ms),
        ..before.clone()
    };
    check(write, &as_new(&memory))?;
    if memory == before {
        return Ok(memory);
    }
    memory.trust = Trust::Person;
    if !same {
        memory_vectors::remove(write, id)?;
    }
    put(write, &mut memory, MemoryChange::Edited, now)?;
    Ok(memory)
}

/// Read in every turn from now on, or no longer.
pub(crate) fn pin(
    write: &mut Write<'_>,
    id: MemoryId,
    pinned: bool,
    now: i64,
) -> Result<Memory, Fault> {
    let mut memory = not_forgotten(write, id)?;
    if pinned && memory.state != MemoryState::Current {
        let message = "only what holds can be pinned";
        return Err(Fault::new(FaultCode::Refused, message, "say first that it is right"));
    }
    if memory.pinned != pinned {
        memory.pinned = pinned;
        let how = if pinned { MemoryChange::Pinned } else { MemoryChange::Unpinned };
        put(write, &mut memory, how, now)?;
    }
    Ok(memory)
}

/// Says whether it is so.
pub(crate) fn judge(
    write: &mut Write<'_>,
    id: MemoryId,
    judgement: Judgement,
    now: i64,
) -> Result<Memory, Fault> {
    let mut memory = not_forgotten(write, id)?;
    match judgement {
        Judgement::Right => {
            let was = std::mem::replace(&mut memory.state, MemoryState::Current);
            if was == MemoryState::Current && memory.trust == Trust::Person {
                return Ok(memory);
            }
            memory.trust = Trust::Person;
            if was != MemoryState::Current {
                memory.valid_to_ms = None;
            }
            put(write, &mut memory, MemoryChange::Edited, now)?;
            // Both cannot hold.
            if let MemoryState::Contested(other) | MemoryState::Superseded(other) = was {
                let other = found(write, other)?;
                if other.state == MemoryState::Current {
                    give_way(write, other, &memory, now)?;
                }
            }
        }
        Judgement::Wrong => {
            if memory.state != MemoryState::Wrong {
                (memory.state, memory.pinned) = (MemoryState::Wrong, false);
                put(write, &mut memory, MemoryChange::Wrong, now)?;
            }
        }
        Judgement::Outdated => {
            if memory.valid_to_ms.is_none_or(|end| end > now) {
                // It began before it ended, whatever somebody thought.
                memory.valid_from_ms = memory.valid_from_ms.filter(|from| *from < now);
                (memory.valid_to_ms, memory.pinned) = (Some(now), false);
                put(write, &mut memory, MemoryChange::Outdated, now)?;
            }
        }
    }
    Ok(memory)
}

/// Takes the last change back, as a change of its own. A merge is taken back whole,
/// whichever of its memories is named.
pub(crate) fn undo(write: &mut Write<'_>, id: MemoryId, now: i64) -> Result<Memory, Fault> {
    let memory = not_forgotten(write, id)?;
    let MemoryState::Superseded(newer) = memory.state else {
        return take_back(write, memory, now);
    };
    let newer = found(write, newer)?;
    let last = standing(write, id)?.pop();
    let at_ms = last.filter(|last| last.change == MemoryChange::Superseded).map(|last| last.at_ms);
    let history = standing(write, newer.id)?;
    let merged = |version: &MemoryVersion| {
        version.change == MemoryChange::Merged && Some(version.at_ms) == at_ms
    };
    if history.last().is_some_and(merged) && newer.state != MemoryState::Forgotten {
        take_back(write, newer, now)?;
        return found(write, id);
    }
    let undone = take_back(write, memory, now)?;
    let was_merged = history.iter().any(merged);
    if undone.state == MemoryState::Current && newer.state == MemoryState::Current && !was_merged {
        // Both cannot hold: what took its place gives it back.
        give_way(write, newer, &undone, now)?;
    }
    Ok(undone)
}

/// Puts it back to how it was before its last change, with those that gave way to it
/// in that change.
fn take_back(write: &mut Write<'_>, memory: Memory, now: i64) -> Result<Memory, Fault> {
    let mut standing = standing(write, memory.id)?;
    let last = standing.pop();
    let Some(earlier) = standing.pop().and_then(|version| version.memory) else {
        return give_back(write, memory, last, now);
    };
    if earlier.text != memory.text {
        memory_vectors::remove(write, memory.id)?;
    }
    let mut undone = Memory {
        recalled: memory.recalled,
        recalled_at_ms: memory.recalled_at_ms,
        version: memory.version,
        ..earlier
    };
    put(write, &mut undone, MemoryChange::Undone, now)?;
    let Some(merge) = last.filter(|last| last.change == MemoryChange::Merged) else {
        return Ok(undone);
    };
    for other in memories::about(write, memory.id)? {
        let last = self::standing(write, other.id)?.pop();
        let is_of_it = |last: MemoryVersion| {
            last.change == MemoryChange::Superseded && last.at_ms == merge.at_ms
        };
        if other.state == MemoryState::Superseded(memory.id) && last.is_some_and(is_of_it) {
            take_back(write, other, now)?;
        }
    }
    Ok(undone)
}

/// Takes back that it was added: what gave way to it holds again in its place.
fn give_back(
    write: &mut Write<'_>,
    memory: Memory,
    added: Option<MemoryVersion>,
    now: i64,
) -> Result<Memory, Fault> {
    let id = memory.id;
    let added_at_ms = added.map(|added| added.at_ms);
    let mut older = None;
    for other in memories::about(write, id)? {
        let last = standing(write, other.id)?.pop();
        let gave_way = last.is_some_and(|last| {
            last.change == MemoryChange::Superseded && Some(last.at_ms) == added_at_ms
        });
        if other.state == MemoryState::Superseded(id) && gave_way {
            older = Some(take_back(write, other, now)?);
        }
    }
    let Some(older) = older.filter(|_| memory.state == MemoryState::Current) else {
        let fix = "forget it, if it should not be there";
        return Err(Fault::new(FaultCode::Refused, "there is nothing left to undo", fix));
    };
    give_way(write, memory, &older, now)?;
    found(write, id)
}

/// The versions whose change has not been taken back, the last one last.
fn standing(read: &Read<'_>, id: MemoryId) -> Result<Vec<MemoryVersion>, StoreError> {
    let mut standing: Vec<MemoryVersion> = Vec::new();
    for version in memory_versions::of(read, id)? {
        if version.change == MemoryChange::Undone {
            standing.pop();
        } else {
            standing.push(version);
        }
    }
    Ok(standing)
}

pub(super) fn as_new(memory: &Memory) -> NewMemory {
    NewMemory {
        kind: memory.kind,
        scope: memory.scope,
        text: memory.text.clone(),
        statement: memory.statement.clone(),
        tags: memory.tags.clone(),
        importance: Some(memory.importance),
        valid_from_ms: memory.valid_from_ms,
        valid_to_ms: memory.valid_to_ms,
    }
}
