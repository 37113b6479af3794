//! Takes a new memory in, beside those there are.

use super::across::{as_beside, gives_way, words};
use super::as_said::{as_part, as_said, is_of_one_time, take_kind};
use super::brought::{as_it_becomes, note as note_brought};
use super::change::as_new;
use super::denied::{Denied, denied};
use super::learn::id_of;
use super::over::ended_by;
use super::person;
use super::rivals::{copies, rivals};
use super::undo::standing;
use super::waiting::{Waits, settle};
use super::{check, put};
use ::memory::{Verdict, Writer, beside_statement, fingerprint, says_again, verdict};
use domain::{
    AgentId, Fault, Memory, MemoryChange, MemoryId, MemoryKind, MemoryState, NewMemory, Source,
    Trust,
};
use store::table::{memories, memory_versions};
use store::{Read, StoreError, Write};

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
/// What it states of the person is made out of its words, unless that is given. What is
/// there already counts once more. What contradicts one there is takes
/// its place when it begins or, where it is less trusted, waits for a person beside it: with
/// those that say the same, it waits once.
/// So does what a person has said was never so, unless they say it themselves. What was said
/// before they corrected it is no word against the correction.
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
    let writer = if origin.by.is_none() { Writer::Person } else { Writer::Agent };
    let new = as_said(write, new, writer, now)?;
    let mut memory = made(id, new.clone(), trust, &origin, now);
    let beside = Beside::of(write, &memory, now)?;
    if let Some(old) = beside.same {
        return repeated(write, old, &new, trust, &origin, now);
    }
    if let Some(corrected) = beside.corrected {
        return Ok(corrected);
    }
    let stands = beside.take(&mut memory);
    take_kind(&mut memory, &stands.older);
    let contested = matches!(memory.state, MemoryState::Contested(_));
    let how = if contested { MemoryChange::Contested } else { MemoryChange::Added };
    memories::put(write, &memory, &fingerprint(&memory.text), how, origin.by)?;
    stands.carry_out(write, memory, now)
}

/// What there is that a memory says again or contradicts.
#[derive(Default)]
pub(super) struct Beside {
    /// Says the same.
    pub(super) same: Option<Memory>,
    /// Is more trusted.
    contested: Option<MemoryId>,
    /// Is a person's correction of what was said by then.
    corrected: Option<Memory>,
    /// The first that begins after it does.
    until_ms: Option<i64>,
    older: Vec<Memory>,
    denied: Denied,
    waits: Waits,
}

impl Beside {
    /// `now` is when the memory was said.
    pub(super) fn of(read: &Read<'_>, memory: &Memory, now: i64) -> Result<Beside, StoreError> {
        let new = as_new(memory);
        let mut beside = Beside { denied: denied(read, memory, now)?, ..Beside::default() };
        for old in rivals(read, memory.scope, memory)? {
            if old.id == memory.id {
                continue;
            }
            match verdict(&old, &new, memory.trust, now) {
                Verdict::Repeats => beside.same = beside.same.or(Some(old)),
                Verdict::Contests if corrected_since(read, &old, now)? => {
                    beside.corrected = Some(old);
                }
                Verdict::Contests => beside.contested = Some(old.id),
                Verdict::Supersedes => beside.older.push(old),
                Verdict::Precedes(from) => {
                    beside.until_ms = Some(beside.until_ms.map_or(from, |until| until.min(from)));
                }
                Verdict::Apart => {}
            }
        }
        beside.look_across(read, memory, now)?;
        for old in ended_by(read, memory, now)? {
            if old.id != memory.id && beside.older.iter().all(|one| one.id != old.id) {
                beside.older.push(old);
            }
        }
        if beside.contested.is_some() || beside.denied.by.is_some() {
            beside.waits = Waits::with(read, memory, now)?;
        }
        Ok(beside)
    }

    /// What is remembered for others. What says the same there is another memory.
    fn look_across(
        &mut self,
        read: &Read<'_>,
        memory: &Memory,
        now: i64,
    ) -> Result<(), StoreError> {
        self.older.extend(gives_way(read, memory, now)?);
        for word in words(read, memory)? {
            let there = as_beside(memory, &word);
            if verdict(&there, &as_new(memory), memory.trust, now) != Verdict::Contests {
                continue;
            }
            match corrected_since(read, &word, now)? {
                true => self.corrected = self.corrected.take().or(Some(word)),
                false => self.contested = self.contested.or(Some(word.id)),
            }
        }
        Ok(())
    }

    /// The same of one that is read only now: the later word counts, and what a person has
    /// pinned or corrected gives way to nothing without them.
    pub(super) fn read_later(
        read: &Read<'_>,
        memory: &Memory,
        said_ms: i64,
    ) -> Result<Beside, StoreError> {
        let mut beside = Beside::of(read, memory, said_ms)?;
        for old in std::mem::take(&mut beside.older) {
            let said = memory_versions::last_said(read, old.id)?;
            match said.filter(|at| *at > said_ms && old.trust >= memory.trust) {
                Some(at) => {
                    beside.until_ms = Some(beside.until_ms.map_or(at, |until| until.min(at)));
                }
                None if old.pinned && old.scope == memory.scope => {
                    beside.contested = Some(old.id);
                }
                // It is pinned for others.
                None if old.pinned => {}
                None => beside.older.push(old),
            }
        }
        beside.contested = beside.contested.or(beside.corrected.as_ref().map(|one| one.id));
        if beside.contested.is_some() {
            beside.waits = Waits::with(read, memory, said_ms)?;
        }
        Ok(beside)
    }

