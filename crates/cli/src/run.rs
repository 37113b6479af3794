//! `coterie run …`: the agents' turns.

mod export;
mod find;
mod once;
mod recalled;
mod replay;
mod sent;
mod show;
mod steps;

use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Subcommand;
use domain::{
    Command as Order, Fault, FaultCode, GroupKind, Query, Reason, Run, RunDetail, RunFilter, RunId,
    RunState, Target,
};
use find::find;

#[derive(Subcommand)]
pub(crate) enum Command {
    /// The newest runs first
    List {
        /// Only this agent's, by name or id
        #[arg(long)]
        agent: Option<String>,
        /// Only those in this group, by name or id
        #[arg(long)]
        group: Option<String>,
        /// Only running, settled, failed, stopped, interrupted, resumed or dropped ones
        #[arg(long, value_parser = state)]
        state: Option<RunState>,
        /// The newest N
        #[arg(long, value_name = "N", default_value_t = 20)]
        limit: u32,
    },
    /// One run: why it began, what it did, used and stood on, what came of it
    Show {
        /// The run's id, or enough of it from either end; or an export, as FILE.jsonl
        id: String,
        /// Also every request that it sent to a model, word for word
        #[arg(long)]
        prompt: bool,
    },
    /// One run as lines of JSON: what it is, then its steps
    Export {
        /// The run's id, or enough of it from either end
        id: String,
        /// Only what the model answered, as a trace for the provider `scripted`
        #[arg(long)]
        as_trace: bool,
    },
    /// One whole turn: reads {"dialog":[{"role","content"}]}, prints the answer and the steps
    Once(once::Once),
    /// Do a run again from its record and compare; nothing is asked, executed or written
    Replay {
        /// The run's id, or enough of it from either end
        id: String,
    },
    /// Do an interrupted run again
    Resume {
        /// The run's id, or enough of it from either end
        id: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// Give an interrupted run up
    Drop {
        /// The run's id, or enough of it from either end
        id: String,
    },
    /// Stop a run that is going on; what was written is kept
    Stop {
        /// The run's id, or enough of it from either end
        id: String,
    },
}

fn state(word: &str) -> Result<RunState, String> {
    serde_json::from_value(word.into()).map_err(|_| {
        "choose one of running, settled, failed, stopped, interrupted, resumed, dropped".to_owned()
    })
}

pub(crate) async fn run(session: &Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::List { agent, group, state, limit } => {
            let names = session.names().await?;
            let agent = agent.map(|agent| names.agent(&agent).map(|agent| agent.id)).transpose()?;
            let group =
                group.map(|group| names.group(&group).map(|view| view.group.id)).transpose()?;
            list(session, &names, RunFilter { agent, group, state }, limit).await
        }
        Command::Show { id, prompt } => show::run(session, &id, prompt).await,
        Command::Export { id, as_trace } => export(session, &id, as_trace).await,
        Command::Once(once) => once::run(session, once).await,
        Command::Replay { id } => replay::run(session, find(session, &id).await?).await,
        Command::Resume { id, patience } => {
            let Run { id: run, agent, .. } = detail(session, &id).await?.run;
            let order = Order::ResumeRun { run };
            let ordered = quiet::order(session, order, agent, &patience).await?;
            let run = answered!(ordered.reply.clone(), Run)?;
            ordered.report(session, &run, || format!("run {} is taken up again", run.id))
        }
        Command::Drop { id } => {
            let run = find(session, &id).await?;
            let run = answered!(session.order(Order::DropRun { run }).await?, Run)?;
            session.screen.one(&run, |_| format!("run {} is given up", run.id));
            Ok(())
        }
        Command::Stop { id } => {
            let Run { id: run, state, .. } = detail(session, &id).await?.run;
            if state != RunState::Running {
                return Err(not_going_on(run, state).into());
            }
            session.order(Order::Stop { target: Target::Run(run) }).await?;
            session.screen.one(&(), |_| format!("run {run} is stopped"));
            Ok(())
        }
    }
}

fn not_going_on(run: RunId, state: RunState) -> Fault {
    let (message, fix) = match state {
        RunState::Interrupted => (
            format!("run {run} was interrupted and does not go on by itself"),
            format!("coterie run drop {run} gives it up, coterie run resume {run} goes on with it"),
        ),
        _ => (
            format!("run {run} has ended already"),
            "coterie run list shows those that go on".to_owned(),
        ),
    };
    Fault::new(FaultCode::Refused, message, fix)
}

async fn list(
    session: &Session,
    names: &Names,
    filter: RunFilter,
    limit: u32,
) -> Result<(), Failure> {
    let mut runs =
        answered!(session.ask(Query::Runs { filter, before: None, limit }).await?, Runs)?;
    runs.sort_by_key(|run| std::cmp::Reverse(run.seq));
    session.screen.many(&runs, |paint| {
        let shorter = find::shorter(&runs);
        let rows = runs.iter().map(|run| {
            [
                shorter(run),
                names.agent_name(run.agent),
                group_of(run, names),
                words::ago(run.started_ms),
                run.ended_ms
                    .map(|ended| words::duration(ended - run.started_ms))
                    .unwrap_or_default(),
                words::run_state(run.state).to_owned(),
                words::outcome(run.outcome.as_ref(), |agent| names.agent_name(agent)),
            ]
        });
        table(
            paint,
            ["run", "agent", "group", "started", "took", "state", "outcome"],
            rows.collect(),
        )
    });
    Ok(())
}

/// A task that has ended is in no list of groups, and no thread of the feed is. An
/// agent has a task from another agent; where a person asked, it was `run once`.
pub(crate) fn group_of(run: &Run, names: &Names) -> String {
    let known = names.overview.groups.iter().find(|view| view.group.id == run.group);
    match (known, &run.cause.reason) {
        (Some(view), _) if view.group.kind != GroupKind::Task => names.group_name(view),
        (_, Reason::AskedByUser) => "(once)".to_owned(),
        (Some(view), _) => names.group_name(view),
        (None, Reason::Delegated { .. }) => "(a task)".to_owned(),
        (None, _) => "(the feed)".to_owned(),
    }
}

async fn detail(session: &Session, wanted: &str) -> Result<RunDetail, Fault> {
    let run = find(session, wanted).await?;
    Ok(*answered!(session.ask(Query::Run { run }).await?, RunDetail)?)
}

/// The same lines in every output format: it is a format of its own.
async fn export(session: &Session, wanted: &str, as_trace: bool) -> Result<(), Failure> {
    let detail = detail(session, wanted).await?;
    let text = if as_trace { export::as_trace(&detail) } else { export::write(detail) };
    session.screen.piece(&text);
    Ok(())
}
