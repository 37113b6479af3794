//! What waits for a person to decide.
//!
//! However often the same is said against what holds, it waits once, and those that said
//! it stay on record behind the one that waits. What a person decides of one settles all
//! that it answers: nothing goes on waiting beside what does not hold any more.

use super::across::{self, as_beside, words};
use super::change::as_new;
use super::merge::say_in_one;
use super::put;
use super::remember::stand_back;
use super::rivals::{copies, rivals, waiting};
use ::memory::{Verdict, says_again, verdict};
use domain::{Fault, Memory, MemoryChange, MemoryId, MemoryState};
use store::table::memories;
use store::{Read, StoreError, Write};

/// What waits already with what a memory says that is to wait too.
#[derive(Default)]
pub(super) struct Waits {
    /// Says all that it says.
    same: Option<Box<Memory>>,
    /// Say no more than it does.
    less: Vec<Memory>,
}

impl Waits {
    /// What says something of its own beside the same goes on waiting by itself.
    pub(super) fn with(read: &Read<'_>, memory: &Memory, now: i64) -> Result<Waits, StoreError> {
        let mut waits = Waits::default();
        for one in waiting(read, memory)? {
            if one.id == memory.id || !says_again(&one, memory) {
                continue;
            }
            if verdict(&one, &as_new(memory), memory.trust, now) == Verdict::Repeats {
                waits.same = waits.same.or(Some(Box::new(one)));
            } else if verdict(memory, &as_new(&one), one.trust, now) == Verdict::Repeats {
                waits.less.push(one);
            }
        }
        Ok(waits)
    }

    /// Which of those that wait will say it.
    pub(super) fn same(&self) -> Option<MemoryId> {
        self.same.as_ref().map(|same| same.id)
    }

    /// Has one wait for all; gives that one. The memory is written down already.
    pub(super) fn wait_once(
        self,
        write: &mut Write<'_>,
        memory: Memory,
        now: i64,
    ) -> Result<Memory, Fault> {
        // Each is one of its own, to be taken back by itself.
        let after = |stays: &Memory| now.max(stays.changed_at_ms + 1);
        if let Some(mut same) = self.same.map(|same| *same) {
            let now = after(&same);
            // Whoever repeats it vouches for it, beside what holds now.
            (same.trust, same.state) = (same.trust.max(memory.trust), memory.state);
            return say_in_one(write, same, memory, now);
        }
        self.less.into_iter().try_fold(memory, |memory, less| {
            let now = after(&memory);
            say_in_one(write, memory, less, now)
        })
    }
}

/// What waits and cannot be so beside a memory that a person calls right.
pub(super) fn against(
    read: &Read<'_>,
    right: &Memory,
    now: i64,
) -> Result<Vec<Memory>, StoreError> {
    let mut against = waiting(read, right)?;
    against.extend(across::waiting_beside(read, right)?);
    against.retain(|one| {
        let there = as_beside(right, one);
        one.id != right.id
            && !says_again(right, one)
            && verdict(right, &as_new(&there), one.trust, now) != Verdict::Apart
    });
    Ok(against)
}

/// A person has said that this was never so: nor is what says it again.
pub(super) fn deny(write: &mut Write<'_>, wrong: &Memory, now: i64) -> Result<(), Fault> {
    let mut again = waiting(write, wrong)?;
    again.extend(across::waiting_beside(write, wrong)?);
    for one in again {
        if one.id != wrong.id && says_again(wrong, &one) {
            stand_back(write, one, wrong, now)?;
        }
    }
    for one in copies(write, wrong)? {
        stand_back(write, one, wrong, now)?;
    }
    Ok(())
}

/// Looks anew at all that waits about the same thing as a memory of which a person has
/// decided, or that has taken the place of another.
pub(super) fn settle(write: &mut Write<'_>, decided: &Memory, now: i64) -> Result<(), Fault> {
    for one in waiting_with(write, decided)? {
        if one.id != decided.id {
            settle_one(write, one, now)?;
        }
    }
    Ok(())
}

