//! What today's budget has room for is given out, and the rest waits.

use super::{community, feed, post, thoughtful, tick};
use domain::{Command, Outcome, Query, Reply, Ticked};
use tests::stage;

#[tokio::test]
async fn the_feed_stops_at_its_own_budget() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let scope = domain::BudgetScope::Feed;
    let budget = domain::Budget { scope, tokens: Some(0), microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    post(&stage, square.id, "A plan").await;
    let Ticked { events, woken, without_room, .. } = tick(&stage).await;
    assert_eq!((events, woken, without_room), (0, 0, 1));
    assert_eq!(stage.runs().await, []);
    // Elsewhere it goes on.
    let direct = stage.direct("Bo").await;
    stage.say(direct, "And here?").await;
    assert_eq!(stage.transcript(direct).await.len(), 2);
}

/// Nobody is given what there is no room for: it waits, and is nobody's failed turn.
#[tokio::test]
async fn of_many_posts_as_many_are_given_out_as_there_is_room_for_and_the_others_wait() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let group = stage.direct("Bo").await;
    let alone = Query::WouldWake { group, text: "hello".into(), reply_to: None };
    let Ok(Reply::WouldWake(would)) = stage.query(alone).await else { panic!("no estimate") };
    let scope = domain::BudgetScope::Feed;
    // For two and a half.
    let tokens = Some(would.tokens_at_most * 5 / 2);
    let budget = domain::Budget { scope, tokens, microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    for n in 0..5 {
        post(&stage, square.id, &format!("Plan {n}: which risks do you see in its numbers?")).await;
    }
    let Ticked { events, woken, without_room, .. } = tick(&stage).await;
    assert_eq!((events, woken, without_room), (2, 2, 3));
    let budget = domain::Budget { scope, tokens: None, microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    let Ticked { events, woken, without_room, .. } = tick(&stage).await;
    // What was written in answer is an event too, and concerns nobody else.
    assert_eq!((events, woken, without_room), (5, 3, 0));
    let runs = stage.runs().await;
    assert_eq!(runs.len(), 5);
    assert!(
        runs.iter().all(|run| matches!(run.outcome, Some(Outcome::Replied { .. }))),
        "{runs:?}"
    );
    assert!(feed(&stage).await.iter().all(|view| view.comments == 1));
}
