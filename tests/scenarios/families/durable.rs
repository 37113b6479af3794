//! A task that was given outlives the process, however often that ends: the
//! same child goes on with it, and its result arrives once.

use super::*;
use domain::{
    Agent, AgentId, CallId, CallState, Effects, GroupId, Query, Reply, Run, StepKind, Transition,
    TurnPolicy,
};
use std::collections::BTreeSet;
use store::table::tool_calls;
use store::{Durability, Store, StoreError};
use tests::Counter;

/// Chief has given its task, and the scout is at it.
async fn at_work() -> (Stage, GroupId) {
    let gate = Gate::new();
    let stage = with_chief(&gate).await;
    let chief = stage.direct("Chief").await;
    stage.post(chief, "look").await;
    gate.arrived(1).await;
    (stage, chief)
}

async fn with_chief(gate: &Gate) -> Stage {
    let stage = stage().model(delegating(gate)).open().await;
    soul(&stage, "Scout", &[]).await;
    soul(&stage, "Chief", &["scout"]).await;
    agent(&stage, "chief").await;
    stage
}

/// The process ends, and in the next one all are at work again.
async fn killed_again(stage: Stage) -> Stage {
    let gate = Gate::new();
    let stage = stage.crash(delegating(&gate)).await;
    gate.arrived(1).await;
    let chief = stage.agent("Chief").await.id;
    stage
        .until(async |stage: &Stage| {
            let runs = runs_of(stage, chief).await;
            let newest = stage.run(runs.last().expect("it has begun").id).await;
            let dispatched = |kind: &StepKind| matches!(kind, StepKind::ToolDispatched { .. });
            newest.steps.iter().any(|step| dispatched(&step.kind))
        })
        .await;
    stage
}

fn open() -> Gate {
    let gate = Gate::new();
    gate.open();
    gate
}

async fn runs_of(stage: &Stage, agent: AgentId) -> Vec<Run> {
    stage.runs().await.into_iter().filter(|run| run.agent == agent).collect()
}

/// Everybody who was ever given a task.
async fn children(stage: &Stage) -> BTreeSet<AgentId> {
    let runs = stage.runs().await.into_iter();
    let tasks = runs.filter(|run| matches!(run.cause.reason, Reason::Delegated { .. }));
    tasks.map(|run| run.agent).collect()
}

async fn only_child(stage: &Stage) -> (Agent, Transition) {
    let children = children(stage).await;
    let [child] = *Vec::from_iter(children) else { panic!("one child") };
    match stage.query(Query::Agent { agent: child }).await {
        Ok(Reply::AgentDetail(detail)) => {
            let last = detail.transitions.into_iter().max_by_key(|change| change.seq);
            (detail.agent, last.expect("it has a past"))
        }
        other => panic!("no agent: {other:?}"),
    }
}

/// What came of the calls of an agent, over all of its runs.
async fn returned(stage: &Stage, agent: AgentId) -> Vec<(CallState, String)> {
    let mut returned = Vec::new();
    for run in runs_of(stage, agent).await {
        for step in stage.run(run.id).await.steps {
            if let StepKind::ToolReturned { state, text, .. } = step.kind {
                returned.push((state, text));
            }
        }
    }
    returned
}

async fn arrives_once(stage: &Stage, chief: GroupId, transcript: &[&str]) {
    stage.quiet().await;
    assert_eq!(stage.transcript(chief).await, transcript);
    let (child, last) = only_child(stage).await;
    assert_eq!(child.state, AgentState::Terminated);
    assert_eq!(last.cause, TransitionCause::TaskEnded);
    let parent = stage.agent("Chief").await.id;
    assert_eq!(returned(stage, parent).await, [(CallState::Succeeded, "deep".into())]);
    let open = stage.overview().await.open_runs;
    assert_eq!(open, [], "nobody is left");
}

