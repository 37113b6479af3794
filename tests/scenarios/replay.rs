//! Runs that are done again from their records.

use domain::{
    Command, Effects, Fault, FaultCode, Query, Replayed, Reply, RunId, RunState, StepKind, Target,
    TurnPolicy, Usage,
};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{Role, ToolCallDelta, Trouble};
use serde_json::json;
use std::path::Path;
use store::table::steps;
use tests::{Counter, Stage, fails, says, says_nothing, stage};

async fn replay(stage: &Stage, run: RunId) -> Result<Replayed, Fault> {
    match stage.query(Query::Replay { run }).await? {
        Reply::Replayed(replayed) => Ok(*replayed),
        other => panic!("not replayed: {other:?}"),
    }
}

/// Every run of the stage goes the same way again, and leaves no trace.
async fn all_the_same(stage: &Stage) -> Vec<u32> {
    let (before, asked) = (stage.runs().await, stage.model.requests().len());
    let mut lengths = Vec::new();
    for run in &before {
        let detail = stage.run(run.id).await;
        let replayed = replay(stage, run.id).await.expect("it can be replayed");
        assert_eq!(replayed.difference, None, "{detail:#?}");
        assert_eq!(stage.run(run.id).await, detail);
        lengths.push(replayed.steps);
    }
    assert_eq!(stage.runs().await, before);
    assert_eq!(stage.model.requests().len(), asked, "no model is asked");
    lengths
}

fn calculates(id: &str, expression: &str) -> Beat {
    Beat::ToolCall(ToolCallDelta {
        id: id.into(),
        name: Some("calculator".into()),
        arguments: format!("{{\"expression\":\"{expression}\"}}"),
    })
}

/// Makes the calls first, and then says so.
fn calls(calls: Vec<Beat>) -> Scripted {
    Scripted::from_fn(move |request, _| {
        let is_result = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        if is_result { vec![Beat::Text("done".into())] } else { calls.clone() }
    })
}

#[tokio::test]
async fn an_answer_a_silence_and_a_failure_are_the_same_again() {
    let models = [(says("Ada: yes.\nBo: no."), 4), (says_nothing(), 3), (fails(Trouble::Key), 3)];
    for (model, steps) in models {
        let stage = stage().model(model).open().await;
        let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
        stage.say(group, "tea?").await;
        assert_eq!(all_the_same(&stage).await, [steps, steps]);
    }
}

#[tokio::test]
async fn a_turn_in_which_nobody_was_asked_has_nothing_to_do_again() {
    let stage = stage().without_model().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "tea?").await;
    assert_eq!(all_the_same(&stage).await, [0]);
}

/// As the prompt lists who has a role, and as the person below a pair of words.
#[tokio::test]
async fn an_answer_that_goes_on_for_others_ends_in_the_same_place_again() {
    for said in ["I agree.\nBo, Sceptic: I do not.", "Answer: it is 7.\n\nUser: thanks\nAda: bye"] {
        let lay_out = |data: &Path| {
            std::fs::create_dir_all(data.join("souls")).unwrap();
            let soul = "---\nname: Bo\nrole: Sceptic\n---\nYou doubt.\n";
            std::fs::write(data.join("souls/bo.md"), soul).unwrap();
        };
        let stage = stage().before(lay_out).model(says(said)).open().await;
        let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
        stage.say(group, "seven?").await;
        let ada = stage.agent("Ada").await.id;
        let runs = stage.runs().await;
        let run = runs.iter().find(|run| run.agent == ada).expect("Ada answers");
        let steps = stage.run(run.id).await.steps;
        let is_cut = |kind: &StepKind| matches!(kind, StepKind::SpokeForAnother { .. });
        assert!(steps.iter().any(|step| is_cut(&step.kind)), "{steps:#?}");
        all_the_same(&stage).await;
    }
}

#[tokio::test]
async fn an_answer_that_went_on_for_who_had_left_or_ended_ends_in_the_same_place_again() {
    for ends in [false, true] {
        let stage = stage().model(says("I agree.\nBo: I do not.")).open().await;
        let group = stage.group(&["Ada", "Bo", "Otto"], TurnPolicy::Mention).await;
        let agent = stage.agent("Bo").await.id;
        stage
            .do_(match ends {
                false => Command::RemoveMember { group, agent },
                true => Command::TerminateAgent { agent },
            })
            .await;
        stage.say(group, "@Ada seven?").await;
        assert_eq!(stage.transcript(group).await.pop().as_deref(), Some("Ada: I agree."));
        all_the_same(&stage).await;
    }
}

