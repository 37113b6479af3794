//! What has happened while the person was away, for an agent to tell.
//!
//! It is read out of the records alone: what was said, what failed, what is remembered,
//! what waits for the person. Each thing has its number; where the agent writes it, a
//! link stands in its place (`marks`), so that the person finds the thing again.

mod lines;
mod marks;

pub(crate) use lines::{Told, Tongue};
pub(crate) use marks::linked;

use crate::shared::Shared;
use crate::{approvals, feed, memory, outside, questions, sources, stand};
use domain::{
    Agent, AgentId, Author, Body, Fault, Group, GroupId, GroupKind, Language, MemoryFilter,
    Message, Outcome, Participant, Run, RunFilter, Settings, Standing,
};
use lines::{IS_REMEMBERED, Of, Thing, WAITS};
use std::cmp::Reverse;
use std::collections::HashSet;
use store::table::{agents, groups, members, memories, messages, moderations, runs, settings};
use store::{Read, StoreError, Write};

/// What is told of one conversation, and of all.
const MOST_OF_GROUP: usize = 6;
const MOST_LINES: usize = 80;
/// So many more are named.
const MOST_NAMED: usize = 40;
const CHARACTERS: usize = 240;
const RUNS: u32 = 200;
const MEMORIES: u32 = 100;
/// Who was never asked tells of the last day.
const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// Since when the agent is to tell: since the end of what it told the last time.
pub(crate) fn since(read: &Read<'_>, agent: AgentId, now: i64) -> Result<i64, StoreError> {
    let last = settings::fact(read, &upto_key(agent))?.and_then(|text| text.parse().ok());
    Ok(last.unwrap_or(now - DAY_MS))
}

/// It told what happened until it was asked: the next one begins there. One that fails
/// moves nothing, so that nothing is ever left untold.
pub(crate) fn told_upto(write: &mut Write<'_>, run: &Run) -> Result<(), StoreError> {
    let Some(asked) = messages::find(write, run.cause.message)? else { return Ok(()) };
    let upto = since(write, run.agent, asked.at_ms)?.max(asked.at_ms);
    settings::put_fact(write, &upto_key(run.agent), &upto.to_string())
}

fn upto_key(agent: AgentId) -> String {
    format!("digest/{agent}")
}

/// The language that the person reads; where the system says it, that of the agent.
pub(crate) fn tongue(settings: &Settings, agent: &Agent) -> Tongue {
    match settings.appearance.language {
        Language::Zh => Tongue::Chinese,
        Language::System if agent.language.starts_with("zh") => Tongue::Chinese,
        Language::En | Language::System => Tongue::English,
    }
}

/// What happened between a moment and a message, as far as this agent may know it: what
/// was said and done where it reads, and nothing that was put out of sight.
pub(crate) fn told(
    read: &Read<'_>,
    shared: &Shared,
    agent: AgentId,
    since_ms: i64,
    before: i64,
) -> Result<Told, Fault> {
    let settings = settings::get(read)?;
    let (mut told, now) = (Told::default(), shared.now_ms());
    let mut read_by_it = HashSet::new();
    let mut news = Vec::new();
    for group in groups::all(read)? {
        if reads(read, agent, &group)? {
            read_by_it.insert(group.id);
            news.extend(of_group(read, group, since_ms, before)?);
        }
    }
    tell_groups(read, &settings, news, &mut told)?;
    failures(read, since_ms, &read_by_it, &mut told)?;
    remembered(read, agent, since_ms, now, &mut told)?;
    let waits = approvals::waiting(read, now)?.into_iter();
    for approval in waits.filter(|one| read_by_it.contains(&one.group)) {
        let name = agents::get(read, approval.agent)?.name;
        told.add("approval", approval.call, Thing::Approval { name, tool: approval.tool });
    }
    let asks = questions::waiting(read, now)?.into_iter();
    for question in asks.filter(|one| read_by_it.contains(&one.group)) {
        let name = agents::get(read, question.agent)?.name;
        let text = short(&question.text);
        told.add("question", question.id, Thing::Question { name, text });
    }
    Ok(told)
}

/// Whether the agent reads what is said there. What a task was about stands where it
/// was given.
fn reads(read: &Read<'_>, agent: AgentId, group: &Group) -> Result<bool, StoreError> {
    match group.kind {
        GroupKind::Direct | GroupKind::Group => {
            Ok(members::find(read, group.id, Participant::Agent(agent))?.is_some())
        }
        GroupKind::Post => feed::is_read_by(read, agent, group.id),
        GroupKind::Task => Ok(false),
    }
}

/// What is new in a conversation, oldest first.
struct News {
    group: Group,
    said: Vec<Message>,
}

impl News {
    fn newest_ms(&self) -> i64 {
        self.said.last().map_or(0, |message| message.at_ms)
    }

    fn lines(&self) -> usize {
        1 + self.said.len().min(MOST_OF_GROUP)
    }
}

