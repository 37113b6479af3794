//! What an entry of a file would be as a memory here.
//!
//! Unless a person vouches for the file, nothing that it says of its own weight
//! is believed: it is untrusted, said once, never recalled, not pinned, and of
//! middling importance at most.

use super::Wanted;
use crate::memory::as_said::{as_noted, each_of};
use crate::memory::person;
use crate::shared::Shared;
use ::memory::Writer;
use ::memory::file::Claims;
use ::memory::file::Entry;
use domain::{
    Fault, Memory, MemoryFormat, MemoryId, MemoryScope, MemoryState, NewMemory, PlaceInFile,
    Source, Statement, Trust,
};
use secrets::Redactor;
use std::collections::{HashMap, HashSet};
use store::table::memories;
use store::{Read, StoreError};
use uuid::Builder;

/// What an agent notices has as much.
const MIDDLING: u8 = 50;
/// Longer than this, in bytes, it is a text, and states nothing by itself.
const LONGEST_NOTE: usize = 1_000;

/// What holds for all entries of one import.
pub(super) struct Rules {
    path: String,
    scope: Option<MemoryScope>,
    vouched: bool,
    redactor: Redactor,
    /// What the person is called in notes about them.
    name: String,
    now: i64,
}

/// A memory that is not there yet, and where in the file it stands.
#[derive(Debug, Clone)]
pub(super) struct Draft {
    pub place: PlaceInFile,
    pub memory: Memory,
    /// A person says that it can be trusted as far as it says.
    pub vouched: bool,
    /// Somebody has put it into these words in the file.
    pub reworded: bool,
    /// When it was said so, as far as is known.
    pub said_ms: i64,
    pub now: i64,
}

impl Rules {
    pub(super) fn of(shared: &Shared, wanted: &Wanted) -> Result<Rules, Fault> {
        Ok(Rules {
            path: wanted.path.clone(),
            scope: wanted.scope,
            vouched: wanted.vouched,
            redactor: shared.safe.redactor().clone(),
            name: shared.store.read(person::name)?,
            now: shared.now_ms(),
        })
    }

    /// A program of somebody else's wrote down what it took for true. A person's
    /// word is only what stands as such in a file of ours.
    pub(super) fn most_trusted(&self, format: MemoryFormat) -> Trust {
        match format {
            _ if !self.vouched => Trust::Untrusted,
            MemoryFormat::Jsonl | MemoryFormat::Markdown => Trust::Person,
            MemoryFormat::MemoryMd | MemoryFormat::Chatgpt | MemoryFormat::Claude => Trust::Agent,
        }
    }

    /// Each thing that an entry says by itself, with what it states. What one of our own files
    /// says of a memory is not read anew.
    pub(super) fn drafts(&self, format: MemoryFormat, entry: Entry) -> Vec<Draft> {
        let is_note = entry.claims.is_none() && entry.new.text.len() <= LONGEST_NOTE;
        if !is_note {
            return vec![self.draft(format, entry)];
        }
        let Entry { place, part, new, claims: _ } = entry;
        let each = each_of(new, Writer::Person, &self.name).into_iter();
        let each = each.map(|new| Entry {
            place: place.clone(),
            part: part.clone(),
            new: as_noted(new, &self.name),
            claims: None,
        });
        each.map(|entry| self.draft(format, entry)).collect()
    }