#[tokio::test]
async fn however_often_the_process_ends_the_same_child_goes_on() {
    let (stage, chief) = at_work().await;
    let stage = killed_again(stage).await;
    let stage = stage.crash(delegating(&open())).await;
    arrives_once(&stage, chief, &["you: look", "Chief: It is deep"]).await;
    let asked: Vec<_> = stage.model.requests().iter().map(|it| results(it).len()).collect();
    assert!(!asked.contains(&2), "{asked:?}");
    let chief = stage.agent("Chief").await.id;
    assert_eq!(runs_of(&stage, chief).await.len(), 3);
}

#[tokio::test]
async fn a_workspace_that_is_closed_leaves_the_child_to_its_next_start() {
    let (mut stage, chief) = at_work().await;
    for _ in 0..5 {
        let gate = Gate::new();
        stage = stage.reopen_with(Some(delegating(&gate))).await;
        gate.arrived(1).await;
    }
    let stage = stage.reopen_with(Some(delegating(&open()))).await;
    arrives_once(&stage, chief, &["you: look", "Chief: It is deep"]).await;
}

/// The process was killed until nobody tries by itself any more.
async fn given_up() -> (Stage, GroupId) {
    let (stage, chief) = at_work().await;
    let stage = killed_again(killed_again(killed_again(stage).await).await).await;
    let stage = stage.crash(delegating(&open())).await;
    let states: Vec<_> =
        stage.overview().await.open_runs.into_iter().map(|run| run.state).collect();
    assert_eq!(states, [RunState::Interrupted; 2], "both wait for a person");
    assert!(stage.model.requests().is_empty());
    (stage, chief)
}

async fn interrupted(stage: &Stage) -> domain::RunId {
    let chief = stage.agent("Chief").await.id;
    runs_of(stage, chief).await.last().expect("it has begun").id
}

const GIVEN_UP: &str = "<run_failed>";

/// The scout pays, by a tool that nobody knows the end of, one or two levels below Chief.
fn paying(levels: usize) -> Scripted {
    paying_and_saying(levels, "")
}

/// The scout says something before it.
fn paying_and_saying(levels: usize, said: &'static str) -> Scripted {
    paying_between(levels, said, None)
}

/// The same, and this when it has paid instead of what came of it.
fn paying_between(levels: usize, said: &'static str, last: Option<&'static str>) -> Scripted {
    Scripted::from_fn(move |request: &ModelRequest, _| {
        let name = speaker(request);
        match (name.as_str(), results(request).as_slice()) {
            ("Chief", []) if levels == 2 => vec![delegates("c1", "middle", "pay")],
            ("Chief" | "Middle", []) => vec![delegates("c1", "scout", "pay")],
            ("Scout", []) => {
                let words = says(said).into_iter().filter(|_| !said.is_empty());
                let pays = ToolCallDelta {
                    id: "c1".into(),
                    name: Some("count".into()),
                    arguments: "{}".into(),
                };
                words.chain([Beat::ToolCall(pays)]).collect()
            }
            ("Scout", results) => says(last.map_or_else(|| results.join(", "), str::to_owned)),
            (_, results) => says(results.join(", ")),
        }
    })
}

async fn paid(levels: usize, counter: &Counter) -> (Stage, GroupId) {
    paid_by(paying(levels), counter).await
}

async fn paid_by(model: Scripted, counter: &Counter) -> (Stage, GroupId) {
    let stage = stage().model(model).tool(counter.clone()).open().await;
    soul(&stage, "Scout", &[]).await;
    soul(&stage, "Middle", &["scout"]).await;
    soul(&stage, "Chief", &["middle", "scout"]).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.post(chief, "pay").await;
    counter.gate.arrived(1).await;
    (stage, chief)
}

