//! One whole turn in one call: a dialog in, what the agent says and does out.
//!
//! The dialog becomes a group of its own, which no roster shows, so that the
//! turn is a run like any other: with its budget, its ledger and its record.

use crate::lifecycle::{self, Ended};
use crate::shared::Shared;
use crate::{acts, gate, groups, post, turns};
use domain::{
    Agent, AgentId, AgentState, Author, Body, Caps, Event, Fault, FaultCode, FaultKind, FromOwner,
    Group, GroupId, GroupKind, Line, MessageId, Outcome, Participant, Reason, Record, RequestId,
    Run, RunFilter, RunOnce, RunState, Speaker, TurnPolicy, Update, Verdict,
};
use futures::{Stream, StreamExt};
use std::sync::Arc;
use store::table::{
    agents, decisions, groups as group_table, messages, runs, settings, steps, wakes,
};
use store::{Durability, Read, Write};
use uuid::Uuid;

/// Has the agent answer the dialog, whose last line is the user's. Asked again
/// with the same request, it waits for the turn that has begun.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    request: RequestId,
    agent: AgentId,
    dialog: Vec<Line>,
) -> Result<RunOnce, Fault> {
    check(&dialog)?;
    let group = GroupId(request.0);
    let now = shared.now_ms();
    // From before the look, so that nothing is missed.
    let mut events = Box::pin(shared.events.subscribe(None));
    shared
        .store
        .write(Durability::Process, move |write| lay_out(write, group, agent, dialog, now))
        .await?;
    shared.wake(&[agent]);
    loop {
        let look =
            |read: &Read<'_>| standing(read, agent, group).map(|standing| standing.is_over());
        if shared.store.read(look)? {
            let now = shared.now_ms();
            let put_away = move |write: &mut Write<'_>| put_away(write, agent, group, now);
            // It may have gone on since the look.
            if let Some(Over { ended, gone }) =
                shared.store.write(Durability::Process, put_away).await?
            {
                lifecycle::let_go(shared, &gone);
                return shared.store.read(|read| told(read, ended?));
            }
        }
        tokio::select! {
            () = shared.closing.cancelled() => return Err(closed()),
            goes_on = change(&mut events) => if !goes_on {
                return Err(closed());
            },
        }
        // Nobody knows how long. Asked again, it waits for the same turn.
        if let Some(fault) = shared.held_up.why() {
            return Err(fault);
        }
    }
}

fn closed() -> Fault {
    let message = "the workspace closed before the agent had answered";
    Fault::new(FaultCode::Internal, message, "try again").of(FaultKind::WorkspaceClosed)
}

/// Waits until something happened that may have ended a turn, or kept it from
/// beginning; false when nothing happens any more.
async fn change(events: &mut (impl Stream<Item = FromOwner> + Unpin)) -> bool {
    loop {
        match events.next().await {
            None => return false,
            Some(FromOwner::Resync { .. }) => return true,
            Some(FromOwner::Event(Event { update: Update::HeldUp { .. }, .. })) => return true,
            Some(FromOwner::Event(Event { update: Update::Saved { record }, .. })) => {
                if matches!(record, Record::Run(_) | Record::Agent(_) | Record::Decision(_)) {
                    return true;
                }
            }
            Some(FromOwner::Event(_) | FromOwner::Answer(_)) => {}
        }
    }
}

fn check(dialog: &[Line]) -> Result<(), Fault> {
    let fix = "give a list of {\"role\": \"user\" or \"assistant\", \"content\": \"…\"} that ends with the user";
    if dialog.last().is_none_or(|line| line.role != Speaker::User) {
        return Err(Fault::bad_input("the dialog does not end with a line of the user", fix)
            .of(FaultKind::DialogUnended));
    }
    if dialog.iter().any(|line| line.content.trim().is_empty()) {
        return Err(
            Fault::bad_input("a line of the dialog is empty", fix).of(FaultKind::DialogLineEmpty)
        );
    }
    Ok(())
}

