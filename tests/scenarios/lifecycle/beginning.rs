//! Turns that are ended while they begin: they stand on the disk already, and nobody
//! can find them yet.

use super::*;
use domain::{AgentId, GroupId, GroupPatch, Outcome, Reason, RunState};
use std::sync::{Mutex, mpsc};
use tests::Stage;

/// Whoever begins a turn waits there until this is dropped.
fn hold_beginnings() -> mpsc::Sender<()> {
    let (go_on, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let wait = move || {
        tokio::task::block_in_place(|| drop(held.lock().map(|held| held.recv())));
    };
    fail::cfg_callback("turn.begun", wait).expect("a callback can always be set");
    go_on
}

/// Gives the stage after Ada's turn has ended.
async fn ended_at_its_beginning(end: impl Fn(AgentId, GroupId) -> Command) -> (Stage, Reason) {
    let stage = stage().open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let go_on = hold_beginnings();
    stage.post(group, "@Ada hello").await;
    stage.until(async |stage: &Stage| stage.runs().await.len() == 1).await;
    stage.do_(end(stage.agent("Ada").await.id, group)).await;
    drop(go_on);
    let has_ended = async |stage: &Stage| stage.runs().await[0].state != RunState::Running;
    stage.until(has_ended).await;
    fail::remove("turn.begun");
    assert_eq!(stage.model.requests().len(), 0, "nobody is asked");
    let run = stage.runs().await.remove(0);
    match (run.state, run.outcome) {
        (RunState::Stopped, Some(Outcome::Silent { reason })) => (stage, reason),
        other => panic!("it went on: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_paused_while_its_turn_begins_asks_nobody_and_does_it_when_resumed() {
    let (stage, reason) = ended_at_its_beginning(|agent, _| Command::PauseAgent { agent }).await;
    assert_eq!(reason, Reason::Paused);
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.until(async |stage: &Stage| stage.model.requests().len() == 1).await;

    let (stage, reason) = ended_at_its_beginning(|_, _| Command::PauseAll).await;
    assert_eq!(reason, Reason::Paused);
    stage.do_(Command::ResumeAll).await;
    stage.until(async |stage: &Stage| stage.model.requests().len() == 1).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_leaves_or_ends_or_whose_group_is_archived_while_its_turn_begins_asks_nobody() {
    let leaves = |agent, group| Command::RemoveMember { group, agent };
    assert_eq!(ended_at_its_beginning(leaves).await.1, Reason::LeftTheGroup);
    let archives = |_, group| {
        let patch = GroupPatch { archived: Some(true), ..GroupPatch::default() };
        Command::EditGroup { group, patch }
    };
    assert_eq!(ended_at_its_beginning(archives).await.1, Reason::Archived);
    let ends = |agent, _| Command::TerminateAgent { agent };
    assert_eq!(ended_at_its_beginning(ends).await.1, Reason::Terminated);
}
