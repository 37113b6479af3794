//! What the person has said that they like, want or want avoided: part of every prompt.
//!
//! Such a wish counts most where nothing that is said sounds like it: who asks how high a
//! mountain is does not speak of metres. So it is not looked for. Only what the person
//! says themselves stands there, of their own kind, the most important first, and as much
//! as a small part of the window takes; the rest is found like every memory.

use super::recall::line;
use super::scope;
use domain::{AgentId, GroupId, Memory};
use store::table::{memories, memory_versions, settings};
use store::{Read, StoreError};

const AT_MOST: u32 = 8;
/// Of the window, in percent.
const SHARE: u32 = 3;

/// Those that an agent reads in every prompt in a group.
pub(crate) fn preferences(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    window_tokens: u32,
    now_ms: i64,
) -> Result<Vec<Memory>, StoreError> {
    if !settings::get(read)?.memory.reminds {
        return Ok(Vec::new());
    }
    let scopes = scope::read_in(agent, group);
    let mut left = window_tokens * SHARE / 100;
    let mut all = memories::preferences(read, &scopes, now_ms, AT_MOST)?;
    all.retain(|memory| {
        let takes = crate::tokens::of(&memory.text) + crate::tokens::AROUND;
        let fits = takes <= left;
        left -= if fits { takes } else { 0 };
        fits
    });
    Ok(all)
}

/// As they stand in a prompt: in the order in which they were last said, since of two that
/// do not go together the later holds. What is not said again stays where it is, and a new
/// one comes behind the others.
pub(crate) fn told_in_prompt(
    read: &Read<'_>,
    preferences: Vec<Memory>,
    day_of: &dyn Fn(i64) -> String,
) -> Result<String, StoreError> {
    let mut said = Vec::with_capacity(preferences.len());
    for memory in preferences {
        let last = memory_versions::last_said(read, memory.id)?;
        // Its day is that of its place among the others.
        let created_at_ms = last.unwrap_or(memory.created_at_ms);
        said.push(Memory { created_at_ms, ..memory });
    }
    said.sort_by_key(|memory| (memory.created_at_ms, memory.id.0));
    let lines: Vec<String> = said.iter().map(|memory| line(memory, day_of)).collect();
    Ok(lines.join("\n"))
}