fn lay_out(
    write: &mut Write<'_>,
    id: GroupId,
    agent: AgentId,
    dialog: Vec<Line>,
    now: i64,
) -> Result<(), Fault> {
    if group_table::find(write, id)?.is_some() {
        return Ok(());
    }
    let agent = agents::get(write, agent)?;
    if !works(&agent) {
        return Err(stands_still(&agent));
    }
    let group = Group {
        id,
        name: format!("{} once", agent.name),
        kind: GroupKind::Task,
        policy: TurnPolicy::Manual,
        default_agent: Some(agent.id),
        supervisor: None,
        caps: Caps::default(),
        archived: false,
        created_ms: now,
        problem: None,
    };
    group_table::put(write, &group)?;
    groups::seat(write, id, Participant::User, 0, 0)?;
    groups::seat(write, id, Participant::Agent(agent.id), 1, 0)?;
    let most = settings::get(write)?.limits.message_characters;
    let mut last = None;
    for line in dialog {
        post::check_text(&line.content, most)?;
        let author = match line.role {
            Speaker::User => Author::User,
            Speaker::Assistant => Author::Agent(agent.id),
        };
        let message = MessageId(Uuid::now_v7());
        let new = messages::New {
            id: message,
            group: id,
            parent: None,
            author,
            body: Body::Text { text: line.content, cut_short: false },
            attachments: Vec::new(),
            chain_depth: 0,
            root: message,
            run: None,
            at_ms: now,
        };
        last = Some(messages::add(write, new)?);
    }
    if let Some(asked) = last {
        turns::give_to(write, &group, &asked, agent.id, Reason::AskedByUser)?;
    }
    Ok(())
}

/// Whether the agent takes turns, now or when it has ended the one it is in.
fn works(agent: &Agent) -> bool {
    match agent.state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => true,
        AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
    }
}

fn stands_still(agent: &Agent) -> Fault {
    let name = &agent.name;
    let (why, fix) = match agent.state {
        AgentState::Terminated => {
            ("has been terminated".to_owned(), "choose another agent".to_owned())
        }
        AgentState::Paused => ("is paused".to_owned(), format!("coterie agent resume {name}")),
        AgentState::Error
        | AgentState::Idle
        | AgentState::Running
        | AgentState::WaitingApproval => {
            let problem = agent.problem.as_ref();
            let why = problem.map_or("an error".to_owned(), |fault| fault.message.clone());
            let first = problem.map_or(String::new(), |fault| format!("{}; then: ", fault.fix));
            (
                format!("was stopped by a problem: {why}"),
                format!("{first}coterie agent resume {name}"),
            )
        }
    };
    let kind = match agent.state {
        AgentState::Terminated => FaultKind::AgentEnded { name: name.clone() },
        AgentState::Paused => FaultKind::AgentPaused { name: name.clone() },
        AgentState::Error
        | AgentState::Idle
        | AgentState::Running
        | AgentState::WaitingApproval => {
            let detail = agent.problem.as_ref().map_or(String::new(), |fault| fault.to_string());
            FaultKind::AgentStopped { name: name.clone(), detail }
        }
    };
    Fault::new(FaultCode::Refused, format!("{name} {why}"), fix).of(kind)
}

/// How far a turn has come.
enum Standing {
    GoesOn,
    Ended(Box<Run>),
    /// It was never begun, and will not be.
    Refused(Fault),
}

impl Standing {
    fn is_over(&self) -> bool {
        match self {
            Standing::GoesOn => false,
            Standing::Ended(_) | Standing::Refused(_) => true,
        }
    }
}

