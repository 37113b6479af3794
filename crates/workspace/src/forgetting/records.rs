//! Takes a message's words out of what is on record of runs: their steps, their tools,
//! what was asked about them, and what models were sent.
//!
//! Runs that read the message are looked through whole. Of others, which may have been
//! told of it by an agent, only what repeats a long one word for word.

use super::said::Said;
use crate::memory::{FORGOTTEN, nothing, said_after, unsealed};
use domain::{
    Approval, Author, Message, PlanAction, Run, RunId, SentRole, SentTurn, Step, StepKind, ToolCall,
};
use std::collections::{BTreeSet, HashSet};
use store::table::response_cache::{self, MadeOf};
use store::table::{approvals, requests, runs, steps, tool_calls};
use store::{StoreError, Write};

pub(super) fn out_of_records(
    write: &mut Write<'_>,
    all: &[Message],
    said: &Said,
) -> Result<(), StoreError> {
    let own: HashSet<RunId> = all.iter().filter_map(|message| message.run).collect();
    let mut read: BTreeSet<RunId> = own.iter().copied().collect();
    for message in all {
        let here = runs::that_read(write, message.group, message.seq)?;
        read.extend(here.iter().map(|run| run.id));
    }
    let mut touched = read.clone();
    for sign in said.signs() {
        touched.extend(steps::that_say(write, sign)?);
    }
    for run in touched {
        let run = runs::get(write, run)?;
        out_of_steps(write, &run, own.contains(&run.id), said)?;
        out_of_tools(write, run.id, said)?;
    }
    let read: Vec<RunId> = read.into_iter().collect();
    let parts = requests::parts_of(write, &read)?;
    let is_about = |id: i64, part: &str| {
        parts.contains(&id) || said.signs().iter().any(|sign| part.contains(sign.as_str()))
    };
    let by_agent = all.iter().any(|message| matches!(message.author, Author::Agent(_)));
    requests::rewrite(write, is_about, |turn| without(turn, said, by_agent))?;
    response_cache::forget(write, MadeOf::Anything)?;
    Ok(())
}

/// The run is read again by whoever finds runs. `is_own` says that it wrote the message.
fn out_of_steps(
    write: &mut Write<'_>,
    run: &Run,
    is_own: bool,
    said: &Said,
) -> Result<(), StoreError> {
    let all = steps::of_run(write, run.id)?;
    let said_after = said_after(run, &all);
    let mut rewritten = false;
    for (at, step) in all.iter().enumerate() {
        let words = match (is_own, at >= said_after) {
            (true, _) => Written::Itself,
            (false, true) => Written::ToEverybody,
            (false, false) => Written::ToItself,
        };
        if let Some(kind) = without_in(&step.kind, said, words) {
            steps::rewrite(write, Step { kind, ..step.clone() })?;
            rewritten = true;
        }
    }
    if rewritten { unsealed(write, run, all) } else { Ok(()) }
}

/// What a model has written in a step.
#[derive(Clone, Copy)]
enum Written {
    /// What is to be forgotten.
    Itself,
    /// An answer, which stays.
    ToEverybody,
    ToItself,
}

