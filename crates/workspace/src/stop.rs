//! Ending runs at a person's word: done when it stands on the disk, so that no
//! restart goes on with what was stopped.

use crate::budget;
use crate::shared::{Shared, Why};
use domain::{
    Fault, FaultCode, FaultKind, FromOwner, Reason, Record, RunId, RunState, Target, Update,
};
use futures::{Stream, StreamExt};
use std::collections::HashSet;
use std::convert::Infallible;
use std::time::Duration;
use store::table::{groups, runs};
use store::{Durability, Read, Write};

/// How long a stop that cannot be written down yet is waited for.
const STOPS_IN: Duration = Duration::from_secs(5);
/// A run stands on the disk a moment before it can be ended.
const JUST_BEGUN: Duration = Duration::from_millis(50);

/// The same at a person's word: also what waits there until a budget has room is called off.
pub(crate) async fn at_a_word(shared: &Shared, target: Target) -> Result<(), Fault> {
    stop(shared, target).await?;
    let Target::Group(group) = target else { return Ok(()) };
    // Seldom is there anything, and a look costs less than a commit.
    if shared.store.read(|read| groups::get(read, group))?.problem.is_none() {
        return Ok(());
    }
    let now = shared.now_ms();
    let call_off = move |write: &mut Write<'_>| {
        budget::call_off(write, groups::get(write, group)?, &Reason::StoppedByUser, now)
    };
    shared.store.write(Durability::Process, call_off).await
}

/// Ends the runs that fit, and waits until that stands on the disk.
pub(crate) async fn stop(shared: &Shared, target: Target) -> Result<(), Fault> {
    // From before the stop, so that nothing is missed.
    let events = Box::pin(shared.events.subscribe(None));
    // A run whose answer has ended waits for the disk where nobody can end it.
    let mut open = shared.store.read(|read| running(read, target))?;
    open.extend(end_those_of(shared, target));
    // One that was stopped before may be waiting for the disk as well: whether
    // there is room now is found out by trying.
    let in_vain = shared.held_up.try_now();
    // A step that is being written down ends first; nothing is lost by leaving.
    let why = tokio::select! {
        () = settled(shared, open.clone(), events) => None,
        never = end_those_that_begin(shared, &open) => match never {},
        fault = in_vain => Some(fault),
        () = tokio::time::sleep(STOPS_IN) => None,
    };
    if are_settled(shared, &open)? {
        return Ok(());
    }
    Err(unsaved(why))
}

fn unsaved(why: Option<Fault>) -> Fault {
    const STOPPED: &str = "stopped, but that";
    let Some(Fault { code, message: detail, fix, .. }) = why else {
        let message = format!("{STOPPED} has not been saved yet");
        let fix = "look at the runs in a moment; a restart before that goes on with them";
        let kind = FaultKind::StopUnsaved { detail: String::new() };
        return Fault::new(FaultCode::TimedOut, message, fix).of(kind);
    };
    Fault::new(code, format!("{STOPPED} cannot be saved yet: {detail}"), fix)
        .of(FaultKind::StopUnsaved { detail })
}

fn running(read: &Read<'_>, target: Target) -> Result<HashSet<RunId>, Fault> {
    let mut open = match target {
        Target::Group(group) => {
            runs::open(read)?.into_iter().filter(|run| run.group == group).collect()
        }
        Target::Run(run) => vec![runs::get(read, run)?],
    };
    open.retain(|run| run.state == RunState::Running);
    Ok(open.into_iter().map(|run| run.id).collect())
}

fn end_those_of(shared: &Shared, target: Target) -> Vec<RunId> {
    shared.going_on.stop(Why::StoppedByUser, |id, going| match target {
        Target::Group(group) => going.group == group,
        Target::Run(run) => id == run,
    })
}

async fn end_those_that_begin(shared: &Shared, open: &HashSet<RunId>) -> Infallible {
    loop {
        tokio::time::sleep(JUST_BEGUN).await;
        shared.going_on.stop(Why::StoppedByUser, |id, _| open.contains(&id));
    }
}

async fn settled(
    shared: &Shared,
    mut open: HashSet<RunId>,
    mut events: impl Stream<Item = FromOwner> + Unpin,
) {
    while !open.is_empty() {
        match events.next().await {
            Some(FromOwner::Event(event)) => match event.update {
                Update::Saved { record: Record::Run(run) } if run.state != RunState::Running => {
                    open.remove(&run.id);
                }
                _ => {}
            },
            // What went by stands on the disk.
            Some(FromOwner::Resync { .. }) if are_settled(shared, &open).unwrap_or(false) => return,
            Some(FromOwner::Resync { .. } | FromOwner::Answer(_)) => {}
            None => return,
        }
    }
}

fn are_settled(shared: &Shared, open: &HashSet<RunId>) -> Result<bool, Fault> {
    shared.store.read(|read| {
        for id in open {
            if runs::get(read, *id)?.state == RunState::Running {
                return Ok(false);
            }
        }
        Ok(true)
    })
}
