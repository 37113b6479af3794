//! Whole runs, with a scripted model, tools of the tests' own, and a journal
//! and a gate that remember everything.

mod acting;
mod endless;
mod local;
mod planning;
mod replanning;

use crate::{
    Brief, Ended, Gate, Hands, Journal, Line, Minds, Open, Permission, PlanNext, Planned, Proposed,
    Said, Unanswered, run,
};
use async_trait::async_trait;
use domain::{AgentId, CallId, CallState, Effects, Risk, RunId, RunLimits, StepKind, ToolSpec};
use llm::scripted::{Beat, Gate as Door, Scripted};
use llm::{Called, ModelRequest, Role, ToolCallDelta, Turn};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use tokio_util::sync::CancellationToken;
use tools::{Allowed, CallContext, Offer, Place, Registry, Returned, Tool};
use uuid::Uuid;

/// Does what its name says; each use is counted.
#[derive(Clone)]
pub(crate) struct TestTool {
    spec: ToolSpec,
    does: Does,
    uses: Arc<Mutex<Vec<Value>>>,
}

#[derive(Clone)]
enum Does {
    /// Says what it was given.
    Echo,
    /// Lets the others go first.
    Yields,
    Says(&'static str),
    Fails,
    Panics,
    Hangs,
    /// Goes on when the test opens the door.
    Waits(Door),
    /// Cancels the turn while it runs, and succeeds.
    Stops(CancellationToken),
}

impl TestTool {
    pub(crate) fn new(name: &str) -> Self {
        TestTool {
            spec: ToolSpec {
                name: name.into(),
                description: format!("The tool {name}."),
                input: json!({"type": "object"}),
                effects: Effects::Once,
                risk: Risk::Low,
            },
            does: Does::Echo,
            uses: Arc::default(),
        }
    }

    pub(crate) fn taking(mut self, input: Value) -> Self {
        self.spec.input = input;
        self
    }

    /// It changes nothing.
    fn looking(mut self) -> Self {
        self.spec.effects = Effects::None;
        self
    }

    fn that(mut self, does: Does) -> Self {
        self.does = does;
        self
    }

    fn uses(&self) -> usize {
        self.uses.lock().unwrap().len()
    }
}

#[async_trait]
impl Tool for TestTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let said = format!("{} {arguments}", self.spec.name);
        self.uses.lock().unwrap().push(arguments);
        match &self.does {
            Does::Echo => Returned::ok(said),
            Does::Yields => {
                tokio::task::yield_now().await;
                Returned::ok(said)
            }
            Does::Says(text) => Returned::ok(*text),
            Does::Fails => Returned::failed(format!("{} is out of order", self.spec.name)),
            Does::Panics => panic!("as the test wants it"),
            Does::Hangs => std::future::pending().await,
            Does::Waits(door) => {
                tokio::select! {
                    () = door.pass() => Returned::ok(said),
                    () = with.stop.cancelled() => Returned::stopped(),
                }
            }
            Does::Stops(stop) => {
                stop.cancel();
                Returned::ok(said)
            }
        }
    }
}

pub(crate) fn offer(tools: Vec<TestTool>) -> Offer {
    let tools = tools.into_iter().map(|tool| Arc::new(tool) as Arc<dyn Tool>).collect();
    let registry = Registry::new(tools).expect("good tools");
    registry.offer(&Place::default(), &Allowed::Everything)
}

const RUN: RunId = RunId(Uuid::from_u128(7));

/// A journal and a gate in one: what happened, in order.
#[derive(Clone, Default)]
struct Seen {
    steps: Arc<Mutex<Vec<StepKind>>>,
    /// What is said to the agent, by which look it finds it, from 0.
    news: HashMap<usize, String>,
    looks: Arc<AtomicUsize>,
    /// Cancelled before anything is let through.
    cancels: Option<CancellationToken>,
    /// Never lets anything through.
    never: bool,
    /// The uses that lasted, and what is opened then.
    lasted: Arc<Mutex<Vec<CallId>>>,
    opens: Option<Door>,
}

impl Seen {
    fn push(&self, step: StepKind) {
        self.steps.lock().unwrap().push(step);
    }

    fn steps(&self) -> Vec<StepKind> {
        self.steps.lock().unwrap().clone()
    }

    fn returned(&self) -> Vec<(CallState, String)> {
        let steps = self.steps().into_iter();
        steps
            .filter_map(|step| match step {
                StepKind::ToolReturned { state, text, .. } => Some((state, text)),
                _ => None,
            })
            .collect()
    }

