//! Answers in which there is nothing to read.

use super::{community, post, thread, tick};
use domain::{AgentState, Command, Outcome, PostView, Reason, RunState};
use tests::{says, stage};

#[tokio::test(start_paused = true)]
async fn an_empty_answer_to_the_feed_is_silence_and_nobody_has_an_error() {
    let stage = stage().model(says("")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
    tick(&stage).await;
    let run = stage.runs().await.remove(0);
    assert_eq!(run.state, RunState::Settled);
    assert_eq!(run.outcome, Some(Outcome::Silent { reason: Reason::Unreadable }));
    assert_eq!(stage.agent("Bo").await.state, AgentState::Idle);
    assert_eq!(thread(&stage, &view).await.comments, []);
    let decisions = stage.decisions(view.post.group).await;
    assert_eq!(decisions, ["Bo speak interested", "Bo pass unreadable"]);
    // Whoever asked for a post is told that none came.
    let agent = stage.agent("Bo").await.id;
    stage.do_(Command::AskForPost { community: square.id, agent }).await;
    let failed = async |stage: &tests::Stage| {
        stage.runs().await.iter().any(|run| run.state == RunState::Failed)
    };
    stage.until(failed).await;
    stage.quiet().await;
    assert_eq!(stage.agent("Bo").await.state, AgentState::Idle);
}

#[tokio::test]
async fn what_says_nothing_is_on_record_as_silence_and_no_comment() {
    for nothing in ["null", "PASS", "{\"text\": null}", "<comment>", "```json\n```"] {
        let stage = stage().model(says(nothing)).open().await;
        let square = community(&stage, "Square", "", &["Bo"]).await;
        let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
        tick(&stage).await;
        assert_eq!(thread(&stage, &view).await.comments, [], "{nothing}");
        let decisions = stage.decisions(view.post.group).await;
        assert_eq!(decisions, ["Bo speak interested", "Bo pass chose_silence"], "{nothing}");
    }
}

#[tokio::test]
async fn a_sign_without_words_is_on_record_as_that() {
    let stage = stage().model(says("{\"text\": null, \"reaction\": \"👍\"}")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
    tick(&stage).await;
    let thread = thread(&stage, &view).await;
    let signs = |view: &PostView| {
        let item = view.item.as_ref().expect("it is written");
        item.reactions.iter().map(|one| one.sign.clone()).collect::<Vec<_>>()
    };
    assert_eq!((thread.comments, signs(&thread.view)), (Vec::new(), vec!["👍".to_owned()]));
    let reacted = Outcome::Silent { reason: Reason::Reacted { sign: "👍".into() } };
    assert_eq!(stage.runs().await[0].outcome, Some(reacted));
    let decisions = stage.decisions(view.post.group).await;
    assert_eq!(decisions, ["Bo speak interested", "Bo pass reacted"]);
}
