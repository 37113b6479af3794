//! Puts a draft beside the memories there are.

use super::draft::Draft;
use crate::memory::change::as_new;
use crate::memory::remember::{Beside, Stands};
use crate::memory::{check, put};
use ::memory::fingerprint;
use domain::{Fault, FaultCode, LeftOut, Memory, MemoryChange, MemoryId, MemoryScope, MemoryState};
use std::collections::HashSet;
use store::table::{memories, memory_stand_ins};
use store::{Read, Write};

/// A time that every clock and calendar can show.
const FARTHEST_MS: u64 = 8_640_000_000_000_000;

pub(super) enum Entered {
    Added {
        contested: bool,
    },
    /// This one stands for it, or did before it was forgotten.
    There(MemoryId),
    LeftOut(LeftOut),
}

/// What becomes of a draft.
enum Fate {
    There(Memory),
    /// It would be entered so, and stand so beside the others.
    New {
        memory: Memory,
        stands: Stands,
    },
}

/// Writes the draft down, unless it or one that says the same is there. A file
/// that is read twice says nothing twice, so that counts for nothing.
pub(super) fn enter(write: &mut Write<'_>, draft: Draft) -> Result<Entered, Fault> {
    if let Some(why) = unfit(write, &draft)? {
        return Ok(Entered::LeftOut(why));
    }
    let (vouched, now, trust) = (draft.vouched, draft.now, draft.memory.trust);
    let called = draft.memory.id;
    match fate(write, draft.memory, now)? {
        Fate::There(mut there) => {
            if there.id != called {
                // Also when that one no longer holds: it was said, and is on record.
                memory_stand_ins::put(write, called, there.id)?;
            }
            // What was imported before is vouched for now.
            if vouched && there.trust < trust && there.state == MemoryState::Current {
                there.trust = trust;
                put(write, &mut there, MemoryChange::Edited, now)?;
            }
            Ok(Entered::There(there.id))
        }
        Fate::New { memory, stands } => {
            let contested = matches!(memory.state, MemoryState::Contested(_));
            let how = if contested { MemoryChange::Contested } else { MemoryChange::Added };
            memories::put(write, &memory, &fingerprint(&memory.text), how, None)?;
            let same = stands.waits.same();
            stands.carry_out(write, memory, now)?;
            Ok(same.map_or(Entered::Added { contested }, Entered::There))
        }
    }
}

/// What a preview has seen of the file so far.
#[derive(Default)]
pub(super) struct Seen {
    ids: HashSet<MemoryId>,
    words: HashSet<(MemoryScope, [u8; 32])>,
}

/// What would become of the draft.
pub(super) fn would(read: &Read<'_>, draft: &Draft, seen: &mut Seen) -> Result<Entered, Fault> {
    if let Some(why) = unfit(read, draft)? {
        return Ok(Entered::LeftOut(why));
    }
    let (id, scope, state) = (draft.memory.id, draft.memory.scope, draft.memory.state);
    let words = *blake3::hash(fingerprint(&draft.memory.text).as_bytes()).as_bytes();
    let is_new = seen.ids.insert(id);
    let repeats = state == MemoryState::Current && !seen.words.insert((scope, words));
    if !is_new || repeats {
        return Ok(Entered::There(id));
    }
    Ok(match fate(read, draft.memory.clone(), draft.now)? {
        Fate::There(there) => Entered::There(there.id),
        Fate::New { memory, stands } => {
            let contested = matches!(memory.state, MemoryState::Contested(_));
            stands.waits.same().map_or(Entered::Added { contested }, Entered::There)
        }
    })
}

fn fate(read: &Read<'_>, mut memory: Memory, now: i64) -> Result<Fate, Fault> {
    let stands_for_it = memory_stand_ins::of(read, memory.id)?.unwrap_or(memory.id);
    if let Some(there) = memories::find(read, stands_for_it)? {
        return Ok(Fate::There(there));
    }
    if memory.state != MemoryState::Current {
        // It holds no longer, so that it can contradict nothing.
        return Ok(Fate::New { memory, stands: Stands::default() });
    }
    let beside = Beside::of(read, &memory, now)?;
    if let Some(there) = beside.same {
        return Ok(Fate::There(there));
    }
    let stands = beside.take(&mut memory);
    memory.pinned &= memory.state == MemoryState::Current;
    Ok(Fate::New { memory, stands })
}

/// Why it cannot become a memory, if it cannot.
fn unfit(read: &Read<'_>, draft: &Draft) -> Result<Option<LeftOut>, Fault> {
    let left_out = |why: String| Some(LeftOut { place: draft.place.clone(), why });
    let memory = &draft.memory;
    let times = [memory.valid_from_ms, memory.valid_to_ms, memory.recalled_at_ms];
    if times.into_iter().flatten().any(|at| at.unsigned_abs() > FARTHEST_MS) {
        return Ok(left_out("its time is further away than any calendar goes".into()));
    }
    let mut new = as_new(memory);
    if memory.state == MemoryState::Forgotten {
        // It has no words, and that is right.
        new.text = "forgotten".into();
    }
    match check(read, &new) {
        Ok(()) => Ok(None),
        Err(fault) => match fault.code {
            FaultCode::NotFound => {
                let whose = "who may read it is not in this workspace; say who may with --scope";
                Ok(left_out(whose.into()))
            }
            FaultCode::BadInput => Ok(left_out(fault.message)),
            _ => Err(fault),
        },
    }
}
