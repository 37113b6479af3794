//! Plans in a whole workspace: asked for, carried out, stored, repeated in
//! later requests, and taken up again after a crash.

use async_trait::async_trait;
use domain::{
    CallState, Command, Effects, PlanMode, Risk, RunState, Step, StepKind, Target, ToolSpec,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelRequest, Role};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::{Counter, Setting, Stage, stage};
use tools::{CallContext, Returned, Tool};

/// Counts its uses, and fails as often as it is told to.
struct Lamp {
    spec: ToolSpec,
    fails: usize,
    uses: Arc<AtomicUsize>,
}

impl Lamp {
    fn that_fails(fails: usize) -> (Self, Arc<AtomicUsize>) {
        let uses = Arc::new(AtomicUsize::new(0));
        let spec = ToolSpec {
            name: "lamp".into(),
            description: "Switches the lamp.".into(),
            input: json!({"type": "object", "properties": {"to": {"type": "string"}}}),
            effects: Effects::Once,
            risk: Risk::Low,
        };
        (Lamp { spec, fails, uses: uses.clone() }, uses)
    }
}

#[async_trait]
impl Tool for Lamp {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, arguments: Value, _: &CallContext) -> Returned {
        let nth = self.uses.fetch_add(1, Ordering::SeqCst);
        match arguments["to"].as_str() {
            Some("for ever") => std::future::pending().await,
            _ if nth < self.fails => Returned::failed("the bulb is loose"),
            to => Returned::ok(format!("the lamp is {}", to.unwrap_or("there"))),
        }
    }
}

/// Sets Ada's soul to plan like this.
fn planning(mode: &'static str) -> Setting {
    stage().before(move |data: &Path| {
        std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
        let soul = format!("---\nname: Ada\nplan: {mode}\n---\nYou plan.\n");
        std::fs::write(data.join("souls/ada.md"), soul).expect("the folder can be written");
    })
}

fn asks_for_a_plan(request: &ModelRequest) -> bool {
    request.grammar.is_some()
}

fn plan(steps: Value) -> Vec<Beat> {
    vec![Beat::Text(json!({ "steps": steps }).to_string())]
}

fn says(text: &str) -> Vec<Beat> {
    vec![Beat::Text(text.into())]
}

async fn steps(stage: &Stage) -> Vec<Step> {
    let run = stage.runs().await.pop().expect("a run");
    stage.run(run.id).await.steps
}