    /// Has the memory stand as it is to beside them; what comes of that is carried out once
    /// it is written down. Whatever comes to hold goes through this.
    pub(super) fn take(mut self, memory: &mut Memory) -> Stands {
        if let Some(same) = self.same.take() {
            (memory.state, memory.pinned) = (MemoryState::Superseded(same.id), false);
            return Stands::default();
        }
        self.take_alone(memory)
    }

    /// The same of one that is to hold though another says as much.
    pub(super) fn take_alone(mut self, memory: &mut Memory) -> Stands {
        self.older.append(&mut self.denied.no_more);
        // The same words hold once.
        let has_its_words = |one: &Memory| fingerprint(&one.text) == fingerprint(&memory.text);
        self.older.extend(self.same.take().filter(has_its_words));
        if let Some(other) = self.denied.by.map(|by| by.id).or(self.contested) {
            memory.state = MemoryState::Contested(other);
            return Stands { older: Vec::new(), waits: self.waits };
        }
        if let Some(until) = self.until_ms {
            memory.valid_to_ms = Some(memory.valid_to_ms.map_or(until, |end| end.min(until)));
        }
        Stands { older: self.older, waits: Waits::default() }
    }
}

/// Whether a person has put it as it is now later than this.
fn corrected_since(read: &Read<'_>, memory: &Memory, said_ms: i64) -> Result<bool, StoreError> {
    let mut versions = standing(read, memory.id)?.into_iter();
    let last = versions.rfind(|version| version.change == MemoryChange::Edited);
    Ok(last.is_some_and(|last| last.by.is_none() && last.at_ms > said_ms))
}

/// What comes of it that a memory stands beside others.
#[derive(Default)]
pub(super) struct Stands {
    /// These give way to it.
    pub(super) older: Vec<Memory>,
    /// With these it waits.
    pub(super) waits: Waits,
}

impl Stands {
    /// Gives the memory that now stands for it. It is written down already.
    pub(super) fn carry_out(
        self,
        write: &mut Write<'_>,
        memory: Memory,
        now: i64,
    ) -> Result<Memory, Fault> {
        // What waited beside those that give way is looked at anew.
        let holds_anew = !self.older.is_empty();
        all_give_way(write, self.older, &memory, now)?;
        if holds_anew {
            settle(write, &memory, now)?;
        }
        self.waits.wait_once(write, memory, now)
    }
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
    // What was said earlier and is read only now comes to be known now.
    old.changed_at_ms = now.max(old.changed_at_ms);
    memories::put(write, &old, &fingerprint(&old.text), MemoryChange::Repeated, origin.by)?;
    Ok(old)
}

/// All of these do, with what others keep of them.
pub(super) fn all_give_way(
    write: &mut Write<'_>,
    older: Vec<Memory>,
    newer: &Memory,
    now: i64,
) -> Result<(), Fault> {
    for old in older {
        // It may have gone with another, of which it says the same.
        if memories::find(write, old.id)?.is_some_and(|one| one.version == old.version) {
            copies_give_way(write, &old, newer, now)?;
            give_way(write, old, newer, now)?;
        }
    }
    Ok(())
}

/// A newer one takes its place when that begins: it holds until then. What it says beside what
/// it states outlives it.
pub(super) fn give_way(
    write: &mut Write<'_>,
    mut old: Memory,
    newer: &Memory,
    now: i64,
) -> Result<(), Fault> {
    keep_rest(write, &old, now)?;
    let Some(begins) = newer.valid_from_ms.filter(|begins| *begins > now) else {
        return stand_back(write, old, newer, now);
    };
    if old.valid_from_ms.is_some_and(|from| from >= begins) {
        return stand_back(write, old, newer, now);
    }
    old.valid_to_ms = Some(old.valid_to_ms.map_or(begins, |end| end.min(begins)));
    put(write, &mut old, MemoryChange::Superseded, now)
}

/// What others keep of a word goes the way of that, where a person says otherwise.
pub(super) fn copies_give_way(
    write: &mut Write<'_>,
    old: &Memory,
    newer: &Memory,
    now: i64,
) -> Result<(), Fault> {
    if newer.trust != Trust::Person {
        return Ok(());
    }
    for one in copies(write, old)? {
        if !says_again(newer, &one) {
            give_way(write, one, newer, now)?;
        }
    }
    Ok(())
}

/// Remembers by itself what a memory says beside what it states, which holds no longer.
pub(super) fn keep_rest(write: &mut Write<'_>, old: &Memory, now: i64) -> Result<(), Fault> {
    if old.state != MemoryState::Current || is_of_one_time(old.kind) {
        return Ok(());
    }
    let rest = beside_statement(old, &person::name(write)?);
    let like = NewMemory { kind: MemoryKind::Fact, statement: None, ..as_new(old) };
    let origin = Origin { source: old.source.clone(), by: None };
    for part in rest {
        let new = as_part(&like, part);
        // What was taken away with an earlier change of it is to be there again.
        let (version, print) = (old.version.to_be_bytes(), fingerprint(&new.text));
        let id = id_of(&[old.id.0.as_bytes(), b"rest", &version, print.as_bytes()]);
        let kept = remember(write, id, new, old.trust, origin.clone(), now)?;
        note_brought(write, as_it_becomes(old), &kept, now)?;
    }
    Ok(())
}

/// Another stands in its place at once.
pub(super) fn stand_back(
    write: &mut Write<'_>,
    mut old: Memory,
    other: &Memory,
    now: i64,
) -> Result<(), Fault> {
    let ends = other.valid_from_ms.map_or(now, |begins| begins.min(now));
    // What was never so in the end keeps its time.
    if old.valid_from_ms.is_none_or(|from| from < ends) {
        old.valid_to_ms = Some(old.valid_to_ms.map_or(ends, |end| end.min(ends)));
    }
    (old.state, old.pinned) = (MemoryState::Superseded(other.id), false);
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
