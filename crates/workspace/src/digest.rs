//! What has happened while the person was away, for an agent to tell.
//!
//! It is read out of the records alone: what was said, what failed, what waits for
//! the person. Each thing has its number, by which the person finds it again.

use crate::brief::frame;
use crate::shared::Shared;
use crate::{approvals, outside, questions, sources, stand};
use domain::{
    AgentId, Author, Body, Fault, Group, GroupKind, Message, Outcome, RunFilter, Settings,
};
use store::table::{agents, groups, messages, runs, settings};
use store::{Read, StoreError, Write};

/// What is told of one conversation, and of all.
const MOST_OF_GROUP: usize = 6;
const MOST_LINES: usize = 80;
const CHARACTERS: usize = 240;
const RUNS: u32 = 200;
/// Who was never asked tells of the last day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Since when the agent is to tell; the next time it is since now.
pub(crate) fn begin(write: &mut Write<'_>, agent: AgentId, now: i64) -> Result<i64, StoreError> {
    let key = format!("digest/{agent}");
    let last = settings::fact(write, &key)?.and_then(|text| text.parse().ok());
    settings::put_fact(write, &key, &now.to_string())?;
    Ok(last.unwrap_or(now - DAY_MS))
}

/// What happened between a moment and a message, in lines.
pub(crate) fn told(
    read: &Read<'_>,
    shared: &Shared,
    since_ms: i64,
    before: i64,
) -> Result<String, Fault> {
    let settings = settings::get(read)?;
    let mut lines = Vec::new();
    for group in groups::all(read)? {
        if group.kind != GroupKind::Task && lines.len() < MOST_LINES {
            lines.extend(of_group(read, &settings, &group, since_ms, before)?);
        }
    }
    lines.extend(failures(read, since_ms)?);
    let now = shared.now_ms();
    for approval in approvals::waiting(read, now)? {
        let name = agents::get(read, approval.agent)?.name;
        lines.push(format!("Waits for a yes or no: {name} wants to use {}", approval.tool));
    }
    for question in questions::waiting(read, now)? {
        let name = agents::get(read, question.agent)?.name;
        lines.push(format!("Waits for an answer: {name} asks: {}", short(&question.text)));
    }
    Ok(lines.join("\n"))
}

/// The last things that were said in it; nothing where nobody said anything.
fn of_group(
    read: &Read<'_>,
    settings: &Settings,
    group: &Group,
    since_ms: i64,
    before: i64,
) -> Result<Vec<String>, StoreError> {
    let mut said = messages::page(read, group.id, 0, Some(before), 200)?;
    let is_said = |message: &Message| matches!(message.body, Body::Text { .. });
    said.retain(|message| message.at_ms > since_ms && is_said(message));
    // The person knows what they said themselves.
    if said.iter().all(|message| message.author == Author::User) {
        return Ok(Vec::new());
    }
    let place = match group.kind {
        GroupKind::Direct => "With",
        GroupKind::Group | GroupKind::Task => "In the group",
        GroupKind::Post => "In the feed, under",
    };
    let mut lines = vec![format!("{place} {}, {} messages:", group.name, said.len())];
    let left_out = said.len().saturating_sub(MOST_OF_GROUP);
    for message in said.drain(left_out..) {
        let who = match message.author {
            Author::User => stand::name_of_person(settings).to_owned(),
            Author::Agent(agent) => agents::get(read, agent)?.name,
            Author::Outside(pass) => outside::called(read, pass)?,
            Author::Source(source) => sources::called(read, source)?,
            Author::System => continue,
        };
        let text = short(message.text().unwrap_or_default());
        lines.push(frame::said(&format!("(#{}) {who}", message.seq), &text));
    }
    Ok(lines)
}

fn failures(read: &Read<'_>, since_ms: i64) -> Result<Vec<String>, StoreError> {
    let mut lines = Vec::new();
    for run in runs::page(read, &RunFilter::default(), None, RUNS)? {
        if let (Some(Outcome::Failed { fault }), true) =
            (&run.outcome, run.ended_ms.is_some_and(|ended| ended > since_ms))
        {
            let name = agents::get(read, run.agent)?.name;
            lines.push(format!("{name} could not answer: {}", short(&fault.message)));
        }
    }
    lines.truncate(MOST_OF_GROUP);
    Ok(lines)
}

fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > CHARACTERS {
        true => line.chars().take(CHARACTERS - 1).chain(['…']).collect(),
        false => line,
    }
}
