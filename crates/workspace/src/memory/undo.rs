//! Takes changes of memories back, each with all that came of it.
//!
//! What came of a change stands on record with its time: those that gave way and those that
//! were settled. They are put back as they were. What holds again by that is put beside what
//! was said since, like all that comes to hold.

use super::across::{self, words};
use super::brought::{Came, gave_way_to, take_away_with};
use super::remember::{Beside, give_way, stand_back};
use super::rivals::{copies, rivals, waiting, wrong};
use super::waiting::{beside_what_holds, settle_against, settle_beside};
use super::{found, not_forgotten, put};
use domain::{Fault, FaultCode, Memory, MemoryChange, MemoryId, MemoryState, MemoryVersion};
use std::collections::HashSet;
use store::table::{memories, memory_vectors, memory_versions};
use store::{Read, StoreError, Write};

/// Takes the last change back, as a change of its own. A merge, a correction and a
/// judgement are taken back whole, whichever of their memories is named. What waited beside
/// what holds no more by that is looked at anew. With it comes what came with the change, what is
/// taken back too, what stays, and what gives way to it.
pub(crate) fn undo(write: &mut Write<'_>, id: MemoryId, now: i64) -> Result<Vec<Memory>, Fault> {
    let memory = not_forgotten(write, id)?;
    let beside = beside_what_holds(write, &memory, now)?;
    let was_wrong = memory.state == MemoryState::Wrong;
    let came = Came::with(write, &memory)?;
    undo_last(write, memory, now)?;
    settle_beside(write, beside, now)?;
    let memory = found(write, id)?;
    if was_wrong {
        // What was said again meanwhile has waited beside it.
        settle_against(write, &memory, now)?;
    }
    let mut all = vec![memory];
    all.extend(came.now(write, id)?);
    // What was said since gives way to what holds again.
    for other in gave_way_to(write, id, now)? {
        if all.iter().all(|one| one.id != other) {
            all.push(found(write, other)?);
        }
    }
    Ok(all)
}

fn undo_last(write: &mut Write<'_>, memory: Memory, now: i64) -> Result<Memory, Fault> {
    let id = memory.id;
    if let Some(decided) = decided_with(write, &memory)? {
        take_back(write, decided, now)?;
        return found(write, id);
    }
    let own = standing(write, id)?;
    let last = own.last().filter(|last| last.change == MemoryChange::Superseded);
    let (Some(last), MemoryState::Superseded(newer)) = (last, memory.state) else {
        for other in about_to_begin(write, &memory)? {
            stand_back(write, other, &memory, now)?;
        }
        return take_back(write, memory, now);
    };
    let newer = found(write, newer)?;
    let history = standing(write, newer.id)?;
    let together = |version: &MemoryVersion| version.at_ms == last.at_ms;
    let is_denied = |last: &MemoryVersion| last.change == MemoryChange::Wrong && waited(&own);
    let is_of_several = history
        .last()
        .is_some_and(|last| together(last) && (others_gave_way(&history) || is_denied(last)));
    if is_of_several && newer.state != MemoryState::Forgotten {
        take_back(write, newer, now)?;
        return found(write, id);
    }
    let was_merged =
        history.iter().any(|version| version.change == MemoryChange::Merged && together(version));
    let held = state_before(&own) == Some(MemoryState::Current);
    if held && was_merged {
        // What was said since then goes on counting.
        let back = step_back(write, memory, now)?;
        hold_again(write, back, last.at_ms, now)?;
        return found(write, id);
    }
    if held && newer.state == MemoryState::Current {
        // Both cannot hold: what took its place gives it back.
        let mut back = Vec::new();
        for other in came_of(write, &newer, &newer, last.at_ms)? {
            if other.id != id {
                back.push(step_back(write, other, now)?);
            }
        }
        back.push(memory.clone());
        let instead = nearest(&newer, &back).unwrap_or(&memory);
        stand_back(write, newer.clone(), instead, now)?;
    }
    take_back(write, memory, now)
}