#[tokio::test]
async fn tools_return_what_they_returned_and_are_not_used() {
    let unknown = Beat::ToolCall(ToolCallDelta {
        id: "c3".into(),
        name: Some("nonsense".into()),
        arguments: "{".into(),
    });
    let made = vec![calculates("c1", "12 * 7"), calculates("c2", "1 /"), unknown];
    let stage = stage().model(calls(made)).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "calculate").await;
    let lengths = all_the_same(&stage).await;
    assert!(lengths[0] > 10, "{lengths:?}");
}

#[tokio::test]
async fn a_model_that_never_ends_its_calls_is_the_same_again() {
    let model = Scripted::from_fn(|_, n| vec![calculates(&format!("c{n}"), "1 + 1")]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "go on for ever").await;
    all_the_same(&stage).await;
}

#[tokio::test]
async fn what_was_heard_in_the_middle_is_heard_again() {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |_, n| match n {
        1 => vec![Beat::Gate(held.clone()), calculates("c1", "1 + 1")],
        _ => vec![Beat::Text("heard".into())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "begin").await;
    stage.model.asked(1).await;
    stage.post(ada, "and this too").await;
    gate.open();
    stage.quiet().await;
    let run = stage.runs().await[0].id;
    let steps = stage.run(run).await.steps;
    assert!(steps.iter().any(|step| matches!(step.kind, StepKind::Steered { .. })));
    all_the_same(&stage).await;
}

/// Also one that had to be made again, and one that never was.
#[tokio::test]
async fn a_plan_is_carried_out_again_from_its_record() {
    let good = json!({ "steps": [
        { "id": "a", "tool": "calculator", "arguments": { "expression": "1 + 1" } },
        { "id": "b", "tool": "calculator", "arguments": { "expression": "{{a}} * 3" }, "after": ["a"] },
        { "id": "c", "reply": "both", "after": ["b"] },
    ]});
    let bad = json!({ "steps": [{ "id": "a", "tool": "nonsense", "arguments": {} }] });
    for (mode, first) in
        [("always", &good), ("auto", &good), ("always", &bad), ("always", &json!(4))]
    {
        let (first, then) = (first.to_string(), good.to_string());
        let model = Scripted::from_fn(move |request, n| match (n, &request.grammar) {
            (1, _) => vec![Beat::Text(first.clone())],
            (_, Some(_)) => vec![Beat::Text(then.clone())],
            (_, None) => vec![Beat::Text("two and six".into())],
        });
        let soul = format!("---\nname: Ada\nplan: {mode}\n---\nYou plan.\n");
        let lay_out = move |data: &Path| {
            std::fs::create_dir_all(data.join("souls")).unwrap();
            std::fs::write(data.join("souls/ada.md"), soul).unwrap();
        };
        let stage = stage().before(lay_out).model(model).open().await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "Add one and one, and then take it three times.").await;
        let lengths = all_the_same(&stage).await;
        assert!(lengths[0] > 4, "{mode}: {lengths:?}");
    }
}

#[tokio::test]
async fn a_run_that_was_stopped_stops_in_the_same_place() {
    let model = Scripted::from_fn(|_, _| vec![Beat::Text("I was ".into()), Beat::Hang]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "hello").await;
    stage.model.asked(1).await;
    let run = stage.runs().await[0].id;
    assert_eq!(replay(&stage, run).await.unwrap_err().code, FaultCode::Refused);
    stage.do_(Command::Stop { target: Target::Run(run) }).await;
    stage.quiet().await;
    assert_eq!(stage.run(run).await.run.state, RunState::Stopped);
    all_the_same(&stage).await;
}

