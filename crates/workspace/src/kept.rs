//! What an agent had said beside its calls in a turn that nobody takes up any more.
//!
//! It was read as it came, and stands like what a run has said that was stopped.

use crate::begin;
use domain::{
    Author, Body, Fault, GroupKind, MessageId, Outcome, Reason, RunId, RunState, Step, StepKind,
};
use store::Write;
use store::table::wakes::Wake;
use store::table::{groups, messages, runs, steps};
use uuid::Uuid;

/// Of the turns that were tried for these wakes.
pub(crate) fn words_for(write: &mut Write<'_>, given_up: &[Wake], now: i64) -> Result<(), Fault> {
    let mut tried: Vec<RunId> = given_up.iter().filter_map(|wake| wake.tried_by).collect();
    tried.sort_unstable();
    tried.dedup();
    tried.into_iter().try_for_each(|run| words_of(write, run, now))
}

/// Of the turn whose last try this run was.
pub(crate) fn words_of(write: &mut Write<'_>, last: RunId, now: i64) -> Result<(), Fault> {
    let mut run = runs::get(write, last)?;
    let has_said = |step: &Step| matches!(step.kind, StepKind::MessagePosted { .. });
    let is_over =
        run.state == RunState::Running || steps::of_run(write, last)?.iter().any(has_said);
    let decides = matches!(run.cause.reason, Reason::Supervising { .. });
    if is_over || decides || groups::get(write, run.group)?.kind == GroupKind::Post {
        return Ok(());
    }
    let tried = begin::gone_on_with(write, run.clone())?;
    let said = tried.map(|tried| tried.exchange.unanswered.said).unwrap_or_default();
    if said.is_empty() {
        return Ok(());
    }
    let new = messages::New {
        id: MessageId(Uuid::now_v7()),
        group: run.group,
        parent: None,
        author: Author::Agent(run.agent),
        body: Body::Text { text: said.as_str().to_owned(), cut_short: true },
        attachments: Vec::new(),
        chain_depth: run.depth,
        root: run.root,
        run: Some(run.id),
        at_ms: now,
    };
    let message = messages::add(write, new)?.id;
    steps::add(write, run.id, &StepKind::MessagePosted { message }, now)?;
    if !matches!(run.outcome, Some(Outcome::Failed { .. })) {
        run.outcome = Some(Outcome::Replied { message, gave_up: false });
        runs::update(write, &run)?;
    }
    Ok(())
}