#[tokio::test]
async fn whose_task_nobody_knows_the_end_of_tells_so_where_it_was_given() {
    for (levels, ends) in [(1, true), (2, true), (1, false)] {
        let counter = Counter::held(Effects::Once);
        let (stage, chief) = paid(levels, &counter).await;
        let stage = stage.crash(paying(levels)).await;
        assert_eq!(stage.transcript(chief).await, ["you: pay", GIVEN_UP]);
        let scout = stage.agent("Scout").await.id;
        let run = runs_of(&stage, scout).await.pop().expect("it was at work").id;
        let told = stage.messages(chief).await.pop().expect("a notice").body;
        let domain::Body::Notice { notice: domain::Notice::RunFailed { agent, fault } } = told
        else {
            panic!("{told:?}")
        };
        assert_eq!(agent, scout);
        assert!(fault.message.contains("count ran"), "{fault}");
        assert!(fault.message.ends_with("Chief waits for what comes of it"), "{fault}");
        assert!(fault.fix.ends_with(&format!("coterie run resume {run}")), "{fault}");

        let (then, says) = match ends {
            true => (Command::DropRun { run }, "ended without an answer"),
            false => (Command::ResumeRun { run }, "outcome unknown"),
        };
        stage.do_(then).await;
        stage.quiet().await;
        let last = stage.transcript(chief).await.pop().unwrap();
        assert!(last.starts_with("Chief: ") && last.contains(says), "{last}");
        let warns = last.contains("may or may not have happened; check before you repeat it");
        assert!(warns || !ends, "{last}");
        assert_eq!(counter.uses(), 1);
    }
}

/// However it comes that nobody goes on with what was begun for it.
#[tokio::test]
async fn whose_child_ends_while_it_pays_is_told_that_it_may_have_happened() {
    for effects in [Effects::Once, Effects::None] {
        for is_terminated in [true, false] {
            let counter = Counter::held(effects);
            let (stage, chief) = paid(1, &counter).await;
            let agent = stage.agent("Scout").await.id;
            let run = runs_of(&stage, agent).await.pop().expect("it is at work").id;
            stage
                .do_(match is_terminated {
                    true => Command::TerminateAgent { agent },
                    false => Command::Stop { target: domain::Target::Run(run) },
                })
                .await;
            stage.quiet().await;
            let last = stage.transcript(chief).await.pop().unwrap();
            assert!(last.starts_with("Chief: Scout ended without an answer"), "{last}");
            let may_have_happened = last.contains("what it had begun may or may not have happened");
            assert_eq!(may_have_happened, effects == Effects::Once, "{last}");
        }
    }
}

#[tokio::test]
async fn what_a_child_said_before_it_was_stopped_is_no_result() {
    let counter = Counter::held(Effects::Once);
    let (stage, chief) = paid_by(paying_and_saying(1, "I pay now."), &counter).await;
    let agent = stage.agent("Scout").await.id;
    let run = runs_of(&stage, agent).await.pop().expect("it is at work").id;
    stage.do_(Command::Stop { target: domain::Target::Run(run) }).await;
    stage.quiet().await;
    let chief_is_told = "Chief: Scout was stopped before it was done; it had said: I pay now.; \
                         what it had begun may or may not have happened";
    let last = stage.transcript(chief).await.pop().unwrap();
    assert!(last.starts_with(chief_is_told), "{last}");
    let parent = stage.agent("Chief").await.id;
    assert_eq!(returned(&stage, parent).await[0].0, CallState::Failed);
}

