//! `coterie run …`: the agents' turns.

mod export;
mod once;
mod replay;

use crate::names::Names;
use crate::quiet::{self, Patience};
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::{pairs, table};
use crate::{usage, words};
use clap::Subcommand;
use domain::{
    Command as Order, Fault, FaultCode, GroupKind, PlanAction, PlanStep, Query, Reason, Run,
    RunDetail, RunFilter, RunId, RunState, Step, StepKind, Target,
};
use std::io::ErrorKind;

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
    /// One run with its steps
    Show {
        /// The run's id, or enough of its beginning; or an export, as FILE.jsonl
        id: String,
    },
    /// One run as lines of JSON: what it is, then its steps
    Export {
        /// The run's id, or enough of its beginning
        id: String,
        /// Only what the model answered, as a trace for the provider `scripted`
        #[arg(long)]
        as_trace: bool,
    },
    /// One whole turn: reads {"dialog":[{"role","content"}]}, prints the answer and the steps
    Once(once::Once),
    /// Do a run again from its record and compare; nothing is asked, executed or written
    Replay {
        /// The run's id, or enough of its beginning
        id: String,
    },
    /// Do an interrupted run again
    Resume {
        /// The run's id, or enough of its beginning
        id: String,
        #[command(flatten)]
        patience: Patience,
    },
    /// Give an interrupted run up
    Drop {
        /// The run's id, or enough of its beginning
        id: String,
    },
    /// Stop a run that is going on; what was written is kept
    Stop {
        /// The run's id, or enough of its beginning
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
        Command::Show { id } => show(session, &id).await,
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
            let run = find(session, &id).await?;
            session.order(Order::Stop { target: Target::Run(run) }).await?;
            session.screen.one(&(), |_| format!("run {run} is stopped"));
            Ok(())
        }
    }
}

/// Runs asked for at a time while looking for one.
const PAGE: u32 = 200;

/// How much of an id is no slip of the finger.
const LEAST_OF_ID: usize = 4;

