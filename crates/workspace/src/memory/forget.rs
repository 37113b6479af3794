//! Takes the words of a memory away for ever: from all its versions, its vectors, what
//! models were sent, what agents did when they saved or found it, what the program told
//! of it, from those that it took the place of because they said the same, and from the
//! episodes in which the person says it. That there was one stays, and so does what was
//! said in conversations.

mod any_case;
mod episodes;
mod known_again;
mod told;
mod words;

use super::change::{as_new, judge};
use super::person;
use super::remember::{Beside, keep_rest};
use super::rivals::{copies_ever, past};
use super::undo::merged_into;
use super::{found, holds, put};
use ::memory::{Verdict, same_words, verdict};
use domain::{
    Approval, CallId, Fault, Judgement, Kept, Memory, MemoryChange, MemoryId, MemoryState,
    PlanAction, Reason, Run, RunId, SentRole, SentTurn, Step, StepKind, ToolCall, Trust,
};
pub(crate) use known_again::{heard_by, was_forgotten};
use std::collections::{BTreeSet, HashMap};
use store::table::response_cache::{self, MadeOf};
use store::table::{
    approvals, memories, memory_vectors, memory_versions, outbox, recalls, requests, runs, steps,
    tool_calls,
};
use store::{Read, StoreError, Write};
use words::Words;
pub(crate) use words::{FORGOTTEN, quoted, without as without_words};

/// The tools that write and read memories.
const TOOLS: [&str; 2] = ["memory_save", "memory_search"];

pub(crate) fn forget(write: &mut Write<'_>, id: MemoryId, now: i64) -> Result<Memory, Fault> {
    let mut memory = found(write, id)?;
    if memory.state == MemoryState::Forgotten {
        return Ok(memory);
    }
    let versions = memory_versions::of(write, id)?.into_iter();
    let versions: Vec<Memory> = versions.filter_map(|version| version.memory).collect();
    let texts: Vec<String> = versions.iter().map(|version| version.text.clone()).collect();
    let was_wrong = memory.state == MemoryState::Wrong;
    let twins = twins(write, &memory, &versions, now)?;
    for (episode, sentences) in episodes::that_say(write, &memory, &versions)? {
        episodes::leave_out(write, episode, &sentences, now)?;
    }
    known_again::mark(write, &versions)?;
    off_record(write, &memory, texts)?;
    memory_vectors::remove(write, id)?;
    memory.text = String::new();
    memory.statement = None;
    memory.tags = Vec::new();
    memory.source.file = None;
    memory.pinned = false;
    memory.state = MemoryState::Forgotten;
    put(write, &mut memory, MemoryChange::Forgotten, now)?;
    memory_versions::forget(write, id)?;
    for other in memories::about(write, id)? {
        match other.state == MemoryState::Contested(id) {
            // That nobody knows any more what was never so does not make it so.
            true if was_wrong => drop(judge(write, other.id, Judgement::Wrong, now)?),
            true => stand_alone(write, other, now)?,
            false => {}
        }
    }
    for twin in twins {
        let kept = found(write, twin)?;
        if kept.scope != memory.scope {
            // What an agent keeps beside that was not named.
            keep_rest(write, &kept, now)?;
        }
        forget(write, twin, now)?;
    }
    Ok(memory)
}

/// Out of what agents did with it, and what models were sent.
fn off_record(
    write: &mut Write<'_>,
    memory: &Memory,
    texts: Vec<String>,
) -> Result<(), StoreError> {
    let mut words = Words::new(texts, person::name(write)?);
    let told = told::out_of_posts(write, memory.id, words.texts())?;
    words.also_told(told.words);
    let mut touched = in_which(write, memory, &words)?;
    touched.extend(told.read_by);
    for run in touched {
        let run = runs::get(write, run)?;
        from_steps(write, &run, &mut words)?;
        response_cache::forget(write, MadeOf::Agent(run.agent))?;
    }
    requests::rewrite(write, |_, part| words.are_in(part), |turn| without(turn, &words))?;
    runs::rewrite_prompts(write, |prompt| words.out_of_sent(prompt))
}

