//! What the use of a tool costs beside what the tool does.
//!
//! The tool of the first measurement does nothing but note when it was used. What lies
//! between two uses is the runtime's: the end of the one on record, the arguments of
//! the next checked against its schema, its place in the ledger committed. Nothing is
//! asked of the model in between: one answer calls for all of them, one after
//! the other.
//!
//! The tool of the second one waits as long as it is told. Eight of them, called for by
//! one answer, should take as long as the slowest.

use super::stage::{self, Stage};
use super::{BUDGET, broken, tell};
use crate::screen::{Failure, Screen};
use async_trait::async_trait;
use domain::{
    Command, Effects, Event, FromOwner, GroupId, Record, Reply, Risk, RunState, ToolSpec,
    TurnPolicy, Update,
};
use door::Durability;
use futures::StreamExt;
use futures::stream::BoxStream;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tools::{CallContext, Returned, Tool};

/// Uses in one turn, and turns.
const USES: usize = 50;
const TURNS: usize = 20;
const WARM_UP: usize = 2;
/// How long each of eight waits.
const WAITS_MS: [u64; 8] = [40, 10, 80, 20, 70, 30, 60, 50];

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    let between = one_after_the_other().await?;
    let median = between[between.len() / 2];
    tell(screen, "tool_call", "µs", median.as_secs_f64() * 1e6, Some((BUDGET, 200.0)));
    let (all, slowest) = together().await?;
    let slowest = Some(("the slowest of them", slowest.as_secs_f64() * 1e3));
    tell(screen, "tools_in_parallel", "ms", all.as_secs_f64() * 1e3, slowest);
    Ok(())
}

/// From one use to the next, shortest first.
async fn one_after_the_other() -> Result<Vec<Duration>, Failure> {
    let noted = Noted::new();
    let calls: Vec<Value> = (0..USES).map(|n| json!({ "n": n, "wait_ms": 0 })).collect();
    let (stage, group) = calling(&noted, &calls, false).await?;
    let mut events = stage.door.events(None);
    let mut between = Vec::new();
    for turn in 0..WARM_UP + TURNS {
        let uses = turn_of(&stage, &mut events, group, (&noted, calls.len())).await?;
        if turn >= WARM_UP {
            between.extend(uses.windows(2).map(|two| two[1].begun - two[0].ended));
        }
    }
    stage.door.close().await;
    between.sort();
    Ok(between)
}

/// How long eight at once took, and the slowest of them.
async fn together() -> Result<(Duration, Duration), Failure> {
    let noted = Noted::new();
    let call = |(n, wait_ms)| json!({ "n": n, "wait_ms": wait_ms });
    let calls: Vec<Value> = WAITS_MS.iter().enumerate().map(call).collect();
    let (stage, group) = calling(&noted, &calls, true).await?;
    let mut events = stage.door.events(None);
    let mut all = Vec::new();
    for _ in 0..WARM_UP + TURNS {
        let uses = turn_of(&stage, &mut events, group, (&noted, calls.len())).await?;
        let begun = uses.iter().map(|one| one.begun).min();
        let ended = uses.iter().map(|one| one.ended).max();
        let slowest = uses.iter().map(|one| one.ended - one.begun).max();
        if let (Some(begun), Some(ended), Some(slowest)) = (begun, ended, slowest) {
            all.push((ended - begun, slowest));
        }
    }
    stage.door.close().await;
    all.sort();
    Ok(all[all.len() / 2])
}

/// A workspace with an agent whose model makes these calls in each turn.
async fn calling(
    noted: &Noted,
    calls: &[Value],
    together: bool,
) -> Result<(Stage, GroupId), Failure> {
    let line = |(n, arguments): (usize, &Value)| json!({ "tool_call": { "id": format!("c{n}"), "name": NOTE, "arguments": arguments } });
    let lines: Vec<Value> = calls.iter().enumerate().map(line).collect();
    let trace = json!({
        "format": "coterie-trace",
        "version": 1,
        "exchanges": [{ "when": { "last": { "contains": ASKED } }, "answer": { "lines": lines } }],
        "fallback": { "lines": [{ "text": "Done." }] },
    });
    let tools: Vec<Arc<dyn Tool>> = vec![Arc::new(noted.clone())];
    let stage = Stage::with_tools(&trace.to_string(), Durability::Process, tools).await?;
    let text = format!(
        "---\nname: Handy\nplan: never\ntools: [{NOTE}]\npolicy:\n  parallel_tools: {together}\n---\nGo on.\n"
    );
    stage.order(Command::SaveSoul { soul: "handy".into(), text, base_hash: None }).await?;
    let made = Command::NewAgent { soul: "handy".into(), name: None, model: None, parent: None };
    let Reply::Agent(agent) = stage.order(made).await? else {
        return Err(broken("make an agent", "no agent"));
    };
    let group = stage.group(&[agent], TurnPolicy::Broadcast).await?;
    Ok((stage, group))
}

const ASKED: &str = "Use them all.";

/// The uses of one turn, in the order in which they began.
async fn turn_of(
    stage: &Stage,
    events: &mut BoxStream<'static, FromOwner>,
    group: GroupId,
    (noted, expected): (&Noted, usize),
) -> Result<Vec<Use>, Failure> {
    stage::post(&stage.door, group, ASKED).await?;
    loop {
        let said = events.next().await.ok_or_else(|| broken("listen", "the events ended"))?;
        let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = said else {
            continue;
        };
        match record {
            Record::Run(run) if run.group == group && run.state == RunState::Settled => break,
            Record::Run(run) if run.group == group && run.state != RunState::Running => {
                return Err(broken("use tools", format!("{run:?}")));
            }
            _ => {}
        }
    }
    let mut uses = noted.take();
    uses.sort_by_key(|one| one.begun);
    match uses.len() == expected {
        true => Ok(uses),
        false => Err(broken("use tools", format!("{} uses of {expected}", uses.len()))),
    }
}

const NOTE: &str = "note";

/// Notes its uses, each of which waits as long as it is told.
#[derive(Clone)]
struct Noted {
    spec: ToolSpec,
    uses: Arc<Mutex<Vec<Use>>>,
}

#[derive(Clone, Copy)]
struct Use {
    begun: Instant,
    ended: Instant,
}

impl Noted {
    fn new() -> Self {
        let number = json!({ "type": "integer", "minimum": 0 });
        let spec = ToolSpec {
            name: NOTE.to_owned(),
            description: "Notes that it was used.".to_owned(),
            input: json!({
                "type": "object",
                "properties": { "n": number, "wait_ms": number },
                "required": ["n", "wait_ms"],
                "additionalProperties": false,
            }),
            effects: Effects::None,
            risk: Risk::Low,
        };
        Noted { spec, uses: Arc::default() }
    }

    fn take(&self) -> Vec<Use> {
        std::mem::take(&mut self.uses.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl Tool for Noted {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Returned {
        let begun = Instant::now();
        let wait_ms = arguments["wait_ms"].as_u64().unwrap_or(0);
        if wait_ms > 0 {
            tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        }
        let one = Use { begun, ended: Instant::now() };
        self.uses.lock().unwrap_or_else(PoisonError::into_inner).push(one);
        Returned::ok("noted")
    }
}
