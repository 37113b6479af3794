//! Settling a turn: everything that came of it, in one transaction.
//!
//! Reply, cursor, run, usage, decisions, the next wakes, the agent's state and
//! the outbox stand together or not at all.

use crate::shared::{Shared, Why};
use crate::supervisor::Answer;
use crate::turn_policy::is_handed_on;
use crate::{budget, echo, post, states, turns};
use agent::{Ended, Said};
use domain::{
    AgentId, AgentState, Author, Body, BudgetScope, Fault, Group, Message, MessageId, Notice,
    Outcome, Participant, Reason, Run, RunState, StepKind, TransitionCause, Verdict,
};
use std::sync::Arc;
use std::time::Duration;
use store::table::{
    agents, decisions, groups, members, messages, outbox, runs, steps, usage, wakes,
};
use store::{Durability, Write};
use uuid::Uuid;

/// How a turn ended, as the desk saw it.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub run: Run,
    pub how: How,
}

#[derive(Debug, Clone)]
pub(crate) enum How {
    Said(Said),
    /// Nobody could be asked.
    NotAsked(Fault),
    Ended(Why, Said),
}

/// What the desk does after a turn has settled.
#[derive(Debug, Clone, Default)]
pub(crate) struct After {
    pub woken: Vec<AgentId>,
    /// The turn is to be tried again after this pause.
    pub again_after: Option<Duration>,
}

/// Tries of one turn, the first included.
pub(crate) const TRIES: u32 = 3;

pub(crate) async fn settle(shared: &Arc<Shared>, end: End) -> Result<After, Fault> {
    let now = shared.now_ms();
    shared.store.write(Durability::Process, move |write| settle_in(write, end, now)).await
}

fn settle_in(write: &mut Write<'_>, end: End, now: i64) -> Result<After, Fault> {
    let End { mut run, how } = end;
    run.ended_ms = Some(now);
    let group = groups::get(write, run.group)?;
    let after = match how {
        How::Said(said) => settle_said(write, &mut run, &group, said, now)?,
        How::NotAsked(fault) => fail(write, &mut run, &group, fault, now)?,
        How::Ended(why, said) => settle_ended(write, &mut run, &group, why, said, now)?,
    };
    Ok(after)
}

fn settle_said(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    said: Said,
    now: i64,
) -> Result<After, Fault> {
    let cut_short = match said.ended {
        Ended::Finished | Ended::Stopped => false,
        Ended::CutShort => true,
        Ended::Failed(fault) => return failed(write, run, group, fault, now),
    };
    if let Reason::Supervising { round } = run.cause.reason {
        let woken = supervised(write, run, group, round, said.text.as_deref(), now)?;
        return Ok(After { woken, again_after: None });
    }
    if said.text.as_deref() == Some("") {
        return failed(write, run, group, wordless(), now);
    }
    run.state = RunState::Settled;
    let woken = match words(write, run, said.text)? {
        Ok(text) => reply(write, run, group, text, cut_short, now)?,
        Err(reason) => stay_silent(write, run, group, reason, now)?,
    };
    close(write, run, now)?;
    Ok(After { woken, again_after: None })
}

fn wordless() -> llm::ModelFault {
    let message = "the model ended its answer without a word";
    let fix = "resume the agent to try again, or choose another model";
    llm::ModelFault::new(llm::Trouble::BrokenAnswer, message, fix)
}

/// What there is to post, or why nothing is.
fn words(
    write: &Write<'_>,
    run: &Run,
    text: Option<String>,
) -> Result<Result<String, Reason>, Fault> {
    let Some(text) = text else { return Ok(Err(Reason::ChoseSilence { why: None })) };
    let said = messages::of_agents_since(write, run.root)?;
    let among_agents =
        matches!(run.cause.author, Author::Agent(_)) || is_handed_on(&run.cause.reason);
    if among_agents && !said.is_empty() {
        if echo::is_bare_acknowledgement(&text) {
            return Ok(Err(Reason::BareAcknowledgement));
        }
        if said.iter().any(|(_, earlier)| echo::is_near_duplicate(earlier, &text)) {
            return Ok(Err(Reason::NearDuplicate));
        }
    }
    Ok(Ok(text))
}

fn reply(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    text: String,
    cut_short: bool,
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    let message = add_reply(write, run, text, cut_short, now)?;
    run.outcome = Some(Outcome::Replied { message: message.id });
    let answered = answered(write, run)?;
    // Where the policy hands on, names in a text wake nobody.
    let mut woken = match is_handed_on(&run.cause.reason) {
        true => Vec::new(),
        false => turns::give(write, group, &message)?,
    };
    woken.extend(hand_on(write, run, group, &answered)?);
    Ok(woken)
}

