//! One whole turn in one call: a dialog in, what the agent says and does out.
//!
//! The dialog becomes a group of its own, which no roster shows, so that the
//! turn is a run like any other: with its budget, its ledger and its record.

use crate::post::{self};
use crate::shared::Shared;
use crate::{groups, turns};
use domain::{
    AgentId, AgentState, Author, Body, Caps, Fault, FaultCode, FromOwner, Group, GroupId,
    GroupKind, Line, MessageId, Outcome, Participant, Reason, Record, RequestId, Run, RunFilter,
    RunOnce, RunState, Speaker, TurnPolicy, Update,
};
use futures::StreamExt;
use std::sync::Arc;
use store::table::{agents, groups as group_table, messages, runs, settings, steps, wakes};
use store::{Durability, Write};
use uuid::Uuid;

/// Has the agent answer the dialog, whose last line is the user's.
pub(crate) async fn run(
    shared: &Arc<Shared>,
    request: RequestId,
    agent: AgentId,
    dialog: Vec<Line>,
) -> Result<RunOnce, Fault> {
    check(&dialog)?;
    let group = GroupId(request.0);
    let now = shared.now_ms();
    let mut events = Box::pin(shared.events.subscribe(None));
    shared
        .store
        .write(Durability::Process, move |write| lay_out(write, group, agent, dialog, now))
        .await?;
    shared.wake(&[agent]);
    loop {
        if let Some(run) = ended(shared, agent, group)? {
            return told(shared, group, run).await;
        }
        // Every change of a run is worth another look.
        while !matches!(
            events.next().await,
            None | Some(
                FromOwner::Resync { .. }
                    | FromOwner::Event(domain::Event {
                        update: Update::Saved { record: Record::Run(_) | Record::Agent(_) },
                        ..
                    })
            )
        ) {}
        if shared.closing.is_cancelled() {
            return Err(Fault::new(
                FaultCode::Internal,
                "the workspace closed before the agent had answered",
                "try again",
            ));
        }
    }
}

fn check(dialog: &[Line]) -> Result<(), Fault> {
    let fix = "give a list of {\"role\": \"user\" or \"assistant\", \"content\": \"…\"} that ends with the user";
    if dialog.last().is_none_or(|line| line.role != Speaker::User) {
        return Err(Fault::bad_input("the dialog does not end with a line of the user", fix));
    }
    if dialog.iter().any(|line| line.content.trim().is_empty()) {
        return Err(Fault::bad_input("a line of the dialog is empty", fix));
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
    let agent = agents::get(write, agent)?;
    if !matches!(agent.state, AgentState::Idle | AgentState::Running) {
        let problem = agent.problem.map(|fault| format!(": {fault}")).unwrap_or_default();
        return Err(Fault::new(
            FaultCode::Refused,
            format!("{} cannot answer now{problem}", agent.name),
            format!("coterie agent resume {}", agent.name),
        ));
    }
    if group_table::find(write, id)?.is_some() {
        // Asked before, by the same request: its run is waited for.
        return Ok(());
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

/// The run that answers the dialog, when nothing more will come of it.
fn ended(shared: &Shared, agent: AgentId, group: GroupId) -> Result<Option<Run>, Fault> {
    shared.store.read(|read| {
        let filter = RunFilter { group: Some(group), ..RunFilter::default() };
        let Some(run) = runs::page(read, &filter, None, 1)?.pop() else { return Ok(None) };
        let owed = !wakes::open_of_group(read, group)?.is_empty();
        let works =
            matches!(agents::get(read, agent)?.state, AgentState::Idle | AgentState::Running);
        Ok((run.state != RunState::Running && (!owed || !works)).then_some(run))
    })
}

async fn told(shared: &Arc<Shared>, group: GroupId, run: Run) -> Result<RunOnce, Fault> {
    let put_away = move |write: &mut Write<'_>| {
        let group = group_table::get(write, group)?;
        Ok::<_, Fault>(group_table::put(write, &Group { archived: true, ..group })?)
    };
    shared.store.write(Durability::Process, put_away).await?;
    shared.store.read(|read| {
        let reply = match &run.outcome {
            Some(Outcome::Replied { message }) => messages::find(read, *message)?
                .and_then(|message| message.text().map(str::to_owned)),
            _ => None,
        };
        let steps = steps::of_run(read, run.id)?;
        Ok(RunOnce { run, reply, steps })
    })
}