/// `None` where a step says nothing of it.
fn without_in(kind: &StepKind, said: &Said, written: Written) -> Option<StepKind> {
    match kind {
        StepKind::Delta { text, reasoning } => {
            let left = match written {
                Written::Itself => (!text.is_empty()).then(|| FORGOTTEN.to_owned()),
                Written::ToItself => said.out_of(text),
                Written::ToEverybody => None,
            };
            let thought = said.out_of(reasoning);
            (left.is_some() || thought.is_some()).then(|| StepKind::Delta {
                text: left.unwrap_or_else(|| text.clone()),
                reasoning: thought.unwrap_or_else(|| reasoning.clone()),
            })
        }
        StepKind::SpokeForAnother { text } => {
            let text = match written {
                Written::Itself => FORGOTTEN.to_owned(),
                Written::ToItself | Written::ToEverybody => said.out_of(text)?,
            };
            Some(StepKind::SpokeForAnother { text })
        }
        StepKind::Recalled { query, memories, words_only } => Some(StepKind::Recalled {
            query: said.out_of(query)?,
            memories: memories.clone(),
            words_only: words_only.clone(),
        }),
        StepKind::ToolProposed { call, model_id, tool, arguments } => {
            let arguments = said.out_of_written(arguments)?;
            let (model_id, tool) = (model_id.clone(), tool.clone());
            Some(StepKind::ToolProposed { call: *call, model_id, tool, arguments })
        }
        StepKind::ToolReturned { call, state, text } => {
            Some(StepKind::ToolReturned { call: *call, state: *state, text: said.out_of(text)? })
        }
        StepKind::Steered { messages, text } => {
            Some(StepKind::Steered { messages: messages.clone(), text: said.out_of(text)? })
        }
        StepKind::Replanned { attempt, because } => {
            Some(StepKind::Replanned { attempt: *attempt, because: said.out_of(because)? })
        }
        StepKind::Planned { plan } => {
            let mut left = plan.clone();
            for step in &mut left.steps {
                match &mut step.action {
                    PlanAction::Tool { arguments, .. } => {
                        *arguments = said.out_of_json(arguments).unwrap_or_else(|| arguments.take())
                    }
                    PlanAction::Reply { about } => {
                        *about = said.out_of(about).unwrap_or_else(|| about.clone())
                    }
                }
            }
            (left != *plan).then_some(StepKind::Planned { plan: left })
        }
        StepKind::Woken { .. }
        | StepKind::Decided { .. }
        | StepKind::BriefBuilt { .. }
        | StepKind::ModelCalled { .. }
        | StepKind::StoodInLine { .. }
        | StepKind::Kept { .. }
        | StepKind::UsageRecorded { .. }
        | StepKind::Folded { .. }
        | StepKind::ApprovalAsked { .. }
        | StepKind::ApprovalEnded { .. }
        | StepKind::Granted { .. }
        | StepKind::ToolDispatched { .. }
        | StepKind::Reflected { .. }
        | StepKind::MessagePosted { .. }
        | StepKind::Retried { .. }
        | StepKind::FellBack { .. }
        | StepKind::FromCache { .. }
        | StepKind::Interrupted
        | StepKind::Resumed { .. }
        | StepKind::Settled { .. } => None,
    }
}

fn out_of_tools(write: &mut Write<'_>, run: RunId, said: &Said) -> Result<(), StoreError> {
    for call in tool_calls::of_run(write, run)? {
        let arguments = said.out_of_json(&call.arguments);
        let result = call.result.as_deref().and_then(|result| said.out_of(result));
        if arguments.is_none() && result.is_none() {
            continue;
        }
        let arguments = arguments.unwrap_or_else(|| call.arguments.clone());
        if let Some(approval) = approvals::find(write, call.id)? {
            approvals::put(write, &Approval { arguments: arguments.clone(), ..approval })?;
        }
        let result = result.or_else(|| call.result.clone());
        tool_calls::rewrite(write, &ToolCall { arguments, result, ..call })?;
    }
    Ok(())
}

/// What an agent answered stands below the lines that it answers.
fn out_of_quote(answer: &str, said: &Said) -> Option<String> {
    let quoted = answer.split_inclusive('\n').take_while(|line| line.starts_with("> "));
    let end = quoted.map(str::len).sum();
    let (quote, own) = answer.split_at_checked(end)?;
    Some(said.out_of(quote)? + own)
}

/// A turn that was sent, without it; `None` where it says nothing of it.
fn without(turn: &SentTurn, said: &Said, by_agent: bool) -> Option<SentTurn> {
    let content = match turn.role {
        // What an agent said to everybody stays, but for what is forgotten.
        SentRole::Assistant if turn.calls.is_empty() => match by_agent {
            true => said.out_of_whole(&turn.content),
            false => out_of_quote(&turn.content, said),
        },
        SentRole::User | SentRole::System | SentRole::Tool | SentRole::Assistant => {
            said.out_of(&turn.content)
        }
    };
    let mut calls = turn.calls.clone();
    for call in &mut calls {
        if let Some(arguments) = said.out_of_written(&call.arguments) {
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
