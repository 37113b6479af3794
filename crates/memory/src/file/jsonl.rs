//! One memory a line, as JSON: a whole [`Memory`], or as much of one as somebody
//! wrote. Only the text has to be there.

use super::lines::Lines;
use super::{Claims, Each, Entry, Found, Unreadable, line_at};
use domain::{
    Memory, MemoryFileWrong, MemoryId, MemoryKind, MemoryScope, MemoryState, NewMemory, Source,
    Statement, Trust,
};
use serde::Deserialize;
use std::io::BufRead;

#[derive(Deserialize)]
pub(super) struct Line {
    id: Option<MemoryId>,
    #[serde(default = "fact")]
    kind: MemoryKind,
    scope: Option<MemoryScope>,
    #[serde(default)]
    pub(super) text: Option<String>,
    statement: Option<Statement>,
    #[serde(default)]
    tags: Vec<String>,
    trust: Option<Trust>,
    importance: Option<u8>,
    #[serde(default)]
    pinned: bool,
    #[serde(default)]
    source: Source,
    valid_from_ms: Option<i64>,
    valid_to_ms: Option<i64>,
    created_at_ms: Option<i64>,
    changed_at_ms: Option<i64>,
    #[serde(default = "current")]
    state: MemoryState,
    #[serde(default)]
    evidence: u32,
    #[serde(default)]
    recalled: u32,
    recalled_at_ms: Option<i64>,
    /// Of which words it was written, where those may be edited.
    #[serde(default)]
    pub(super) words: Option<String>,
    #[serde(skip)]
    pub(super) reworded: bool,
}

fn fact() -> MemoryKind {
    MemoryKind::Fact
}

fn current() -> MemoryState {
    MemoryState::Current
}

impl Line {
    pub(super) fn entry(self, number: u64, text: String) -> Found {
        Found::Entry(Entry {
            place: line_at(number),
            part: String::new(),
            new: NewMemory {
                kind: self.kind,
                scope: self.scope.unwrap_or(MemoryScope::User),
                text,
                statement: self.statement,
                tags: self.tags,
                importance: self.importance,
                valid_from_ms: self.valid_from_ms,
                valid_to_ms: self.valid_to_ms,
            },
            claims: Some(Box::new(Claims {
                id: self.id,
                trust: self.trust,
                pinned: self.pinned,
                source: self.source,
                created_at_ms: self.created_at_ms,
                changed_at_ms: self.changed_at_ms,
                state: self.state,
                evidence: self.evidence,
                recalled: self.recalled,
                recalled_at_ms: self.recalled_at_ms,
                reworded: self.reworded,
            })),
        })
    }
}

pub(super) fn read(input: impl BufRead, each: Each<'_>) -> Result<(), Unreadable> {
    let mut lines = Lines::of(input);
    while let Some(text) = lines.next()? {
        if text.trim().is_empty() {
            continue;
        }
        let line: Result<Line, _> = serde_json::from_str(text);
        let number = lines.number;
        let mut line = line.map_err(|error| no_memory(number, &error))?;
        let Some(text) = line.text.take() else {
            return Err(Unreadable::in_line(number, MemoryFileWrong::WithoutText));
        };
        if each(line.entry(number, text)).is_break() {
            break;
        }
    }
    Ok(())
}

pub(super) fn no_memory(line: u64, error: &serde_json::Error) -> Unreadable {
    // It names a line of its own, which is always the first.
    let told = error.to_string();
    let told = told.split(" at line 1 ").collect::<Vec<_>>().join(" at ");
    Unreadable::in_line(line, MemoryFileWrong::NoMemory { detail: told })
}

pub(super) fn line(memory: &Memory) -> serde_json::Result<String> {
    Ok(serde_json::to_string(memory)? + "\n")
}