/// Puts it back to how it was before its last change, with all that came of that.
fn take_back(write: &mut Write<'_>, memory: Memory, now: i64) -> Result<Memory, Fault> {
    let mut standing = standing(write, memory.id)?;
    let decides = others_gave_way(&standing);
    let last = standing.pop();
    let (Some(last), Some(mut undone)) = (&last, before(&standing, &memory)) else {
        return give_back(write, memory, last, now);
    };
    take_away_with(write, &memory, last.version, now)?;
    let mut back = Vec::new();
    if decides || last.change == MemoryChange::Wrong {
        for other in came_of(write, &memory, &undone, last.at_ms)? {
            back.push(step_back(write, other, now)?);
        }
    }
    if last.change == MemoryChange::Outdated {
        for copy in ended_with(write, &undone, last.at_ms)? {
            back.push(step_back(write, copy, now)?);
        }
    }
    if undone.text != memory.text {
        memory_vectors::remove(write, memory.id)?;
    }
    if undone.state != MemoryState::Current || !stands_otherwise(&undone, &memory) {
        put(write, &mut undone, MemoryChange::Undone, now)?;
        hold_alone(write, back, now)?;
        return Ok(undone);
    }
    let mut beside = Beside::of(write, &undone, now)?;
    // What said the same before goes on doing so, unless this is brought back in its place.
    let comes_back = last.change == MemoryChange::Superseded;
    beside.same = beside.same.filter(|same| comes_back || same.created_at_ms > last.at_ms);
    let mut stands = match last.change {
        // Who brings it back knows what took its place.
        MemoryChange::Superseded => beside.take_alone(&mut undone),
        _ => beside.take(&mut undone),
    };
    // That it was never so is not taken back by this, and what held beside it then does so again.
    stands
        .older
        .retain(|old| old.state == MemoryState::Current && back.iter().all(|one| one.id != old.id));
    put(write, &mut undone, MemoryChange::Undone, now)?;
    let undone = stands.carry_out(write, undone, now)?;
    hold_alone(write, back, now)?;
    Ok(undone)
}

/// Both cannot hold: what was said since then gives way to those that are back.
fn hold_alone(write: &mut Write<'_>, back: Vec<Memory>, now: i64) -> Result<(), Fault> {
    for memory in back {
        let memory = found(write, memory.id)?;
        if memory.state != MemoryState::Current {
            continue;
        }
        for other in Beside::of(write, &memory, now)?.take_alone(&mut memory.clone()).older {
            if other.state == MemoryState::Current {
                give_way(write, other, &memory, now)?;
            }
        }
    }
    Ok(())
}

/// Puts what came of a change back to how it was before.
pub(super) fn step_back(write: &mut Write<'_>, memory: Memory, now: i64) -> Result<Memory, Fault> {
    let mut standing = standing(write, memory.id)?;
    if let Some(last) = standing.pop() {
        take_away_with(write, &memory, last.version, now)?;
    }
    let Some(mut earlier) = before(&standing, &memory) else { return Ok(memory) };
    put(write, &mut earlier, MemoryChange::Undone, now)?;
    Ok(earlier)
}

/// How it was after the last of these changes; how often it was read since stays.
fn before(standing: &[MemoryVersion], memory: &Memory) -> Option<Memory> {
    let earlier = standing.last()?.memory.clone()?;
    let Memory { recalled, recalled_at_ms, version, .. } = *memory;
    Some(Memory { recalled, recalled_at_ms, version, ..earlier })
}

/// Whether others may have to give way to the one that did not have to give way to the other.
fn stands_otherwise(one: &Memory, other: &Memory) -> bool {
    let stands = |memory: &Memory| {
        let times = (memory.valid_from_ms, memory.valid_to_ms);
        (memory.state, memory.scope, memory.trust, times)
    };
    stands(one) != stands(other) || (&one.text, &one.statement) != (&other.text, &other.statement)
}

