//! What a person does with a memory: correct it, pin it, judge it, take a change
//! back.

use super::as_said::{as_corrected, take_kind};
use super::remember::{Beside, give_way, stand_back, take_over};
use super::rivals::{rivals, waiting};
use super::waiting::{deny, settle};
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
    let same = text == before.text;
    let (given, kind) = (patch.statement.is_some(), patch.kind);
    let mut memory = Memory {
        statement: patch.statement.or_else(|| before.statement.clone()),
        text,
        kind: patch.kind.unwrap_or(before.kind),
        scope: patch.scope.unwrap_or(before.scope),
        tags: patch.tags.unwrap_or_else(|| before.tags.clone()),
        importance: patch.importance.unwrap_or(before.importance),
        valid_from_ms: patch.valid_from_ms.unwrap_or(before.valid_from_ms),
        valid_to_ms: patch.valid_to_ms.unwrap_or(before.valid_to_ms),
        ..before.clone()
    };
    // A statement belongs to its words: others say something else.
    if !same && !given {
        as_corrected(write, &mut memory, &before)?;
    }
    check(write, &as_new(&memory))?;
    if memory == before {
        return Ok(memory);
    }
    memory.trust = Trust::Person;
    if !same {
        memory_vectors::remove(write, id)?;
    }
    // Of two values of one thing one holds.
    let older = match memory.state {
        MemoryState::Current => Beside::of(write, &memory, now)?.take(&mut memory).0,
        _ => Vec::new(),
    };
    take_kind(&mut memory, &older);
    memory.kind = kind.unwrap_or(memory.kind);
    put(write, &mut memory, MemoryChange::Edited, now)?;
    take_over(write, older, &memory, now)?;
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

