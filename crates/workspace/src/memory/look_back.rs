//! Looks back at a conversation that rests, and has a model say what of it is
//! worth remembering.
//!
//! It is a run of the agent like any other, with its budget, its record and its
//! place in the queue, but the least of its duties: it begins when the agent has
//! nothing else to do, and whoever wakes the agent ends it. What it has read, what
//! it remembers and its end stand in one transaction, so that nothing is read twice
//! or lost. Only the fast model is asked, and where none is chosen nobody is.

use super::filled::Known;
use super::foreign::{repeated_in, shown_in};
use super::forget::was_forgotten;
use super::learn::id_of;
use super::person;
use super::remember::{Origin, remember};
use crate::calls::{Candidates, Lines};
use crate::context;
use crate::desk::wanted_no_more;
use crate::heard::{Heard, hear};
use crate::outside;
use crate::roles::Task;
use crate::shared::{Going, Shared};
use crate::souls::effective;
use crate::sources;
use crate::stand::Stand;
use crate::unwritten::{self, Unwritten};
use ::memory::{
    About, Claim, Proposed, asks_to_forget, bears_on, fingerprint, has_secret, is_denied,
    keeps_off, read_proposals, schema_of_proposals,
};
use domain::{
    AgentId, AgentState, Author, Cause, Fault, FaultCode, Group, GroupId, GroupKind, MemoryId,
    MemoryScope, Message, NewMemory, Outcome, Reason, Run, RunId, RunState, Source, StepKind,
    ToolSpecs, Trust, Usage,
};
use llm::{Grammar, ModelRequest, Role, Turn};
use serde_json::json;
use std::collections::HashSet;
use std::sync::Arc;
use store::table::{agents, groups, look_backs, memories, messages, runs, settings, steps, usage};
use store::{Durability, Read, StoreError, Write};
use tokio::sync::Notify;
use uuid::Uuid;

/// Fewer messages than this are not worth a call.
const LEAST: usize = 6;
/// More are read by the next look.
const MOST: u32 = 60;
/// Characters of one message that are read.
const CHARACTERS: usize = 2_000;
/// Turns an hour that are left for answers.
const SPARED: u32 = 20;
const HOUR_MS: i64 = 60 * 60 * 1_000;
const MOST_TOKENS: u32 = 1_500;

/// A look that has begun.
struct Look {
    run: Run,
    candidates: Candidates,
    request: ModelRequest,
    said: Vec<Message>,
}

/// Looks back at the group until it is done or somebody wakes the agent.
pub(crate) async fn look_back(shared: &Arc<Shared>, agent: AgentId, group: GroupId, wake: &Notify) {
    match shared.store.read(|read| might(read, shared, agent, group)) {
        Ok(true) => {}
        Ok(false) => return,
        Err(fault) => return tracing::warn!(%agent, %fault, "nobody looks back"),
    }
    let with = shared.clone();
    let begun = shared
        .store
        .write(Durability::Process, move |write| begin(write, &with, agent, group))
        .await;
    let look = match begun {
        Ok(Some(look)) => look,
        Ok(None) => return,
        Err(fault) => return tracing::warn!(%agent, %fault, "nobody looks back"),
    };
    let going = shared.going_on.begin(look.run.id, agent, group);
    // Whoever wanted it to end between its commit and here found nobody to stop.
    if let Ok(Some(why)) = shared.store.read(|read| wanted_no_more(read, &look.run)) {
        going.end_for(why);
    }
    if shared.closing.is_cancelled() {
        going.stop.cancel();
    }
    let unwritten = Unwritten::default();
    let answer = {
        let asking = ask(shared, &look, &unwritten, &going);
        tokio::pin!(asking);
        tokio::select! {
            answer = &mut asking => answer,
            () = wake.notified() => {
                // Its turn comes first; the look is taken up when all is quiet again.
                wake.notify_one();
                going.stop.cancel();
                asking.await
            }
        }
    };
    shared.going_on.end(look.run.id);
    let id = look.run.id;
    let (look, entries) = (Arc::new(look), unwritten.take());
    let end_with = |answer: Option<String>| {
        let (with, look, entries) = (shared.clone(), look.clone(), entries.clone());
        shared.store.write(Durability::Process, move |write| {
            unwritten::write_down(write, &look.run, &entries)?;
            end(write, &with, &look, answer)
        })
    };
    let ended = match end_with(answer).await {
        Ok(()) => Ok(()),
        // What it took is paid all the same, and its run does not go on for ever.
        Err(fault) => {
            tracing::warn!(run = %id, %fault, "nothing comes of a look back");
            end_with(None).await
        }
    };
    match ended {
        Ok(()) => shared.finder.ring(),
        Err(fault) => tracing::error!(run = %id, %fault, "a look back could not be settled"),
    }
    shared.waiters.look_again();
}

