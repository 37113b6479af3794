//! What is left from a process that ended in the middle of things.
//!
//! No run stays `running` without a process. A turn that was interrupted is
//! taken up again by itself, three times; one that keeps ending the process
//! stays down until a person resumes or drops it.

use crate::gate::OUTCOME_UNKNOWN;
use crate::lifecycle::Ended;
use crate::shared::Shared;
use crate::{
    acts, approvals, branches, budget, gate, kept, lifecycle, post, questions, states, turns, waits,
};
use domain::{
    AgentId, AgentState, CallState, Effects, Fault, FaultCode, FaultKind, GroupId, Notice, Reason,
    Run, RunId, RunState, StepKind, TransitionCause,
};
use std::sync::Arc;
use store::table::{agents, feed_events, runs, steps, tool_calls, usage, wakes};
use store::{Durability, Store, StoreError, Write};

/// How often one turn is taken up again by itself.
const RECOVERIES: u32 = 3;

/// Puts the database in order before any loop starts.
pub(crate) async fn at_start(store: &Store, now: i64) -> Result<(), Fault> {
    store
        .write(Durability::Power, move |write| {
            // Before the runs are looked at: it is theirs to have used.
            budget::pay_promises(write, now)?;
            let mut left = Vec::new();
            for run in runs::open(write)? {
                if run.state == RunState::Running {
                    left.extend(interrupt(write, run, now)?);
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
            feed_events::release_all(write)?;
            approvals::at_start(write)?;
            questions::at_start(write, now)?;
            acts::end_orphans(write, now)?;
            // Only now is it known who is left to wait for what.
            left.into_iter().try_for_each(|left| tell_who_waits(write, left, now))
        })
        .await
}

/// An interrupted run that only a person has gone on with, and what they are told of it.
struct LeftToAPerson {
    run: Run,
    fault: Fault,
}

/// Gives the run where nobody goes on with it unasked.
fn interrupt(
    write: &mut Write<'_>,
    mut run: Run,
    now: i64,
) -> Result<Option<LeftToAPerson>, Fault> {
    (run.usage, run.cost_microusd) = usage::of_run(write, run.id)?;
    if agents::get(write, run.agent)?.state == AgentState::Terminated {
        // It was ended, and its process too before the turn had noticed.
        let waiting = wakes::claimed_by(write, run.id)?;
        leave_open(write, &run, now)?;
        run.state = RunState::Interrupted;
        runs::update(write, &run)?;
        kept::words_of(write, run.id, now)?;
        drop_run(write, runs::get(write, run.id)?, &Reason::Terminated, now)?;
        turns::go_on_without(write, &waiting)?;
        return Ok(None);
    }
    run.ended_ms = Some(now);
    if run.cause.reason == Reason::LookingBack {
        // It did nothing, and is done again when there is time.
        run.state = RunState::Dropped;
        runs::update(write, &run)?;
        return Ok(None);
    }
    run.state = RunState::Interrupted;
    let uncertain = leave_open(write, &run, now)?;
    steps::add(write, run.id, &StepKind::Interrupted, now)?;
    let mut fault = None;
    if let Some(tool) = uncertain {
        fault = Some(outcome_unknown(&run, &tool));
    } else if waits::is_open(write, run.agent, run.group)? {
        // It waited for a person, and ended nothing.
        wakes::release(write, run.id)?;
        wakes::forgive(write, run.agent)?;
    } else if run.attempt <= RECOVERIES {
        wakes::release(write, run.id)?;
    } else {
        fault = Some(ended_too_often(&run));
    }
    runs::update(write, &run)?;
    let Some(fault) = fault else { return Ok(None) };
    tell(write, &run, &fault, now)?;
    Ok(Some(LeftToAPerson { run, fault }))
}

/// An interrupted run in which a tool was cut off that may have changed something.
pub(crate) fn leave_to_a_person(
    write: &mut Write<'_>,
    run: Run,
    tool: &str,
    now: i64,
) -> Result<(), Fault> {
    let fault = outcome_unknown(&run, tool);
    tell(write, &run, &fault, now)?;
    tell_who_waits(write, LeftToAPerson { run, fault }, now)
}

fn tell(write: &mut Write<'_>, run: &Run, fault: &Fault, now: i64) -> Result<(), Fault> {
    let failed = Notice::RunFailed { agent: run.agent, fault: fault.clone() };
    post::notice(write, run.group, failed, now)?;
    Ok(())
}

/// Nobody reads in the group of a task. So it stands where it was given too, however far
/// above, for everybody up to there waits until a person says how it goes on.
fn tell_who_waits(write: &mut Write<'_>, left: LeftToAPerson, now: i64) -> Result<(), Fault> {
    let LeftToAPerson { run, mut fault } = left;
    let Some((first, group)) = acts::given_by(write, run.agent)? else { return Ok(()) };
    if agents::get(write, run.agent)?.state == AgentState::Terminated {
        return Ok(());
    }
    let owed = wakes::open_in_group(write, first, group)?;
    let goes_on = owed.iter().any(|wake| wake.claimed_by.is_none());
    let is_unknown = matches!(fault.kind.as_deref(), Some(FaultKind::OutcomeUnknown { .. }));
    if !goes_on && !is_unknown {
        // It was cut off as often and says so itself. Whoever has it go on has all of them.
        return Ok(());
    }
    let waits = agents::get(write, first)?.name;
    fault.message = format!("{}; {waits} waits for what comes of it", fault.message);
    post::notice(write, group, Notice::RunFailed { agent: run.agent, fault }, now)?;
    Ok(())
}

/// Nobody takes it up any more.
pub(crate) fn drop_run(
    write: &mut Write<'_>,
    mut run: Run,
    reason: &Reason,
    now: i64,
) -> Result<(), StoreError> {
    let waiting = wakes::claimed_by(write, run.id)?;
    turns::dismiss(write, &waiting, reason)?;
    run.state = RunState::Dropped;
    run.ended_ms.get_or_insert(now);
    runs::update(write, &run)?;
    gate::close_what_is_left(write, run.agent, run.group, &[], now)
}

/// It may be about to be tried again by itself.
fn take_back(write: &mut Write<'_>, run: &Run) -> Result<(), StoreError> {
    let waiting = wakes::open_in_group(write, run.agent, run.group)?;
    let tried = |wake: &wakes::Wake| wake.claimed_by.is_none() && wake.tried_by == Some(run.id);
    let waiting: Vec<_> = waiting.into_iter().filter(tried).collect();
    wakes::claim(write, &waiting, run.id)
}

/// The interrupted runs of an agent that ends. What one has begun that still
/// runs, it ends itself.
pub(crate) fn drop_all_of(write: &mut Write<'_>, agent: AgentId, now: i64) -> Result<(), Fault> {
    let own: Vec<Run> = runs::open(write)?.into_iter().filter(|run| run.agent == agent).collect();
    let runs_still = own.iter().any(|run| run.state == RunState::Running);
    for run in own.into_iter().filter(|run| run.state == RunState::Interrupted) {
        kept::words_of(write, run.id, now)?;
        let mut run = runs::get(write, run.id)?;
        wakes::release(write, run.id)?;
        run.state = RunState::Dropped;
        runs::update(write, &run)?;
    }
    if !runs_still {
        for left in tool_calls::open_of(write, agent)? {
            gate::close(write, left.id, now)?;
        }
        waits::withdraw(write, agent, None, &[], now)?;
    }
    Ok(())
}

/// The interrupted runs of an agent that leaves a group: what they were to answer
/// waits again, and whoever works for them ends. A run that goes on ends by itself.
pub(crate) fn drop_all_in(
    write: &mut Write<'_>,
    agent: AgentId,
    group: GroupId,
    now: i64,
) -> Result<Ended, Fault> {
    let open = runs::open(write)?.into_iter();
    let own: Vec<Run> = open.filter(|run| run.agent == agent && run.group == group).collect();
    let runs_still = own.iter().any(|run| run.state == RunState::Running);
    for run in own.into_iter().filter(|run| run.state == RunState::Interrupted) {
        kept::words_of(write, run.id, now)?;
        let mut run = runs::get(write, run.id)?;
        wakes::release(write, run.id)?;
        run.state = RunState::Dropped;
        run.ended_ms.get_or_insert(now);
        runs::update(write, &run)?;
    }
    if runs_still {
        return Ok(Ended::default());
    }
    gate::close_what_is_left(write, agent, group, &[], now)?;
    acts::end_those_without_a_call(write, agent, now)
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
    .of(FaultKind::OutcomeUnknown { tool: tool.to_owned() })
}

fn ended_too_often(run: &Run) -> Fault {
    let times = run.attempt;
    Fault::new(
        FaultCode::Internal,
        format!("Coterie ended {times} times in the middle of this answer"),
        format!("resume or drop it under Runs, or with coterie run resume {}", run.id),
    )
    .of(FaultKind::EndedTooOften { times })
}

/// A person wants an interrupted run done again, and with it what it waits for.
pub(crate) async fn resume(shared: &Arc<Shared>, id: RunId) -> Result<Run, Fault> {
    let (run, below) = shared
        .store
        .write(Durability::Process, move |write| {
            let run = interrupted(write, id)?;
            if wakes::claimed_by(write, id)?.is_empty() {
                return Err(Fault::new(
                    FaultCode::Refused,
                    "what this run was to answer has been answered or waits already",
                    "resume the agent if it is paused",
                )
                .of(FaultKind::RunAnswered));
            }
            wakes::release(write, id)?;
            wakes::forgive(write, run.agent)?;
            let below = acts::resume_below(write, run.agent)?;
            Ok::<_, Fault>((run, below))
        })
        .await?;
    shared.wake(&below);
    shared.wake(&[run.agent]);
    Ok(run)
}

/// A person gives an interrupted run up, and with it whoever works for it.
pub(crate) async fn give_up(shared: &Arc<Shared>, id: RunId) -> Result<Run, Fault> {
    let now = shared.now_ms();
    let (run, woken, ended) = shared
        .store
        .write(Durability::Process, move |write| {
            take_back(write, &interrupted(write, id)?)?;
            let waiting = wakes::claimed_by(write, id)?;
            kept::words_of(write, id, now)?;
            let run = runs::get(write, id)?;
            drop_run(write, run.clone(), &Reason::StoppedByUser, now)?;
            let ended = acts::end_those_without_a_call(write, run.agent, now)?;
            let woken = turns::go_on_without(write, &waiting)?;
            if run.outcome.is_none() && run.cause.reason == Reason::AskedByUser {
                branches::bring_back(write, run.group)?;
            }
            Ok::<_, Fault>((runs::get(write, id)?, woken, ended))
        })
        .await?;
    lifecycle::let_go(shared, &ended);
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
        )
        .of(FaultKind::RunNotInterrupted));
    }
    Ok(run)
}