/// A run by its id, or by the beginning of it that no other run has.
async fn find(session: &Session, wanted: &str) -> Result<RunId, Fault> {
    if let Ok(id) = wanted.parse() {
        return Ok(id);
    }
    let unknown =
        || Fault::not_found(format!("there is no run {wanted}"), "coterie run list shows them");
    let wanted_start = wanted.to_lowercase();
    if !wanted.chars().all(|c| c.is_ascii_hexdigit() || c == '-') {
        return Err(unknown());
    }
    if wanted.chars().count() < LEAST_OF_ID {
        return Err(Fault::bad_input(
            format!("{wanted:?} is too little of a run's id"),
            format!(
                "give {LEAST_OF_ID} characters of it at least; coterie run list shows how many tell the runs apart"
            ),
        ));
    }
    let mut found: Option<RunId> = None;
    let mut before = None;
    loop {
        let query = Query::Runs { filter: RunFilter::default(), before, limit: PAGE };
        let page = answered!(session.ask(query).await?, Runs)?;
        for run in page.iter().filter(|run| run.id.to_string().starts_with(&wanted_start)) {
            if found.replace(run.id).is_some() {
                return Err(Fault::bad_input(
                    format!("more than one run begins with {wanted}"),
                    "give more of the id; coterie run list shows how much is enough",
                ));
            }
        }
        match page.iter().map(|run| run.seq).min() {
            Some(oldest) => before = Some(oldest),
            None => return found.ok_or_else(unknown),
        }
    }
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
        let length = enough(&runs);
        let rows = runs.iter().map(|run| {
            [
                run.id.to_string().chars().take(length).collect(),
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

/// A task that has ended is in no list of groups. An agent has it from another
/// agent; where a person asked, it was `run once`.
fn group_of(run: &Run, names: &Names) -> String {
    let known = names.overview.groups.iter().find(|view| view.group.id == run.group);
    match (known, &run.cause.reason) {
        (Some(view), _) if view.group.kind != GroupKind::Task => names.group_name(view),
        (_, Reason::AskedByUser) => "(once)".to_owned(),
        (Some(view), _) => names.group_name(view),
        (None, _) => "(a task)".to_owned(),
    }
}

/// How many characters tell these runs apart.
fn enough(runs: &[Run]) -> usize {
    let mut ids: Vec<String> = runs.iter().map(|run| run.id.to_string()).collect();
    ids.sort();
    let common = ids.windows(2).map(|pair| {
        pair[0].chars().zip(pair[1].chars()).take_while(|(one, other)| one == other).count()
    });
    common.max().map_or(8, |common| (common + 1).max(8))
}

async fn detail(session: &Session, wanted: &str) -> Result<RunDetail, Fault> {
    let run = find(session, wanted).await?;
    Ok(*answered!(session.ask(Query::Run { run }).await?, RunDetail)?)
}

async fn show(session: &Session, wanted: &str) -> Result<(), Failure> {
    let detail = match wanted.ends_with(".jsonl") {
        true => from_file(session, wanted)?,
        false => detail(session, wanted).await?,
    };
    let names = session.names().await?;
    session.screen.one(&detail, |paint| {
        let RunDetail { run, context, steps, calls, .. } = &detail;
        let name_of = |agent| names.agent_name(agent);
        let woken_by = names.author(run.cause.author);
        let rows = [
            ("run", run.id.to_string()),
            (
                "agent",
                format!(
                    "{}, soul {} version {}",
                    context.agent_name, context.soul, context.soul_version
                ),
            ),
            ("group", context.group_name.clone()),
            ("woken by", format!("{woken_by}: {}", words::reason(&run.cause.reason, name_of))),
            ("model", context.model.clone()),
            ("tokens", words::usage(&run.usage)),
            ("state", words::run_state(run.state).to_owned()),
            ("outcome", words::outcome(run.outcome.as_ref(), name_of)),
        ];
        let steps = self::steps(paint, run, steps, &names);
        let calls = match calls.is_empty() {
            true => String::new(),
            false => format!("\n{}", usage::calls(paint, calls)),
        };
        format!("{}\n{steps}{calls}", pairs(paint, &rows))
    });
    Ok(())
}

fn steps(paint: Paint, run: &Run, steps: &[Step], names: &Names) -> String {
    let rows = steps.iter().map(|step| {
        let after = words::duration((step.at_ms - run.started_ms).max(0));
        let (name, what) = describe(&step.kind, names);
        [step.n.to_string(), after, name.to_owned(), what]
    });
    table(paint, ["step", "after", "", ""], rows.collect())
}

fn describe(step: &StepKind, names: &Names) -> (&'static str, String) {
    let name_of = |agent| names.agent_name(agent);
    match step {
        StepKind::Woken { by } => ("woken", format!("by message {by}")),
        StepKind::Decided { verdict, reason } => {
            ("decided", format!("{}: {}", words::verdict(*verdict), words::reason(reason, name_of)))
        }
        StepKind::BriefBuilt { messages, characters } => {
            ("brief built", format!("{messages} messages, {characters} characters"))
        }
        StepKind::ModelCalled { model } => ("model called", model.clone()),
        StepKind::Delta { text, .. } => ("wrote", on_one_line(text)),
        StepKind::Folded { upto, tokens_before, tokens_after } => {
            ("folded", format!("up to message {upto}: {tokens_before} tokens into {tokens_after}"))
        }
        StepKind::Planned { plan } => {
            let steps: Vec<_> = plan.steps.iter().map(planned).collect();
            ("planned", steps.join("; "))
        }
        StepKind::Replanned { attempt, because } => {
            ("replanned", format!("time {attempt}: {}", on_one_line(because)))
        }
        StepKind::ToolProposed { tool, arguments, .. } => {
            ("wants", format!("{tool} {}", on_one_line(arguments)))
        }
        StepKind::ToolDispatched { call } => ("begins", format!("call {call}")),
        StepKind::ToolReturned { state, text, .. } => {
            ("returned", format!("{}: {}", words::call_state(*state), on_one_line(text)))
        }
        StepKind::Steered { text, .. } => ("heard", on_one_line(text)),
        StepKind::Kept { kept } => {
            ("kept", format!("{} parts for {}", kept.parts.len(), kept.model))
        }
        StepKind::Reflected { text } => ("reflected", on_one_line(text)),
        StepKind::UsageRecorded { usage } => ("tokens", words::usage(usage)),
        StepKind::MessagePosted { message } => ("posted", format!("message {message}")),
        StepKind::Retried { fault, attempt, after_ms, replaces } => {
            let anew = anew(*replaces);
            ("failed", format!("try {attempt}: {}; again after {after_ms} ms{anew}", fault.message))
        }
        StepKind::FellBack { from, to, fault, replaces } => {
            let anew = anew(*replaces);
            ("fell back", format!("from {from} to {to}{anew}: {}", fault.message))
        }
        StepKind::FromCache { model, asked_ms } => {
            ("not asked", format!("{model} was asked the same {}", words::ago(*asked_ms)))
        }
        StepKind::Interrupted => ("interrupted", String::new()),
        StepKind::Resumed { by } => ("resumed", format!("by run {by}")),
        StepKind::Settled { outcome } => ("settled", words::outcome(Some(outcome), name_of)),
    }
}

fn anew(replaces: bool) -> &'static str {
    if replaces { ", in the place of what was shown" } else { "" }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn planned(step: &PlanStep) -> String {
    match &step.action {
        PlanAction::Tool { tool, .. } => format!("{} {tool}", step.id),
        PlanAction::Reply { about } => format!("{} reply: {}", step.id, on_one_line(about)),
    }
}

/// The same lines in every output format: it is a format of its own.
async fn export(session: &Session, wanted: &str, as_trace: bool) -> Result<(), Failure> {
    let detail = detail(session, wanted).await?;
    let text = if as_trace { export::as_trace(&detail) } else { export::write(detail) };
    session.screen.piece(&text);
    Ok(())
}

/// A run that was exported, perhaps from another workspace.
fn from_file(session: &Session, file: &str) -> Result<RunDetail, Fault> {
    let bytes = std::fs::read(file).map_err(|error| {
        let (message, fix) = (format!("read {file}: {error}"), "check the path".to_owned());
        match error.kind() {
            ErrorKind::NotFound => Fault::not_found(message, fix),
            _ => Fault::new(FaultCode::Storage, message, fix),
        }
    })?;
    let export::Exported { run, context, steps, torn } = export::read(&bytes)
        .map_err(|fault| Fault { message: format!("read {file}: {}", fault.message), ..fault })?;
    if torn > 0 {
        session.screen.aside(&format!(
            "{file} ends in the middle of a line: its last {torn} bytes are left out"
        ));
    }
    Ok(RunDetail { run, context, steps, decisions: Vec::new(), calls: Vec::new() })
}
