//! Puts a draft beside the memories there are.

use super::draft::Draft;
use crate::memory::change::{as_new, edit_one};
use crate::memory::remember::{Beside, Stands};
use crate::memory::{check, put};
use ::memory::fingerprint;
use domain::{
    Fault, FaultCode, GaveWay, LeftOut, LeftOutWhy, Memory, MemoryChange, MemoryId, MemoryPatch,
    MemoryScope, MemoryState, StaysOutWhy, Trust,
};
use std::collections::HashSet;
use store::table::{memories, memory_stand_ins, memory_versions};
use store::{Read, StoreError, Write};

/// A time that every clock and calendar can show.
const FARTHEST_MS: u64 = 8_640_000_000_000_000;

pub(super) enum Entered {
    /// Also what was here in other words, and was put into these since.
    Added {
        contested: bool,
        /// What holds no more because of it.
        gave_way: Vec<(MemoryId, GaveWay)>,
    },
    There {
        /// This one stands for it, or did before it was forgotten.
        id: MemoryId,
        /// It is trusted more from now on.
        vouched: bool,
        /// What holds no more because of that.
        gave_way: Vec<(MemoryId, GaveWay)>,
    },
    LeftOut {
        why: StaysOutWhy,
        told: LeftOut,
    },
}

/// What becomes of a draft.
enum Fate {
    There(Memory),
    /// It is here, and the person vouches for it only now.
    Vouched {
        memory: Memory,
        stands: Stands,
    },
    /// It is here, and says something else.
    Otherwise(Memory),
    /// The same, and this is the person's later word.
    Later(Memory),
    /// It would be entered so, and stand so beside the others.
    New {
        memory: Memory,
        stands: Stands,
    },
}

/// Writes the draft down, unless it or one that says the same is there. A file
/// that is read twice says nothing twice, so that counts for nothing.
pub(super) fn enter(write: &mut Write<'_>, draft: Draft) -> Result<Entered, Fault> {
    if let Some(unfit) = unfit(write, &draft)? {
        return Ok(unfit);
    }
    let (called, now) = (draft.memory.id, draft.now);
    match fate(write, &draft)? {
        Fate::Otherwise(there) => Ok(draft.stays_out(&there)),
        Fate::Later(there) => {
            let entered = put_into_words(&there, &draft);
            let Memory { text, statement, .. } = draft.memory;
            // By hand it states what its words say beside those before.
            let statement = statement.filter(|_| !draft.reworded);
            let patch = MemoryPatch { text: Some(text), statement, ..MemoryPatch::default() };
            edit_one(write, there, patch, None, now)?;
            Ok(entered)
        }
        Fate::There(there) => {
            is_called(write, called, &there)?;
            Ok(is_there(there.id))
        }
        Fate::Vouched { mut memory, stands } => {
            is_called(write, called, &memory)?;
            put(write, &mut memory, MemoryChange::Edited, now)?;
            let gave_way = gave_way(&stands, &memory);
            let Memory { id, .. } = stands.carry_out(write, memory, now)?;
            Ok(Entered::There { id, vouched: true, gave_way })
        }
        Fate::New { memory, stands } => {
            let contested = matches!(memory.state, MemoryState::Contested(_));
            let how = if contested { MemoryChange::Contested } else { MemoryChange::Added };
            memories::put(write, &memory, &fingerprint(&memory.text), how, None)?;
            let same = stands.waits.same();
            let gave_way = gave_way(&stands, &memory);
            stands.carry_out(write, memory, now)?;
            Ok(same.map_or(Entered::Added { contested, gave_way }, is_there))
        }
    }
}

fn is_called(write: &mut Write<'_>, called: MemoryId, there: &Memory) -> Result<(), StoreError> {
    if there.id == called {
        return Ok(());
    }
    // Also when that one no longer holds: it was said, and is on record.
    memory_stand_ins::put(write, called, there.id)
}

