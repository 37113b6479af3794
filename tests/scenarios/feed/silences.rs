//! Answers in which there is nothing to read.

use super::{community, post, thread, tick};
use tests::{says, stage};

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