/// Those that it stands for, by a merge or because they said the same once, and what agents
/// keep of it: whoever forgets it forgets what they say.
fn twins(
    read: &Read<'_>,
    memory: &Memory,
    versions: &[Memory],
    now: i64,
) -> Result<BTreeSet<MemoryId>, StoreError> {
    let mut twins: BTreeSet<MemoryId> =
        merged_into(read, memory)?.into_iter().map(|other| other.id).collect();
    let mut others = memories::about(read, memory.id)?;
    for said in versions {
        others.extend(past(read, memory.scope, said)?);
    }
    others.retain(|other| other.id != memory.id && versions.iter().any(|said| says(said, other)));
    let others = others.into_iter().filter(|other| match other.state {
        MemoryState::Superseded(_) => true,
        MemoryState::Current => !holds(other, now),
        // It was said again, and waits beside what was never so.
        MemoryState::Contested(_) => memory.state == MemoryState::Wrong,
        MemoryState::Wrong | MemoryState::Forgotten => false,
    });
    twins.extend(others.map(|other| other.id));
    for said in versions {
        twins.extend(copies_ever(read, said)?.into_iter().map(|one| one.id));
    }
    twins.remove(&memory.id);
    Ok(twins)
}

/// Whether one says all that another does, whenever that was so.
fn says(one: &Memory, other: &Memory) -> bool {
    let always = |memory: &Memory| Memory {
        scope: one.scope,
        trust: Trust::Person,
        valid_from_ms: None,
        valid_to_ms: None,
        ..memory.clone()
    };
    let (one, other) = (always(one), always(other));
    let at_ms = one.created_at_ms.max(other.created_at_ms);
    same_words(&one.text, &other.text)
        || verdict(&one, &as_new(&other), Trust::Person, at_ms) == Verdict::Repeats
}

/// What it contradicted is gone: it waits for nobody's judgement any more, unless it
/// contradicts something else.
fn stand_alone(write: &mut Write<'_>, mut memory: Memory, now: i64) -> Result<(), Fault> {
    memory.state = MemoryState::Current;
    let stands = Beside::of(write, &memory, now)?.take(&mut memory);
    put(write, &mut memory, MemoryChange::Edited, now)?;
    stands.carry_out(write, memory, now)?;
    Ok(())
}

/// The runs that were reminded of it, saved it, found it or came upon it; what the
/// last three used is rewritten.
fn in_which(
    write: &mut Write<'_>,
    memory: &Memory,
    words: &Words,
) -> Result<BTreeSet<RunId>, StoreError> {
    let mut touched: BTreeSet<RunId> = memory.source.run.into_iter().collect();
    touched.extend(steps::that_remembered(write, memory.id)?);
    touched.extend(steps::that_asked_for(write, TOOLS)?);
    for call in tool_calls::of_tools(write, TOOLS)? {
        let arguments = words.out_of_arguments(&call.arguments);
        let result = call.result.as_deref().and_then(|result| words.out_of_found(result));
        if arguments.is_none() && result.is_none() {
            continue;
        }
        if let Some(approval) = approvals::find(write, call.id)? {
            let arguments = arguments.clone().unwrap_or_else(|| approval.arguments.clone());
            approvals::put(write, &Approval { arguments, ..approval })?;
        }
        touched.extend(runs::tries(write, call.run)?);
        let arguments = arguments.unwrap_or_else(|| call.arguments.clone());
        let result = result.or_else(|| call.result.clone());
        tool_calls::rewrite(write, &ToolCall { arguments, result, ..call })?;
    }
    touched.extend(recalls::of(write, memory.id, u32::MAX)?);
    Ok(touched)
}

/// Rewrites what is on record of a run; it is read again by whoever finds runs.
fn from_steps(write: &mut Write<'_>, run: &Run, words: &mut Words) -> Result<(), StoreError> {
    let all = steps::of_run(write, run.id)?;
    let said_after = said_after(run, &all);
    let mut of_call: HashMap<CallId, String> = HashMap::new();
    let mut rewritten = false;
    for (at, step) in all.iter().enumerate() {
        if let StepKind::ToolProposed { call, tool, arguments, .. } = &step.kind {
            of_call.insert(*call, tool.clone());
            words.also_as(tool, arguments);
        }
        let is_said = at >= said_after;
        if let Some(kind) = without_in(&step.kind, words, is_said, &of_call) {
            steps::rewrite(write, Step { kind, ..step.clone() })?;
            rewritten = true;
        }
    }
    if rewritten { unsealed(write, run, all) } else { Ok(()) }
}