/// Whether there can be anything to look back at, and anybody to ask: this is looked
/// up after every turn, so it is little.
fn might(read: &Read<'_>, shared: &Shared, agent: AgentId, group: GroupId) -> Result<bool, Fault> {
    let (settings, agent) = (settings::get(read)?, agents::get(read, agent)?);
    let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(false) };
    let has_fast = || effective(agent.model.as_deref(), &soul.front, &settings).fast.is_some();
    if !settings.memory.looks_back || !has_fast() {
        return Ok(false);
    }
    let upto = look_backs::upto(read, group)?;
    Ok(messages::of_group_since(read, group, upto, LEAST as u32)?.len() >= LEAST)
}

/// Stores the run with what it stands on, if there is enough to look at.
fn begin(
    write: &mut Write<'_>,
    shared: &Shared,
    agent: AgentId,
    group: GroupId,
) -> Result<Option<Look>, Fault> {
    let now = shared.now_ms();
    let agent = agents::get(write, agent)?;
    let group = groups::get(write, group)?;
    let rests = agent.state == AgentState::Idle && !group.archived;
    let is_talk = matches!(group.kind, GroupKind::Direct | GroupKind::Group);
    if !rests || !is_talk || !settings::get(write)?.memory.looks_back {
        return Ok(None);
    }
    let Some(most) = group.caps.runs_per_hour.checked_sub(SPARED) else { return Ok(None) };
    if runs::as_many_begun_since(write, agent.id, now - HOUR_MS, most.saturating_add(1))? {
        return Ok(None);
    }
    let upto = look_backs::upto(write, group.id)?;
    let mut said = messages::of_group_since(write, group.id, upto, MOST)?;
    said.retain(|message| message.text().is_some());
    let said = not_forgotten(write, wanted(said))?;
    let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(None) };
    let stand = Stand::look(write, shared, &agent, &group, &soul, Task::Answer)?;
    let somebody = stand.candidates.notes.first().filter(|first| first.provider.is_ok());
    let (Some(model), Some(_)) = (somebody, &stand.effective.fast) else { return Ok(None) };
    let Some(last) = said.last().filter(|_| said.len() >= LEAST).cloned() else {
        return Ok(None);
    };
    let told = shared.prompts.look_back(&agent.name, &stand.you)?;
    let request = ModelRequest {
        model: model.name.split_once('/').map_or("", |(_, name)| name).to_owned(),
        turns: vec![
            Turn::new(Role::System, told.clone()),
            Turn::new(Role::User, record(write, &said, &stand.you)?),
        ],
        temperature: 0.0,
        max_tokens: MOST_TOKENS.min(model.window.tokens / 4),
        stop: Vec::new(),
        seed: None,
        grammar: Some(Grammar::JsonSchema(schema_of_proposals())),
        tools: ToolSpecs::default(),
    };
    let mut context = context::of(shared, &agent, &group, &soul, &stand);
    (context.model, context.system_prompt) = (model.name.clone(), told);
    context.tools = ToolSpecs::default();
    let cause = Cause { message: last.id, author: last.author, reason: Reason::LookingBack };
    let mut run = Run {
        root: last.root,
        depth: last.chain_depth,
        model: context.model.clone(),
        soul_version: context.soul_version,
        reads_after: upto,
        reads_to: last.seq,
        ..Run::beginning(RunId(Uuid::now_v7()), agent.id, group.id, cause, now)
    };
    runs::add(write, &mut run, context)?;
    Ok(Some(Look { run, candidates: stand.candidates, request, said }))
}