/// It pays once and looks for an answer until it may take no further step.
fn paying_without_end() -> Scripted {
    let calls = |id: String, name: &str, arguments: &str| {
        let (name, arguments) = (Some(name.to_owned()), arguments.to_owned());
        Beat::ToolCall(ToolCallDelta { id, name, arguments })
    };
    Scripted::from_fn(move |request: &ModelRequest, _| {
        match (speaker(request).as_str(), results(request).as_slice()) {
            ("Chief", []) => vec![delegates("c1", "scout", "pay")],
            ("Chief", results) => says(results.join(", ")),
            (_, []) => vec![Beat::Text("I pay now.".into()), calls("c1".into(), "count", "{}")],
            (_, results) => {
                let n = results.len();
                let sum = format!(r#"{{"expression":"1 + {n}"}}"#);
                vec![calls(format!("c{n}"), "calculator", &sum)]
            }
        }
    })
}

#[tokio::test]
async fn what_a_child_has_done_that_found_no_answer_is_told_and_is_no_result() {
    let counter = Counter::held(Effects::Once);
    let (stage, chief) = paid_by(paying_without_end(), &counter).await;
    counter.gate.open();
    stage.quiet().await;
    let last = stage.transcript(chief).await.pop().unwrap();
    assert!(last.starts_with("Chief: Scout gave up: I pay now.\n\nI found no answer in"), "{last}");
    assert!(last.contains("what it had begun may or may not have happened"), "{last}");
    let parent = stage.agent("Chief").await.id;
    assert_eq!(returned(&stage, parent).await[0].0, CallState::Failed);
    assert_eq!(counter.uses(), 1);
}

/// A report in the answer with the last call, and then a short word.
#[tokio::test]
async fn all_that_a_child_says_in_its_turn_is_what_came_of_its_task() {
    for last in ["Enjoy!", "", "[pass]"] {
        let counter = Counter::held(Effects::None);
        let model = paying_between(1, "Take 200 g flour.", Some(last));
        let (stage, chief) = paid_by(model, &counter).await;
        counter.gate.open();
        stage.quiet().await;
        let whole = ["Chief: Take 200 g flour.", "Enjoy!"].join("\n\n");
        let expected = if last == "Enjoy!" { whole.as_str() } else { "Chief: Take 200 g flour." };
        assert_eq!(stage.transcript(chief).await.pop().unwrap(), expected, "{last}");
    }
}

#[tokio::test]
async fn whose_task_was_cut_off_by_closing_tells_so_where_it_was_given() {
    let counter = Counter::held(Effects::Once);
    let (stage, chief) = paid(1, &counter).await;
    let stage = stage.reopen_with(Some(paying(1))).await;
    assert_eq!(stage.transcript(chief).await, ["you: pay", GIVEN_UP]);
    let scout = stage.agent("Scout").await.id;
    let run = runs_of(&stage, scout).await.pop().expect("it was at work").id;
    stage.do_(Command::ResumeRun { run }).await;
    stage.quiet().await;
    let last = stage.transcript(chief).await.pop().unwrap();
    assert!(last.starts_with("Chief: ") && last.contains("stopped before it was done"), "{last}");
    assert_eq!(counter.uses(), 1);
}

/// Parent's and own turns of a child that a person made, both cut off in a use that counts.
#[tokio::test]
async fn who_was_made_below_another_by_a_person_waits_when_that_is_resumed() {
    for is_resumed in [true, false] {
        let counter = Counter::held(Effects::Once);
        let pays = || {
            Scripted::from_fn(|request: &ModelRequest, _| match results(request).as_slice() {
                [] => vec![Beat::ToolCall(ToolCallDelta {
                    id: "c1".into(),
                    name: Some("count".into()),
                    arguments: "{}".into(),
                })],
                results => says(results.join(", ")),
            })
        };
        let stage = stage().model(pays()).tool(counter.clone()).open().await;
        soul(&stage, "Scout", &[]).await;
        let parent = Some(stage.agent("Ada").await.id);
        stage
            .do_(Command::NewAgent { soul: "scout".into(), name: None, model: None, parent })
            .await;
        let (ada, scout) = (stage.direct("Ada").await, stage.direct("Scout").await);
        stage.post(ada, "pay").await;
        stage.post(scout, "pay").await;
        counter.gate.arrived(2).await;
        let stage = stage.crash(pays()).await;
        let parent = stage.agent("Ada").await.id;
        let run = runs_of(&stage, parent).await.pop().expect("it was at work").id;
        match is_resumed {
            true => drop(stage.do_(Command::ResumeRun { run }).await),
            false => drop(stage.post(ada, "good morning").await),
        }
        stage.quiet().await;
        assert!(stage.transcript(ada).await.pop().unwrap().starts_with("Ada: "));
        assert_eq!(stage.transcript(scout).await, ["you: pay", GIVEN_UP]);
    }
}

#[tokio::test]
async fn who_is_stopped_while_its_child_pays_is_told_that_it_may_have_happened() {
    for effects in [Effects::Once, Effects::None] {
        let counter = Counter::held(effects);
        let (stage, chief) = paid(2, &counter).await;
        stage.do_(Command::Stop { target: domain::Target::Group(chief) }).await;
        stage.quiet().await;
        let parent = stage.agent("Chief").await.id;
        let returned = returned(&stage, parent).await;
        let [(_, text)] = &returned[..] else { panic!("{returned:?}") };
        let may_have_happened = text.contains("it may or may not have happened");
        assert_eq!(may_have_happened, effects == Effects::Once, "{text}");
    }
}

#[tokio::test]
async fn who_is_resumed_by_a_person_finds_its_child_at_work() {
    let (stage, chief) = given_up().await;
    let run = interrupted(&stage).await;
    stage.do_(Command::ResumeRun { run }).await;
    arrives_once(&stage, chief, &["you: look", GIVEN_UP, "Chief: It is deep"]).await;
}

#[tokio::test]
async fn who_is_written_to_instead_answers_with_the_result_of_its_child() {
    let (stage, chief) = given_up().await;
    stage.post(chief, "are you there?").await;
    let said = ["you: look", GIVEN_UP, "you: are you there?", "Chief: It is deep"];
    arrives_once(&stage, chief, &said).await;
    let last = stage.model.requests().pop().unwrap();
    assert_eq!(llm::history::check(&last.turns), Ok(()));
    assert_eq!(last.turns.last().unwrap().content, "are you there?");
}

#[tokio::test]
async fn who_is_dropped_takes_its_child_along() {
    let (stage, chief) = given_up().await;
    let run = interrupted(&stage).await;
    stage.do_(Command::DropRun { run }).await;
    let (child, last) = only_child(&stage).await;
    assert_eq!((child.state, last.cause), (AgentState::Terminated, TransitionCause::TaskEnded));
    assert_eq!(stage.overview().await.open_runs, []);
    // And it can be talked to as ever.
    stage.say(chief, "again").await;
    assert_eq!(
        stage.transcript(chief).await.last().unwrap(),
        "Chief: It is interrupted: no result came"
    );
    assert_eq!(children(&stage).await.len(), 1);
}

#[tokio::test]
async fn who_is_terminated_while_it_waits_for_a_person_takes_everything_along() {
    let (stage, _) = given_up().await;
    let agent = stage.agent("Chief").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    let (child, last) = only_child(&stage).await;
    assert_eq!(child.state, AgentState::Terminated);
    assert_eq!(last.cause, TransitionCause::ParentTerminated);
    assert_eq!(stage.overview().await.open_runs, []);
    let returned = returned(&stage, agent).await;
    assert_eq!(returned, [(CallState::Cancelled, "interrupted: no result came".into())]);
}

#[tokio::test]
async fn who_leaves_the_group_while_it_waits_for_a_person_takes_its_child_along() {
    let gate = Gate::new();
    let stage = with_chief(&gate).await;
    let chief = stage.group(&["Chief", "Ada"], TurnPolicy::Mention).await;
    stage.post(chief, "@Chief look").await;
    gate.arrived(1).await;
    let stage = killed_again(killed_again(killed_again(stage).await).await).await;
    let stage = stage.crash(delegating(&open())).await;
    let agent = stage.agent("Chief").await.id;
    stage.do_(Command::RemoveMember { group: chief, agent }).await;
    let (child, last) = only_child(&stage).await;
    assert_eq!((child.state, last.cause), (AgentState::Terminated, TransitionCause::TaskEnded));
    assert_eq!(stage.overview().await.open_runs, []);
}

#[tokio::test]
async fn who_is_stopped_takes_its_child_along() {
    let (stage, chief) = at_work().await;
    stage.do_(Command::Stop { target: domain::Target::Group(chief) }).await;
    stage.quiet().await;
    let (child, last) = only_child(&stage).await;
    assert_eq!((child.state, last.cause), (AgentState::Terminated, TransitionCause::TaskEnded));
}

#[tokio::test]
async fn what_was_said_before_the_process_ended_is_heard_behind_the_result() {
    let (stage, chief) = at_work().await;
    stage.post(chief, "and be quick").await;
    let stage = stage.crash(delegating(&open())).await;
    let said = ["you: look", "you: and be quick", "Chief: It is deep"];
    arrives_once(&stage, chief, &said).await;
    let last = stage.model.requests().pop().unwrap();
    assert_eq!(llm::history::check(&last.turns), Ok(()));
    assert_eq!(last.turns.last().unwrap().content, "and be quick");
}

#[tokio::test]
async fn a_child_whose_call_has_ended_is_not_there_after_the_next_start() {
    let (stage, _) = at_work().await;
    let parent = stage.agent("Chief").await.id;
    let folder = stage.data().to_owned();
    // As a program before this one left it.
    let end_its_call = async |stage: &Stage| {
        let database = stage.data().join("coterie.db");
        let (store, _) = Store::open(&database, |_| {}).unwrap();
        let ended = store.write(Durability::Process, move |write| {
            for call in tool_calls::open_of(write, parent)? {
                let (id, state): (CallId, _) = (call.id, CallState::Cancelled);
                tool_calls::end(write, id, state, "lost", 0)?;
            }
            Ok::<_, StoreError>(())
        });
        ended.await.unwrap();
    };
    stage.workspace.close().await;
    end_its_call(&stage).await;
    assert!(folder.exists());
    let stage = stage.reopen_with(Some(delegating(&Gate::new()))).await;
    let (child, last) = only_child(&stage).await;
    assert_eq!((child.state, last.cause), (AgentState::Terminated, TransitionCause::TaskEnded));
}

/// A plan whose second step gives a task.
fn planning(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request: &ModelRequest, _| match speaker(request).as_str() {
        "Chief" if request.grammar.is_some() => {
            let steps = json!({"steps": [
                {"id": "first", "tool": "count", "arguments": {}},
                {"id": "look", "tool": "delegate", "after": ["first"],
                 "arguments": {"to": "scout", "task": "look, as {{first}}"}},
                {"id": "last", "tool": "count", "arguments": {}, "after": ["look"]},
            ]});
            says(steps.to_string())
        }
        "Chief" => says(results(request).join(", ")),
        _ => vec![Beat::Gate(gate.clone()), Beat::Text("deep".into())],
    })
}