/// Whether the last of these changes is one that others may have given way to.
fn others_gave_way(standing: &[MemoryVersion]) -> bool {
    let [.., before, last] = standing else { return false };
    let (Some(before), Some(after)) = (&before.memory, &last.memory) else { return false };
    last.change == MemoryChange::Merged
        || last.change == MemoryChange::Edited
            && (stands_otherwise(before, after) || is_confirmed(before, after))
}

/// Whether nothing became of a memory but that a person has said that it is right.
fn is_confirmed(before: &Memory, after: &Memory) -> bool {
    let Memory { recalled, recalled_at_ms, version, changed_at_ms, .. } = *after;
    *after == Memory { recalled, recalled_at_ms, version, changed_at_ms, ..before.clone() }
}

/// Those that gave way, came back or were settled at this moment, when it became what it is
/// after it was what it was before.
fn came_of(
    read: &Read<'_>,
    memory: &Memory,
    before: &Memory,
    at_ms: i64,
) -> Result<Vec<Memory>, StoreError> {
    let mut others = memories::about(read, memory.id)?;
    for said in [memory, before] {
        let mut there = rivals(read, said.scope, said)?;
        there.extend(across::elsewhere(read, said)?);
        there.extend(wrong(read, said)?);
        for rival in &there {
            others.extend(memories::about(read, rival.id)?);
        }
        others.extend(there);
        others.extend(waiting(read, said)?);
        others.extend(across::waiting(read, said)?);
    }
    let mut seen = HashSet::from([memory.id]);
    let mut came = Vec::new();
    for other in others {
        if !seen.insert(other.id) {
            continue;
        }
        let Some(last) = standing(read, other.id)?.pop().filter(|last| last.at_ms == at_ms) else {
            continue;
        };
        let is_of_it = match (last.change, other.state) {
            (MemoryChange::Settled, _) => true,
            (MemoryChange::Superseded, MemoryState::Superseded(by)) => {
                // Or to one that came back by it.
                by == memory.id
                    || standing(read, by)?.pop().is_some_and(|last| {
                        last.change == MemoryChange::Settled && last.at_ms == at_ms
                    })
            }
            // It is to, when that begins.
            (MemoryChange::Superseded, _) => true,
            _ => false,
        };
        if is_of_it {
            came.push(other);
        }
    }
    Ok(came)
}

/// What others kept of it, and what ended with it at this moment.
fn ended_with(read: &Read<'_>, was: &Memory, at_ms: i64) -> Result<Vec<Memory>, StoreError> {
    let mut ended = Vec::new();
    for copy in copies(read, was)? {
        let last = standing(read, copy.id)?.pop();
        if last.is_some_and(|last| last.change == MemoryChange::Outdated && last.at_ms == at_ms) {
            ended.push(copy);
        }
    }
    Ok(ended)
}

/// How it stood before the last of these changes.
fn state_before(standing: &[MemoryVersion]) -> Option<MemoryState> {
    let [.., before, _] = standing else { return None };
    before.memory.as_ref().map(|memory| memory.state)
}

/// Whether it waited for a person before the last of these changes.
fn waited(standing: &[MemoryVersion]) -> bool {
    matches!(state_before(standing), Some(MemoryState::Contested(_)))
}

/// With the judgement or the correction of which memory it was settled, if that was the
/// last change of both.
pub(super) fn decided_with(read: &Read<'_>, memory: &Memory) -> Result<Option<Memory>, StoreError> {
    let own = standing(read, memory.id)?;
    let Some(last) = own.last().filter(|last| last.change == MemoryChange::Settled) else {
        return Ok(None);
    };
    let mut others = rivals(read, memory.scope, memory)?;
    for state in state_before(&own).into_iter().chain([memory.state]) {
        if let MemoryState::Contested(other) | MemoryState::Superseded(other) = state {
            others.extend(memories::find(read, other)?);
        }
    }
    for other in others {
        let decided = standing(read, other.id)?.pop().is_some_and(|with| {
            with.at_ms == last.at_ms
                && matches!(
                    with.change,
                    MemoryChange::Edited | MemoryChange::Merged | MemoryChange::Wrong
                )
        });
        if decided && other.id != memory.id {
            return Ok(Some(other));
        }
    }
    Ok(None)
}

