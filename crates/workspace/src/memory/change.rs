//! What a person does with a memory: correct it, pin it, judge it.

use super::as_said::{as_corrected, as_part, cut, take_kind};
use super::brought::was_taken_back;
use super::come_back::let_go;
use super::over::frees;
use super::remember::{Beside, Stands, all_give_way, copies_give_way, keep_rest, stand_back};
use super::rivals::copies;
use super::waiting::{against, deny, settle};
use super::{check, not_forgotten, put};
use ::memory::says_again;
use domain::{
    Fault, FaultCode, Judgement, Memory, MemoryChange, MemoryId, MemoryKind, MemoryPatch,
    MemoryState, NewMemory, Statement, Trust,
};
use store::Write;
use store::table::{memories, memory_vectors};

/// A correction is a person's word, and outranks what an agent noticed: it waits for nobody,
/// and what it does not say any more it never said. With it comes what its words say beside
/// that, to be remembered by itself.
pub(crate) fn edit(
    write: &mut Write<'_>,
    id: MemoryId,
    mut patch: MemoryPatch,
    now: i64,
) -> Result<(Memory, Vec<NewMemory>), Fault> {
    let before = not_forgotten(write, id)?;
    let kind = patch.kind.unwrap_or(before.kind);
    let text = patch.text.as_deref().filter(|text| text.trim() != before.text);
    let is_cut = patch.statement.is_none() && stands(&before, now);
    let parts = match text.filter(|_| is_cut) {
        Some(text) => cut(write, text, kind, &[&before])?,
        None => None,
    };
    let Some((own, others)) = parts else {
        return Ok((edit_one(write, before, patch, None, now)?, Vec::new()));
    };
    patch.text = Some(own.text);
    let stated = own.noticed.and_then(|noticed| noticed.statement);
    let version = before.version;
    let mut memory = edit_one(write, before, patch, stated, now)?;
    // What says the same still is put otherwise all the same: that can be taken back.
    if memory.version == version {
        memory.trust = Trust::Person;
        put(write, &mut memory, MemoryChange::Edited, now)?;
    }
    let like = NewMemory { kind: MemoryKind::Fact, ..as_new(&memory) };
    Ok((memory, others.into_iter().map(|part| as_part(&like, part)).collect()))
}

/// Whether it holds or waits.
pub(super) fn stands(memory: &Memory, now: i64) -> bool {
    matches!(memory.state, MemoryState::Current | MemoryState::Contested(_)) && !memory.is_over(now)
}

/// `stated` is what its words state, where they do not say so by themselves.
pub(super) fn edit_one(
    write: &mut Write<'_>,
    before: Memory,
    patch: MemoryPatch,
    stated: Option<Statement>,
    now: i64,
) -> Result<Memory, Fault> {
    let id = before.id;
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
        as_corrected(write, &mut memory, &[&before], now)?;
        memory.statement = memory.statement.or(stated);
    }
    check(write, &as_new(&memory))?;
    if memory == before {
        return Ok(memory);
    }
    memory.trust = Trust::Person;
    if !same {
        memory_vectors::remove(write, id)?;
    }
    if matches!(memory.state, MemoryState::Contested(_)) {
        memory.state = MemoryState::Current;
    }
    let says = |one: &Memory| (one.text.clone(), one.statement.clone(), one.scope, one.state);
    let anew = says(&memory) != says(&before);
    // Of two values of one thing one holds.
    let stands = match memory.state {
        MemoryState::Current if anew => Beside::of(write, &memory, now)?.take(&mut memory),
        MemoryState::Current => Beside::of(write, &memory, now)?.take_alone(&mut memory),
        _ => Stands::default(),
    };
    take_kind(&mut memory, &stands.older);
    memory.kind = kind.unwrap_or(memory.kind);
    put(write, &mut memory, MemoryChange::Edited, now)?;
    let memory = stands.carry_out(write, memory, now)?;
    if anew {
        copies_give_way(write, &before, &memory, now)?;
        let frees = frees(write, &memory, &before, now)?;
        let_go(write, &before, frees, now)?;
        settle(write, &before, now)?;
        settle(write, &memory, now)?;
    }
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

/// Says whether it is so, and with that of all that waits whether it is as well: beside what is
/// right nothing can be that contradicts it.
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
            if was != MemoryState::Current {
                memory.valid_to_ms = None;
            }
            let against = against(write, &memory, now)?;
            if was == MemoryState::Current && memory.trust == Trust::Person && against.is_empty() {
                return Ok(memory);
            }
            memory.trust = Trust::Person;
            let mut older = Beside::of(write, &memory, now)?.take_alone(&mut memory).older;
            if let MemoryState::Contested(other) | MemoryState::Superseded(other) = was
                && older.iter().all(|old| old.id != other)
                && !was_taken_back(write, &memory)?
            {
                older.extend(memories::find(write, other)?);
            }
            put(write, &mut memory, MemoryChange::Edited, now)?;
            // Both cannot hold.
            older.retain(|old| matches!(old.state, MemoryState::Current | MemoryState::Wrong));
            all_give_way(write, older, &memory, now)?;
            for one in against {
                stand_back(write, one, &memory, now)?;
            }
            settle(write, &memory, now)?;
        }
        Judgement::Wrong => {
            if memory.state != MemoryState::Wrong {
                (memory.state, memory.pinned) = (MemoryState::Wrong, false);
                put(write, &mut memory, MemoryChange::Wrong, now)?;
                deny(write, &memory, now)?;
                // Nothing can have taken the place of another by what was never so.
                let_go(write, &memory, |other| !says_again(&memory, other), now)?;
                settle(write, &memory, now)?;
            }
        }
        Judgement::Outdated => {
            if !memory.is_over(now) {
                // It began before it ended, whatever somebody thought. With both, what happened
                // would stand as a span of time, which is never over.
                let is_span = memory.kind == MemoryKind::Episode;
                memory.valid_from_ms = memory.valid_from_ms.filter(|from| *from < now && !is_span);
                (memory.valid_to_ms, memory.pinned) = (Some(now), false);
                put(write, &mut memory, MemoryChange::Outdated, now)?;
                for one in copies(write, &memory)? {
                    keep_rest(write, &one, now)?;
                    judge(write, one.id, Judgement::Outdated, now)?;
                }
            }
        }
    }
    Ok(memory)
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
