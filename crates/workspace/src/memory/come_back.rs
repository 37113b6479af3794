//! Has what gave way to a memory come back, where that is no word against it any more.
//!
//! Like all that comes to hold it is put beside what there is. It was said earlier than that,
//! and takes nobody's place who counts for as much.

use super::across::{as_beside, kept, reaches};
use super::change::as_new;
use super::put;
use super::remember::Beside;
use super::rivals::rivals;
use super::undo::{merged_into, standing};
use ::memory::{Verdict, says_again, verdict};
use domain::{Fault, Memory, MemoryChange, MemoryId, MemoryState};
use std::cmp::Reverse;
use std::collections::HashSet;
use store::table::memories;
use store::{Read, StoreError, Write};

/// Whether a memory as it is now says nothing of what another does. That it has ended
/// brings nothing back that was so before it.
pub(super) fn says_no_more(memory: &Memory, now: i64) -> impl Fn(&Memory) -> bool {
    let memory = Memory { valid_to_ms: None, ..memory.clone() };
    let new = as_new(&memory);
    move |other| {
        let there = reaches(&memory, other).then(|| as_beside(&memory, other));
        verdict(there.as_ref().unwrap_or(other), &new, memory.trust, now) == Verdict::Apart
    }
}

/// Those that gave way to a memory as it was come back, if they are free of it. Those that
/// it was merged with stay: it says what they say. So does what says something else since.
pub(super) fn let_go(
    write: &mut Write<'_>,
    was: &Memory,
    is_free: impl Fn(&Memory) -> bool,
    now: i64,
) -> Result<(), Fault> {
    let merged: HashSet<MemoryId> =
        merged_into(write, was)?.into_iter().map(|other| other.id).collect();
    for other in gave_way_to(write, was, now)? {
        let Some(back) = as_it_held(write, &other)? else { continue };
        // What others kept of it went with it.
        let is_copy = back.scope != was.scope && says_again(was, &back);
        let is_against = !is_copy && !says_no_more(was, now)(&back);
        if !merged.contains(&other.id) && is_against && is_free(&back) {
            come_back(write, other, back, now)?;
        }
    }
    Ok(())
}

/// Those that did, the most trusted first and of these the last, and those that are to when
/// it begins.
fn gave_way_to(read: &Read<'_>, was: &Memory, now: i64) -> Result<Vec<Memory>, StoreError> {
    let mut others = memories::about(read, was.id)?;
    others.retain(|other| other.state == MemoryState::Superseded(was.id));
    if was.valid_from_ms.is_some_and(|begins| begins > now) {
        for other in rivals(read, was.scope, was)?.into_iter().chain(kept(read, was)?) {
            let last = standing(read, other.id)?.pop();
            let is_to = last.is_some_and(|last| last.change == MemoryChange::Superseded);
            if is_to && other.id != was.id && other.valid_to_ms == was.valid_from_ms {
                others.push(other);
            }
        }
    }
    others.sort_by_key(|other| Reverse(other.trust));
    Ok(others)
}

/// With the state and the end that it had before; `None` where that is not on record.
fn as_it_held(read: &Read<'_>, other: &Memory) -> Result<Option<Memory>, StoreError> {
    let mut earlier = standing(read, other.id)?;
    match other.state {
        MemoryState::Superseded(_) => earlier.retain(|version| {
            let state = version.memory.as_ref().map(|memory| memory.state);
            !matches!(state, Some(MemoryState::Superseded(_)))
        }),
        _ => drop(earlier.pop()),
    }
    let held = earlier.pop().and_then(|version| version.memory);
    Ok(held.map(|held| Memory {
        // What waited is looked at anew.
        state: match held.state {
            MemoryState::Contested(_) => MemoryState::Current,
            state => state,
        },
        valid_to_ms: held.valid_to_ms,
        pinned: held.pinned,
        ..other.clone()
    }))
}

fn come_back(
    write: &mut Write<'_>,
    mut other: Memory,
    mut back: Memory,
    now: i64,
) -> Result<(), Fault> {
    if back.state != MemoryState::Current {
        return put(write, &mut back, MemoryChange::Settled, now);
    }
    let mut stands = Beside::of(write, &back, now)?.take(&mut back);
    stands.older.retain(|old| old.state == MemoryState::Current);
    let newer = stands.older.iter().find(|newer| newer.trust >= back.trust).map(|newer| newer.id);
    let newer = match back.state {
        MemoryState::Superseded(same) => Some(same),
        _ => newer,
    };
    if let Some(newer) = newer {
        // What took the place of the one that it gave way to has taken its own.
        other.state = MemoryState::Superseded(newer);
        return put(write, &mut other, MemoryChange::Settled, now);
    }
    put(write, &mut back, MemoryChange::Settled, now)?;
    stands.carry_out(write, back, now)?;
    Ok(())
}
