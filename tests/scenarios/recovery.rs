//! What a restart finds, and what it makes of it.

mod histories;

use domain::{
    AgentState, Command, Community, FaultCode, Query, Reply, Run, RunState, StepKind, TurnPolicy,
};
use llm::scripted::{Beat, Scripted};
use tests::{Stage, says, stage};

// Seen in tembo/agent-studio#215, coleam00/Archon#1216.
#[tokio::test]
async fn a_turn_cut_off_by_the_end_of_the_process_is_done_again_once() {
    let stage = stage()
        .model(Scripted::from_fn(|_, _| vec![Beat::Text("half".into()), Beat::Hang]))
        .open()
        .await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "tell me").await;
    stage.model.asked(1).await;
    let stage = stage.reopen_with(Some(says("a whole answer"))).await;
    stage.quiet().await;

    assert_eq!(stage.transcript(ada).await, ["you: tell me", "Ada: a whole answer"]);
    let runs = stage.runs().await;
    assert_eq!(
        runs.iter().map(|run| run.state).collect::<Vec<_>>(),
        [RunState::Resumed, RunState::Settled]
    );
    assert_eq!(runs[1].resumes, Some(runs[0].id));
    let steps = stage.run(runs[0].id).await.steps;
    assert!(steps.iter().any(|step| step.kind == StepKind::Resumed { by: runs[1].id }));
    assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);
}

#[tokio::test]
async fn messages_that_nobody_had_looked_at_are_answered_after_the_restart() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.post(ada, "one").await;
    stage.post(ada, "two").await;
    let stage = stage.reopen().await;
    assert_eq!(stage.agent("Ada").await.state, AgentState::Paused);
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: one", "you: two", "Ada: yes"]);
    assert_eq!(stage.runs().await.len(), 1);
}

#[tokio::test]
async fn after_a_close_the_database_file_alone_holds_everything() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "remember this").await;
    stage.workspace.close().await;
    let database = std::fs::read(stage.data().join("coterie.db")).unwrap();
    let copy = tests::stage()
        .before(move |data| std::fs::write(data.join("coterie.db"), database).unwrap());
    let copy = copy.open().await;
    assert_eq!(copy.transcript(ada).await, ["you: remember this", "Ada: yes"]);
}

#[tokio::test]
async fn unread_messages_of_two_groups_each_get_their_own_turn_in_order() {
    let stage = stage()
        .model(Scripted::from_fn(|_, n| vec![Beat::Text(format!("answer {n}"))]))
        .open()
        .await;
    let (one, two) = (
        stage.group(&["Ada"], TurnPolicy::Broadcast).await,
        stage.group(&["Ada"], TurnPolicy::Broadcast).await,
    );
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    for text in ["a", "b"] {
        stage.post(one, text).await;
        stage.post(two, text).await;
    }
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(one).await, ["you: a", "you: b", "Ada: answer 1"]);
    assert_eq!(stage.transcript(two).await, ["you: a", "you: b", "Ada: answer 2"]);
}

/// Never gets beyond its first words.
fn hangs() -> Scripted {
    Scripted::from_fn(|_, _| vec![Beat::Text("half".into()), Beat::Hang])
}

/// A turn in which the process has been killed four times.
async fn killed_four_times() -> (Stage, domain::GroupId, Run) {
    let mut stage = stage().model(hangs()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "tell me").await;
    for _ in 0..4 {
        stage.model.asked(1).await;
        stage = stage.crash(hangs()).await;
    }
    stage.quiet().await;
    let last = stage.runs().await.pop().expect("there were runs");
    (stage, ada, last)
}

#[tokio::test]
async fn after_three_recoveries_an_interrupted_turn_waits_for_a_person_to_resume_it() {
    let (stage, ada, run) = killed_four_times().await;
    assert_eq!((run.state, run.attempt), (RunState::Interrupted, 4));
    assert!(stage.model.requests().is_empty(), "nobody is asked a fifth time");

    let stage = stage.reopen_with(Some(says("here it is"))).await;
    stage.do_(Command::ResumeRun { run: run.id }).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: tell me", "<run_failed>", "Ada: here it is"]);
    let again = stage.command(Command::ResumeRun { run: run.id }).await.unwrap_err();
    assert_eq!(again.code, FaultCode::Refused);
}

#[tokio::test]
async fn an_answer_in_the_feed_that_does_not_go_on_is_told_until_a_person_decides() {
    let mut stage = stage().model(hangs()).open().await;
    let (name, rules, members) = ("Square".to_owned(), String::new(), stage.ids(&["Bo"]).await);
    let made = stage.do_(Command::NewCommunity { name, rules, members }).await;
    let Reply::Community(Community { id: community, .. }) = made else { panic!("{made:?}") };
    stage.do_(Command::WritePost { community, text: "Is this plan any good?".into() }).await;
    stage.do_(Command::Tick).await;
    let stuck = async |stage: &Stage| match stage.query(Query::FeedQueue).await {
        Ok(Reply::FeedQueue(queue)) => {
            queue.interrupted.into_iter().map(|run| run.id).collect::<Vec<_>>()
        }
        other => panic!("no queue: {other:?}"),
    };
    for _ in 0..4 {
        stage.model.asked(1).await;
        assert_eq!(stuck(&stage).await, [], "it goes on by itself");
        stage = stage.crash(hangs()).await;
    }
    let last = stage.runs().await.pop().expect("there were runs").id;
    assert_eq!(stuck(&stage).await, [last]);
    stage.do_(Command::DropRun { run: last }).await;
    assert_eq!(stuck(&stage).await, []);
}

#[tokio::test]
async fn an_interrupted_turn_that_is_dropped_is_not_answered() {
    let (stage, ada, run) = killed_four_times().await;
    stage.do_(Command::DropRun { run: run.id }).await;
    assert_eq!(stage.run(run.id).await.run.state, RunState::Dropped);
    let stage = stage.reopen_with(Some(says("yes"))).await;
    stage.say(ada, "something else").await;
    let said = ["you: tell me", "<run_failed>", "you: something else", "Ada: yes"];
    assert_eq!(stage.transcript(ada).await, said);
    assert_eq!(stage.runs().await.last().map(|run| run.attempt), Some(1));
}

#[tokio::test]
async fn who_reads_on_in_a_group_answers_the_interrupted_turn_with_it() {
    let (stage, ada, run) = killed_four_times().await;
    let stage = stage.reopen_with(Some(says("both, then"))).await;
    stage.say(ada, "are you there?").await;
    let said = ["you: tell me", "<run_failed>", "you: are you there?", "Ada: both, then"];
    assert_eq!(stage.transcript(ada).await, said);
    let again = stage.command(Command::ResumeRun { run: run.id }).await.unwrap_err();
    assert_eq!(again.code, FaultCode::Refused, "nothing is answered twice");
}

#[tokio::test]
async fn turns_that_a_process_cut_off_do_not_use_up_the_hour() {
    let mut stage = stage().model(hangs()).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "please answer me").await;
    for _ in 0..61 {
        stage.model.asked(1).await;
        stage = stage.reopen_with(Some(hangs())).await;
    }
    let stage = stage.reopen_with(Some(says("here"))).await;
    stage.quiet().await;
    assert_eq!(stage.transcript(ada).await, ["you: please answer me", "Ada: here"]);
}
