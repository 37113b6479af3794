//! Says several memories in one.

use super::as_said::{as_corrected, as_part, cut, take_kind};
use super::change::{as_new, stands};
use super::come_back::let_go;
use super::over::frees;
use super::remember::{Beside, all_give_way, copies_give_way, stand_back};
use super::waiting::settle;
use super::{not_forgotten, put};
use ::memory::{Part, Verdict, is_of_answers, same_key, says_again, verdict};
use domain::{
    Fault, FaultCode, Memory, MemoryChange, MemoryId, MemoryKind, MemoryState, NewMemory, Trust,
};
use std::collections::HashSet;
use std::iter;
use store::Write;
use store::table::memory_vectors;

/// The first says it from now on, in these words; the others give way to it. It
/// is as trusted as the least of them, unless a person chose the words. What they say beside
/// what it states is to be remembered by itself; one of the others that says just that stays, and
/// so does a wish that nothing of it says.
pub(crate) fn merge(
    write: &mut Write<'_>,
    all: &[MemoryId],
    text: String,
    now: i64,
) -> Result<(Memory, Vec<NewMemory>), Fault> {
    let mut seen = HashSet::new();
    let all: Vec<MemoryId> = all.iter().copied().filter(|id| seen.insert(*id)).collect();
    let [first, others @ ..] = all.as_slice() else { return Err(too_few()) };
    if others.is_empty() {
        return Err(too_few());
    }
    let mut first = not_forgotten(write, *first)?;
    let mut others: Vec<Memory> =
        others.iter().map(|id| not_forgotten(write, *id)).collect::<Result<_, Fault>>()?;
    if let Some(other) = others.iter().find(|other| other.scope != first.scope) {
        return Err(Fault::bad_input(
            format!("{} and {} are read by different agents", first.id, other.id),
            "merge memories of one scope, or change the scope of one first",
        ));
    }
    let was = first.clone();
    let text = text.trim().to_owned();
    let said = if text.is_empty() { first.text.clone() } else { text };
    let mut beside = Vec::new();
    if said != first.text {
        let before: Vec<&Memory> = iter::once(&was).chain(&others).collect();
        let parts = cut(write, &said, first.kind, &before)?;
        let (own, parts) = parts.unwrap_or((Part { text: said, noticed: None }, Vec::new()));
        if own.text != first.text {
            memory_vectors::remove(write, first.id)?;
            first.text = own.text;
            as_corrected(write, &mut first, &before, now)?;
            let stated = || own.noticed.and_then(|noticed| noticed.statement);
            first.statement = first.statement.take().or_else(stated);
        }
        let like = NewMemory { kind: MemoryKind::Fact, ..as_new(&first) };
        beside.extend(parts.into_iter().map(|part| as_part(&like, part)));
    }
    let says = |other: &Memory, one: &NewMemory| {
        verdict(other, one, Trust::Person, now) == Verdict::Repeats
    };
    others.retain(|other| is_said_by(&first, other) && !beside.iter().any(|one| says(other, one)));
    if beside.is_empty() {
        take_kind(&mut first, &others);
    }
    first.valid_to_ms = ends(&first, &others, now);
    refuse_what_is_gone(&first, iter::once(&was).chain(&others), now)?;
    for other in &others {
        first.evidence = first.evidence.saturating_add(other.evidence);
        first.importance = first.importance.max(other.importance);
        first.pinned |= other.pinned;
        first.valid_from_ms =
            [first.valid_from_ms, other.valid_from_ms].into_iter().flatten().min();
        for tag in &other.tags {
            if !first.tags.contains(tag) {
                first.tags.push(tag.clone());
            }
        }
    }
    first.state = MemoryState::Current;
    first.trust = Trust::Person;
    super::check(write, &as_new(&first))?;
    let mut older = Beside::of(write, &first, now)?.take_alone(&mut first).older;
    older.retain(|old| !all.contains(&old.id));
    put(write, &mut first, MemoryChange::Merged, now)?;
    copies_give_way(write, &was, &first, now)?;
    for other in others {
        copies_give_way(write, &other, &first, now)?;
        stand_back(write, other, &first, now)?;
    }
    all_give_way(write, older, &first, now)?;
    let frees = frees(write, &first, &was, now)?;
    let_go(write, &was, frees, now)?;
    settle(write, &was, now)?;
    settle(write, &first, now)?;
    Ok((first, beside))
}

/// Nothing that holds no longer, or never did, is so again because it is said in one with others:
/// not where none of those that hold says it, nor where none holds.
fn refuse_what_is_gone<'a>(
    merged: &Memory,
    all: impl Iterator<Item = &'a Memory>,
    now: i64,
) -> Result<(), Fault> {
    let (stand, gone): (Vec<&Memory>, Vec<&Memory>) = all.partition(|one| stands(one, now));
    let is_over = stand.is_empty() && merged.is_over(now);
    let is_said = stand.iter().any(|one| says_again(one, merged));
    let revived = gone.into_iter().find(|one| stand.is_empty() || says_again(one, merged));
    match revived.filter(|_| !is_over && !is_said) {
        Some(one) => Err(Fault::new(
            FaultCode::Refused,
            format!("{} holds no longer, and would hold again by that", one.id),
            "say first that it is right, or choose words that say what holds",
        )),
        None => Ok(()),
    }
}

/// Whether what somebody wants may give way to it: where it says what they want of that.
fn is_said_by(merged: &Memory, other: &Memory) -> bool {
    let wish = other.statement.as_ref().filter(|wish| is_of_answers(&wish.attribute));
    wish.is_none_or(|wish| merged.statement.as_ref().is_some_and(|said| same_key(said, wish)))
}

/// The first says it from now on, in its own words, and has been said as often as both;
/// the other gives way to it.
pub(super) fn say_in_one(
    write: &mut Write<'_>,
    mut stays: Memory,
    goes: Memory,
    now: i64,
) -> Result<Memory, Fault> {
    stays.evidence = stays.evidence.saturating_add(goes.evidence);
    stays.importance = stays.importance.max(goes.importance);
    stays.pinned |= goes.pinned;
    stays.valid_from_ms = match (stays.valid_from_ms, goes.valid_from_ms) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    // It holds as long as either.
    stays.valid_to_ms = stays.valid_to_ms.zip(goes.valid_to_ms).map(|(one, other)| one.max(other));
    put(write, &mut stays, MemoryChange::Merged, now)?;
    stand_back(write, goes, &stays, now)?;
    Ok(stays)
}

/// It holds as long as any of those that hold now; where none does, as the last of them.
fn ends(first: &Memory, others: &[Memory], now: i64) -> Option<i64> {
    let all = || others.iter().chain([first]);
    let holds = |one: &&Memory| {
        matches!(one.state, MemoryState::Current | MemoryState::Contested(_))
            && one.valid_to_ms.is_none_or(|end| end > now)
    };
    // Without an end is later than any.
    let end = |one: &Memory| one.valid_to_ms.unwrap_or(i64::MAX);
    let last = all().filter(holds).map(end).max().or_else(|| all().map(end).max());
    last.filter(|end| *end < i64::MAX)
}

fn too_few() -> Fault {
    Fault::bad_input("one memory cannot be merged", "name two or more")
}