/// Those that gave way to it when they were merged, and still do.
pub(super) fn merged_into(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let merges = standing(read, memory.id)?.into_iter();
    let merges: HashSet<i64> = merges
        .filter(|version| version.change == MemoryChange::Merged)
        .map(|version| version.at_ms)
        .collect();
    let mut merged = Vec::new();
    for other in memories::about(read, memory.id)? {
        let last = standing(read, other.id)?.pop();
        let gave_way = last.is_some_and(|last| {
            last.change == MemoryChange::Superseded && merges.contains(&last.at_ms)
        });
        if gave_way && other.state == MemoryState::Superseded(memory.id) {
            merged.push(other);
        }
    }
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
    others.extend(words(read, memory)?);
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
    let added_ms = added.as_ref().map(|added| added.at_ms);
    let back = match added_ms {
        Some(at_ms) => given_back(write, &memory, at_ms, now)?,
        None => Vec::new(),
    };
    let older = nearest(&memory, &back).filter(|_| memory.state == MemoryState::Current);
    let Some(older) = older.cloned() else {
        let fix = "forget it, if it should not be there";
        return Err(Fault::new(FaultCode::Refused, "there is nothing left to undo", fix));
    };
    stand_back(write, memory, &older, now)?;
    hold_again(write, older, added_ms.unwrap_or(now), now)?;
    found(write, id)
}

/// What came of it that a memory was added at this moment, as it was before.
pub(super) fn given_back(
    write: &mut Write<'_>,
    added: &Memory,
    at_ms: i64,
    now: i64,
) -> Result<Vec<Memory>, Fault> {
    let mut back = Vec::new();
    for other in came_of(write, added, added, at_ms)? {
        back.push(step_back(write, other, now)?);
    }
    for other in memories::about(write, added.id)? {
        let last = standing(write, other.id)?.pop();
        let gave_way = last.is_some_and(|last| last.change == MemoryChange::Superseded);
        // It did so later.
        if gave_way && other.state == MemoryState::Superseded(added.id) {
            back.push(step_back(write, other, now)?);
        }
    }
    back.retain(|other| !matches!(other.state, MemoryState::Contested(_)));
    Ok(back)
}

/// It holds, unless something else was said since it gave way at this moment.
pub(super) fn hold_again(
    write: &mut Write<'_>,
    older: Memory,
    gave_way_ms: i64,
    now: i64,
) -> Result<(), Fault> {
    match said_since(write, &older, gave_way_ms, now)? {
        Some(newer) => give_way(write, older, &newer, now),
        None => hold_alone(write, vec![older], now),
    }
}

/// Which of those that hold in its place is told to do so: what is for whom it is for, and counts
/// for most. The last of several.
pub(super) fn nearest<'a>(memory: &Memory, back: &'a [Memory]) -> Option<&'a Memory> {
    back.iter().max_by_key(|one| (one.scope == memory.scope, one.trust))
}

/// What would give way to it, and was said later than this by somebody who counts for as
/// much. Nobody took that back.
fn said_since(
    read: &Read<'_>,
    older: &Memory,
    since_ms: i64,
    now: i64,
) -> Result<Option<Memory>, StoreError> {
    let against = Beside::of(read, older, now)?.take_alone(&mut older.clone()).older;
    Ok(against.into_iter().find(|other| {
        let is_later = other.created_at_ms > since_ms && other.trust >= older.trust;
        is_later && other.state == MemoryState::Current
    }))
}

/// The versions whose change has not been taken back, the last one last.
pub(super) fn standing(read: &Read<'_>, id: MemoryId) -> Result<Vec<MemoryVersion>, StoreError> {
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
