//! Turns in which tools are used: what the model reads of them, what is on
//! record, and what a stop, a crash or a new message leaves of them.

use domain::{
    AgentState, CallState, Command, Effects, FaultKind, GroupId, Limits, ModelTrouble, Outcome,
    RunState, SettingsPatch, StepKind, Target, TurnPolicy,
};
use llm::scripted::{Beat, Gate, Scripted};
use llm::{ModelFault, ModelRequest, Role, ToolCallDelta, Trouble};
use serde_json::{Value, json};
use tests::{Counter, Stage, stage};

fn call(id: &str, name: &str, arguments: Value) -> Beat {
    let (id, name) = (id.to_owned(), Some(name.to_owned()));
    Beat::ToolCall(ToolCallDelta { id, name, arguments: arguments.to_string() })
}

/// What the newest results say, oldest first.
fn results(request: &ModelRequest) -> Vec<&str> {
    let mut results: Vec<&str> = request
        .turns
        .iter()
        .rev()
        .take_while(|turn| turn.role == Role::Tool)
        .map(|turn| turn.content.as_str())
        .collect();
    results.reverse();
    results
}

/// Calls these tools first, and then answers with what came of it.
fn calls_then_answers(calls: Vec<Beat>) -> Scripted {
    Scripted::from_fn(move |request, _| match results(request).as_slice() {
        [] => calls.clone(),
        results => vec![Beat::Text(format!("It says: {}", results.join(", ")))],
    })
}

async fn kinds(stage: &Stage, nth: usize) -> Vec<String> {
    let run = stage.runs().await[nth].id;
    let name = |kind: &StepKind| {
        serde_json::to_value(kind).expect("is data")["step"].as_str().expect("is a word").to_owned()
    };
    stage.run(run).await.steps.iter().map(|step| name(&step.kind)).collect()
}

/// Says that it uses no tools, as long as it is handed some.
fn without_hands() -> Scripted {
    Scripted::from_fn(|request, _| match request.tools.is_empty() {
        true => vec![Beat::Text("Forty-two, I think.".into())],
        false => vec![Beat::Fail(ModelFault {
            kind: Some(Box::new(FaultKind::Model { trouble: ModelTrouble::NoTools })),
            ..ModelFault::new(Trouble::Refused, "script uses no tools", "choose another model")
        })],
    })
}

#[tokio::test]
async fn a_model_that_uses_no_tools_answers_in_words_and_is_handed_none_from_then_on() {
    let model = without_hands();
    let stage = stage().model(model.clone()).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "What is six times seven?").await;
    stage.say(ada, "Are you sure?").await;
    let answer = "Ada: Forty-two, I think.";
    let said = stage.transcript(ada).await;
    assert_eq!(said, ["you: What is six times seven?", answer, "you: Are you sure?", answer]);
    let handed: Vec<_> = model.requests().iter().map(|request| !request.tools.is_empty()).collect();
    assert_eq!(handed, [true, false, false]);
}

#[tokio::test]
async fn a_tool_is_used_and_its_result_is_read_before_the_answer() {
    let model = calls_then_answers(vec![
        Beat::Text("Let me see.".into()),
        call("c1", "calculator", json!({"expression": "6 * 7"})),
    ]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "What is six times seven?").await;
    let expected = ["you: What is six times seven?", "Ada: Let me see.\n\nIt says: 42"];
    assert_eq!(stage.transcript(ada).await, expected);
    let expected = [
        "woken",
        "decided",
        "brief_built",
        "model_called",
        "delta",
        "tool_proposed",
        "usage_recorded",
        "tool_dispatched",
        "tool_returned",
        "model_called",
        "delta",
        "usage_recorded",
        "message_posted",
        "settled",
    ];
    assert_eq!(kinds(&stage, 0).await, expected);
}

