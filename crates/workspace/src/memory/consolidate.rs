//! Makes of what was remembered at different times what is worth keeping for
//! long.
//!
//! By plain rules, each of which can be looked at before it is carried out: what
//! says the same is said once, what a person said of themselves in an episode is
//! noticed there too, and what turns ask for again and again counts for more.
//! Nothing is lost: what gives way stays on record and can be brought back. It
//! goes on where it was, and a second time it finds nothing to do. A pass that
//! would let too much give way ends there, and the next one goes on.

use super::learn::{end_in, id_of};
use super::merge::say_in_one;
use super::progress::Progress;
use super::remember::{Origin, remember};
use super::{holds, put};
use crate::derived::blocking;
use crate::shared::Shared;
use ::memory::{Ending, Verdict, endings, notice, verdict};
use domain::{
    Consolidated, Fault, Memory, MemoryChange, MemoryId, MemoryKind, MemoryState, MemoryWork,
    NewMemory, Trust,
};
use std::collections::HashSet;
use std::sync::Arc;
use store::table::memories::{self, Changed};
use store::table::settings;
use store::{Durability, Read, StoreError, Write};

/// Where the last pass ended, as a fact in the database.
const DONE_TO: &str = "memory.consolidated_to";
/// Memories of one transaction.
const AT_ONCE: u32 = 50;
/// Two texts that say the same are so near at least, whatever words they share.
const SAME: f32 = 0.96;
/// Looked at beside each.
const NEIGHBOURS: usize = 8;
/// Of the memories that hold, a pass lets no larger part give way, but always
/// as many as the second figure.
const MOST_PER_CENT: u32 = 10;
const ALWAYS: u32 = 5;
/// What so many turns were reminded of matters at least so much.
const OFTEN: u32 = 5;
const MATTERS: u8 = 70;

/// What is to be done about some memories.
#[derive(Debug, Default)]
struct Plan {
    looked_at: u32,
    /// How far it has looked.
    upto: u64,
    /// Which says the same as which: the first stays.
    same: Vec<(Memory, Memory)>,
    noticed: Vec<(MemoryId, NewMemory, Memory)>,
    /// What the person said in an episode is so no longer.
    over: Vec<(Ending, Memory)>,
    matters: Vec<Memory>,
    /// It ends before a memory, because no more may give way.
    is_full: bool,
}

/// Goes on until everything has been looked at, or only says what it would do.
pub(crate) async fn consolidate(
    shared: &Arc<Shared>,
    preview: bool,
) -> Result<Consolidated, Fault> {
    let mut all = Consolidated::default();
    let mut from = shared.store.read(done_to)?;
    let of = shared.store.read(|read| memories::count_since(read, from))?;
    let mut progress = Progress::of(&shared.events, MemoryWork::Consolidating, of);
    let holding = shared.store.read(memories::count)?;
    let most = (holding * MOST_PER_CENT / 100).max(ALWAYS);
    loop {
        let room = most.saturating_sub(all.merged.len() as u32) as usize;
        let plan = blocking(shared, move |shared| plan(shared, from, room)).await?;
        let is_full = plan.is_full;
        if plan.looked_at == 0 && !is_full || shared.closing.is_cancelled() {
            all.waiting = of.saturating_sub(all.looked_at);
            return Ok(all);
        }
        let upto = plan.upto;
        all.looked_at += plan.looked_at;
        progress.come_to(all.looked_at);
        all.merged.extend(plan.same.iter().cloned());
        all.noticed.extend(plan.noticed.iter().map(|(_, new, _)| new.clone()));
        all.matters.extend(plan.matters.iter().cloned());
        if !preview {
            let now = shared.now_ms();
            let carry_out = move |write: &mut Write<'_>| carry_out(write, plan, from, now);
            from = shared.store.write(Durability::Process, carry_out).await?;
            fail::fail_point!("memories.consolidated");
            shared.finder.ring();
        } else {
            from = upto;
        }
        if is_full {
            all.left = of.saturating_sub(all.looked_at);
            return Ok(all);
        }
    }
}

/// Whether there is something that no pass has looked at.
pub(super) fn is_due(read: &Read<'_>) -> Result<bool, StoreError> {
    Ok(memories::last_change(read)? > done_to(read)?)
}