#[tokio::test]
async fn a_plan_is_carried_out_stored_and_part_of_what_later_turns_know() {
    let (lamp, uses) = Lamp::that_fails(0);
    let model = Scripted::from_fn(|request, nth| match nth {
        1 => plan(json!([
            {"id": "sum", "tool": "calculator", "arguments": {"expression": "2+2"}},
            {"id": "on", "tool": "lamp", "arguments": {"to": "at {{sum}}"}},
            {"id": "end", "reply": "both", "after": ["on"]}
        ])),
        _ if asks_for_a_plan(request) => plan(json!([])),
        2 => says("It shines at 4."),
        _ => says("You are welcome."),
    });
    let stage = planning("always").tool(lamp).model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Add 2 and 2, and then set the lamp to it.").await;
    let told = ["you: Add 2 and 2, and then set the lamp to it.", "Ada: It shines at 4."];
    assert_eq!(stage.transcript(ada).await, told);
    assert_eq!(uses.load(Ordering::SeqCst), 1);
    let steps = steps(&stage).await;
    let planned = steps.iter().find_map(|step| match &step.kind {
        StepKind::Planned { plan } => Some(plan.clone()),
        _ => None,
    });
    let planned = planned.expect("the plan is stored");
    assert_eq!(planned.steps[1].after, ["sum"], "whose result it uses is waited for");
    let called: Vec<&str> = steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::ToolProposed { tool, .. } => Some(tool.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(called, ["calculator", "lamp"]);

    stage.say(ada, "Thanks.").await;
    let requests = stage.model.requests();
    let last = requests.last().unwrap();
    assert_eq!(llm::history::check(&last.turns), Ok(()));
    let results: Vec<&str> = last
        .turns
        .iter()
        .filter(|turn| turn.role == Role::Tool)
        .map(|turn| turn.content.as_str())
        .collect();
    assert_eq!(results, ["4", "the lamp is at 4"]);
    // What the turn before ended with is the beginning of this one.
    let before = &requests[1].turns;
    assert_eq!(last.turns[..before.len()], before[..]);
}

/// Nobody is asked about what the plan does not want any more.
#[tokio::test]
async fn a_question_about_a_step_is_withdrawn_when_another_fails_that_the_plan_needs() {
    let counter = Counter::risky();
    let model = Scripted::from_fn(|request, nth| match nth {
        1 => plan(json!([
            {"id": "pay", "tool": "count", "required": false},
            {"id": "look", "tool": "lamp", "arguments": {"to": "now"}, "required": true},
            {"id": "end", "reply": "both", "after": ["pay", "look"]}
        ])),
        _ if asks_for_a_plan(request) => {
            let last = request.turns.last().map(|turn| turn.content.clone()).unwrap_or_default();
            assert!(last.contains("step `pay` was not tried"), "{last}");
            plan(json!([{"id": "end", "reply": "so"}]))
        }
        _ => says("I could not look, so I did not pay."),
    });
    let (lamp, _) = Lamp::that_fails(1);
    let setting = planning("always\ntools: [\"*\"]");
    let stage = setting.tool(lamp).tool(counter.clone()).model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Pay, and look whether the lamp is on.").await;
    let last = stage.transcript(ada).await.pop();
    assert_eq!(last.as_deref(), Some("Ada: I could not look, so I did not pay."));
    assert_eq!(counter.uses(), 0);
    assert_eq!(stage.overview().await.approvals, []);
    let ends = steps(&stage).await.into_iter().filter_map(|step| match step.kind {
        StepKind::ToolReturned { state, text, .. } => Some((state, text)),
        _ => None,
    });
    let ends: Vec<_> = ends.collect();
    let unneeded = "skipped: a step that the plan cannot do without has failed".to_owned();
    assert!(ends.contains(&(CallState::Skipped, unneeded)), "{ends:?}");
}

#[tokio::test]
async fn a_tool_gets_what_an_earlier_one_returned_and_not_what_models_are_told_of_it() {
    let (lamp, _) = Lamp::that_fails(0);
    let model = Scripted::from_fn(|request, _| match asks_for_a_plan(request) {
        true => plan(json!([
            {"id": "price", "tool": "read_file", "arguments": {"path": "price.txt"}},
            {"id": "twice", "tool": "calculator", "arguments": {"expression": "{{price}} * 2"}},
            {"id": "on", "tool": "lamp", "arguments": {"to": "{{price}}, {{twice}}"}}
        ])),
        false => says("Done."),
    });
    let lay_out = |data: &Path| {
        let soul = "---\nname: Ada\nplan: always\ntools: [\"*\"]\nroots: [desk]\n---\nYou plan.\n";
        for (path, text) in [("souls/ada.md", soul), ("desk/price.txt", "120")] {
            let path = data.join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(path, text).expect("a file");
        }
    };
    let stage = stage().before(lay_out).tool(lamp).model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Set it to the price, and to twice that.").await;
    let steps = steps(&stage).await;
    let returned: Vec<&str> = steps
        .iter()
        .filter_map(|step| match &step.kind {
            StepKind::ToolReturned { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    let [price, twice, lamp] = returned[..] else { panic!("{returned:?}") };
    assert!(price.starts_with("[material ") && price.contains("\n120\n[end of "), "{price}");
    assert_eq!((twice, lamp), ("240", "the lamp is 120, 240"));
}

#[tokio::test]
async fn a_flaky_tool_is_planned_around_and_the_turn_lives_on() {
    let (lamp, uses) = Lamp::that_fails(1);
    let model = Scripted::from_fn(|request, _| match asks_for_a_plan(request) {
        true => plan(json!([{"id": "on", "tool": "lamp", "arguments": {"to": "on"}}])),
        false => says("Done."),
    });
    let stage = planning("always").tool(lamp).model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "Light!").await;
    assert_eq!(stage.transcript(ada).await, ["you: Light!", "Ada: Done."]);
    assert_eq!(uses.load(Ordering::SeqCst), 2);
    let because = "step `on` (lamp) failed: the bulb is loose".to_owned();
    let replanned = StepKind::Replanned { attempt: 1, because };
    assert!(steps(&stage).await.iter().any(|step| step.kind == replanned));
}

#[tokio::test]
async fn a_soul_says_whether_its_agent_plans() {
    for (mode, simple, several) in
        [("never", false, false), ("auto", false, true), ("always", true, true)]
    {
        let model = Scripted::from_fn(|request, _| match asks_for_a_plan(request) {
            true => plan(json!([])),
            false => says("Yes."),
        });
        let stage = planning(mode).model(model).open().await;
        let ada = stage.direct("Ada").await;
        for (text, plans) in [("Tea?", simple), ("Boil water, then make tea.", several)] {
            let before = stage.model.requests().len();
            stage.say(ada, text).await;
            let planned = stage.model.requests()[before..].iter().any(asks_for_a_plan);
            assert_eq!(planned, plans, "{mode}: {text}");
        }
    }
    assert_eq!(domain::RunLimits::default().plan, PlanMode::Auto);
}

#[tokio::test]
async fn a_plan_cut_off_by_a_crash_goes_on_and_uses_nothing_twice() {
    let (lamp, uses) = Lamp::that_fails(0);
    let first = Scripted::from_fn(|_, nth| match nth {
        1 => plan(json!([
            {"id": "sum", "tool": "calculator", "arguments": {"expression": "2+2"}},
            {"id": "on", "tool": "lamp", "arguments": {"to": "on"}}
        ])),
        _ => vec![Beat::Hang],
    });
    let stage = planning("always").tool(lamp).model(first).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "Do it all.").await;
    // Both results are there, and the answer is being waited for.
    stage.model.asked(2).await;
    let stage = stage.crash(Scripted::from_fn(|_, _| says("All done."))).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: Do it all.", "Ada: All done."]);
    assert_eq!(uses.load(Ordering::SeqCst), 1);
    let request = stage.model.requests()[0].clone();
    assert!(!asks_for_a_plan(&request));
    assert_eq!(llm::history::check(&request.turns), Ok(()));
    let results = request.turns.iter().filter(|turn| turn.role == Role::Tool);
    assert_eq!(results.count(), 2);
}

#[tokio::test]
async fn a_plan_that_is_stopped_in_the_middle_leaves_a_history_that_can_be_gone_on_with() {
    let (lamp, _) = Lamp::that_fails(0);
    let model = Scripted::from_fn(|request, nth| match nth {
        1 => plan(json!([
            {"id": "a", "tool": "calculator", "arguments": {"expression": "1"}},
            {"id": "b", "tool": "lamp", "arguments": {"to": "for ever"}},
            {"id": "c", "tool": "lamp", "arguments": {"to": "for ever"}}
        ])),
        _ if asks_for_a_plan(request) => plan(json!([])),
        _ => says("Here I am."),
    });
    let stage = planning("always").tool(lamp).model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "Go.").await;
    let dispatched = |step: &Step| matches!(step.kind, StepKind::ToolReturned { .. });
    stage
        .until(async |stage: &Stage| {
            let runs = stage.runs().await;
            match runs.last() {
                Some(run) => stage.run(run.id).await.steps.iter().any(dispatched),
                None => false,
            }
        })
        .await;
    let run = stage.runs().await.pop().unwrap();
    stage.do_(Command::Stop { target: Target::Run(run.id) }).await;
    stage.quiet().await;
    assert_eq!(stage.run(run.id).await.run.state, RunState::Stopped);
    stage.say(ada, "Are you there?").await;
    let last = stage.model.requests().pop().unwrap();
    assert_eq!(llm::history::check(&last.turns), Ok(()));
    let results = last.turns.iter().filter(|turn| turn.role == Role::Tool);
    assert_eq!(results.count(), 3);
    assert_eq!(stage.transcript(ada).await.last().unwrap(), "Ada: Here I am.");
}
