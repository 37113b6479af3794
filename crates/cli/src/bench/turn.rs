//! What a turn with a tool costs, and what a long one leaves on the disk.
//!
//! The model answers from a script, so that all of it is the runtime's own:
//! two calls of the model, one use of a tool with its ledger, and every
//! commit, in a group of its own each time, so that no history adds to it.

use super::stage::{self, Stage};
use super::{BUDGET, broken, cost, tell};
use crate::screen::{Failure, Screen};
use domain::{
    Budget, BudgetScope, CallState, Command, Event, FromOwner, GroupId, Outcome, Record, RunId,
    RunState, Step, StepKind, TurnPolicy, Update,
};
use door::Durability;
use futures::StreamExt;
use futures::stream::BoxStream;

const TURNS: usize = 400;
/// What is made once in a process, such as patterns that are compiled when they are first
/// needed, is no part of a turn.
const WARM: usize = 100;
/// Asks of the model in the long turn; each leaves some six steps.
const ROUNDS: usize = 100;

/// One use of the calculator, then an answer.
const ONE_CALL: &str = r#"{"format":"coterie-trace","version":1,"exchanges":[
    {"when":{"last":{"contains":"What is"}},"answer":{"lines":[
        {"tool_call":{"id":"c1","name":"calculator","arguments":{"expression":"6 * 7"}}}]}}],
    "fallback":{"lines":[{"text":"Forty-two."}]}}"#;

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    let each = with_a_tool().await?;
    tell(screen, "turn_with_tool", "ms cpu", each, Some((BUDGET, 1.0)));
    let (steps, bytes) = long().await?;
    let budget = Some((BUDGET, 2.0 * steps / 600.0));
    tell(screen, "long_run_on_disk", "MB", bytes / 1e6, budget);
    Ok(())
}

/// Milliseconds of processor time a turn.
async fn with_a_tool() -> Result<f64, Failure> {
    let stage = Stage::playing(ONE_CALL, Durability::Process).await?;
    let agent = stage.overview().await?.agents.swap_remove(0);
    let mut groups = Vec::new();
    for _ in 0..WARM + TURNS {
        groups.push(stage.group(std::slice::from_ref(&agent), TurnPolicy::Broadcast).await?);
    }
    let mut events = stage.door.events(None);
    let (warm, measured) = groups.split_at(WARM);
    ask(&stage, &mut events, warm).await?;
    let before = cost::processor(std::process::id())?;
    let runs = ask(&stage, &mut events, measured).await?;
    let used = cost::processor(std::process::id())?.saturating_sub(before);
    for run in &runs {
        let did = Did::in_run(&stage, *run).await?;
        if (did.calls, did.uses, did.replied) != (2, 1, true) {
            return Err(broken("use a tool and answer", format!("{did:?}")));
        }
    }
    stage.door.clone().close().await;
    Ok(used.as_secs_f64() * 1e3 / runs.len() as f64)
}

/// The steps of a long turn, and the bytes that it takes in the database: what
/// it has more than a short one.
async fn long() -> Result<(f64, f64), Failure> {
    let ((many, long), (few, short)) = (database_with(ROUNDS).await?, database_with(1).await?);
    let (steps, bytes) = (many.saturating_sub(few), long.saturating_sub(short));
    if steps < ROUNDS {
        return Err(broken(
            "make a long turn",
            format!("it has {steps} steps more than a short one"),
        ));
    }
    Ok((steps as f64, bytes as f64))
}

/// The steps of a turn that asked its model so often, and the bytes of its
/// database.
async fn database_with(rounds: usize) -> Result<(usize, u64), Failure> {
    // Some 200 bytes an argument.
    let sum = vec!["11"; 60].join(" + ");
    let trace = format!(
        r#"{{"format":"coterie-trace","version":1,"exchanges":[],"fallback":{{"lines":[
            {{"tool_call":{{"id":"c1","name":"calculator","arguments":{{"expression":"{sum}"}}}}}}]}}}}"#
    );
    let stage = Stage::playing(&trace, Durability::Process).await?;
    let text =
        format!("---\nname: Long\nplan: never\npolicy:\n  max_iterations: {rounds}\n---\nGo on.\n");
    stage.order(Command::SaveSoul { soul: "long".into(), text, base_hash: None }).await?;
    for scope in [BudgetScope::Run, BudgetScope::Message] {
        let budget = Budget { scope, tokens: None, microusd: None };
        stage.order(Command::SetBudget { budget }).await?;
    }
    let made = Command::NewAgent { soul: "long".into(), name: None, model: None, parent: None };
    let domain::Reply::Agent(agent) = stage.order(made).await? else {
        return Err(broken("make an agent", "no agent"));
    };
    let group = stage.group(&[agent], TurnPolicy::Broadcast).await?;
    let mut events = stage.door.events(None);
    let mut steps = 0;
    for run in ask(&stage, &mut events, &[group]).await? {
        let did = Did::in_run(&stage, run).await?;
        // What the last answer calls for is not used any more.
        if (did.calls, did.uses) != (rounds, rounds - 1) {
            return Err(broken("make a long turn", format!("{did:?} in {rounds} rounds")));
        }
        steps += did.steps;
    }
    stage.door.clone().close().await;
    Ok((steps, stage.database_bytes()?))
}

/// What became of a turn.
#[derive(Debug)]
struct Did {
    steps: usize,
    /// Of a model, paid for.
    calls: usize,
    /// Of tools, that succeeded.
    uses: usize,
    replied: bool,
}

impl Did {
    async fn in_run(stage: &Stage, run: RunId) -> Result<Did, Failure> {
        let detail = stage.run(run).await?;
        let succeeded = |step: &&Step| {
            matches!(step.kind, StepKind::ToolReturned { state: CallState::Succeeded, .. })
        };
        Ok(Did {
            steps: detail.steps.len(),
            calls: detail.calls.len(),
            uses: detail.steps.iter().filter(succeeded).count(),
            replied: matches!(detail.run.outcome, Some(Outcome::Replied { .. })),
        })
    }
}

/// Asks in one group after the other. Gives the turns, each settled.
async fn ask(
    stage: &Stage,
    events: &mut BoxStream<'static, FromOwner>,
    groups: &[GroupId],
) -> Result<Vec<RunId>, Failure> {
    let mut runs = Vec::new();
    for group in groups {
        stage::post(&stage.door, *group, "What is six times seven?").await?;
        loop {
            let said = events.next().await.ok_or_else(|| broken("listen", "the events ended"))?;
            let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = said else {
                continue;
            };
            match record {
                Record::Run(run) if run.group == *group && run.state == RunState::Settled => {
                    runs.push(run.id);
                    break;
                }
                Record::Run(run) if run.group == *group && run.state != RunState::Running => {
                    return Err(broken("answer", format!("{run:?}")));
                }
                _ => {}
            }
        }
    }
    Ok(runs)
}
