//! What is asked of an agent that is in the middle of something.

use super::*;
use domain::{Effects, RunState, StepKind, TurnPolicy};
use llm::scripted::Gate;
use llm::{Role, ToolCallDelta};
use tests::Counter;

const PLANTS: &str = "Please water the plants.";

/// Uses the calculator once the gate is open and tells what it gave; then does what it
/// is asked last.
fn does_as_told(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request, n| {
        if n == 1 {
            let (id, name) = ("c".to_owned(), Some("calculator".to_owned()));
            let arguments = "{\"expression\": \"6 * 7\"}".to_owned();
            let call = Beat::ToolCall(ToolCallDelta { id, name, arguments });
            return vec![Beat::Gate(gate.clone()), call];
        }
        let last = request.turns.last().expect("it is asked something");
        let asks_for = |words: &str| last.content.contains(words);
        let answer = match last.role {
            Role::Tool => last.content.as_str(),
            _ if asks_for(PLANTS) => "Watered.",
            _ if asks_for("happened meanwhile") => "All was quiet.",
            _ => "Hello.",
        };
        vec![Beat::Text(answer.to_owned())]
    })
}

async fn watering(stage: &Stage, group: GroupId) -> ScheduleId {
    made(stage, plan(stage, "Ada", "every day at 3:00", say(group, PLANTS)).await).await.id
}

async fn steered(stage: &Stage) -> usize {
    let mut steered = 0;
    for run in stage.runs().await {
        let steps = stage.run(run.id).await.steps;
        steered +=
            steps.iter().filter(|step| matches!(step.kind, StepKind::Steered { .. })).count();
    }
    steered
}

#[tokio::test]
async fn what_a_schedule_asks_of_a_busy_agent_waits_for_a_turn_of_its_own() {
    let gate = Gate::new();
    let stage = stage().model(does_as_told(&gate)).open().await;
    let ada = stage.direct("Ada").await;
    let schedule = watering(&stage, ada).await;
    stage.post(ada, "What is 6 times 7?").await;
    gate.arrived(1).await;
    stage.do_(Command::RunSchedule { schedule }).await;
    gate.open();
    stage.quiet().await;
    let lines = ["you: What is 6 times 7?", "<scheduled>", "Ada: 42", "Ada: Watered."];
    assert_eq!(stage.transcript(ada).await, lines);
    assert_eq!(steered(&stage).await, 0, "nobody has said anything meanwhile");
}

/// Then the task stands far back in the conversation, and is put once more.
#[tokio::test]
async fn what_a_person_says_behind_what_a_schedule_asks_takes_neither_away() {
    let gate = Gate::new();
    let stage = stage().model(does_as_told(&gate)).open().await;
    let ada = stage.direct("Ada").await;
    let schedule = watering(&stage, ada).await;
    stage.post(ada, "What is 6 times 7?").await;
    gate.arrived(1).await;
    stage.do_(Command::RunSchedule { schedule }).await;
    stage.post(ada, "And good morning!").await;
    gate.open();
    stage.quiet().await;
    let lines = [
        "you: What is 6 times 7?",
        "<scheduled>",
        "you: And good morning!",
        "Ada: Hello.",
        "Ada: Watered.",
    ];
    assert_eq!(stage.transcript(ada).await, lines);
    assert_eq!(steered(&stage).await, 1);
}

#[tokio::test]
async fn what_is_asked_of_an_agent_while_it_works_elsewhere_is_answered_one_by_one() {
    let gate = Gate::new();
    let stage = stage().model(does_as_told(&gate)).open().await;
    let (ada, agent) = (stage.direct("Ada").await, stage.agent("Ada").await.id);
    let schedule = watering(&stage, ada).await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    stage.post(group, "@Ada what is 6 times 7?").await;
    gate.arrived(1).await;
    stage.do_(Command::AskForDigest { agent }).await;
    stage.post(ada, "Good morning!").await;
    stage.do_(Command::RunSchedule { schedule }).await;
    gate.open();
    stage.quiet().await;
    let lines = [
        "<asked_for_digest>",
        "you: Good morning!",
        "<scheduled>",
        "Ada: All was quiet.",
        "Ada: Hello.",
        "Ada: Watered.",
    ];
    assert_eq!(stage.transcript(ada).await, lines);
}

#[tokio::test]
async fn a_turn_that_waits_for_a_person_does_not_go_on_because_of_a_schedule() {
    let counts = || {
        Scripted::from_fn(|request, _| match request.turns.last() {
            Some(turn) if turn.role != Role::Tool && turn.content.contains("count") => {
                let (id, name) = ("c".to_owned(), Some("count".to_owned()));
                let arguments = "{}".to_owned();
                vec![Beat::ToolCall(ToolCallDelta { id, name, arguments })]
            }
            Some(_) | None => vec![Beat::Text("done".to_owned())],
        })
    };
    let counter = Counter::held(Effects::Once);
    let stage = stage().model(counts()).tool(counter.clone()).open().await;
    let ada = stage.direct("Ada").await;
    let schedule = made(&stage, plan(&stage, "Ada", "every 2 hours", say(ada, PLANTS)).await).await;
    stage.post(ada, "count").await;
    counter.gate.arrived(1).await;
    let stage = stage.crash(counts()).await;
    stage.clock.advance(2 * HOUR);
    assert_eq!(times(&stage, schedule.id, 1).await, ["skipped Busy"]);
    let run = stage.runs().await.remove(0);
    assert_eq!((run.state, stage.model.requests().len()), (RunState::Interrupted, 0));

    stage.do_(Command::ResumeRun { run: run.id }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: done"));
    stage.clock.advance(2 * HOUR);
    assert_eq!(times(&stage, schedule.id, 2).await[1], "given");
    assert_eq!(counter.uses(), 1);
}
