//! What is said of something in the feed before it is written: who answers it, and when.

use super::*;
use domain::{AgentId, Budget, BudgetScope, FeedPlace, WouldAnswer};
use std::collections::BTreeSet;

async fn would(stage: &Stage, place: FeedPlace, text: &str) -> WouldAnswer {
    match stage.query(Query::WouldAnswer { place, text: text.into() }).await {
        Ok(Reply::WouldAnswer(would)) => would,
        other => panic!("nothing is said of it: {other:?}"),
    }
}

/// Who was to answer it so far.
async fn spoke(stage: &Stage, view: &PostView) -> BTreeSet<AgentId> {
    let group = view.post.group;
    let query = Query::Decisions { group, message: view.post.message, limit: 100 };
    let Ok(Reply::Decisions(all)) = stage.query(query).await else { panic!("none") };
    let speak = all.into_iter().filter(|decision| decision.verdict == Verdict::Speak);
    speak.map(|decision| decision.agent).collect()
}

fn all_of(some: &[AgentId], more: &[AgentId]) -> BTreeSet<AgentId> {
    some.iter().chain(more).copied().collect()
}

#[tokio::test]
async fn whoever_is_said_to_answer_a_post_answers_it() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "Be brief.", &["Ada", "Bo", "Ines", "Otto"]).await;
    let place = FeedPlace::Post { community: Some(square.id) };
    for text in [
        "Which risks do you see in these numbers?",
        "@Otto when does the ferry leave?",
        "@Otto which risks do you see in these numbers?",
        "@老陈 which plans do you have?",
        "A xylophone for sale",
        "Another one",
    ] {
        let would = would(&stage, place, text).await;
        assert_eq!(would.over, None, "{text}");
        assert!(would.tokens_at_most > 0, "{text}");
        let view = post(&stage, square.id, text).await;
        answered(&stage).await;
        assert_eq!(all_of(&would.at_once, &[]), spoke(&stage, &view).await, "{text}");
        tick(&stage).await;
        let both = all_of(&would.at_once, &would.by_tick);
        assert_eq!(both, spoke(&stage, &view).await, "{text}");
        // Nothing is to wait when the next one is asked about.
        while tick(&stage).await.events > 0 {}
    }
}

#[tokio::test]
async fn who_is_answered_is_said_to_answer_and_who_rests_to_do_so_later() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let bo = stage.agent("Bo").await.id;
    let view = post(&stage, square.id, "Is this plan any good?").await;
    tick(&stage).await;
    let first = thread(&stage, &view).await.comments[0].message.id;
    let answers = would(&stage, FeedPlace::Comment { to: first }, "And why?").await;
    assert_eq!((answers.at_once, answers.by_tick, answers.later), (vec![], vec![bo], vec![]));
    let rests = would(&stage, FeedPlace::Comment { to: item(&view) }, "And tea?").await;
    assert_eq!((rests.at_once, rests.by_tick, rests.later), (vec![], vec![], vec![bo]));
    assert_eq!((rests.tokens_at_most, rests.microusd_at_most), (0, Some(0)));

    comment(&stage, first, "And why?").await;
    tick(&stage).await;
    assert_eq!(thread(&stage, &view).await.comments.len(), 3, "as it was said");
}

#[tokio::test]
async fn who_is_paused_is_said_to_answer_later() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Ada"]).await;
    let agent = stage.agent("Otto").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    let place = FeedPlace::Post { community: Some(square.id) };
    let would = would(&stage, place, "@Otto when does the ferry leave?").await;
    assert_eq!((would.at_once, would.by_tick, would.later), (vec![], vec![], vec![agent]));
}

#[tokio::test]
async fn before_there_is_a_community_everybody_is_said_to_read_and_nothing_is_written_by_it() {
    let stage = stage().model(thoughtful()).open().await;
    let everywhere = FeedPlace::Post { community: None };
    let would = would(&stage, everywhere, "Which risks do you see in these numbers?").await;
    let expected = stage.ids(&["Bo", "Ines"]).await;
    assert_eq!(all_of(&would.by_tick, &would.at_once), all_of(&expected, &[]));
    assert_eq!(feed(&stage).await, []);
    assert_eq!((queue(&stage).await.waiting, stage.runs().await.len()), (0, 0));
}

#[tokio::test]
async fn what_the_feed_has_no_room_for_is_said_to_wait() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let place = FeedPlace::Post { community: Some(square.id) };
    let text = "Is this plan any good?";
    let before = would(&stage, place, text).await;
    let limit = async |tokens| {
        let budget = Budget { scope: BudgetScope::Feed, tokens: Some(tokens), microusd: None };
        stage.do_(Command::SetBudget { budget }).await;
    };
    limit(before.tokens_at_most - 1).await;
    let without = would(&stage, place, text).await;
    assert_eq!((without.no_room, without.by_tick), (Some(BudgetScope::Feed), vec![]));
    // With what a prompt has around the name of its community.
    limit(before.tokens_at_most + 50).await;
    assert_eq!(would(&stage, place, text).await, before);
    post(&stage, square.id, text).await;
    assert_eq!(tick(&stage).await.woken, 1, "there is as much room as it was said to need");
}