/// One JSON object a line, so that no text can step out of its own.
fn record(read: &Read<'_>, said: &[Message], you: &str) -> Result<String, Fault> {
    let mut lines = Vec::with_capacity(said.len());
    for (n, message) in (1..).zip(said) {
        let who = match message.author {
            Author::User => you.to_owned(),
            Author::Agent(id) => agents::get(read, id)?.name,
            Author::Outside(pass) => outside::called(read, pass)?,
            Author::Source(source) => sources::called(read, source)?,
            Author::System => continue,
        };
        let text: String = message.text().unwrap_or_default().chars().take(CHARACTERS).collect();
        lines.push(json!({ "n": n, "who": who, "said": text }).to_string());
    }
    Ok(lines.join("\n"))
}

/// The model's answer; `None` where none came, or somebody ended it.
async fn ask(
    shared: &Arc<Shared>,
    look: &Look,
    unwritten: &Unwritten,
    going: &Going,
) -> Option<String> {
    let lines = Lines::new(shared, look.candidates.clone(), &look.run, unwritten);
    let mut usage = Usage::default();
    let heard = hear(&lines.notes, look.request.clone(), &going.stop, &mut usage).await;
    heard.map(|Heard { text, .. }| text)
}

fn end(
    write: &mut Write<'_>,
    shared: &Shared,
    look: &Look,
    answer: Option<String>,
) -> Result<(), Fault> {
    let Look { run, said, .. } = look;
    let mut run = run.clone();
    let now = shared.now_ms();
    (run.usage, run.cost_microusd) = usage::of_run(write, run.id)?;
    run.ended_ms = Some(now);
    let Some(answer) = answer else {
        // It did nothing, and is done again when there is time.
        run.state = RunState::Dropped;
        return Ok(runs::update(write, &run)?);
    };
    let group = groups::get(write, run.group)?;
    // What is no answer at all would be none the next time either.
    let proposed = read_proposals(&answer, said.len()).unwrap_or_default();
    let mut memories: Vec<MemoryId> = Vec::new();
    for one in proposed {
        match take(write, shared, &run, &group, said, one) {
            Ok(taken) => memories.extend(taken),
            // One that cannot be kept is no reason to lose the others.
            Err(fault) if fault.code == FaultCode::BadInput => {
                tracing::warn!(run = %run.id, %fault, "a proposal is left out");
            }
            Err(fault) => return Err(fault),
        }
    }
    look_backs::put(write, run.group, run.reads_to)?;
    steps::add(write, run.id, &StepKind::Reflected { memories }, now)?;
    let outcome = Outcome::Silent { reason: Reason::LookingBack };
    steps::add(write, run.id, &StepKind::Settled { outcome: outcome.clone() }, now)?;
    (run.state, run.outcome) = (RunState::Settled, Some(outcome));
    Ok(runs::update(write, &run)?)
}

/// Remembers what was proposed, as far as those can be trusted who said it.
fn take(
    write: &mut Write<'_>,
    shared: &Shared,
    run: &Run,
    group: &Group,
    said: &[Message],
    one: Proposed,
) -> Result<Option<MemoryId>, Fault> {
    let from: Vec<&Message> = one.from.iter().filter_map(|n| said.get(n - 1)).collect();
    let Some(first) = from.first() else { return Ok(None) };
    // It may have been while the model was asked.
    for message in &from {
        if is_forgotten(write, message)? {
            return Ok(None);
        }
    }
    // A model has put it into words, so it is nobody's own word.
    let (mut trust, mut tool) = (Trust::Agent, None);
    for message in &from {
        if let Some(used) = tool_of(write, message)? {
            (trust, tool) = (Trust::Untrusted, Some(used));
        }
    }
    if tool.is_none() {
        // Whoever put it into words says where it is from, and may be wrong.
        tool = repeated_in(write, &one.text, group.id, run.reads_to)?;
        trust = if tool.is_some() { Trust::Untrusted } else { trust };
    }
    let name = person::name(write)?;
    let claim = Claim { text: &one.text, statement: one.statement.as_ref(), name: &name };
    // Whoever answers may have said it again.
    let lines: Vec<&str> = said.iter().filter_map(|message| message.text()).collect();
    if has_secret(claim, &lines) {
        return Ok(None);
    }
    let said: Vec<&Message> = from.iter().copied().filter(|one| !is_of_agent(one)).collect();
    match borne_out(claim, &said) {
        BorneOut::Refused => return Ok(None),
        BorneOut::Hearsay => trust = Trust::Untrusted,
        BorneOut::Said => {}
    }
    if was_forgotten(write, &one.text, one.statement.as_ref(), &said)? {
        return Ok(None);
    }
    let text = shared.safe.redactor().redact_known(&one.text).into_owned();
    let id = id_of(&[first.id.0.as_bytes(), b"proposed", fingerprint(&text).as_bytes()]);
    let new = NewMemory {
        kind: one.kind,
        scope: match one.about {
            About::Person => MemoryScope::User,
            About::Work => MemoryScope::Workspace,
            About::Conversation => MemoryScope::Group(group.id),
            About::Agent => MemoryScope::Agent(run.agent),
        },
        text,
        statement: one.statement,
        tags: Vec::new(),
        importance: Some(one.importance),
        valid_from_ms: None,
        valid_to_ms: None,
    };
    let source = Source { message: Some(first.id), run: Some(run.id), tool, ..Source::default() };
    let origin = Origin { source, by: Some(run.agent) };
    Ok(Some(remember(write, id, new, trust, origin, first.at_ms)?.id))
}

