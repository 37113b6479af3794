//! The turn that an agent goes on with: what its earlier tries have begun.
//!
//! Such a turn goes on as if nothing had cut it off. It stands on what it had
//! read, and hears what was said since then where any turn hears news.

use crate::exchange::{self, Exchange};
use domain::{Run, RunId, Step, StepKind};
use std::cmp::Reverse;
use store::table::wakes::Wake;
use store::table::{runs, steps};
use store::{Read, StoreError};

pub(crate) struct Unfinished {
    /// The tries, oldest first.
    pub tries: Vec<RunId>,
    pub steps: Vec<Step>,
    pub exchange: Exchange,
    /// How far the last of them had read.
    pub reads_to: i64,
}

/// What one of these wakes has led to so far, if a try to answer it had begun
/// something.
pub(super) fn look(read: &Read<'_>, wakes: &[Wake]) -> Result<Option<Unfinished>, StoreError> {
    let mut tried: Vec<Run> = Vec::new();
    for run in wakes.iter().filter_map(|wake| wake.tried_by) {
        if tried.iter().all(|known| known.id != run) {
            tried.push(runs::get(read, run)?);
        }
    }
    tried.sort_by_key(|run| Reverse(run.seq));
    for run in tried {
        if let Some(unfinished) = gone_on_with(read, run)? {
            return Ok(Some(unfinished));
        }
    }
    Ok(None)
}

/// The turn that the run was a try of, if it had begun something.
pub(crate) fn gone_on_with(read: &Read<'_>, last: Run) -> Result<Option<Unfinished>, StoreError> {
    as_of(read, last, None)
}

/// The same as it was when this run began to go on with it.
pub(crate) fn stood_on(
    read: &Read<'_>,
    last: Run,
    by: RunId,
) -> Result<Option<Unfinished>, StoreError> {
    as_of(read, last, Some(by))
}

fn as_of(read: &Read<'_>, last: Run, by: Option<RunId>) -> Result<Option<Unfinished>, StoreError> {
    let reads_to = last.reads_to;
    let mut tries = vec![last.id];
    let mut before = last.resumes;
    while let Some(run) = before {
        tries.push(run);
        before = runs::get(read, run)?.resumes;
    }
    tries.reverse();
    let mut all = Vec::new();
    for (place, run) in tries.iter().enumerate() {
        let next = tries.get(place + 1).copied().or(by);
        all.extend(until_resumed(steps::of_run(read, *run)?, next));
    }
    let exchange = exchange::read(&all);
    let begun = exchange.unanswered.turn.is_some();
    Ok(begun.then_some(Unfinished { tries, steps: all, exchange, reads_to }))
}

/// A use that a try has begun stays with it in the ledger, and its end too, if
/// nobody goes on with it: that is written behind the beginning of the next try,
/// which did not know of it.
fn until_resumed(steps: Vec<Step>, next: Option<RunId>) -> impl Iterator<Item = Step> {
    let known = move |step: &Step| next.is_none_or(|by| step.kind != StepKind::Resumed { by });
    steps.into_iter().take_while(known)
}