    pub(super) fn draft(&self, format: MemoryFormat, entry: Entry) -> Draft {
        let Entry { place, part, mut new, claims } = entry;
        let reworded = claims.as_ref().is_some_and(|claims| claims.reworded);
        if reworded {
            new = as_noted(NewMemory { statement: None, ..new }, &self.name);
        }
        let scope = self.scope.unwrap_or(new.scope);
        let moved = |id: MemoryId| match self.scope {
            Some(scope) if scope != new.scope => {
                made_of(&["moved", &id.to_string(), &format!("{scope:?}")])
            }
            Some(_) | None => id,
        };
        let id = match claims.as_ref().and_then(|claims| claims.id) {
            Some(id) => moved(id),
            None => {
                made_of(&[&format!("{format:?}"), &format!("{scope:?}"), &part, new.text.trim()])
            }
        };
        let is_ours = claims.is_some();
        let claims = claims.map(|claims| *claims).unwrap_or_else(nothing);
        let past = |at_ms: Option<i64>| at_ms.map_or(self.now, |at| at.clamp(0, self.now));
        let state = match claims.state {
            MemoryState::Superseded(other) => MemoryState::Superseded(moved(other)),
            MemoryState::Contested(other) => MemoryState::Contested(moved(other)),
            other @ (MemoryState::Current | MemoryState::Wrong | MemoryState::Forgotten) => other,
        };
        let importance = new.importance.unwrap_or(MIDDLING);
        let is_said = matches!(format, MemoryFormat::Chatgpt | MemoryFormat::Claude);
        let conversation = (is_said && !part.is_empty()).then_some(part);
        let from_here = Source { file: Some(self.path.clone()), conversation, ..Source::default() };
        let has_source = claims.id.is_some() || claims.source != Source::default();
        let mut memory = Memory {
            id,
            kind: new.kind,
            scope,
            text: self.redact(new.text.trim()),
            statement: new.statement.map(|Statement { subject, attribute, value }| Statement {
                subject: self.redact(&subject),
                attribute: self.redact(&attribute),
                value: self.redact(&value),
            }),
            tags: new.tags.iter().map(|tag| self.redact(tag.trim())).collect(),
            trust: match reworded {
                true => self.most_trusted(format),
                false => claims.trust.unwrap_or(Trust::Agent).min(self.most_trusted(format)),
            },
            importance: if self.vouched { importance } else { importance.min(MIDDLING) },
            pinned: self.vouched && claims.pinned && state == MemoryState::Current,
            source: if self.vouched && has_source { claims.source } else { from_here },
            // A clock that was wrong elsewhere would hide it until then.
            valid_from_ms: new.valid_from_ms.filter(|from| is_ours || *from <= self.now),
            valid_to_ms: new.valid_to_ms,
            created_at_ms: past(claims.created_at_ms),
            changed_at_ms: past(claims.changed_at_ms),
            state,
            evidence: if self.vouched { claims.evidence.max(1) } else { 1 },
            recalled: if self.vouched { claims.recalled } else { 0 },
            recalled_at_ms: claims.recalled_at_ms.filter(|_| self.vouched),
            version: 1,
        };
        if state == MemoryState::Forgotten {
            (memory.text, memory.statement, memory.tags) = (String::new(), None, Vec::new());
        }
        let said_ms = memory.created_at_ms;
        Draft { place, memory, vouched: self.vouched, reworded, said_ms, now: self.now }
    }

    /// A person who vouches for a file may well speak of what only looks like a key.
    fn redact(&self, text: &str) -> String {
        let redacted = if self.vouched {
            self.redactor.redact_known(text)
        } else {
            self.redactor.redact(text)
        };
        redacted.into_owned()
    }
}

impl Draft {
    /// The memory that it gave way to, or contradicts.
    pub(super) fn refers(&self) -> Option<MemoryId> {
        match self.memory.state {
            MemoryState::Superseded(other) | MemoryState::Contested(other) => Some(other),
            MemoryState::Current | MemoryState::Wrong | MemoryState::Forgotten => None,
        }
    }

    /// Refers to what stands here for the other one: itself, or the one that says
    /// the same. Where there is none, it ended of itself, or is seen on its merits.
    pub(super) fn referring_to(
        mut self,
        read: &Read<'_>,
        elsewhere: &HashMap<MemoryId, MemoryId>,
        to_come: &HashSet<MemoryId>,
    ) -> Result<Draft, StoreError> {
        let Some(other) = self.refers() else { return Ok(self) };
        let other = elsewhere.get(&other).copied().unwrap_or(other);
        let is_there = to_come.contains(&other) || memories::find(read, other)?.is_some();
        let memory = &mut self.memory;
        match memory.state {
            MemoryState::Superseded(_) if is_there => {
                memory.state = MemoryState::Superseded(other);
            }
            MemoryState::Contested(_) if is_there => memory.state = MemoryState::Contested(other),
            MemoryState::Superseded(_) => {
                let ended = memory.changed_at_ms;
                memory.state = MemoryState::Current;
                memory.valid_from_ms = memory.valid_from_ms.filter(|from| *from < ended);
                memory.valid_to_ms = Some(memory.valid_to_ms.map_or(ended, |end| end.min(ended)));
            }
            MemoryState::Contested(_) => memory.state = MemoryState::Current,
            MemoryState::Current | MemoryState::Wrong | MemoryState::Forgotten => {}
        }
        Ok(self)
    }
}

/// What a file says of a memory where it says nothing.
fn nothing() -> Claims {
    Claims {
        id: None,
        trust: None,
        pinned: false,
        source: Source::default(),
        created_at_ms: None,
        changed_at_ms: None,
        state: MemoryState::Current,
        evidence: 1,
        recalled: 0,
        recalled_at_ms: None,
        reworded: false,
    }
}

/// The same for the same parts, at any time.
fn made_of(parts: &[&str]) -> MemoryId {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    let mut bytes = [0; 16];
    hash.finalize_xof().fill(&mut bytes);
    MemoryId(Builder::from_custom_bytes(bytes).into_uuid())
}