    /// The history that later requests repeat, as the workspace reads it from
    /// the steps: each answer that called, with the results that it has.
    fn history(&self) -> Vec<Turn> {
        let steps = self.steps();
        let result = |id: CallId| {
            steps.iter().find_map(|step| match step {
                StepKind::ToolReturned { call, text, .. } if *call == id => Some(text.clone()),
                _ => None,
            })
        };
        let mut turns: Vec<Turn> = Vec::new();
        let mut open: Option<(String, Vec<(CallId, Called)>)> = None;
        let end = StepKind::Interrupted;
        for step in steps.iter().chain([&end]) {
            let ends = matches!(
                step,
                StepKind::Delta { .. } | StepKind::Steered { .. } | StepKind::Interrupted
            );
            if ends && let Some((text, calls)) = open.take().filter(|(_, calls)| !calls.is_empty())
            {
                let made = calls.iter().map(|(_, call)| call.clone()).collect();
                turns.push(Turn::calling(text, made));
                for (id, call) in calls {
                    turns.extend(result(id).map(|text| Turn::answering(call.id, text)));
                }
            }
            match step {
                StepKind::Delta { text, .. } => open = Some((text.clone(), Vec::new())),
                StepKind::Steered { text, .. } => turns.push(Turn::new(Role::User, text.clone())),
                StepKind::ToolProposed { call, model_id, tool, arguments } => {
                    let called = Called::new(model_id, tool, arguments);
                    open.as_mut().expect("after an answer").1.push((*call, called));
                }
                _ => {}
            }
        }
        turns
    }
}

#[async_trait]
impl Journal for Seen {
    async fn steps(&mut self, steps: Vec<StepKind>) {
        steps.into_iter().for_each(|step| self.push(step));
    }

    fn wrote(&mut self, _: &str, _: &str) {}

    fn begins_anew(&mut self) {}
    fn says_more(&mut self) {}

    async fn news(&mut self) -> Vec<Turn> {
        let look = self.looks.fetch_add(1, Ordering::Relaxed);
        let Some(text) = self.news.get(&look).cloned() else { return Vec::new() };
        self.push(StepKind::Steered { messages: Vec::new(), text: text.clone() });
        vec![Turn::new(Role::User, text)]
    }
}

#[async_trait]
impl Gate for Seen {
    async fn before(&self, call: &Proposed, line: &Line) -> Permission {
        if let Some(stop) = &self.cancels {
            stop.cancel();
        }
        if self.never {
            std::future::pending::<()>().await;
        }
        if let Err(why) = line.moves().await {
            let (state, text) = self.after(call.id, CallState::Skipped, why).await;
            return Permission::No { state, text };
        }
        self.push(StepKind::ToolDispatched { call: call.id });
        Permission::Go(CallContext {
            key: call.id,
            agent: AgentId(Uuid::nil()),
            run: RUN,
            place: Place::default(),
            target: None,
            stop: CancellationToken::new(),
            progress: Default::default(),
        })
    }

    async fn lasts(&self, call: CallId) {
        self.lasted.lock().unwrap().push(call);
        if let Some(door) = &self.opens {
            door.open();
        }
    }

    async fn after(&self, call: CallId, state: CallState, result: &str) -> (CallState, String) {
        self.push(StepKind::ToolReturned { call, state, text: result.into() });
        (state, result.into())
    }
}

fn brief(asked: &str, offer: &Offer, limits: RunLimits) -> Brief {
    Brief {
        run: RUN,
        own_name: "Ada".into(),
        other_names: vec!["Lin".into()],
        request: ModelRequest {
            model: "m".into(),
            turns: vec![Turn::new(Role::System, "You are Ada."), Turn::new(Role::User, asked)],
            temperature: 0.0,
            max_tokens: 100,
            stop: Vec::new(),
            seed: None,
            grammar: None,
            tools: offer.specs(),
        },
        asked: asked.into(),
        model: "lab/m".into(),
        plans_with: "lab/m".into(),
        how_to_plan: crate::HOW_TO_PLAN.replace("{{ '{{id}}' }}", "{{id}}"),
        language: "en".into(),
        limits,
        rounds_before: 0,
        unanswered: Unanswered::default(),
    }
}

fn calls(calls: &[(&str, &str, &str)]) -> Vec<Beat> {
    let call = |(id, name, arguments): &(&str, &str, &str)| {
        Beat::ToolCall(ToolCallDelta {
            id: (*id).into(),
            name: Some((*name).into()),
            arguments: (*arguments).into(),
        })
    };
    calls.iter().map(call).collect()
}

fn text(text: &str) -> Vec<Beat> {
    vec![Beat::Text(text.into())]
}

/// Answers in this order; then always "done".
fn script(answers: Vec<Vec<Beat>>) -> Scripted {
    Scripted::from_fn(move |_, nth| answers.get(nth - 1).cloned().unwrap_or_else(|| text("done")))
}

async fn take_turn(brief: Brief, model: &Scripted, offer: &Offer, seen: &Seen) -> Said {
    take_turn_until(brief, model, offer, seen, &CancellationToken::new()).await
}

async fn take_turn_until(
    brief: Brief,
    model: &Scripted,
    offer: &Offer,
    seen: &Seen,
    stop: &CancellationToken,
) -> Said {
    let hands = Hands { tools: offer, gate: seen };
    let said = run(brief, Minds::one(model), hands, &mut seen.clone(), stop).await;
    for request in model.requests() {
        assert_eq!(llm::history::check(&request.turns), Ok(()));
    }
    assert_eq!(llm::history::check(&seen.history()), Ok(()));
    said
}

fn finished(text: &str) -> (Option<String>, Ended) {
    (Some(text.to_owned()), Ended::Finished)
}

fn gave_up(text: &str) -> (Option<String>, Ended) {
    (Some(text.to_owned()), Ended::GaveUp)
}

fn came_of(said: Said) -> (Option<String>, Ended) {
    (said.text, said.ended)
}