fn standing(read: &Read<'_>, agent: AgentId, group: GroupId) -> Result<Standing, Fault> {
    let filter = RunFilter { group: Some(group), ..RunFilter::default() };
    let newest = runs::page(read, &filter, None, 1)?.pop();
    let agent = agents::get(read, agent)?;
    let is_to_come = works(&agent) && !waiting(read, group)?.is_empty();
    Ok(match newest {
        Some(Run { state: RunState::Running, .. }) => Standing::GoesOn,
        _ if is_to_come => Standing::GoesOn,
        Some(run) => Standing::Ended(Box::new(run)),
        None if !works(&agent) => Standing::Refused(stands_still(&agent)),
        None => Standing::Refused(refused(read, &agent, group)?),
    })
}

/// What nobody has taken up. An interrupted run that a person is to decide
/// about keeps its wakes.
fn waiting(read: &Read<'_>, group: GroupId) -> Result<Vec<wakes::Wake>, Fault> {
    let mut open = wakes::open_of_group(read, group)?;
    open.retain(|wake| wake.claimed_by.is_none());
    Ok(open)
}

fn refused(read: &Read<'_>, agent: &Agent, group: GroupId) -> Result<Fault, Fault> {
    let mut decided = decisions::of_group(read, group, 10)?;
    decided.retain(|decision| decision.verdict == Verdict::Pass);
    let name = &agent.name;
    Ok(match decided.pop().map(|decision| decision.reason) {
        Some(Reason::HourlyQuota { limit }) => Fault::new(
            FaultCode::Refused,
            format!("{name} has had the {limit} turns of this hour"),
            "try again later",
        )
        .of(FaultKind::AgentQuota { name: name.clone(), limit }),
        Some(Reason::OverBudget { .. }) => Fault::new(
            FaultCode::Budget,
            format!("{name} has used up its budget"),
            "coterie budget show says which; raise it with coterie budget set",
        )
        .of(FaultKind::AgentOverBudget { name: name.clone() }),
        _ => Fault::new(
            FaultCode::Refused,
            format!("{name} was not given a turn"),
            "coterie agent show says what it does; try again",
        )
        .of(FaultKind::AgentNoTurn { name: name.clone() }),
    })
}

/// A turn that nobody waits for any more.
struct Over {
    /// Its last run, or why there is none.
    ended: Result<Run, Fault>,
    /// Who ends with it.
    gone: Ended,
}

/// Ends what waits, if it is over: nobody hears an answer that comes later.
fn put_away(
    write: &mut Write<'_>,
    agent: AgentId,
    group: GroupId,
    now: i64,
) -> Result<Option<Over>, Fault> {
    let ended = match standing(write, agent, group)? {
        Standing::GoesOn => return Ok(None),
        Standing::Ended(run) => Ok(*run),
        Standing::Refused(fault) => Err(fault),
    };
    let reason = match agents::get(write, agent)?.state {
        AgentState::Paused => Reason::Paused,
        AgentState::Terminated => Reason::Terminated,
        AgentState::Error => Reason::InError,
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => Reason::Failed,
    };
    let left = waiting(write, group)?;
    turns::dismiss(write, &left, &reason)?;
    let mut gone = Ended::default();
    if matches!(&ended, Ok(run) if run.state == RunState::Stopped) {
        // Nobody goes on with what a pause left open.
        gate::close_what_is_left(write, agent, group, &[], now)?;
        gone = acts::end_those_without_a_call(write, agent, now)?;
    }
    let laid_out = group_table::get(write, group)?;
    group_table::put(write, &Group { archived: true, ..laid_out })?;
    Ok(Some(Over { ended, gone }))
}

fn told(read: &Read<'_>, run: Run) -> Result<RunOnce, Fault> {
    let reply = match &run.outcome {
        Some(Outcome::Replied { message, .. }) => {
            messages::find(read, *message)?.and_then(|message| message.text().map(str::to_owned))
        }
        Some(Outcome::Silent { .. } | Outcome::Failed { .. }) | None => None,
    };
    let steps = steps::of_run(read, run.id)?;
    Ok(RunOnce { run, reply, steps })
}