/// The same of what waits beside that memory itself.
pub(super) fn settle_against(
    write: &mut Write<'_>,
    memory: &Memory,
    now: i64,
) -> Result<(), Fault> {
    for one in waiting_with(write, memory)? {
        if one.state == MemoryState::Contested(memory.id) {
            settle_one(write, one, now)?;
        }
    }
    Ok(())
}

/// All that waits about the same thing, whoever it is for.
fn waiting_with(read: &Read<'_>, memory: &Memory) -> Result<Vec<Memory>, StoreError> {
    let mut with = waiting(read, memory)?;
    with.extend(across::waiting(read, memory)?);
    Ok(with)
}

/// What waits about the same thing as a memory, each with what it waits beside, if that holds.
pub(super) fn beside_what_holds(
    read: &Read<'_>,
    memory: &Memory,
    now: i64,
) -> Result<Vec<(MemoryId, Memory)>, StoreError> {
    let mut beside = Vec::new();
    for one in waiting_with(read, memory)? {
        let MemoryState::Contested(against) = one.state else { continue };
        let stands = memories::find(read, against)?.filter(|other| super::holds(other, now));
        beside.extend(stands.map(|stands| (one.id, stands)));
    }
    Ok(beside)
}

/// Looks anew at those of them beside which something else stands by now.
pub(super) fn settle_beside(
    write: &mut Write<'_>,
    beside: Vec<(MemoryId, Memory)>,
    now: i64,
) -> Result<(), Fault> {
    for (one, stood) in beside {
        let stands = memories::find(write, stood.id)?;
        if stands.is_some_and(|stands| stands.version == stood.version) {
            continue;
        }
        let one = memories::find(write, one)?;
        if let Some(one) = one.filter(|one| one.state == MemoryState::Contested(stood.id)) {
            settle_one(write, one, now)?;
        }
    }
    Ok(())
}

fn settle_one(write: &mut Write<'_>, mut one: Memory, now: i64) -> Result<(), Fault> {
    let MemoryState::Contested(against) = one.state else { return Ok(()) };
    if one.valid_to_ms.is_some_and(|end| end <= now) {
        // It contradicts nothing that holds.
        return Ok(());
    }
    let mut beside = Vec::new();
    for other in rivals(write, one.scope, &one)? {
        match verdict(&other, &as_new(&one), one.trust, now) {
            Verdict::Repeats => return stand_back(write, one, &other, now),
            verdict => beside.push((other, verdict)),
        }
    }
    for word in words(write, &one)? {
        let verdict = verdict(&as_beside(&one, &word), &as_new(&one), one.trust, now);
        beside.push((word, verdict));
    }
    let says_it = |(other, _): &(Memory, Verdict)| {
        says_again(other, &one) && other.valid_to_ms.is_none_or(|end| end > now)
    };
    // A word that is for others says nothing against what stands here.
    let stands_here = |(other, verdict): &(Memory, Verdict)| {
        other.scope == one.scope && *verdict != Verdict::Apart && !says_again(other, &one)
    };
    let state = if beside.iter().any(says_it) && !beside.iter().any(stands_here) {
        // It says something of its own beside that, which counts for what it is worth.
        MemoryState::Current
    } else {
        beside.retain(|both| both.1 != Verdict::Apart && !says_it(both));
        beside.sort_by_key(|(other, _)| std::cmp::Reverse(other.trust));
        let holds = |id: MemoryId| beside.iter().any(|(other, _)| other.id == id);
        let is_denied = |other: &Memory| says_again(other, &one) && !super::holds(other, now);
        let stands = memories::find(write, against)?;
        match beside.first() {
            _ if holds(against) || stands.as_ref().is_some_and(is_denied) => return Ok(()),
            Some((other, _)) => MemoryState::Contested(other.id),
            // What it contradicted says something else by now.
            None if stands.is_some_and(|other| super::holds(&other, now)) => MemoryState::Current,
            None => return Ok(()),
        }
    };
    one.state = state;
    put(write, &mut one, MemoryChange::Settled, now)
}
