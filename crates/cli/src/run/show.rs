//! `coterie run show`: all that is on record of one run.

use super::recalled::{self, Said};
use super::steps::steps;
use super::{detail, export, sent};
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::{padded, pairs};
use crate::{money, usage, why, words};
use domain::{
    Caps, Decision, Fault, FaultCode, Message, Query, Reply, Run, RunContext, RunDetail,
    SentRequest,
};
use serde::Serialize;
use std::io::ErrorKind;
use unicode_width::UnicodeWidthStr;

/// What `--json` prints: the record, with every request as it was sent.
#[derive(Serialize)]
struct Shown {
    #[serde(flatten)]
    detail: RunDetail,
    requests: Vec<SentRequest>,
}

pub(super) async fn run(session: &Session, wanted: &str, prompt: bool) -> Result<(), Failure> {
    let is_file = wanted.ends_with(".jsonl");
    let detail = match is_file {
        true => from_file(session, wanted)?,
        false => detail(session, wanted).await?,
    };
    let names = session.names().await?;
    let mut requests = Vec::new();
    if prompt || !session.screen.is_plain() {
        for n in 1..=detail.sent {
            let query = Query::SentRequest { run: detail.run.id, n };
            requests.push(*answered!(session.ask(query).await?, SentRequest)?);
        }
    }
    let query = Query::Message { message: detail.run.cause.message };
    // An export may be from a workspace that knows another message by this id.
    let cause = match session.ask(query).await {
        Ok(Reply::Message(message)) if !is_file => Some(message),
        Ok(_) | Err(_) => None,
    };
    let said = match is_file {
        true => Said::default(),
        false => recalled::look_up(session, &detail.steps).await,
    };
    let shown = Shown { detail, requests };
    session.screen.one(&shown, |paint| {
        let Shown { detail, requests } = &shown;
        let mut text = told(paint, detail, cause.as_ref(), &names, &said);
        text += &match prompt {
            true => sent::told(paint, detail, requests),
            false => sent::left_out(detail),
        };
        text
    });
    Ok(())
}

fn told(
    paint: Paint,
    detail: &RunDetail,
    cause: Option<&Message>,
    names: &Names,
    said: &Said,
) -> String {
    let RunDetail { run, context, steps: taken, calls, decisions, sent: _ } = detail;
    let mut text = pairs(paint, &facts(run, context, cause, names));
    let part = |title: &str| format!("\n{}\n", paint.strong(title));
    if !decisions.is_empty() {
        text += &part("decided about its message");
        text += &decided(decisions, names);
    }
    text += &part("steps");
    text += &steps(paint, run, taken, names, said);
    if !calls.is_empty() {
        text += &part("calls of models");
        text += &usage::calls(paint, calls);
    }
    text += &part("stood on");
    text + &pairs(paint, &stood_on(context, names))
}

fn facts(
    run: &Run,
    context: &RunContext,
    cause: Option<&Message>,
    names: &Names,
) -> Vec<(&'static str, String)> {
    let name_of = |agent| names.agent_name(agent);
    let about = cause.map(|message| {
        let said = words::body(message, name_of);
        format!("#{}, {}", message.seq, shortened(&said))
    });
    let about = about.unwrap_or_else(|| format!("message {}", run.cause.message));
    let because = words::reason(&run.cause.reason, name_of);
    let mut facts = vec![
        ("run", run.id.to_string()),
        (
            "agent",
            format!(
                "{}, soul {} version {}",
                context.agent_name, context.soul, context.soul_version
            ),
        ),
        ("group", context.group_name.clone()),
        ("cause", format!("{because}; {} in {about}", names.author(run.cause.author))),
        ("model", model(run)),
        ("state", words::run_state(run.state).to_owned()),
        ("outcome", words::outcome(run.outcome.as_ref(), name_of)),
        ("tokens", usage::tokens(&run.usage, run.estimated)),
        ("cost", cost(run)),
    ];
    if let Some(ended) = run.ended_ms {
        let first = run.first_token_ms.map(|first| {
            format!(", first sign after {}", words::duration((first - run.started_ms).max(0)))
        });
        let took = words::duration((ended - run.started_ms).max(0));
        facts.push(("took", took + &first.unwrap_or_default()));
    }
    facts.push(("began", words::ago(run.started_ms)));
    if run.attempt > 1 {
        facts.push(("attempt", run.attempt.to_string()));
    }
    if let Some(earlier) = run.resumes {
        facts.push(("goes on with", format!("run {earlier}")));
    }
    facts
}