fn add_reply(
    write: &mut Write<'_>,
    run: &Run,
    text: String,
    cut_short: bool,
    now: i64,
) -> Result<Message, Fault> {
    let message = messages::add(
        write,
        messages::New {
            id: MessageId(Uuid::now_v7()),
            group: run.group,
            parent: None,
            author: Author::Agent(run.agent),
            body: Body::Text { text, cut_short },
            chain_depth: run.depth,
            root: run.root,
            run: Some(run.id),
            at_ms: now,
        },
    )?;
    outbox::add(write, message.id)?;
    steps::add(write, run.id, &StepKind::MessagePosted { message: message.id }, now)?;
    Ok(message)
}

fn stay_silent(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    reason: Reason,
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    record_silence(write, run, &reason, now)?;
    run.outcome = Some(Outcome::Silent { reason });
    let answered = answered(write, run)?;
    hand_on(write, run, group, &answered)
}

fn record_silence(
    write: &mut Write<'_>,
    run: &Run,
    reason: &Reason,
    now: i64,
) -> Result<(), Fault> {
    let new = decisions::New {
        group: run.group,
        agent: run.agent,
        message: run.cause.message,
        root: run.root,
        verdict: Verdict::Pass,
        reason: reason.clone(),
        run: Some(run.id),
        at_ms: now,
    };
    decisions::add(write, new)?;
    steps::add(
        write,
        run.id,
        &StepKind::Decided { verdict: Verdict::Pass, reason: reason.clone() },
        now,
    )?;
    Ok(())
}

/// A supervisor has answered: nothing is posted, and whoever it named speaks.
fn supervised(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    round: u32,
    text: Option<&str>,
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    run.state = RunState::Settled;
    let said = turns::supervised(write, group, run.root, text)?;
    let reason = match said.as_ref().map(|said| said.answer) {
        Some(Answer::Next(_)) => Reason::Supervising { round },
        Some(Answer::Nobody) => Reason::SupervisorEnded,
        Some(Answer::Unusable) => Reason::SupervisorFailed { round },
        None => Reason::Superseded,
    };
    if !is_handed_on(&reason) {
        record_silence(write, run, &reason, now)?;
    }
    run.outcome = Some(Outcome::Silent { reason });
    wakes::settle(write, run.id)?;
    let woken = match said {
        Some(said) => turns::follow(write, group, run.agent, round, &said)?,
        None => Vec::new(),
    };
    close(write, run, now)?;
    Ok(woken)
}

/// Ends the wakes that the run answers, and gives them.
fn answered(write: &mut Write<'_>, run: &Run) -> Result<Vec<wakes::Wake>, Fault> {
    let answered = wakes::claimed_by(write, run.id)?;
    wakes::settle(write, run.id)?;
    Ok(answered)
}

/// Whose turn follows from the end of this one, by the policy.
///
/// A run may have taken in wakes that came while it worked. What a supervisor
/// was to decide about it has then answered itself, as if it had chosen so.
fn hand_on(
    write: &mut Write<'_>,
    run: &Run,
    group: &Group,
    answered: &[wakes::Wake],
) -> Result<Vec<AgentId>, Fault> {
    let mut woken = Vec::new();
    for wake in answered {
        let reason = match wake.reason {
            Reason::Supervising { round } if wake.reason != run.cause.reason => {
                Reason::ChosenBySupervisor { by: run.agent, round }
            }
            ref reason => reason.clone(),
        };
        woken.extend(turns::go_on(write, group, wake.root, run.agent, &reason)?);
    }
    Ok(woken)
}

/// A call that failed: tried again a few times if that may help.
fn failed(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    fault: llm::ModelFault,
    now: i64,
) -> Result<After, Fault> {
    if let llm::Trouble::Budget { scope } = fault.trouble
        && !budget::stops_the_agent(scope)
    {
        return end_over_budget(write, run, group, scope, fault.into(), now);
    }
    if !fault.trouble.may_pass() || run.attempt >= TRIES {
        return fail(write, run, group, fault.into(), now);
    }
    let pause = pause_before(run, &fault);
    let fault = Fault::from(fault);
    let after_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
    let retried = StepKind::Retried { fault: fault.clone(), attempt: run.attempt, after_ms };
    steps::add(write, run.id, &retried, now)?;
    run.state = RunState::Failed;
    run.outcome = Some(Outcome::Failed { fault });
    wakes::release(write, run.id)?;
    close_without_reading(write, run, now)?;
    Ok(After { woken: Vec::new(), again_after: Some(pause) })
}

/// One second, then four, or as long as the provider asks for; and up to half
/// of our own pause more, so that those who failed together do not come back
/// together. How much more hangs on the run alone.
fn pause_before(run: &Run, fault: &llm::ModelFault) -> Duration {
    let own = Duration::from_secs(1) * 4_u32.pow(run.attempt.saturating_sub(1));
    // The last bits of the id are random.
    let thousandths = u32::try_from(run.id.0.as_u128() % 501).unwrap_or_default();
    let spread = own * thousandths / 1000;
    match fault.trouble {
        llm::Trouble::Busy { retry_after: Some(asked) } => asked.max(own) + spread,
        _ => own + spread,
    }
}