#[tokio::test]
async fn a_plan_that_was_stopped_or_cut_off_while_its_steps_ran_is_the_same_again() {
    let steps = json!({ "steps": [
        { "id": "a", "tool": "calculator", "arguments": { "expression": "1 + 1" } },
        { "id": "b", "tool": "count", "arguments": {}, "after": ["a"] },
    ]});
    for stops in [true, false] {
        let plan = steps.to_string();
        let usage = Usage { input_tokens: Some(842), output_tokens: Some(20), ..Usage::default() };
        let model = Scripted::from_fn(move |request, _| match request.grammar {
            Some(_) => vec![Beat::Text(plan.clone()), Beat::Usage(usage)],
            None => vec![Beat::Text("done".into())],
        });
        let soul = "---\nname: Ada\nplan: always\n---\nYou plan.\n";
        let lay_out = move |data: &Path| {
            std::fs::create_dir_all(data.join("souls")).unwrap();
            std::fs::write(data.join("souls/ada.md"), soul).unwrap();
        };
        let counter = Counter::held(Effects::Once);
        let stage = stage().before(lay_out).model(model).tool(counter.clone()).open().await;
        let ada = stage.direct("Ada").await;
        stage.post(ada, "go").await;
        counter.gate.arrived(1).await;
        let stage = match stops {
            true => {
                stage.do_(Command::Stop { target: Target::Group(ada) }).await;
                stage
            }
            false => {
                let stage = stage.crash(says("That is all.")).await;
                counter.gate.open();
                stage
            }
        };
        stage.quiet().await;
        all_the_same(&stage).await;
    }
}

#[tokio::test]
async fn a_supervisor_that_calls_a_tool_instead_of_deciding_is_the_same_again() {
    let stage = stage().model(calls(vec![calculates("c1", "12 * 7")])).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Supervisor).await;
    stage.say(group, "who is next?").await;
    all_the_same(&stage).await;
}

#[tokio::test]
async fn a_run_that_was_cut_off_and_the_one_that_went_on_are_the_same_again() {
    let model = Scripted::from_fn(|request, _| {
        match request.turns.last().filter(|turn| turn.role == Role::Tool) {
            None => vec![calculates("c1", "2 + 2")],
            Some(_) => vec![Beat::Hang],
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "hello").await;
    stage.model.asked(2).await;
    let stage = stage.crash(says("four")).await;
    stage.quiet().await;
    assert_eq!(stage.runs().await.len(), 2);
    all_the_same(&stage).await;
}

/// A record that this program would not have made.
#[tokio::test]
async fn the_first_step_that_differs_is_named() {
    let stage = stage().model(calls(vec![calculates("c1", "12 * 7")])).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "calculate").await;
    let run = stage.runs().await[0].id;
    let data = stage.data().to_owned();
    let wrong = StepKind::Delta { text: "more".into(), reasoning: String::new() };
    let last = stage.run(run).await.steps.last().unwrap().n;
    let (more, published) = (wrong.clone(), |_| {});
    let (store, _) = store::Store::open(&data.join("coterie.db"), published).unwrap();
    let add = move |write: &mut store::Write<'_>| steps::add(write, run, &more, 1).map(drop);
    store.write(store::Durability::Process, add).await.unwrap();
    let difference = replay(&stage, run).await.unwrap().difference.unwrap();
    assert_eq!((difference.n, difference.stored, difference.again), (last + 1, Some(wrong), None));
}

/// What a turn before left unanswered is read, and not asked again.
#[tokio::test]
async fn only_what_a_turn_answers_decides_whether_it_is_planned() {
    let model = Scripted::from_fn(|request, n| match (n, &request.grammar) {
        (1, _) => vec![Beat::Hang],
        (_, Some(_)) => vec![Beat::Text("I need no plan".into())],
        (_, None) => vec![Beat::Text("hello".into())],
    });
    let lay_out = |data: &Path| {
        std::fs::create_dir_all(data.join("souls")).unwrap();
        let soul = "---\nname: Ada\nplan: auto\ntools: [calculator]\n---\nYou plan.\n";
        std::fs::write(data.join("souls/ada.md"), soul).unwrap();
    };
    let stage = stage().before(lay_out).model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.post(group, "@Ada first calculate and then write it down").await;
    stage.model.asked(1).await;
    stage.do_(Command::Stop { target: Target::Group(group) }).await;
    stage.quiet().await;
    stage.say(group, "@Ada hello").await;
    let planned: Vec<bool> =
        stage.model.requests().iter().map(|request| request.grammar.is_some()).collect();
    assert_eq!(planned, [true, false]);
    all_the_same(&stage).await;
}