fn done_to(read: &Read<'_>) -> Result<u64, StoreError> {
    Ok(settings::fact(read, DONE_TO)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// Looks at the next memories, until one more than there is room for would give
/// way. Blocks.
fn plan(shared: &Shared, from: u64, room: usize) -> Result<Plan, Fault> {
    let changed = shared.store.read(|read| memories::changed_since(read, from, AT_ONCE))?;
    let same = shared.finder.embedders.embedding().scale.of(SAME);
    let now = shared.now_ms();
    let mut plan = Plan { upto: from, ..Plan::default() };
    // Who gives way in this plan says nothing more in it.
    let mut gone: HashSet<MemoryId> = HashSet::new();
    'all: for Changed { key, changed, memory } in changed {
        let before = std::mem::replace(&mut plan.upto, changed);
        plan.looked_at += 1;
        if !holds(&memory, now) || gone.contains(&memory.id) {
            continue;
        }
        if memory.recalled >= OFTEN && memory.importance < MATTERS {
            plan.matters.push(memory.clone());
        }
        if memory.kind == MemoryKind::Episode {
            plan.noticed.extend(said_in(&memory));
            plan.over.extend(said_over_in(&memory));
            continue;
        }
        let beside = shared.finder.beside(&shared.store, key, &memory, NEIGHBOURS)?;
        if beside.is_none() && shared.finder.embedders.trouble().is_none() {
            // Its vector is still to come: this far and no further, for now.
            (plan.looked_at, plan.upto) = (plan.looked_at - 1, before);
            break;
        }
        for (other, cosine) in beside.into_iter().flatten() {
            let said_at_ms = memory.created_at_ms;
            let verdict = verdict(&other, &as_new(&memory), memory.trust, said_at_ms);
            let is_gone = gone.contains(&other.id) || !holds(&other, now);
            if is_gone || verdict != Verdict::Repeats || cosine < same {
                continue;
            }
            if plan.same.len() == room {
                (plan.looked_at, plan.upto) = (plan.looked_at - 1, before);
                plan.is_full = true;
                break 'all;
            }
            let (stays, goes) = of_two(memory.clone(), other);
            gone.insert(goes.id);
            let is_this = goes.id == memory.id;
            plan.same.push((stays, goes));
            if is_this {
                break;
            }
        }
    }
    plan.end_what_is_over();
    Ok(plan)
}

impl Plan {
    /// What one episode says and a later one takes back held until then. Of what one says both
    /// ways nobody knows which is the last word.
    fn end_what_is_over(&mut self) {
        let over = &self.over;
        self.noticed.retain(|(_, new, episode)| {
            let is_over =
                |ending: &Ending| new.statement.as_ref().is_some_and(|stated| ending.ends(stated));
            !over.iter().any(|(ending, other)| other.id == episode.id && is_over(ending))
        });
        for (_, new, episode) in &mut self.noticed {
            let (scope, begins) = (new.scope, said_at(episode));
            let over = self.over.iter().filter(|(ending, later)| {
                let is_it = new.statement.as_ref().is_some_and(|stated| ending.ends(stated));
                is_it && later.scope == scope && said_at(later) > begins
            });
            new.valid_to_ms = over.map(|(_, later)| said_at(later)).min();
        }
    }
}

/// When what an episode tells was said.
fn said_at(episode: &Memory) -> i64 {
    episode.valid_from_ms.unwrap_or(episode.created_at_ms)
}

/// The more trusted one stays; of equals the one that was said more often, then
/// the older.
fn of_two(one: Memory, other: Memory) -> (Memory, Memory) {
    let rank = |memory: &Memory| {
        let (trust, pinned) = (memory.trust, memory.pinned);
        (pinned, trust, memory.evidence, std::cmp::Reverse((memory.created_at_ms, memory.id)))
    };
    if rank(&one) >= rank(&other) { (one, other) } else { (other, one) }
}

/// What an episode's person said of themselves. An episode that nobody vouches
/// for teaches nothing.
fn said_in(episode: &Memory) -> Vec<(MemoryId, NewMemory, Memory)> {
    if episode.trust == Trust::Untrusted {
        return Vec::new();
    }
    let noticed = (0_u32..).zip(notice(&::memory::file::words_of_person(&episode.text)));
    noticed
        .map(|(nth, one)| {
            let id = id_of(&[episode.id.0.as_bytes(), b"noticed", &nth.to_be_bytes()]);
            let new = NewMemory {
                kind: one.kind,
                scope: episode.scope,
                text: one.text,
                statement: one.statement,
                tags: Vec::new(),
                importance: Some(one.importance),
                valid_from_ms: episode.valid_from_ms,
                valid_to_ms: None,
            };
            (id, new, episode.clone())
        })
        .collect()
}

/// What an episode's person said is so no longer: only where somebody vouches for it.
fn said_over_in(episode: &Memory) -> Vec<(Ending, Memory)> {
    if episode.trust != Trust::Person {
        return Vec::new();
    }
    let over = endings(&::memory::file::words_of_person(&episode.text)).into_iter();
    over.map(|ending| (ending, episode.clone())).collect()
}

/// Does what is still to be done of a plan, and notes how far it has come; gives that.
/// Where another pass has come further meanwhile, it has done it.
fn carry_out(write: &mut Write<'_>, plan: Plan, from: u64, now: i64) -> Result<u64, Fault> {
    let done = done_to(write)?;
    if done != from {
        return Ok(done);
    }
    for (nth, (stays, goes)) in (0..).zip(plan.same) {
        // Each merge is one of its own, to be taken back by itself.
        let now = now + nth;
        let (stays, goes) = (memories::find(write, stays.id)?, memories::find(write, goes.id)?);
        let (Some(stays), Some(goes)) = (stays, goes) else { continue };
        // Somebody may have changed one of them since.
        if !holds(&stays, now) || !holds(&goes, now) {
            continue;
        }
        say_in_one(write, stays, goes, now)?;
    }
    for (id, new, episode) in plan.noticed {
        let origin = Origin { source: episode.source.clone(), by: None };
        let at_ms = episode.valid_from_ms.unwrap_or(now);
        remember(write, id, new, episode.trust, origin, at_ms.min(now))?;
    }
    for (ending, episode) in plan.over {
        end_in(write, episode.scope, &ending, said_at(&episode).min(now))?;
    }
    for memory in plan.matters {
        let Some(mut memory) = memories::find(write, memory.id)? else { continue };
        if memory.state == MemoryState::Current && memory.importance < MATTERS {
            memory.importance = MATTERS;
            put(write, &mut memory, MemoryChange::Edited, now)?;
        }
    }
    settings::put_fact(write, DONE_TO, &plan.upto.to_string())?;
    Ok(plan.upto)
}

fn as_new(memory: &Memory) -> NewMemory {
    super::change::as_new(memory)
}
