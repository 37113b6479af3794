//! What is found by words that are out of sight.

use super::{comment, community, item, moderate, post, thread, tick};
use domain::{FoundItem, FoundWhat, MessageId, Moderation, Query, Reply, Search};
use tests::{Stage, in_files, says, stage};

async fn search(stage: &Stage, text: &str) -> Vec<FoundItem> {
    let search = Search { text: text.into(), limit: 10, ..Search::default() };
    loop {
        match stage.query(Query::Search { search: search.clone() }).await {
            Ok(Reply::Found(found)) if found.unread == 0 => break found.items,
            Ok(Reply::Found(_)) => {}
            other => panic!("not searched: {other:?}"),
        }
    }
}

/// What messages are found by these words, as a person finds them.
pub(super) async fn found(stage: &Stage, text: &str) -> Vec<MessageId> {
    let messages = search(stage, text).await.into_iter().filter_map(|item| match item.what {
        FoundWhat::Message { message, .. } => Some(message),
        FoundWhat::Memory { .. } | FoundWhat::Run { .. } => None,
    });
    messages.collect()
}

#[tokio::test]
async fn what_is_hidden_is_found_by_nobody_and_its_thread_has_no_name() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "Xylophones for sale").await;
    tick(&stage).await;
    let run = stage.runs().await[0].id;
    assert_eq!(found(&stage, "xylophones").await, [item(&view)]);
    assert_eq!(stage.run(run).await.context.group_name, "Xylophones for sale");
    for _ in 0..2 {
        moderate(&stage, item(&view), Moderation::Hide, None).await;
    }
    assert_eq!(found(&stage, "xylophones").await, []);
    assert_eq!(stage.run(run).await.context.group_name, "…");
    // Who answers a comment there is not told of what the post says.
    let said = thread(&stage, &view).await.comments[0].message.id;
    comment(&stage, said, "Are you sure?").await;
    tick(&stage).await;
    let request = stage.model.requests().pop().expect("somebody was asked");
    assert!(request.turns.iter().all(|turn| !turn.content.contains("Xylophones")), "{request:?}");
    for _ in 0..2 {
        moderate(&stage, item(&view), Moderation::Show, None).await;
    }
    assert_eq!(found(&stage, "xylophones").await, [item(&view)]);
    assert_eq!(stage.run(run).await.context.group_name, "Xylophones for sale");
    let told = thread(&stage, &view).await.moderated;
    let hows: Vec<Moderation> = told.into_iter().map(|one| one.how).collect();
    assert_eq!(hows, [Moderation::Hide, Moderation::Show], "twice is once");
}

#[tokio::test]
async fn a_post_that_is_removed_is_also_out_of_what_its_agents_were_sent_of_their_own_answers() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "My alarm code is QUOKKA7719, tell nobody.").await;
    tick(&stage).await;
    comment(&stage, thread(&stage, &view).await.comments[0].message.id, "And what else?").await;
    tick(&stage).await;
    // What Bo said before stands below the post that it answers.
    let asked = stage.model.requests().pop().expect("Bo was asked again");
    let own = asked.turns.iter().find(|turn| turn.role == llm::Role::Assistant);
    assert!(own.is_some_and(|own| own.content.contains("QUOKKA")), "{asked:?}");
    assert!(!in_files(stage.data(), "quokka7719").is_empty());
    moderate(&stage, item(&view), Moderation::Remove, None).await;
    assert_eq!(in_files(stage.data(), "quokka7719"), [""; 0]);
    let said = thread(&stage, &view).await.comments;
    assert_eq!(said[0].message.text(), Some("Yes, it is."));
}

#[tokio::test]
async fn no_turn_is_found_by_the_words_of_a_post_that_is_hidden_or_removed() {
    let stage = stage().model(says("Yes, it is.")).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let view = post(&stage, square.id, "My password is qwzxplu. Is this plan good?").await;
    tick(&stage).await;
    assert_eq!(search(&stage, "qwzxplu").await.len(), 2, "the post, and who read it");
    moderate(&stage, item(&view), Moderation::Hide, None).await;
    assert_eq!(search(&stage, "qwzxplu").await, []);
    moderate(&stage, item(&view), Moderation::Show, None).await;
    assert_eq!(search(&stage, "qwzxplu").await.len(), 2);
    moderate(&stage, item(&view), Moderation::Remove, None).await;
    assert_eq!(search(&stage, "qwzxplu").await, []);
}