/// What a preview has seen of the file so far.
#[derive(Default)]
pub(super) struct Seen {
    ids: HashSet<MemoryId>,
    words: HashSet<(MemoryScope, [u8; 32])>,
}

/// What would become of the draft.
pub(super) fn would(read: &Read<'_>, draft: &Draft, seen: &mut Seen) -> Result<Entered, Fault> {
    if let Some(unfit) = unfit(read, draft)? {
        return Ok(unfit);
    }
    let (id, scope, state) = (draft.memory.id, draft.memory.scope, draft.memory.state);
    let words = *blake3::hash(fingerprint(&draft.memory.text).as_bytes()).as_bytes();
    let is_new = seen.ids.insert(id);
    let repeats = state == MemoryState::Current && !seen.words.insert((scope, words));
    if !is_new || repeats {
        return Ok(is_there(id));
    }
    Ok(match fate(read, draft)? {
        Fate::There(there) => is_there(there.id),
        Fate::Vouched { memory, stands } => {
            let gave_way = gave_way(&stands, &memory);
            Entered::There { id: memory.id, vouched: true, gave_way }
        }
        Fate::Otherwise(there) => draft.stays_out(&there),
        Fate::Later(there) => put_into_words(&there, draft),
        Fate::New { memory, stands } => {
            let contested = matches!(memory.state, MemoryState::Contested(_));
            let gave_way = gave_way(&stands, &memory);
            stands.waits.same().map_or(Entered::Added { contested, gave_way }, is_there)
        }
    })
}

impl Draft {
    /// Nothing gives way to what gave way to it.
    pub(super) fn in_a_circle(&self) -> Entered {
        let detail = "it gave way to what gave way to it".to_owned();
        self.left_out(StaysOutWhy::Unfit, LeftOutWhy::Unfit { detail })
    }

    fn stays_out(&self, there: &Memory) -> Entered {
        match there.state {
            MemoryState::Forgotten => self.left_out(StaysOutWhy::Forgotten, LeftOutWhy::Forgotten),
            _ => {
                let text = there.text.clone();
                self.left_out(StaysOutWhy::OtherWords, LeftOutWhy::OtherWords { text })
            }
        }
    }

    fn left_out(&self, why: StaysOutWhy, told: LeftOutWhy) -> Entered {
        let told = LeftOut { place: self.place.clone(), why: told };
        Entered::LeftOut { why, told }
    }
}

fn is_there(id: MemoryId) -> Entered {
    Entered::There { id, vouched: false, gave_way: Vec::new() }
}

fn put_into_words(there: &Memory, draft: &Draft) -> Entered {
    let words = GaveWay { was: there.text.clone(), now: draft.memory.text.clone() };
    Entered::Added { contested: false, gave_way: vec![(there.id, words)] }
}

fn gave_way(stands: &Stands, memory: &Memory) -> Vec<(MemoryId, GaveWay)> {
    let older = stands.older.iter();
    let words = |old: &Memory| GaveWay { was: old.text.clone(), now: memory.text.clone() };
    older.map(|old| (old.id, words(old))).collect()
}

fn fate(read: &Read<'_>, draft: &Draft) -> Result<Fate, Fault> {
    match beside(read, draft)? {
        Fate::There(there) if draft.vouched && there.trust < draft.memory.trust => {
            Ok(vouched(read, there, draft)?)
        }
        Fate::There(there) if draft.vouched && lacks_statement(&there, &draft.memory) => {
            Ok(stated(read, there, draft)?)
        }
        fate => Ok(fate),
    }
}

/// Whether only the file says what the same words state.
fn lacks_statement(there: &Memory, draft: &Memory) -> bool {
    let both_hold = [there, draft].iter().all(|one| one.state == MemoryState::Current);
    both_hold && there.statement.is_none() && draft.statement.is_some()
}

