//! What a run has yet to write down: small things that go with the next commit
//! of their run, at the latest with the one that settles it, because one of their
//! own would cost more than they do.
//!
//! What a call of a model is about to be sent is written with the promise of what
//! it may cost, before the model is asked (see `recorded`). The bill is written
//! with what the model said. A call that a kill cut off has its question on record
//! and its promise, which is paid in full at the next start. What a tool returned that
//! only looks is written with the next question about it (see `gate`): after a kill
//! before that, it looks again.

use crate::gate;
use crate::held_up::insist;
use crate::post;
use crate::recorded::Composed;
use crate::shared::Shared;
use agent::Proposed;
use domain::{CallId, CallState, Fault, Notice, Recalled, Run, StepKind};
use std::mem;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::table::requests::{self, Outgoing};
use store::table::spend::{self, Amount};
use store::table::usage::{self, Used};
use store::table::{memories, recalls, runs, steps, stood_in, tool_calls};
use store::{Durability, StoreError, Write};
use uuid::Uuid;

#[derive(Debug, Clone, Default)]
pub(crate) struct Unwritten {
    entries: Arc<Mutex<Vec<Entry>>>,
    /// That a model is called which has not been asked yet: no budget has promised what it
    /// may cost.
    calling: Arc<Mutex<Option<StepKind>>>,
    /// Of the call that is being prepared, if one is.
    pub(crate) composed: Composed,
}

#[derive(Debug)]
pub(crate) enum Entry {
    Step {
        kind: StepKind,
        at_ms: i64,
    },
    /// What was sent on a promise that had been made for another request.
    Sent(Arc<Outgoing>),
    /// The number of a request that was on record and then not sent; 0, if it
    /// never was on record.
    NotSent(Arc<AtomicU32>),
    Bill(Bill),
    /// That a use of a tool begins which only looks.
    Begun {
        call: Proposed,
        at_ms: i64,
    },
    /// How one ended.
    Returned {
        call: CallId,
        state: CallState,
        text: String,
        at_ms: i64,
    },
    /// For everybody in the run's group: who answers in the place of a model.
    StoodIn {
        model: String,
        by: String,
        fault: Box<Fault>,
        at_ms: i64,
    },
    /// The model answers again of which that was said.
    Back {
        model: String,
    },
}

/// What a call of a model used of its promise.
#[derive(Debug)]
pub(crate) struct Bill {
    pub promise: Uuid,
    /// Nothing, where the model was not asked.
    pub used: Option<Used>,
    pub at_ms: i64,
}

impl Unwritten {
    /// What comes of a call stands behind it; only the wait for its turn comes before.
    pub(crate) fn hold(&self, entries: impl IntoIterator<Item = Entry>) {
        for entry in entries {
            let waits = matches!(entry, Entry::Step { kind: StepKind::StoodInLine { .. }, .. });
            if let (false, Entry::Step { at_ms, .. }) = (waits, &entry)
                && let Some(kind) = self.calling().take()
            {
                self.entries().push(Entry::Step { kind, at_ms: *at_ms });
            }
            self.entries().push(entry);
        }
    }

    /// A model is to be called. It is written when it really is, with the promise of what
    /// that may cost: whoever a budget refuses, or who is stopped in line, has asked nobody.
    pub(crate) fn calls(&self, kind: StepKind) {
        *self.calling() = Some(kind);
    }

    /// The call that has not been made, if there is one.
    pub(crate) fn uncalled(&self) -> Option<StepKind> {
        self.calling().clone()
    }

    /// It has been made, and is on record.
    pub(crate) fn has_called(&self) {
        *self.calling() = None;
    }

    /// Whether something of it gives back what was promised.
    pub(crate) fn owes(&self) -> bool {
        owes(&self.entries())
    }

    /// Whether this use is at work, and nobody was told.
    pub(crate) fn has_begun(&self, use_of_tool: CallId) -> bool {
        let is_it =
            |entry: &Entry| matches!(entry, Entry::Begun { call, .. } if call.id == use_of_tool);
        self.entries().iter().any(is_it)
    }

