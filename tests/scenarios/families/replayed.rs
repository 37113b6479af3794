//! Families whose turns are cut off again and again, and then given up: every run of
//! theirs can still be done again from its record.

use super::*;
use domain::{GroupId, Query, Replayed, Reply, Run};

/// Each has two tasks for those below; the last ones never end theirs.
fn three_generations(gate: &Gate) -> Scripted {
    let gate = gate.clone();
    Scripted::from_fn(move |request: &ModelRequest, _| {
        let name = speaker(request);
        let below = match name.trim_end_matches(|c: char| c.is_ascii_digit()) {
            "Root" => "kid",
            "Kid" => "gk",
            _ => return vec![Beat::Gate(gate.clone()), Beat::Text("found".into())],
        };
        match results(request).as_slice() {
            [] => ["c1", "c2"].map(|id| delegates(id, below, "look")).into(),
            results => says(results.join(" and ")),
        }
    })
}

fn open() -> Gate {
    let gate = Gate::new();
    gate.open();
    gate
}

/// All four of the youngest have been asked.
async fn at_work(gate: &Gate) -> (Stage, GroupId) {
    let stage = stage().model(three_generations(gate)).open().await;
    soul(&stage, "Gk", &[]).await;
    soul(&stage, "Kid", &["gk"]).await;
    soul(&stage, "Root", &["kid"]).await;
    agent(&stage, "root").await;
    let root = stage.direct("Root").await;
    stage.post(root, "look").await;
    gate.arrived(4).await;
    (stage, root)
}

/// Killed until nobody tries by itself any more.
async fn given_up() -> (Stage, GroupId) {
    let (mut stage, root) = at_work(&Gate::new()).await;
    for _ in 0..3 {
        let gate = Gate::new();
        stage = stage.crash(three_generations(&gate)).await;
        gate.arrived(4).await;
    }
    let stage = stage.crash(three_generations(&open())).await;
    assert!(stage.model.requests().is_empty(), "all wait for a person");
    (stage, root)
}

async fn newest_run_of(stage: &Stage, name: &str) -> Run {
    let agent = stage.agent(name).await.id;
    stage.runs().await.into_iter().rfind(|run| run.agent == agent).expect("it has begun")
}

async fn all_the_same(stage: &Stage) {
    for run in stage.runs().await {
        is_the_same(stage, &run).await;
    }
}

async fn is_the_same(stage: &Stage, run: &Run) {
    let Ok(Reply::Replayed(replayed)) = stage.query(Query::Replay { run: run.id }).await else {
        panic!("{run:?} is not replayed")
    };
    let Replayed { difference, .. } = *replayed;
    assert_eq!(difference, None, "{run:?} {:#?}", stage.run(run.id).await.steps);
}

#[tokio::test]
async fn a_family_whose_first_turn_is_dropped_is_the_same_again() {
    let (stage, _) = given_up().await;
    all_the_same(&stage).await;
    let run = newest_run_of(&stage, "Root").await.id;
    stage.do_(Command::DropRun { run }).await;
    assert_eq!(stage.overview().await.open_runs, []);
    all_the_same(&stage).await;
}

#[tokio::test]
async fn a_family_whose_first_agent_is_terminated_is_the_same_again() {
    let (stage, _) = given_up().await;
    let agent = stage.agent("Root").await.id;
    stage.do_(Command::TerminateAgent { agent }).await;
    all_the_same(&stage).await;
}

#[tokio::test]
async fn a_family_that_is_resumed_is_the_same_again() {
    let (stage, root) = given_up().await;
    let run = newest_run_of(&stage, "Root").await.id;
    stage.do_(Command::ResumeRun { run }).await;
    stage.quiet().await;
    let said = "Root: found and found and found and found";
    assert_eq!(stage.transcript(root).await.last().unwrap(), said);
    all_the_same(&stage).await;
}

#[tokio::test]
async fn a_family_that_was_paused_and_stopped_is_the_same_again() {
    let gate = Gate::new();
    let (stage, root) = at_work(&gate).await;
    let agent = stage.agent("Root").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    nobody_runs(&stage).await;
    all_the_same(&stage).await;
    stage.do_(Command::ResumeAgent { agent }).await;
    gate.arrived(8).await;
    stage.do_(Command::Stop { target: domain::Target::Group(root) }).await;
    nobody_runs(&stage).await;
    all_the_same(&stage).await;
}

async fn nobody_runs(stage: &Stage) {
    let running = |run: &Run| run.state == RunState::Running;
    stage.until(async |stage: &Stage| !stage.runs().await.iter().any(running)).await;
}

/// Four tasks at the same time, and nobody ends one.
async fn four_at_work() -> (Stage, GroupId, Gate) {
    let gate = Gate::new();
    let held = gate.clone();
    let model = Scripted::from_fn(move |request: &ModelRequest, _| match speaker(request) {
        name if name == "Root" => {
            ["c1", "c2", "c3", "c4"].map(|id| delegates(id, "kid", "look")).into()
        }
        _ => vec![Beat::Gate(held.clone()), Beat::Text("found".into())],
    });
    let stage = stage().model(model).open().await;
    soul(&stage, "Kid", &[]).await;
    soul(&stage, "Root", &["kid"]).await;
    agent(&stage, "root").await;
    let root = stage.direct("Root").await;
    stage.post(root, "look").await;
    gate.arrived(4).await;
    (stage, root, gate)
}

/// In which order they ended is on record; how this time's threads take turns
/// does not matter.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn tasks_that_were_stopped_together_end_in_their_order_each_time_again() {
    for way in 0..6 {
        let (stage, root, _gate) = four_at_work().await;
        let agent = stage.agent("Root").await.id;
        stage
            .do_(match way % 3 {
                0 => Command::Stop { target: domain::Target::Group(root) },
                1 => Command::PauseAgent { agent },
                _ => Command::TerminateAgent { agent },
            })
            .await;
        nobody_runs(&stage).await;
        all_the_same(&stage).await;
        let run = newest_run_of(&stage, "Root").await;
        for _ in 0..50 {
            is_the_same(&stage, &run).await;
        }
    }
}
