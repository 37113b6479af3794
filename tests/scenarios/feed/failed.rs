//! What cannot be given out.

use super::{answered, community, post, queue, thoughtful, thread, tick};
use domain::{
    AgentState, CheckAbout, Command, FaultCode, FeedEventState, Finding, HeldAnswers, Query, Reply,
    Ticked,
};
use llm::scripted::{Beat, Scripted};
use llm::{ModelFault, Trouble};
use tests::{Stage, stage};

/// What is wrong with the feed, if anything is.
async fn feed_check(stage: &Stage) -> Option<Finding> {
    match stage.query(Query::Doctor).await {
        Ok(Reply::Checks(checks)) => checks
            .into_iter()
            .filter_map(|check| check.kind)
            .find(|kind| kind.about == CheckAbout::Feed)
            .map(|kind| kind.finding),
        other => panic!("no checks: {other:?}"),
    }
}

#[tokio::test]
async fn what_fails_again_and_again_waits_for_a_person() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "A plan").await;
    fail::cfg("feed.giving", "return").expect("a failpoint");
    for tried in 0..5_u32 {
        let before = queue(&stage).await;
        let failed: Vec<_> = before.failed.iter().map(|one| (one.state, one.tries)).collect();
        let waits = (FeedEventState::Waiting, tried);
        assert_eq!((before.waiting, failed), (1, if tried == 0 { vec![] } else { vec![waits] }));
        // Not at once again: whatever is wrong may be over by the next tick.
        let ticked = tick(&stage).await;
        assert_eq!(
            ticked,
            Ticked { events: 0, woken: 0, failed: 1, without_room: 0, out_of_quota: 0 }
        );
    }
    fail::remove("feed.giving");
    let dead = queue(&stage).await.failed;
    assert_eq!((dead.len(), dead[0].state, dead[0].tries), (1, FeedEventState::Dead, 5));
    assert_eq!(
        dead[0].fault.as_ref().map(|fault| fault.message.as_str()),
        Some("the test has it fail")
    );
    assert_eq!(tick(&stage).await.events, 0, "it is left alone");
    let stuck = Finding::FeedStuck { events: 1, detail: "the test has it fail".into() };
    assert_eq!(feed_check(&stage).await, Some(stuck));
    stage.do_(Command::RetryFeedEvent { event: dead[0].seq }).await;
    assert_eq!(feed_check(&stage).await, None);
    tick(&stage).await;
    assert_eq!(thread(&stage, &view).await.view.comments, 1);
    let again = stage.command(Command::RetryFeedEvent { event: dead[0].seq }).await;
    assert_eq!(again.expect_err("it is done").code, FaultCode::NotFound);
}

#[tokio::test]
async fn an_answer_that_an_agent_in_error_owes_is_told_until_it_is_given() {
    let model = Scripted::from_fn(|_, n| match n {
        1 => vec![Beat::Fail(ModelFault::new(Trouble::Key, "the key was refused", "give another"))],
        _ => vec![Beat::Text("Count them first.".into())],
    });
    let stage = stage().model(model).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
    stage.do_(Command::Tick).await;
    stage.until(async |stage: &Stage| stage.agent("Bo").await.state == AgentState::Error).await;
    let agent = stage.agent("Bo").await.id;
    let owes = queue(&stage).await;
    assert_eq!(owes.held, [HeldAnswers { agent, answers: 1 }]);
    assert_eq!((owes.answers_to_come, thread(&stage, &view).await.view.answers_held), (0, 1));
    stage.do_(Command::ResumeAgent { agent }).await;
    answered(&stage).await;
    assert_eq!(queue(&stage).await.held, []);
    let given = thread(&stage, &view).await.view;
    assert_eq!((given.comments, given.answers_held), (1, 0));
}