/// Whether what was said bears a proposal out.
enum BorneOut {
    /// It is denied where it is said to come from.
    Refused,
    /// Only agents have said it: that is nobody's word until the person says that it is right.
    Hearsay,
    Said,
}

/// `said` is what was said by others than agents. What has nothing to do with a proposal does not
/// bear it out, whatever it is said to come from.
fn borne_out(claim: Claim<'_>, said: &[&Message]) -> BorneOut {
    let mut said = said.to_vec();
    said.sort_by_key(|message| message.seq);
    let lines: Vec<&str> = said.iter().filter_map(|message| message.text()).collect();
    if is_denied(claim, &lines) {
        return BorneOut::Refused;
    }
    match lines.iter().any(|line| bears_on(claim, line)) {
        true => BorneOut::Said,
        false => BorneOut::Hearsay,
    }
}

fn is_of_agent(message: &Message) -> bool {
    match message.author {
        Author::Agent(_) | Author::System => true,
        Author::User | Author::Outside(_) | Author::Source(_) => false,
    }
}

/// Without what the person does not want remembered, or wants forgotten, and what was said to that.
fn wanted(said: Vec<Message>) -> Vec<Message> {
    let mut unwanted = HashSet::new();
    let mut before = None;
    for message in said.iter().filter(|message| message.author == Author::User) {
        let text = message.text().unwrap_or_default();
        let keeps_off = keeps_off(text);
        if keeps_off.is_some() || asks_to_forget(text).is_some() {
            unwanted.insert(message.id);
        }
        unwanted.extend(before.filter(|_| keeps_off == Some(true)));
        before = Some(message.id);
    }
    let is_wanted = |one: &Message| !unwanted.contains(&one.id) && !unwanted.contains(&one.root);
    said.into_iter().filter(is_wanted).collect()
}

fn not_forgotten(read: &Read<'_>, said: Vec<Message>) -> Result<Vec<Message>, StoreError> {
    let mut left = Vec::with_capacity(said.len());
    for message in said {
        if !is_forgotten(read, &message)? {
            left.push(message);
        }
    }
    Ok(left)
}

/// Whether a person had forgotten what the message taught, or the one that it answers.
fn is_forgotten(read: &Read<'_>, message: &Message) -> Result<bool, StoreError> {
    for said in [message.id, message.root] {
        if memories::was_forgotten(read, said)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A tool or a file whose words the message may repeat, or what it is from, where that is
/// a program, a source or a server.
fn tool_of(read: &Read<'_>, message: &Message) -> Result<Option<String>, Fault> {
    match message.author {
        Author::Outside(pass) => return Ok(Some(outside::called(read, pass)?)),
        Author::Source(source) => return Ok(Some(sources::called(read, source)?)),
        Author::User => {
            if let Some(server) = Known::look(read)?.server_of(message) {
                return Ok(Some(server.to_owned()));
            }
        }
        Author::Agent(_) | Author::System => {}
    }
    let Some(run) = message.run else { return Ok(None) };
    let used = steps::of_run(read, run)?.into_iter().find_map(|step| match step.kind {
        StepKind::ToolProposed { tool, .. } => Some(tool),
        _ => None,
    });
    match used {
        Some(tool) => Ok(Some(tool)),
        None => Ok(shown_in(read, run)?),
    }
}
