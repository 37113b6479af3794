//! Whatever is said, stopped and killed in the middle of an agent's work, what
//! its model is sent next is a history that every provider takes.

use super::*;
use domain::{Effects, GroupId, Target};
use llm::{ModelRequest, Role, ToolCallDelta, Turn};
use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tests::{Counter, thought};

#[derive(Debug, Clone, Copy)]
enum Move {
    Posts,
    /// Lets it speak once more, whoever spoke last.
    Asks,
    Stops,
    Pauses,
    /// The process is killed; another one begins, and a person takes up, or
    /// drops, what waits for that.
    Crashes {
        takes_up: bool,
    },
}

fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        3 => Just(Move::Posts),
        2 => Just(Move::Asks),
        1 => Just(Move::Stops),
        2 => Just(Move::Pauses),
        3 => any::<bool>().prop_map(|takes_up| Move::Crashes { takes_up }),
    ]
}

fn calls(id: String, tool: &str, arguments: &str) -> Beat {
    let (name, arguments) = (Some(tool.to_owned()), arguments.to_owned());
    Beat::ToolCall(ToolCallDelta { id, name, arguments })
}

/// Answers as chance has it: in words, with calls that are over at once, and with
/// one that is never over by itself.
fn answers(choices: Vec<u8>, asked: Arc<AtomicUsize>) -> Scripted {
    Scripted::from_fn(move |request: &ModelRequest, _| {
        let n = asked.fetch_add(1, Ordering::SeqCst);
        let id = |at: usize| format!("call-{n}-{at}");
        let sum = |at: usize| calls(id(at), "calculator", "{\"expression\": \"2+2\"}");
        let results = request.turns.iter().rev().take_while(|turn| turn.role == Role::Tool);
        let has_worked = results.count() > 0;
        let words = || Beat::Text(format!("{} {n}", thought(n)));
        match choices[n % choices.len()] % 7 {
            0 if !has_worked => vec![sum(0)],
            1 if !has_worked => vec![words(), sum(0), sum(1)],
            2 => vec![sum(0), calls(id(1), "count", "{}"), sum(2)],
            3 => vec![calls(id(0), "count", "{}"), calls(id(1), "no_such_tool", "{")],
            4 => vec![Beat::Text("[pass]".into())],
            _ => vec![words()],
        }
    })
}

/// Returns when everybody has answered, or Ada is at something without an end.
async fn settles(stage: &Stage, ada: GroupId, counter: &Counter) {
    let before = counter.uses() as usize;
    if is_stuck(stage).await {
        return;
    }
    let quiet = stage.until(async |stage: &Stage| stage.view(ada).await.answers_to_come == 0);
    tokio::select! {
        () = quiet => {}
        () = counter.gate.arrived(before + 1) => {}
    }
}

async fn is_stuck(stage: &Stage) -> bool {
    let runs = stage.overview().await.open_runs;
    let Some(run) = runs.into_iter().find(|run| run.state == RunState::Running) else {
        return false;
    };
    let steps = stage.run(run.id).await.steps;
    let ended = |call| {
        let ends = |kind: &StepKind| matches!(kind, StepKind::ToolReturned { call: ended, .. } if *ended == call);
        steps.iter().any(|step| ends(&step.kind))
    };
    steps.iter().any(|step| match step.kind {
        StepKind::ToolDispatched { call } => !ended(call),
        _ => false,
    })
}

fn is_accepted(stage: &Stage) {
    for request in stage.model.requests() {
        assert_eq!(llm::history::check(&request.turns), Ok(()), "{request:?}");
        let sent = llm::history::sent(&request.turns);
        let last = sent.last().expect("a turn").role;
        assert!(matches!(last, Role::User | Role::Tool), "{sent:?}");
        let asks = |turn: &Turn| turn.role == Role::User;
        assert!(!sent.windows(2).any(|two| two.iter().all(asks)), "{sent:?}");
    }
}

async fn decide(stage: &Stage, takes_up: bool) {
    for run in stage.overview().await.open_runs {
        if run.state == RunState::Interrupted {
            let run = run.id;
            let order = match takes_up {
                true => Command::ResumeRun { run },
                false => Command::DropRun { run },
            };
            // It may be taken up without being asked.
            let _ = stage.command(order).await;
        }
    }
}

async fn goes_on(moves: Vec<Move>, choices: Vec<u8>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let model = || answers(choices.clone(), asked.clone());
    let counter = Counter::held(Effects::Once);
    let mut stage = stage().model(model()).tool(counter.clone()).open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    for (n, step) in moves.into_iter().enumerate() {
        match step {
            Move::Posts => drop(stage.post(ada, &format!("question {n}")).await),
            Move::Asks => {
                // Not while it speaks.
                let _ = stage.command(Command::SpeakNow { group: ada, agent }).await;
            }
            Move::Stops => {
                for run in stage.overview().await.open_runs {
                    let _ = stage.command(Command::Stop { target: Target::Run(run.id) }).await;
                }
            }
            Move::Pauses => {
                stage.do_(Command::PauseAgent { agent }).await;
                stage.post(ada, &format!("news {n}")).await;
                stage.do_(Command::ResumeAgent { agent }).await;
            }
            Move::Crashes { takes_up } => {
                is_accepted(&stage);
                stage = stage.crash(model()).await;
                decide(&stage, takes_up).await;
            }
        }
        settles(&stage, ada, &counter).await;
    }
    is_accepted(&stage);
    counter.gate.open();
    let stage = stage.crash(says("That is all.")).await;
    decide(&stage, true).await;
    stage.quiet().await;
    stage.say(ada, "What did you do?").await;
    is_accepted(&stage);
    let last = stage.model.requests().pop().expect("it was asked");
    let said = last.turns.iter().filter(|turn| turn.content.contains("What did you do?"));
    assert_eq!(said.count(), 1);
    assert!(stage.runs().await.iter().all(|run| run.state != RunState::Running));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    // Seen in loopstack-ai/loopstack#214, langchain-ai/langgraph#8039.
    #[test]
    fn whatever_is_stopped_and_killed_every_history_is_one_that_providers_take(
        moves in proptest::collection::vec(any_move(), 1..8),
        choices in proptest::collection::vec(any::<u8>(), 1..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(goes_on(moves, choices));
    }
}