fn model(run: &Run) -> String {
    match &run.asked_instead {
        Some(instead) => format!("{instead}, in the place of {}", run.model),
        None => run.model.clone(),
    }
}

fn cost(run: &Run) -> String {
    let used = run.usage.input_tokens.is_some() || run.usage.output_tokens.is_some();
    let paid = money::paid(run.cost_microusd.or((!used).then_some(0)), 0);
    usage::marked(paid, run.estimated && run.cost_microusd.is_some())
}

fn decided(decisions: &[Decision], names: &Names) -> String {
    let all = decisions.iter().map(|decision| names.agent_name(decision.agent));
    let width = all.map(|name| name.width()).max().unwrap_or(0);
    decisions
        .iter()
        .map(|decision| {
            let name = padded(&names.agent_name(decision.agent), width);
            format!("{name}  {}\n", why::decision(decision, names))
        })
        .collect()
}

/// The context that was stored with the run when it began.
fn stood_on(context: &RunContext, names: &Names) -> Vec<(&'static str, String)> {
    let listed = |all: &[String]| match all {
        [] => "none".to_owned(),
        all => all.join(", "),
    };
    let or = |text: &str, none: &str| match text {
        "" => none.to_owned(),
        text => text.to_owned(),
    };
    let tools: Vec<String> = context.tools.iter().map(|tool| tool.name.clone()).collect();
    let skills = context.skills.iter();
    let skills: Vec<String> = skills
        .map(|skill| format!("{} {} from {}", skill.name, skill.version, skill.source))
        .collect();
    let Caps { messages_per_post, chain_depth, pair_hops, runs_per_hour } = context.caps;
    let limits = context.limits;
    let plan = serde_json::to_value(limits.plan);
    let plan = plan.ok().and_then(|plan| plan.as_str().map(str::to_owned)).unwrap_or_default();
    let parallel = if limits.parallel_tools { "tools side by side" } else { "one tool at a time" };
    vec![
        ("workspace", or(&context.workspace, "not on record")),
        ("person", context.user.clone()),
        ("role", or(&context.agent_role, "none")),
        ("language", context.agent_language.clone()),
        ("own model", context.agent_model.clone().unwrap_or_else(|| "as its soul says".into())),
        ("parent", context.parent.map_or("none".to_owned(), |parent| names.agent_name(parent))),
        ("soul hash", context.soul_hash.clone()),
        ("members", listed(&context.members)),
        ("turn policy", context.policy.word().to_owned()),
        (
            "caps",
            format!(
                "{messages_per_post} messages per post, {chain_depth} deep, \
                 {pair_hops} of two to each other, {runs_per_hour} runs per hour"
            ),
        ),
        ("plans with", context.plans_with.clone().unwrap_or_else(|| "its model".to_owned())),
        ("fallback", context.fallback.clone().unwrap_or_else(|| "none".to_owned())),
        ("temperature", context.temperature.to_string()),
        ("max tokens", context.max_tokens.to_string()),
        (
            "run policy",
            format!(
                "{} calls of the model, {} new plans, plans {plan}, {parallel}",
                limits.max_iterations, limits.max_replan_attempts
            ),
        ),
        ("tools", listed(&tools)),
        ("skills", listed(&skills)),
        ("MCP servers", listed(&context.mcp_servers)),
        ("folders", listed(&context.roots)),
    ]
}

/// So much of a message as says which one it is.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("“{}…”", &text[..end]),
        None => format!("“{text}”"),
    }
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
    Ok(RunDetail { run, context, steps, decisions: Vec::new(), calls: Vec::new(), sent: 0 })
}
