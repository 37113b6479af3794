//! What today's budget has room for is given out, and the rest waits.

use super::{community, feed, post, queue, thoughtful, tick};
use domain::{
    Budget, BudgetScope, Command, FaultCode, FaultKind, FeedRules, Outcome, Query, Reply, Settings,
    Ticked,
};
use store::table::{budgets, settings};
use tests::stage;

#[tokio::test]
async fn the_feed_stops_at_its_own_budget() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let scope = BudgetScope::Feed;
    let budget = Budget { scope, tokens: Some(0), microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    post(&stage, square.id, "A plan").await;
    let Ticked { events, woken, without_room, .. } = tick(&stage).await;
    assert_eq!((events, woken, without_room), (0, 0, 1));
    assert_eq!(queue(&stage).await.no_room, Some(scope), "and it is said why it waits");
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
    let scope = BudgetScope::Feed;
    // For two and a half.
    let tokens = Some(would.tokens_at_most * 5 / 2);
    let budget = Budget { scope, tokens, microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    for n in 0..5 {
        post(&stage, square.id, &format!("Plan {n}: which risks do you see in its numbers?")).await;
    }
    let Ticked { events, woken, without_room, .. } = tick(&stage).await;
    assert_eq!((events, woken, without_room), (2, 2, 3));
    let budget = Budget { scope, tokens: None, microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    let Ticked { events, woken, without_room, .. } = tick(&stage).await;
    // What was written in answer is an event too, and concerns nobody else.
    assert_eq!((events, woken, without_room), (5, 3, 0));
    assert_eq!(queue(&stage).await.no_room, None);
    let runs = stage.runs().await;
    assert_eq!(runs.len(), 5);
    assert!(
        runs.iter().all(|run| matches!(run.outcome, Some(Outcome::Replied { .. }))),
        "{runs:?}"
    );
    assert!(feed(&stage).await.iter().all(|view| view.comments == 1));
}

/// What happens by itself costs what a person has said at the most.
#[tokio::test]
async fn while_ticks_come_by_themselves_the_feed_keeps_a_limit() {
    let stage = stage().model(thoughtful()).open().await;
    let on = Command::TurnOnFeed { every_minutes: 5, tokens_a_day: 50_000, microusd_a_day: 9 };
    stage.do_(on).await;
    let set = |tokens, microusd| Command::SetBudget {
        budget: Budget { scope: BudgetScope::Feed, tokens, microusd },
    };
    let fault = stage.command(set(None, None)).await.expect_err("it would have no end");
    assert_eq!(fault.code, FaultCode::Refused);
    assert_eq!(fault.kind.as_deref(), Some(&FaultKind::FeedWithoutCap));
    assert!(fault.fix.contains("coterie feed off"), "{fault}");
    let Ok(Reply::Budgets(all)) = stage.query(Query::Budgets).await else { panic!("none") };
    let feed = all.iter().find(|one| one.budget.scope == BudgetScope::Feed).expect("there");
    assert_eq!(feed.budget.tokens, Some(50_000), "as before");
    // Nobody knows what every model costs.
    let dollars = stage.command(set(None, Some(9))).await.expect_err("it would have no end");
    assert_eq!(dollars.kind, fault.kind);
    stage.do_(set(Some(60_000), None)).await;
    stage.do_(Command::TurnOffFeed).await;
    stage.do_(set(None, None)).await;
    assert!(!queue(&stage).await.without_cap, "nothing is to come by itself");
}

#[tokio::test]
async fn a_feed_that_was_left_on_without_a_limit_rests_and_says_so() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    post(&stage, square.id, "A plan").await;
    let no_limit = Budget { scope: BudgetScope::Feed, tokens: None, microusd: None };
    let stage = stage
        .reopen_changed(move |write| {
            let stands = settings::to_change(write)?;
            let feed = FeedRules { on: true, every_minutes: 5, ..stands.feed };
            settings::put(write, &Settings { feed, ..stands })?;
            budgets::put(write, &no_limit)
        })
        .await;
    let rests = queue(&stage).await;
    assert_eq!((rests.without_cap, rests.next_tick_ms, rests.waiting), (true, None, 1));
    let budget = Budget { tokens: Some(50_000), ..no_limit };
    stage.do_(Command::SetBudget { budget }).await;
    assert!(!queue(&stage).await.without_cap);
    // Nothing tells of it.
    while queue(&stage).await.next_tick_ms.is_none() {
        tokio::task::yield_now().await;
    }
}
