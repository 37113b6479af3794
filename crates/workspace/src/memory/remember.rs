//! Takes a new memory in, beside those there are.

use super::{check, put};
use ::memory::{Verdict, fingerprint, verdict};
use domain::{
    AgentId, Fault, Memory, MemoryChange, MemoryId, MemoryState, NewMemory, Source, Trust,
};
use store::Write;
use store::table::memories;

/// Who remembers, from what.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origin {
    pub source: Source,
    /// `None`: the person.
    pub by: Option<AgentId>,
}

/// Unless somebody says how important it is.
const OF_A_PERSON: u8 = 80;
const OF_AN_AGENT: u8 = 50;

/// Writes down what is to be remembered, under an id of its own; gives the
/// memory that now stands for it. The same id again changes nothing.
///
/// What is there already counts once more. What contradicts one there is takes
/// its place or, where it is less trusted, waits for a person beside it.
pub(crate) fn remember(
    write: &mut Write<'_>,
    id: MemoryId,
    new: NewMemory,
    trust: Trust,
    origin: Origin,
    now: i64,
) -> Result<Memory, Fault> {
    if let Some(memory) = memories::find(write, id)? {
        return Ok(memory);
    }
    check(write, &new)?;
    let print = fingerprint(&new.text);
    let rivals = memories::rivals(write, new.scope, &print, new.statement.as_ref())?;
    let said = |old: &Memory| verdict(old, &new, trust, None);
    if let Some(old) = rivals.iter().find(|old| said(old) == Verdict::Repeats) {
        return repeated(write, old.clone(), &new, trust, &origin, now);
    }
    let mut memory = made(id, new.clone(), trust, &origin, now);
    for old in rivals.iter().filter(|old| said(old) == Verdict::Contests) {
        memory.state = MemoryState::Contested(old.id);
    }
    let contested = matches!(memory.state, MemoryState::Contested(_));
    let how = if contested { MemoryChange::Contested } else { MemoryChange::Added };
    memories::put(write, &memory, &print, how, origin.by)?;
    if !contested {
        for old in rivals.iter().filter(|old| said(old) == Verdict::Supersedes) {
            give_way(write, old.clone(), &memory, now)?;
        }
    }
    Ok(memory)
}

/// Said again: whoever repeats it vouches for it.
fn repeated(
    write: &mut Write<'_>,
    mut old: Memory,
    new: &NewMemory,
    trust: Trust,
    origin: &Origin,
    now: i64,
) -> Result<Memory, Fault> {
    old.evidence = old.evidence.saturating_add(1);
    old.trust = old.trust.max(trust);
    old.importance = old.importance.max(new.importance.unwrap_or(0));
    old.statement = old.statement.or_else(|| new.statement.clone());
    for tag in new.tags.iter().filter_map(|tag| tidy(tag)) {
        if !old.tags.contains(&tag) {
            old.tags.push(tag);
        }
    }
    old.version += 1;
    old.changed_at_ms = now;
    memories::put(write, &old, &fingerprint(&old.text), MemoryChange::Repeated, origin.by)?;
    Ok(old)
}

/// A newer one takes its place: it held until then.
pub(super) fn give_way(
    write: &mut Write<'_>,
    mut old: Memory,
    newer: &Memory,
    now: i64,
) -> Result<(), Fault> {
    old.state = MemoryState::Superseded(newer.id);
    let ended = newer.valid_from_ms.unwrap_or(now);
    old.valid_to_ms = Some(old.valid_to_ms.map_or(ended, |end| end.min(ended)));
    old.pinned = false;
    put(write, &mut old, MemoryChange::Superseded, now)
}

fn made(id: MemoryId, new: NewMemory, trust: Trust, origin: &Origin, now: i64) -> Memory {
    let usual = if origin.by.is_none() { OF_A_PERSON } else { OF_AN_AGENT };
    Memory {
        id,
        kind: new.kind,
        scope: new.scope,
        text: new.text.trim().to_owned(),
        statement: new.statement,
        tags: new.tags.iter().filter_map(|tag| tidy(tag)).collect(),
        trust,
        importance: new.importance.unwrap_or(usual),
        pinned: false,
        source: origin.source.clone(),
        valid_from_ms: new.valid_from_ms,
        valid_to_ms: new.valid_to_ms,
        created_at_ms: now,
        changed_at_ms: now,
        state: MemoryState::Current,
        evidence: 1,
        recalled: 0,
        recalled_at_ms: None,
        version: 1,
    }
}

fn tidy(tag: &str) -> Option<String> {
    Some(tag.trim().to_owned()).filter(|tag| !tag.is_empty())
}