#[tokio::test]
async fn what_a_tool_found_is_on_record_while_its_agent_stands_in_line_for_the_model() {
    let (first, second) = (Gate::new(), Gate::new());
    let (begins, holds) = (first.clone(), second.clone());
    let model = Scripted::from_fn(move |request, _| match results(request).as_slice() {
        _ if tests::speaker(request) == "Bo" => {
            vec![Beat::Gate(holds.clone()), Beat::Text("hi".into())]
        }
        [] => {
            let sum = call("c1", "calculator", json!({"expression": "6 * 7"}));
            vec![Beat::Gate(begins.clone()), sum]
        }
        results => vec![Beat::Text(results.join(""))],
    });
    let stage = stage().model(model).open().await;
    let limits = Some(Limits { max_concurrent: 1, ..Limits::default() });
    let patch = SettingsPatch { limits, ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let (ada, bo) = (stage.direct("Ada").await, stage.direct("Bo").await);
    stage.post(ada, "What is six times seven?").await;
    first.arrived(1).await;
    stage.post(bo, "hello").await;
    stage.until(async |stage: &Stage| stage.overview().await.waiting.len() == 1).await;
    first.open();
    // Who waited has the place now, and keeps it.
    second.arrived(1).await;
    let returned = async |stage: &Stage| kinds(stage, 0).await.contains(&"tool_returned".into());
    stage.until(returned).await;
    assert_eq!(stage.transcript(ada).await, ["you: What is six times seven?"]);
    second.open();
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: What is six times seven?", "Ada: 42"]);
}

#[tokio::test]
async fn a_later_turn_repeats_what_was_done_byte_for_byte() {
    let sum = call("c1", "calculator", json!({"expression": "1 + 1"}));
    let model = Scripted::from_fn(move |request, n| match (n, results(request).as_slice()) {
        (1, _) => vec![sum.clone()],
        (_, results) => vec![Beat::Text(format!("answer {n} {}", results.join("")))],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "one and one?").await;
    let stage = stage.reopen().await;
    stage.say(ada, "and again?").await;
    let requests = stage.model.requests();
    let (before, after) = (&requests[1].turns, &requests[2].turns);
    let roles: Vec<Role> = after.iter().map(|turn| turn.role).collect();
    let (system, user, assistant, tool) = (Role::System, Role::User, Role::Assistant, Role::Tool);
    assert_eq!(roles, [system, user, assistant, tool, assistant, user]);
    assert_eq!(after[2].calls, before[2].calls);
    assert_eq!(after[3], before[3]);
}

// Seen in apache/maka#1976, smolagents#1958, agno#8880, agentao#117.
#[tokio::test]
async fn wrong_arguments_reach_the_model_as_what_is_wrong_with_them() {
    let model = Scripted::from_fn(|request, n| match n {
        1 => vec![call("c1", "calculator", json!({"sum": 3}))],
        2 => vec![call("c2", "no_such_tool", json!({}))],
        _ => vec![Beat::Text(results(request)[0].to_owned())],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "three?").await;
    let requests = stage.model.requests();
    assert!(results(&requests[1])[0].contains("expression"), "{:?}", results(&requests[1]));
    assert!(results(&requests[2])[0].contains("calculator"), "{:?}", results(&requests[2]));
    let steps = stage.run(stage.runs().await[0].id).await.steps;
    let refused =
        |kind: &StepKind| matches!(kind, StepKind::ToolReturned { state: CallState::Refused, .. });
    assert_eq!(steps.iter().filter(|step| refused(&step.kind)).count(), 2);
}

#[tokio::test]
async fn who_only_calls_tools_gives_up_after_ten_answers_and_says_so() {
    let model = Scripted::from_fn(|_, n| {
        vec![call(&format!("c{n}"), "calculator", json!({"expression": "1 / 0"}))]
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "go on").await;
    let said = stage.transcript(ada).await;
    assert!(said[1].starts_with("Ada: I found no answer in 10 steps."), "{said:?}");
    assert_eq!(stage.model.requests().len(), 10);
    assert_eq!(stage.runs().await[0].state, RunState::Settled);
}

/// Ada uses the counter three times in one answer, and is stopped when so many have begun;
/// gives what the model is told of the three afterwards.
async fn stopped_with_three_calls(counter: &Counter, begun: usize) -> Vec<String> {
    let calls = ["a", "b", "c"].map(|id| call(id, "count", json!({})));
    let model = Scripted::from_fn(move |_, n| match n {
        1 => calls.to_vec(),
        _ => vec![Beat::Text("As you wish.".into())],
    });
    let stage = stage().model(model).tool(counter.clone()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "count to three").await;
    counter.gate.arrived(begun).await;
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    stage.say(ada, "never mind").await;
    let turns = &stage.model.requests()[1].turns;
    assert_eq!(llm::history::check(turns), Ok(()));
    let told = turns.iter().filter(|turn| turn.role == Role::Tool);
    told.map(|turn| turn.content.clone()).collect()
}

// Seen in loopstack-ai/loopstack#214.
#[tokio::test]
async fn stopped_in_the_middle_of_three_calls_the_next_turn_has_a_result_for_each() {
    let counter = Counter::held(Effects::None);
    let told = stopped_with_three_calls(&counter, 3).await;
    assert_eq!((told.len(), counter.uses()), (3, 3));
    assert!(told.iter().all(|told| told.contains("stopped")), "{told:?}");
}

#[tokio::test]
async fn what_waits_for_the_one_before_it_has_not_begun_when_it_is_stopped() {
    let counter = Counter::held(Effects::Once);
    let told = stopped_with_three_calls(&counter, 1).await;
    let skipped = "skipped: the turn was stopped before this was begun";
    assert_eq!(told, ["stopped before it was done", skipped, skipped]);
    assert_eq!(counter.uses(), 1);
}

#[tokio::test]
async fn what_is_said_before_a_tool_begins_is_read_first_and_answered_with_it() {
    let (counter, writes) = (Counter::held(Effects::Once), Gate::new());
    counter.gate.open();
    let held = writes.clone();
    let model = Scripted::from_fn(move |request, n| match n {
        1 => vec![call("c1", "count", json!({}))],
        2 => vec![Beat::Gate(held.clone()), call("c2", "count", json!({}))],
        _ => vec![Beat::Text(format!("I stop at {:?}.", results(request)))],
    });
    let stage = stage().model(model).tool(counter.clone()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "count on").await;
    writes.arrived(1).await;
    stage.post(ada, "no, stop counting").await;
    writes.open();
    stage.quiet().await;
    let third = stage.model.asked(3).await;
    assert_eq!(third.turns.last().unwrap().content, "no, stop counting");
    assert_eq!(counter.uses(), 1, "the second call was skipped");
    assert_eq!(stage.model.requests().len(), 3, "both messages have one answer");
    assert_eq!(stage.runs().await.len(), 1);
    assert_eq!(llm::history::check(&third.turns), Ok(()));
    // The next turn has everything once.
    stage.say(ada, "thank you").await;
    let turns = &stage.model.requests()[3].turns;
    let heard = turns.iter().filter(|turn| turn.content.contains("no, stop counting"));
    assert_eq!(heard.count(), 1);
    assert_eq!(llm::history::check(turns), Ok(()));
}

/// Ada, in the middle of her only use of the tool.
async fn counting(counter: &Counter, asked: &str) -> (Stage, GroupId) {
    let model = calls_then_answers(vec![call("c1", "count", json!({}))]);
    let stage = stage().model(model).tool(counter.clone()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, asked).await;
    counter.gate.arrived(1).await;
    (stage, ada)
}

// Seen in langchain-ai/langgraph#7417.
#[tokio::test]
async fn a_use_that_counts_is_never_made_again_after_a_crash() {
    let counter = Counter::held(Effects::Once);
    let (stage, ada) = counting(&counter, "count").await;
    let model = calls_then_answers(vec![call("c2", "count", json!({}))]);
    let stage = stage.crash(model).await;
    let run = stage.runs().await[0].clone();
    assert_eq!(run.state, RunState::Interrupted);
    let returned = stage.run(run.id).await.steps;
    assert!(returned.iter().any(|step| matches!(
        step.kind,
        StepKind::ToolReturned { state: CallState::OutcomeUnknown, .. }
    )));
    assert!(stage.model.requests().is_empty(), "nothing goes on unasked");

    stage.do_(Command::ResumeRun { run: run.id }).await;
    stage.quiet().await;
    let said = stage.transcript(ada).await;
    assert!(said.last().unwrap().contains("outcome unknown"), "{said:?}");
    assert_eq!(counter.uses(), 1);
}

#[tokio::test]
async fn a_use_that_counts_and_was_cut_off_by_closing_waits_for_a_person() {
    let counter = Counter::held(Effects::Once);
    let (stage, ada) = counting(&counter, "count").await;
    let model = calls_then_answers(vec![call("c2", "count", json!({}))]);
    let stage = stage.reopen_with(Some(model)).await;
    let run = stage.runs().await[0].clone();
    assert_eq!(run.state, RunState::Interrupted);
    assert_eq!(stage.transcript(ada).await, ["you: count", "<run_failed>"]);
    assert!(stage.model.requests().is_empty(), "nothing goes on unasked");
    assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);

    stage.do_(Command::ResumeRun { run: run.id }).await;
    stage.quiet().await;
    let said = stage.transcript(ada).await;
    assert!(said.last().unwrap().contains("stopped before it was done"), "{said:?}");
    assert_eq!(counter.uses(), 1);
}

#[tokio::test]
async fn a_use_that_only_looks_is_made_again_and_the_turn_goes_on_from_there() {
    let counter = Counter::held(Effects::None);
    let (stage, ada) = counting(&counter, "look").await;
    // It lasts, so it is on record.
    let is_on_record =
        async |stage: &Stage| kinds(stage, 0).await.iter().any(|kind| kind == "tool_dispatched");
    stage.until(is_on_record).await;
    counter.gate.open();
    let stage = stage.crash(calls_then_answers(Vec::new())).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: look", "Ada: It says: counted 2"]);
    assert_eq!(stage.model.requests().len(), 1, "the model is not asked for the call again");
    let runs = stage.runs().await;
    assert_eq!(runs[1].resumes, Some(runs[0].id));
    assert!(matches!(runs[1].outcome, Some(Outcome::Replied { .. })));
}

#[tokio::test]
async fn where_turns_are_handed_on_the_next_has_it_when_a_cut_off_run_is_dropped() {
    let counter = Counter::held(Effects::Once);
    let model = calls_then_answers(vec![call("c1", "count", json!({}))]);
    let stage = stage().model(model).tool(counter.clone()).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Rounds).await;
    stage.post(group, "count").await;
    counter.gate.arrived(1).await;
    let model = Scripted::from_fn(|_, n| {
        vec![Beat::Text(if n == 1 { "I can count too." } else { "[pass]" }.into())]
    });
    let stage = stage.crash(model).await;
    let run = stage.runs().await[0].clone();
    assert_eq!(run.state, RunState::Interrupted);
    stage.do_(Command::DropRun { run: run.id }).await;
    stage.quiet().await;
    let said = stage.transcript(group).await;
    assert_eq!(said, ["you: count", "<run_failed>", "Bo: I can count too."]);
}

/// What is sent never changes behind what was sent before: the answers with
/// their calls and what came of them, too.
#[tokio::test]
async fn calls_that_never_began_are_repeated_byte_for_byte_in_later_turns() {
    let broken = ToolCallDelta {
        id: "c1".into(),
        name: Some("calculator".into()),
        arguments: "{\"expression\": ".into(),
    };
    let cases = [
        ("unknown", call("c1", "no_such_tool", json!({}))),
        ("wrong", call("c1", "calculator", json!({"sum": 1}))),
        ("broken", Beat::ToolCall(broken)),
    ];
    for (name, wanted) in cases {
        let wanted = vec![Beat::Text("Let me look.".into()), wanted];
        let model = Scripted::from_fn(move |_, nth| match nth {
            1 => wanted.clone(),
            nth => vec![Beat::Text(format!("answer {nth}"))],
        });
        let stage = stage().model(model).open().await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "one?").await;
        let stage = stage.reopen().await;
        stage.say(ada, "two?").await;
        each_begins_with_the_one_before(&stage.model.requests(), name);
    }
}

#[tokio::test]
async fn what_was_said_while_all_calls_were_left_stays_behind_them_in_later_turns() {
    let gate = Gate::new();
    let two = vec![
        Beat::Text("Let me look.".into()),
        Beat::Gate(gate.clone()),
        call("c1", "calculator", json!({"expression": "1 + 1"})),
        call("c2", "calculator", json!({"expression": "2 + 2"})),
    ];
    let model = Scripted::from_fn(move |_, nth| match nth {
        1 => two.clone(),
        nth => vec![Beat::Text(format!("answer {nth}"))],
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "one?").await;
    gate.arrived(1).await;
    stage.post(ada, "two?").await;
    gate.open();
    stage.quiet().await;
    stage.say(ada, "three?").await;
    each_begins_with_the_one_before(&stage.model.requests(), "steered");
}

fn each_begins_with_the_one_before(requests: &[ModelRequest], name: &str) {
    assert_eq!(requests.len(), 3, "{name}");
    for pair in requests.windows(2) {
        let (before, after) = (&pair[0].turns, &pair[1].turns);
        assert_eq!(before[..], after[..before.len()], "{name}");
    }
}