/// A turn that ended without an answer and needs a person. The wakes stay, so
/// that resuming the agent answers them; where the policy hands on, the others
/// go on.
fn fail(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    fault: Fault,
    now: i64,
) -> Result<After, Fault> {
    run.state = RunState::Failed;
    run.outcome = Some(Outcome::Failed { fault: fault.clone() });
    let answered = match run.cause.reason {
        Reason::Supervising { round } => {
            record_silence(write, run, &Reason::SupervisorFailed { round }, now)?;
            answered(write, run)?
        }
        _ if is_handed_on(&run.cause.reason) => {
            record_silence(write, run, &Reason::Failed, now)?;
            answered(write, run)?
        }
        _ => {
            wakes::release(write, run.id)?;
            Vec::new()
        }
    };
    post::notice(
        write,
        run.group,
        Notice::RunFailed { agent: run.agent, fault: fault.clone() },
        now,
    )?;
    finish(write, run, now)?;
    let mut agent = agents::get(write, run.agent)?;
    if agent.state == AgentState::Running {
        states::change(
            write,
            &mut agent,
            AgentState::Error,
            TransitionCause::Failed { fault },
            now,
        )?;
    }
    // Now that it cannot be asked itself.
    let woken = hand_on(write, run, group, &answered)?;
    Ok(After { woken, again_after: None })
}

/// A turn that has used up what it was given. Nobody has to put anything right
/// before the agent's next one; this one is not taken up again.
fn end_over_budget(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    scope: BudgetScope,
    fault: Fault,
    now: i64,
) -> Result<After, Fault> {
    run.state = RunState::Failed;
    run.outcome = Some(Outcome::Failed { fault: fault.clone() });
    record_silence(write, run, &Reason::OverBudget { scope }, now)?;
    let answered = answered(write, run)?;
    post::notice(write, run.group, Notice::RunFailed { agent: run.agent, fault }, now)?;
    close(write, run, now)?;
    // Nobody else has anything left to say to the same message either.
    let woken = match scope {
        BudgetScope::Message => Vec::new(),
        _ => hand_on(write, run, group, &answered)?,
    };
    Ok(After { woken, again_after: None })
}

/// A turn that somebody ended.
fn settle_ended(
    write: &mut Write<'_>,
    run: &mut Run,
    group: &Group,
    why: Why,
    said: Said,
    now: i64,
) -> Result<After, Fault> {
    run.state = RunState::Stopped;
    match why {
        Why::StoppedByUser => {
            // What a supervisor writes is never posted, not even a part of it.
            let supervises = matches!(run.cause.reason, Reason::Supervising { .. });
            match said.text.filter(|text| !text.is_empty() && !supervises) {
                Some(text) => {
                    let message = add_reply(write, run, text, true, now)?;
                    run.outcome = Some(Outcome::Replied { message: message.id });
                }
                None => {
                    record_silence(write, run, &Reason::StoppedByUser, now)?;
                    run.outcome = Some(Outcome::Silent { reason: Reason::StoppedByUser });
                }
            }
            wakes::settle(write, run.id)?;
            close(write, run, now)?;
        }
        Why::Paused => {
            run.outcome = Some(Outcome::Silent { reason: Reason::Paused });
            wakes::release(write, run.id)?;
            wakes::forgive(write, run.agent)?;
            close_without_reading(write, run, now)?;
        }
        Why::Terminated | Why::LeftTheGroup => {
            let reason =
                if why == Why::Terminated { Reason::Terminated } else { Reason::LeftTheGroup };
            record_silence(write, run, &reason, now)?;
            run.outcome = Some(Outcome::Silent { reason });
            let answered = answered(write, run)?;
            let woken = hand_on(write, run, group, &answered)?;
            close(write, run, now)?;
            return Ok(After { woken, again_after: None });
        }
        Why::Closing => {
            run.state = RunState::Interrupted;
            steps::add(write, run.id, &StepKind::Interrupted, now)?;
            wakes::release(write, run.id)?;
            wakes::forgive(write, run.agent)?;
            close_without_reading(write, run, now)?;
        }
    }
    Ok(After::default())
}

/// The turn has consumed what it read.
fn close(write: &mut Write<'_>, run: &mut Run, now: i64) -> Result<(), Fault> {
    members::move_cursor(write, run.group, Participant::Agent(run.agent), run.reads_to)?;
    close_without_reading(write, run, now)
}

fn close_without_reading(write: &mut Write<'_>, run: &mut Run, now: i64) -> Result<(), Fault> {
    finish(write, run, now)?;
    let mut agent = agents::get(write, run.agent)?;
    if agent.state == AgentState::Running {
        states::change(write, &mut agent, AgentState::Idle, TransitionCause::Settled, now)?;
    }
    Ok(())
}

/// Stores how it ended and what all of its calls used.
fn finish(write: &mut Write<'_>, run: &mut Run, now: i64) -> Result<(), Fault> {
    if let Some(outcome) = &run.outcome {
        steps::add(write, run.id, &StepKind::Settled { outcome: outcome.clone() }, now)?;
    }
    (run.usage, run.cost_microusd) = usage::of_run(write, run.id)?;
    runs::update(write, run)?;
    Ok(())
}
