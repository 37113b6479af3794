//! What the person has said that they like, want or want avoided, and who they are: part of
//! every prompt.
//!
//! Both count most where nothing that is said sounds like them: who asks how high a mountain is
//! does not speak of metres, and who asks for a snack not of nuts. So they are not looked for.
//! Only what the person says themselves stands there, and as much as a small part of the
//! window takes: first what is pinned, what is never to be done and what does harm, then the
//! most important. How many have no room is said there; they are found like every memory.

use super::recall::line;
use super::scope;
use ::memory::is_prohibition;
use domain::{AgentId, GroupId, Memory, Statement};
use store::table::{memories, memory_versions, settings};
use store::{Read, StoreError};

/// Nobody keeps to more at once.
const AT_MOST: usize = 64;
/// Of which those are chosen.
const LOOKED_AT: u32 = 1_000;
/// Of the window, in percent: for wishes, and for who they are.
const SHARE: u32 = 3;
const SHARE_OF_FACTS: u32 = 2;

/// Whose prompt it is, and how much it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prompt {
    pub agent: AgentId,
    pub group: GroupId,
    pub window_tokens: u32,
}

/// Those that an agent reads in every prompt in a group.
pub(crate) fn preferences(
    read: &Read<'_>,
    agent: AgentId,
    group: GroupId,
    window_tokens: u32,
    now_ms: i64,
) -> Result<Vec<Memory>, StoreError> {
    Ok(choose(read, Prompt { agent, group, window_tokens }, now_ms)?.0)
}

/// Those that have room, and how many have none.
fn choose(
    read: &Read<'_>,
    prompt: Prompt,
    now_ms: i64,
) -> Result<(Vec<Memory>, usize), StoreError> {
    if !settings::get(read)?.memory.reminds {
        return Ok((Vec::new(), 0));
    }
    let scopes = scope::read_in(prompt.agent, prompt.group);
    let mut wishes = memories::preferences(read, &scopes, now_ms, LOOKED_AT)?;
    let mut facts = memories::of_person(read, &scopes, now_ms, LOOKED_AT)?;
    let of_all = wishes.len() + facts.len();
    // Whoever does not know what they like is told again; what was done is done.
    wishes.sort_by_key(|memory| !memory.pinned && !is_prohibition(&memory.text));
    facts.sort_by_key(rank);
    take_what_fits(&mut wishes, prompt.window_tokens * SHARE / 100);
    take_what_fits(&mut facts, prompt.window_tokens * SHARE_OF_FACTS / 100);
    wishes.extend(facts);
    let left_out = of_all - wishes.len();
    Ok((wishes, left_out))
}

fn take_what_fits(all: &mut Vec<Memory>, mut tokens: u32) {
    all.retain(|memory| {
        let takes = crate::tokens::of(&memory.text) + crate::tokens::AROUND;
        let fits = takes <= tokens;
        tokens -= if fits { takes } else { 0 };
        fits
    });
    all.truncate(AT_MOST);
}

/// What does harm comes before who they are, and that before everything else.
fn rank(memory: &Memory) -> u8 {
    const WHO: [&str; 14] = [
        "name",
        "called",
        "lives in",
        "comes from",
        "works",
        "job",
        "birthday",
        "born",
        "名",
        "住",
        "工作",
        "职业",
        "生日",
        "名前",
    ];
    let is_who = |stated: &Statement| WHO.iter().any(|who| stated.attribute.contains(who));
    match memory.pinned || does_harm(memory) {
        true => 0,
        false if memory.statement.as_ref().is_some_and(is_who) => 1,
        false => 2,
    }
}

/// What they cannot have.
fn does_harm(memory: &Memory) -> bool {
    const HARMS: [&str; 9] =
        ["allerg", "intoleran", "diabet", "eats ", "diet", "过敏", "饮食", "吃", "アレルギー"];
    let stated = memory.statement.as_ref();
    stated.is_some_and(|stated| HARMS.iter().any(|harm| stated.attribute.contains(harm)))
}

/// As they stand in a prompt: in the order in which they were last said, since of two that
/// do not go together the later holds. What is not said again stays where it is, and a new
/// one comes behind the others.
pub(crate) fn told_in_prompt(
    read: &Read<'_>,
    prompt: Prompt,
    now_ms: i64,
    day_of: &dyn Fn(i64) -> String,
) -> Result<String, StoreError> {
    let (preferences, left_out) = choose(read, prompt, now_ms)?;
    let mut said = Vec::with_capacity(preferences.len());
    for memory in preferences {
        let last = memory_versions::last_said(read, memory.id)?;
        // Its day is that of its place among the others.
        let created_at_ms = last.unwrap_or(memory.created_at_ms);
        said.push(Memory { created_at_ms, ..memory });
    }
    said.sort_by_key(|memory| (memory.created_at_ms, memory.id.0));
    let mut lines: Vec<String> = said.iter().map(|memory| line(memory, day_of)).collect();
    if left_out > 0 {
        lines.push(format!("  ({left_out} more have no room here)"));
    }
    Ok(lines.join("\n"))
}