/// Nothing where nobody but the person said anything: they know what they said themselves.
fn of_group(
    read: &Read<'_>,
    group: Group,
    since_ms: i64,
    before: i64,
) -> Result<Option<News>, StoreError> {
    let mut said = messages::page(read, group.id, 0, Some(before), 200)?;
    let is_said = |message: &Message| matches!(message.body, Body::Text { .. });
    let hidden = moderations::hidden(read, group.id)?;
    let is_seen = |message: &Message| is_said(message) && !hidden.contains(&message.id);
    said.retain(|message| message.at_ms > since_ms && is_seen(message));
    let is_new = said.iter().any(|message| message.author != Author::User);
    Ok(is_new.then_some(News { group, said }))
}

/// The newest with their last words, as long as there is room; more by their names alone,
/// and of the rest that there are so many.
fn tell_groups(
    read: &Read<'_>,
    settings: &Settings,
    mut news: Vec<News>,
    told: &mut Told,
) -> Result<(), StoreError> {
    news.sort_by_key(|one| Reverse(one.newest_ms()));
    let mut lines = 0;
    let whole = news.iter().take_while(|one| {
        lines += one.lines();
        lines <= MOST_LINES
    });
    let rest = news.split_off(whole.count());
    for News { group, said } in news {
        add_group(told, &group, said.len());
        let left_out = said.len().saturating_sub(MOST_OF_GROUP);
        for message in said.into_iter().skip(left_out) {
            let Some(who) = name_of_author(read, settings, message.author)? else { continue };
            let text = short(message.text().unwrap_or_default());
            told.add("message", message.id, Thing::Said { who, text });
        }
    }
    for News { group, said } in rest.iter().take(MOST_NAMED) {
        add_group(told, group, said.len());
    }
    if let Some(next) = rest.get(MOST_NAMED) {
        let count = rest.len() - MOST_NAMED;
        told.add("group", next.group.id, Thing::More { count, of: Of::Conversations });
    }
    Ok(())
}

fn add_group(told: &mut Told, group: &Group, messages: usize) {
    told.add("group", group.id, Thing::In { kind: group.kind, name: group.name.clone(), messages });
}

fn name_of_author(
    read: &Read<'_>,
    settings: &Settings,
    author: Author,
) -> Result<Option<String>, StoreError> {
    Ok(Some(match author {
        Author::User => stand::name_of_person(settings).to_owned(),
        Author::Agent(agent) => agents::get(read, agent)?.name,
        Author::Outside(pass) => outside::called(read, pass)?,
        Author::Source(source) => sources::called(read, source)?,
        Author::System => return Ok(None),
    }))
}

fn failures(
    read: &Read<'_>,
    since_ms: i64,
    read_by_it: &HashSet<GroupId>,
    told: &mut Told,
) -> Result<(), StoreError> {
    let (mut failed, mut more) = (0, None);
    for run in runs::page(read, &RunFilter::default(), None, RUNS)? {
        let is_new =
            read_by_it.contains(&run.group) && run.ended_ms.is_some_and(|ended| ended > since_ms);
        let Some(Outcome::Failed { fault }) = run.outcome.filter(|_| is_new) else { continue };
        failed += 1;
        if failed > MOST_OF_GROUP {
            more.get_or_insert(run.id);
            continue;
        }
        let name = agents::get(read, run.agent)?.name;
        told.add("run", run.id, Thing::Failed { name, why: short(&fault.message) });
    }
    if let Some(next) = more {
        let count = failed - MOST_OF_GROUP;
        told.add("run", next, Thing::More { count, of: Of::Failures });
    }
    Ok(())
}

/// What is new in the memory that the agent reads, and what a person has to decide there.
fn remembered(
    read: &Read<'_>,
    agent: AgentId,
    since_ms: i64,
    now: i64,
    told: &mut Told,
) -> Result<(), StoreError> {
    for standing in [Standing::Contested, Standing::Holding] {
        let is_contested = standing == Standing::Contested;
        let filter = MemoryFilter { agent: Some(agent), standing, ..MemoryFilter::default() };
        let mut new = memories::page(read, &filter, now, None, MEMORIES)?;
        new.retain(|one| is_contested || one.memory.created_at_ms > since_ms);
        for one in new.iter().take(MOST_OF_GROUP) {
            let text = short(&one.memory.text);
            let thing = if is_contested { Thing::Contested(text) } else { Thing::Remembered(text) };
            told.add("memory", one.memory.id, thing);
        }
        if let Some(next) = new.get(MOST_OF_GROUP) {
            let count = new.len() - MOST_OF_GROUP;
            let of = if is_contested { Of::Contradictions } else { Of::Memories };
            told.add("memory", next.memory.id, Thing::More { count, of });
        }
    }
    Ok(())
}

/// How a memory with this text is told, and what is told of it once it is forgotten.
pub(crate) fn told_of_memory(text: &str) -> [(String, String); 2] {
    [WAITS, IS_REMEMBERED]
        .map(|what| (format!("{what}{}", short(text)), format!("{what}{}", memory::FORGOTTEN)))
}

/// A text as a digest has it.
pub(crate) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.chars().count() > CHARACTERS {
        true => line.chars().take(CHARACTERS - 1).chain(['…']).collect(),
        false => line,
    }
}