/// What is written from this step on, after the last use of a tool, is said to everybody.
pub(crate) fn said_after(run: &Run, steps: &[Step]) -> usize {
    let is_use = |step: &Step| matches!(step.kind, StepKind::ToolProposed { .. });
    match run.cause.reason {
        Reason::LookingBack => steps.len(),
        _ => steps.iter().rposition(is_use).unwrap_or(0),
    }
}

/// Of a run that was rewritten: what a model thought beside its steps was sealed with them.
/// It is read again by whoever finds runs.
pub(crate) fn unsealed(
    write: &mut Write<'_>,
    run: &Run,
    steps: Vec<Step>,
) -> Result<(), StoreError> {
    for step in steps {
        if let StepKind::Kept { kept } = &step.kind {
            steps::rewrite(write, Step { kind: StepKind::Kept { kept: nothing(kept) }, ..step })?;
        }
    }
    outbox::add(write, outbox::Text::Run(run.seq))
}

/// `None` where a step says nothing of it.
fn without_in(
    kind: &StepKind,
    words: &Words,
    is_said: bool,
    of_call: &HashMap<CallId, String>,
) -> Option<StepKind> {
    let is_ours = |tool: &str| TOOLS.contains(&tool);
    match kind {
        StepKind::Delta { text, reasoning } => {
            let (said, thought) = (words.out_of(text), words.out_of(reasoning));
            let said = said.filter(|_| !is_said);
            (said.is_some() || thought.is_some()).then(|| StepKind::Delta {
                text: said.unwrap_or_else(|| text.clone()),
                reasoning: thought.unwrap_or_else(|| reasoning.clone()),
            })
        }
        StepKind::ToolProposed { call, model_id, tool, arguments } if is_ours(tool) => {
            let arguments = words.out_of_written(arguments)?;
            let (model_id, tool) = (model_id.clone(), tool.clone());
            Some(StepKind::ToolProposed { call: *call, model_id, tool, arguments })
        }
        StepKind::ToolReturned { call, state, text }
            if of_call.get(call).is_some_and(|tool| is_ours(tool)) =>
        {
            // What was refused may be quoted where it is said why.
            let text = words.out_of_found(text).or_else(|| words.out_of_quoted(text))?;
            Some(StepKind::ToolReturned { call: *call, state: *state, text })
        }
        StepKind::SpokeForAnother { text } => {
            Some(StepKind::SpokeForAnother { text: words.out_of_told(text)? })
        }
        StepKind::Recalled { query, memories, words_only } => Some(StepKind::Recalled {
            query: words.out_of_told(query)?,
            memories: memories.clone(),
            words_only: words_only.clone(),
        }),
        StepKind::Steered { messages, text } => {
            Some(StepKind::Steered { messages: messages.clone(), text: words.out_of_told(text)? })
        }
        StepKind::Planned { plan } => {
            let mut plan = plan.clone();
            let mut changed = false;
            for step in &mut plan.steps {
                if let PlanAction::Tool { tool, arguments } = &mut step.action
                    && is_ours(tool)
                    && let Some(other) = words.out_of_arguments(arguments)
                {
                    (*arguments, changed) = (other, true);
                }
            }
            changed.then_some(StepKind::Planned { plan })
        }
        _ => None,
    }
}

/// A turn that was sent, without it; `None` where it says nothing of it.
fn without(turn: &SentTurn, words: &Words) -> Option<SentTurn> {
    let content = match turn.role {
        SentRole::User | SentRole::System => words.out_of_sent(&turn.content),
        SentRole::Tool => {
            words.out_of_found(&turn.content).or_else(|| words.out_of_told(&turn.content))
        }
        // What it said to everybody stays said.
        SentRole::Assistant if turn.calls.is_empty() => None,
        SentRole::Assistant => words.out_of(&turn.content),
    };
    let mut calls = turn.calls.clone();
    for call in calls.iter_mut().filter(|call| TOOLS.contains(&call.name.as_str())) {
        if let Some(arguments) = words.out_of_written(&call.arguments) {
            call.arguments = arguments;
        }
    }
    (content.is_some() || calls != turn.calls).then(|| SentTurn {
        content: content.unwrap_or_else(|| turn.content.clone()),
        calls,
        kept: turn.kept.as_ref().map(nothing),
        ..turn.clone()
    })
}

/// Of no model, so that no interface takes it for what it sealed.
pub(crate) fn nothing(kept: &Kept) -> Kept {
    Kept { by: kept.by, model: String::new(), parts: Vec::new() }
}
