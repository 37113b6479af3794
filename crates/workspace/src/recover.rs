//! What is left from a process that ended in the middle of things.
//!
//! No run stays `running` without a process. A turn that was interrupted is
//! taken up again by itself, up to the number of tries that any turn has; one
//! that keeps ending the process stays down until a person resumes or drops
//! it.

use crate::gate::OUTCOME_UNKNOWN;
use crate::settle::TRIES;
use crate::shared::Shared;
use crate::{budget, gate, post, states, turns};
use domain::{
    AgentState, CallState, Effects, Fault, FaultCode, Notice, Reason, Run, RunId, RunState,
    StepKind, TransitionCause,
};
use std::sync::Arc;
use store::table::{agents, runs, steps, tool_calls, wakes};
use store::{Durability, Store, StoreError, Write};

/// Puts the database in order before any loop starts.
pub(crate) async fn at_start(store: &Store, now: i64) -> Result<(), Fault> {
    store
        .write(Durability::Power, move |write| {
            // Before the runs are looked at: it is theirs to have used.
            budget::pay_promises(write, now)?;
            for run in runs::open(write)? {
                if run.state == RunState::Running {
                    interrupt(write, run, now)?;
                }
            }
            for mut agent in agents::living(write)? {
                if matches!(agent.state, AgentState::Running | AgentState::WaitingApproval) {
                    states::change(
                        write,
                        &mut agent,
                        AgentState::Idle,
                        TransitionCause::ProcessEnded,
                        now,
                    )?;
                }
            }
            Ok::<_, Fault>(())
        })
        .await
}

fn interrupt(write: &mut Write<'_>, mut run: Run, now: i64) -> Result<(), Fault> {
    run.state = RunState::Interrupted;
    run.ended_ms = Some(now);
    let uncertain = leave_open(write, &run, now)?;
    steps::add(write, run.id, &StepKind::Interrupted, now)?;
    if let Some(tool) = uncertain {
        let fault = outcome_unknown(&run, &tool);
        post::notice(write, run.group, Notice::RunFailed { agent: run.agent, fault }, now)?;
    } else if run.attempt < TRIES {
        wakes::release(write, run.id)?;
    } else {
        let fault = ended_too_often(&run);
        post::notice(write, run.group, Notice::RunFailed { agent: run.agent, fault }, now)?;
    }
    Ok(runs::update(write, &run)?)
}

/// Says of each use of a tool that has an effect and no end that nobody knows
/// how it ended; gives one of them. It is never made again unasked.
fn leave_open(write: &mut Write<'_>, run: &Run, now: i64) -> Result<Option<String>, StoreError> {
    let mut uncertain = None;
    for call in tool_calls::dispatched(write, run.id)? {
        if call.effects == Effects::Once {
            let (state, text) = (CallState::OutcomeUnknown, OUTCOME_UNKNOWN.to_owned());
            tool_calls::end(write, call.id, state, &text, now)?;
            let returned = StepKind::ToolReturned { call: call.id, state, text };
            steps::add(write, run.id, &returned, now)?;
            uncertain = Some(call.tool);
        }
    }
    Ok(uncertain)
}

fn outcome_unknown(run: &Run, tool: &str) -> Fault {
    Fault::new(
        FaultCode::Refused,
        format!("Coterie ended while {tool} ran: it may or may not have happened"),
        format!("check, then resume or drop it under Runs, or with coterie run resume {}", run.id),
    )
}

fn ended_too_often(run: &Run) -> Fault {
    Fault::new(
        FaultCode::Internal,
        format!("Coterie ended {TRIES} times in the middle of this answer"),
        format!("resume or drop it under Runs, or with coterie run resume {}", run.id),
    )
}

/// A person wants an interrupted run done again.
pub(crate) async fn resume(shared: &Arc<Shared>, id: RunId) -> Result<Run, Fault> {
    let run = shared
        .store
        .write(Durability::Process, move |write| {
            let run = interrupted(write, id)?;
            if wakes::claimed_by(write, id)?.is_empty() {
                return Err(Fault::new(
                    FaultCode::Refused,
                    "what this run was to answer has been answered or waits already",
                    "resume the agent if it is paused",
                ));
            }
            wakes::release(write, id)?;
            wakes::forgive(write, run.agent)?;
            Ok::<_, Fault>(run)
        })
        .await?;
    shared.wake(&[run.agent]);
    Ok(run)
}

/// A person gives an interrupted run up.
pub(crate) async fn give_up(shared: &Arc<Shared>, id: RunId) -> Result<Run, Fault> {
    let now = shared.now_ms();
    let (run, woken) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut run = interrupted(write, id)?;
            let waiting = wakes::claimed_by(write, id)?;
            turns::dismiss(write, &waiting, &Reason::StoppedByUser)?;
            run.state = RunState::Dropped;
            runs::update(write, &run)?;
            gate::close_what_is_left(write, run.agent, run.group, &[], now)?;
            let woken = turns::go_on_without(write, &waiting)?;
            Ok::<_, Fault>((run, woken))
        })
        .await?;
    shared.wake(&woken);
    Ok(run)
}

fn interrupted(write: &Write<'_>, id: RunId) -> Result<Run, Fault> {
    let run = runs::get(write, id)?;
    if run.state != RunState::Interrupted {
        return Err(Fault::new(
            FaultCode::Refused,
            format!("run {id} is not interrupted"),
            "only interrupted runs can be resumed or dropped",
        ));
    }
    Ok(run)
}
