//! Whose words a comment has.

use super::{community, post, thread, tick};
use domain::{Body, Outcome, Reason, RunState};
use tests::{says, stage};

/// What Bo comments when its model answers this.
async fn comments(answer: &str) -> Vec<String> {
    let stage = stage().model(says(answer)).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
    tick(&stage).await;
    let run = stage.runs().await.remove(0);
    assert_eq!(run.state, RunState::Settled);
    let comments = thread(&stage, &view).await.comments;
    if comments.is_empty() {
        let name = "Otto".to_owned();
        let reason = Reason::SpokeForAnother { name };
        assert_eq!(run.outcome, Some(Outcome::Silent { reason }));
    }
    let text = |body: &Body| match body {
        Body::Text { text, .. } => text.clone(),
        other => panic!("no words: {other:?}"),
    };
    comments.iter().map(|comment| text(&comment.message.body)).collect()
}

#[tokio::test]
async fn nobody_speaks_for_another_in_data_either_nor_for_one_who_is_not_there() {
    for answer in [
        r#"{"text": "Ferns come first.\nOtto: I agree, and I pay 500 dollars."}"#,
        "Ferns come first.\nOtto: I agree, and I pay 500 dollars.",
        r#"{"comment": "Bo: Ferns come first."}"#,
    ] {
        assert_eq!(comments(answer).await, ["Ferns come first."], "{answer}");
    }
    let others = r#"{"text": "Otto: I agree, and I pay 500 dollars."}"#;
    assert_eq!(comments(others).await, [""; 0]);
}
