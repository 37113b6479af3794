//! What a person does with a memory: correct it, pin it, judge it, forget it,
//! take a change back.

use super::remember::give_way;
use super::{check, found, not_forgotten, put, recall};
use domain::{
    Fault, FaultCode, Judgement, Memory, MemoryChange, MemoryId, MemoryPatch, MemoryState,
    MemoryVersion, NewMemory, Trust,
};
use store::Write;
use store::table::response_cache::{self, MadeOf};
use store::table::{memory_vectors, memory_versions, recalls, requests};

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
        valid_from_ms: patch.valid_from_ms.or(before.valid_from_ms),
        valid_to_ms: patch.valid_to_ms.or(before.valid_to_ms),
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

/// Takes its words away for ever: from all versions, the vectors, what models
/// were sent and what they answered to it. That there was one stays.
pub(crate) fn forget(write: &mut Write<'_>, id: MemoryId, now: i64) -> Result<Memory, Fault> {
    let mut memory = found(write, id)?;
    if memory.state == MemoryState::Forgotten {
        return Ok(memory);
    }
    let versions = memory_versions::of(write, id)?.into_iter();
    let words: Vec<String> =
        versions.filter_map(|version| version.memory.map(|memory| memory.text)).collect();
    for run in recalls::of(write, id, u32::MAX)? {
        requests::rewrite(write, run, |sent| recall::without(sent, &words))?;
        response_cache::forget(write, MadeOf::Run(run))?;
    }
    memory_vectors::remove(write, id)?;
    memory.text = String::new();
    memory.statement = None;
    memory.tags = Vec::new();
    memory.source.file = None;
    memory.pinned = false;
    memory.state = MemoryState::Forgotten;
    put(write, &mut memory, MemoryChange::Forgotten, now)?;
    memory_versions::forget(write, id)?;
    Ok(memory)
}

/// Takes the last change back, as a change of its own.
pub(crate) fn undo(write: &mut Write<'_>, id: MemoryId, now: i64) -> Result<Memory, Fault> {
    let memory = not_forgotten(write, id)?;
    let Some(earlier) = before_the_last(memory_versions::of(write, id)?) else {
        let fix = "forget it, if it should not be there";
        return Err(Fault::new(FaultCode::Refused, "there is nothing left to undo", fix));
    };
    if earlier.text != memory.text {
        memory_vectors::remove(write, id)?;
    }
    let mut undone = Memory {
        recalled: memory.recalled,
        recalled_at_ms: memory.recalled_at_ms,
        version: memory.version,
        ..earlier
    };
    put(write, &mut undone, MemoryChange::Undone, now)?;
    if let (MemoryState::Superseded(newer), MemoryState::Current) = (memory.state, undone.state) {
        // Both cannot hold: what took its place gives it back.
        let newer = found(write, newer)?;
        if newer.state == MemoryState::Current {
            give_way(write, newer, &undone, now)?;
        }
    }
    Ok(undone)
}

/// How it was before the last change that has not been taken back.
fn before_the_last(history: Vec<MemoryVersion>) -> Option<Memory> {
    let mut standing: Vec<MemoryVersion> = Vec::new();
    for version in history {
        if version.change == MemoryChange::Undone {
            standing.pop();
        } else {
            standing.push(version);
        }
    }
    standing.pop()?;
    standing.pop()?.memory
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