#[tokio::test]
async fn a_plan_that_gave_a_task_goes_on_from_its_stored_steps_however_often_it_is_cut_off() {
    let counter = Counter::held(Effects::Once);
    counter.gate.open();
    let gate = Gate::new();
    let stage = stage().model(planning(&gate)).tool(counter.clone()).open().await;
    soul(&stage, "Scout", &[]).await;
    let text =
        "---\nname: Chief\ndelegates: [scout]\nplan: always\n---\nYou are Chief.\n".to_owned();
    stage.do_(Command::SaveSoul { soul: "chief".into(), text, base_hash: None }).await;
    agent(&stage, "chief").await;
    let chief = stage.direct("Chief").await;
    stage.post(chief, "Do it all.").await;
    gate.arrived(1).await;

    let gate = Gate::new();
    let stage = stage.crash(planning(&gate)).await;
    gate.arrived(1).await;
    let plans = |stage: &Stage| {
        let asked = stage.model.requests();
        asked.iter().filter(|request| request.grammar.is_some()).count()
    };
    assert_eq!(plans(&stage), 0, "there is a plan");
    let stage = stage.crash(planning(&open())).await;
    stage.quiet().await;
    let said = ["you: Do it all.", "Chief: counted 1, deep, counted 2"];
    assert_eq!(stage.transcript(chief).await, said);
    assert_eq!((plans(&stage), counter.uses()), (0, 2));
    let (child, _) = only_child(&stage).await;
    assert_eq!(child.state, AgentState::Terminated);
    let last = stage.model.requests().pop().unwrap();
    assert_eq!(llm::history::check(&last.turns), Ok(()));
}