/// Says whether it is so, and with that of all that waits whether it is as well.
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
            let (mut older, _) = Beside::of(write, &memory, now)?.take(&mut memory);
            if let MemoryState::Contested(other) | MemoryState::Superseded(other) = was
                && older.iter().all(|old| old.id != other)
            {
                older.extend(memories::find(write, other)?);
            }
            put(write, &mut memory, MemoryChange::Edited, now)?;
            // Both cannot hold.
            older.retain(|old| matches!(old.state, MemoryState::Current | MemoryState::Wrong));
            for old in older {
                give_way(write, old, &memory, now)?;
            }
            settle(write, &memory, now)?;
        }
        Judgement::Wrong => {
            let was = std::mem::replace(&mut memory.state, MemoryState::Wrong);
            if was != MemoryState::Wrong {
                memory.pinned = false;
                put(write, &mut memory, MemoryChange::Wrong, now)?;
            }
            if matches!(was, MemoryState::Contested(_)) {
                deny(write, &memory, now)?;
                settle(write, &memory, now)?;
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

/// Takes the last change back, as a change of its own. A merge, a correction and a
/// judgement are taken back whole, whichever of their memories is named.
pub(crate) fn undo(write: &mut Write<'_>, id: MemoryId, now: i64) -> Result<Memory, Fault> {
    let memory = not_forgotten(write, id)?;
    let MemoryState::Superseded(newer) = memory.state else {
        if let Some(decided) = decided_with(write, &memory)? {
            take_back(write, decided, now)?;
            return found(write, id);
        }
        let planned = about_to_begin(write, &memory)?;
        let undone = take_back(write, memory, now)?;
        for other in planned {
            stand_back(write, other, &undone, now)?;
        }
        return Ok(undone);
    };
    let newer = found(write, newer)?;
    let own = standing(write, id)?;
    let last = own.last().filter(|last| last.change == MemoryChange::Superseded);
    let at_ms = last.map(|last| last.at_ms);
    let history = standing(write, newer.id)?;
    let together = |version: &MemoryVersion| Some(version.at_ms) == at_ms;
    let is_denied = |last: &MemoryVersion| last.change == MemoryChange::Wrong && waited(&own);
    let is_of_several = history
        .last()
        .is_some_and(|last| together(last) && (others_gave_way(&history) || is_denied(last)));
    if is_of_several && newer.state != MemoryState::Forgotten {
        take_back(write, newer, now)?;
        return found(write, id);
    }
    let undone = take_back(write, memory, now)?;
    let was_merged =
        history.iter().any(|version| version.change == MemoryChange::Merged && together(version));
    if undone.state == MemoryState::Current && newer.state == MemoryState::Current && !was_merged {
        // Both cannot hold: what took its place gives it back.
        if let Some(at_ms) = at_ms {
            for other in settled_with(write, &newer, at_ms)? {
                take_back(write, other, now)?;
            }
        }
        stand_back(write, newer, &undone, now)?;
    }
    if undone.state == MemoryState::Current {
        // Neither can what was said since then.
        for other in Beside::of(write, &undone, now)?.take(&mut undone.clone()).0 {
            if other.state == MemoryState::Current {
                give_way(write, other, &undone, now)?;
            }
        }
    }
    Ok(undone)
}

/// Puts it back to how it was before its last change, with those that gave way to it
/// in that change.
fn take_back(write: &mut Write<'_>, memory: Memory, now: i64) -> Result<Memory, Fault> {
    let mut standing = standing(write, memory.id)?;
    let of_several = others_gave_way(&standing);
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
    let Some(last) = last else { return Ok(undone) };
    if of_several {
        for other in gave_way_to(write, &memory, last.at_ms)? {
            take_back(write, other, now)?;
        }
    }
    if matches!(last.change, MemoryChange::Edited | MemoryChange::Wrong) {
        for other in settled_with(write, &memory, last.at_ms)? {
            take_back(write, other, now)?;
        }
    }
    Ok(undone)
}

/// Whether the last of these changes is one that others may have given way to.
fn others_gave_way(standing: &[MemoryVersion]) -> bool {
    let [.., before, last] = standing else { return false };
    let (Some(before), Some(after)) = (&before.memory, &last.memory) else { return false };
    let says = |memory: &Memory| {
        let times = (memory.valid_from_ms, memory.valid_to_ms);
        (memory.state, memory.statement.clone(), times)
    };
    last.change == MemoryChange::Merged
        || last.change == MemoryChange::Edited && says(before) != says(after)
}

/// Those that gave way to it at this moment, or are to when it begins.
fn gave_way_to(read: &Read<'_>, memory: &Memory, at_ms: i64) -> Result<Vec<Memory>, StoreError> {
    let mut others = memories::about(read, memory.id)?;
    others.retain(|other| other.state == MemoryState::Superseded(memory.id));
    others.extend(rivals(read, memory.scope, memory)?);
    let mut gave_way = Vec::new();
    for other in others {
        let last = standing(read, other.id)?.pop();
        let is_of_it =
            |last: MemoryVersion| last.change == MemoryChange::Superseded && last.at_ms == at_ms;
        if last.is_some_and(is_of_it) {
            gave_way.push(other);
        }
    }
    Ok(gave_way)
}

/// Those that waited, and were settled with it at this moment.
fn settled_with(read: &Read<'_>, memory: &Memory, at_ms: i64) -> Result<Vec<Memory>, StoreError> {
    let mut others = memories::about(read, memory.id)?;
    others.extend(rivals(read, memory.scope, memory)?);
    others.extend(waiting(read, memory)?);
    let mut settled: Vec<Memory> = Vec::new();
    for other in others {
        let standing = standing(read, other.id)?;
        let gave_way = other.state == MemoryState::Superseded(memory.id) && waited(&standing);
        let is_of_it = standing.last().is_some_and(|last| {
            let is_settled = match last.change {
                MemoryChange::Settled => true,
                MemoryChange::Superseded => gave_way,
                _ => false,
            };
            is_settled && last.at_ms == at_ms
        });
        if is_of_it && other.id != memory.id && settled.iter().all(|one| one.id != other.id) {
            settled.push(other);
        }
    }
    Ok(settled)
}

/// Whether it waited for a person before the last of these changes.
fn waited(standing: &[MemoryVersion]) -> bool {
    let [.., before, _] = standing else { return false };
    let before = before.memory.as_ref().map(|memory| memory.state);
    matches!(before, Some(MemoryState::Contested(_)))
}

/// With the judgement or the correction of which memory it was settled, if that was the
/// last change of both.
fn decided_with(read: &Read<'_>, memory: &Memory) -> Result<Option<Memory>, StoreError> {
    let last = standing(read, memory.id)?.pop();
    let Some(last) = last.filter(|last| last.change == MemoryChange::Settled) else {
        return Ok(None);
    };
    let mut others = rivals(read, memory.scope, memory)?;
    if let MemoryState::Contested(other) = memory.state {
        others.extend(memories::find(read, other)?);
    }
    for other in others {
        let decided = standing(read, other.id)?.pop().is_some_and(|with| {
            with.at_ms == last.at_ms
                && matches!(with.change, MemoryChange::Edited | MemoryChange::Wrong)
        });
        if decided && other.id != memory.id {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Those that gave way to it when they were merged, and still do.
pub(super) fn merged_into(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let mut merged = Vec::new();
    for version in standing(read, memory.id)? {
        if version.change == MemoryChange::Merged {
            merged.extend(gave_way_to(read, memory, version.at_ms)?);
        }
    }
    merged.retain(|other| other.state == MemoryState::Superseded(memory.id));
    Ok(merged)
}

/// What it is to give way to when that begins, if that was the last change of it.
fn about_to_begin(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let last = standing(read, memory.id)?.pop();
    let is_to_end = last.is_some_and(|last| last.change == MemoryChange::Superseded);
    if memory.valid_to_ms.is_none() || !is_to_end {
        return Ok(Vec::new());
    }
    let mut others = rivals(read, memory.scope, memory)?;
    others.retain(|other| other.id != memory.id && other.valid_from_ms == memory.valid_to_ms);
    Ok(others)
}

/// Takes back that it was added: what gave way to it holds again in its place.
fn give_back(
    write: &mut Write<'_>,
    memory: Memory,
    added: Option<MemoryVersion>,
    now: i64,
) -> Result<Memory, Fault> {
    let id = memory.id;
    let mut back = Vec::new();
    if let Some(added) = added {
        for other in gave_way_to(write, &memory, added.at_ms)? {
            back.push(take_back(write, other, now)?);
        }
        for other in settled_with(write, &memory, added.at_ms)? {
            back.push(take_back(write, other, now)?);
        }
    }
    back.retain(|other| !matches!(other.state, MemoryState::Contested(_)));
    let Some(older) = back.pop().filter(|_| memory.state == MemoryState::Current) else {
        let fix = "forget it, if it should not be there";
        return Err(Fault::new(FaultCode::Refused, "there is nothing left to undo", fix));
    };
    stand_back(write, memory, &older, now)?;
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