    /// Whether a tool has returned, and nobody was told.
    pub(crate) fn has_returned(&self) -> bool {
        self.entries().iter().any(|entry| matches!(entry, Entry::Returned { .. }))
    }

    /// All of it, to be written by [`write_down`].
    pub(crate) fn take(&self) -> Arc<[Entry]> {
        mem::take(&mut *self.entries()).into()
    }

    /// Writes all of it down now, however long the disk takes nothing.
    pub(crate) async fn write(&self, shared: &Shared, run: &Run) {
        let entries = self.take();
        if entries.is_empty() {
            return;
        }
        let written = || {
            let (run, entries) = (run.clone(), entries.clone());
            shared
                .store
                .write(Durability::Process, move |write| Ok(write_down(write, &run, &entries)?))
        };
        match insist(shared, &shared.closing, written).await {
            // Somebody may wait for what a bill gave back.
            Ok(()) => shared.waiters.look_again(),
            // The turn goes on: its words are worth more than its log. What is
            // not paid stays promised, and is paid in full at the next start.
            Err(fault) => tracing::error!(run = %run.id, %fault, "steps cannot be stored"),
        }
    }

    fn calling(&self) -> MutexGuard<'_, Option<StepKind>> {
        self.calling.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entries(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn owes(entries: &[Entry]) -> bool {
    entries.iter().any(|entry| matches!(entry, Entry::Bill(_)))
}

pub(crate) fn write_down(
    write: &mut Write<'_>,
    run: &Run,
    entries: &[Entry],
) -> Result<(), StoreError> {
    for entry in entries {
        match entry {
            Entry::Step { kind, at_ms } => add_step(write, run, kind, *at_ms)?,
            Entry::Sent(outgoing) => drop(requests::add(write, run.id, outgoing)?),
            Entry::NotSent(n) => requests::remove(write, run.id, n.load(Relaxed))?,
            Entry::Bill(bill) => pay(write, run, bill)?,
            Entry::Begun { call, at_ms } => {
                gate::dispatch(write, call.clone(), run.id, *at_ms).map(drop)?;
            }
            Entry::Returned { call, state, text, at_ms } => {
                let (call, state, text) = (*call, *state, text.clone());
                tool_calls::end(write, call, state, &text, *at_ms)?;
                let returned = StepKind::ToolReturned { call, state, text };
                steps::add(write, run.id, &returned, *at_ms)?;
            }
            Entry::StoodIn { model, by, fault, at_ms } => {
                stood_in::add(write, run.agent, model)?;
                let (agent, model, by) = (run.agent, model.clone(), by.clone());
                let notice = Notice::StoodIn { agent, model, by, fault: fault.clone() };
                post::notice(write, run.group, notice, *at_ms)?;
            }
            Entry::Back { model } => stood_in::remove(write, run.agent, model)?,
        }
    }
    Ok(())
}

fn add_step(
    write: &mut Write<'_>,
    run: &Run,
    kind: &StepKind,
    at_ms: i64,
) -> Result<(), StoreError> {
    if let StepKind::Recalled { memories: recalled, .. } = kind {
        for Recalled { memory, .. } in recalled {
            recalls::add(write, *memory, run.id)?;
            memories::recalled(write, *memory, at_ms)?;
        }
    }
    if let StepKind::FellBack { from, to, .. } = kind
        && *from == run.model
    {
        runs::was_asked_instead(write, run.id, to)?;
    }
    steps::add(write, run.id, kind, at_ms).map(drop)
}

/// Paying twice is paying once.
fn pay(write: &mut Write<'_>, run: &Run, bill: &Bill) -> Result<(), StoreError> {
    let amount = bill.used.as_ref().map(amount).unwrap_or_default();
    if spend::pay(write, bill.promise, amount)?
        && let Some(used) = &bill.used
    {
        usage::add(write, run, used, bill.at_ms)?;
    }
    Ok(())
}

fn amount(used: &Used) -> Amount {
    let tokens = [used.usage.input_tokens, used.usage.output_tokens];
    let tokens = tokens.into_iter().flatten().map(i64::from).sum();
    let unpriced = i64::from(used.is_unpriced());
    Amount { tokens, microusd: used.cost_microusd.unwrap_or(0), unpriced }
}
