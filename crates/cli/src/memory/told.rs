//! A memory on one line.

use crate::ids::end_of;
use crate::words::memory::beginning;
use domain::{Memory, MemoryState};

/// So much of a text as a list shows.
pub(super) const MOST: usize = 80;

pub(crate) fn line(memory: &Memory) -> String {
    format!("{}  {}", end_of(memory.id), text(memory))
}

pub(super) fn text(memory: &Memory) -> String {
    match memory.state {
        MemoryState::Forgotten => "(forgotten)".to_owned(),
        MemoryState::Current
        | MemoryState::Superseded(_)
        | MemoryState::Contested(_)
        | MemoryState::Wrong => beginning(&memory.text, MOST),
    }
}