/// What is here states from now on what the file says that it does, unless that is contradicted:
/// nobody asked for what holds to wait.
fn stated(read: &Read<'_>, there: Memory, draft: &Draft) -> Result<Fate, StoreError> {
    let mut memory = Memory { statement: draft.memory.statement.clone(), ..there.clone() };
    let stands = Beside::read_later(read, &memory, draft.said_ms)?.take_alone(&mut memory);
    if memory.state != MemoryState::Current || memory.valid_to_ms != there.valid_to_ms {
        return Ok(Fate::There(there));
    }
    Ok(Fate::Vouched { memory, stands })
}

/// What was imported before is vouched for now: what waits is judged as if it came only now.
fn vouched(read: &Read<'_>, there: Memory, draft: &Draft) -> Result<Fate, StoreError> {
    let holds_there = draft.memory.state == MemoryState::Current;
    let mut memory = Memory { trust: draft.memory.trust, ..there.clone() };
    let stands = match there.state {
        MemoryState::Contested(_) if holds_there => {
            memory.state = MemoryState::Current;
            Beside::read_later(read, &memory, draft.said_ms)?.take(&mut memory)
        }
        MemoryState::Contested(_) | MemoryState::Current => Stands::default(),
        MemoryState::Superseded(_) | MemoryState::Wrong | MemoryState::Forgotten => {
            return Ok(Fate::There(there));
        }
    };
    Ok(Fate::Vouched { memory, stands })
}

fn beside(read: &Read<'_>, draft: &Draft) -> Result<Fate, Fault> {
    let mut memory = draft.memory.clone();
    let stands_for_it = memory_stand_ins::of(read, memory.id)?.unwrap_or(memory.id);
    if let Some(there) = memories::find(read, stands_for_it)? {
        return Ok(known(read, there, draft)?);
    }
    if memory.state != MemoryState::Current {
        // It holds no longer, so that it can contradict nothing.
        return Ok(Fate::New { memory, stands: Stands::default() });
    }
    let beside = Beside::read_later(read, &memory, draft.said_ms)?;
    if let Some(there) = beside.same {
        return Ok(Fate::There(there));
    }
    let stands = beside.take(&mut memory);
    memory.pinned &= memory.state == MemoryState::Current;
    Ok(Fate::New { memory, stands })
}

/// What becomes of one that is here: it may have been put into other words, here or there.
fn known(read: &Read<'_>, there: Memory, draft: &Draft) -> Result<Fate, StoreError> {
    let memory = &draft.memory;
    let is_forgotten = there.state == MemoryState::Forgotten;
    let says_it = there.id != memory.id || fingerprint(&there.text) == fingerprint(&memory.text);
    if memory.state == MemoryState::Forgotten || says_it && !is_forgotten {
        return Ok(Fate::There(there));
    }
    let both_hold = [&there, memory].iter().all(|one| one.state == MemoryState::Current);
    let said = memory_versions::last_said(read, there.id)?.unwrap_or(there.created_at_ms);
    let is_edited = draft.reworded && there.changed_at_ms <= memory.changed_at_ms;
    let is_later = draft.vouched && memory.trust == Trust::Person;
    let is_later = is_later && (is_edited || draft.said_ms > said);
    Ok(if both_hold && is_later { Fate::Later(there) } else { Fate::Otherwise(there) })
}

/// What it is left out for, if it cannot become a memory.
fn unfit(read: &Read<'_>, draft: &Draft) -> Result<Option<Entered>, Fault> {
    let left_out = |why: LeftOutWhy| Some(draft.left_out(StaysOutWhy::Unfit, why));
    let memory = &draft.memory;
    let times = [memory.valid_from_ms, memory.valid_to_ms, memory.recalled_at_ms];
    if times.into_iter().flatten().any(|at| at.unsigned_abs() > FARTHEST_MS) {
        return Ok(left_out(LeftOutWhy::NoTime));
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
                Ok(Some(draft.left_out(StaysOutWhy::NoReader, LeftOutWhy::NoReader)))
            }
            FaultCode::BadInput => Ok(left_out(LeftOutWhy::Unfit { detail: fault.message })),
            _ => Err(fault),
        },
    }
}
