//! What an agent was given and a budget has no room for after all.

use super::{answered, community, feed, item, post, queue, thoughtful, thread, tick};
use domain::{
    AgentState, Budget, BudgetScope, Command, Effects, LeftOf, Outcome, Query, Reason, Reply,
    RunState,
};
use llm::ToolCallDelta;
use llm::scripted::{Beat, Scripted};
use std::fs;
use std::path::Path;
use tests::{Counter, Stage, stage};

/// Asks with very many words, which no estimate reckons with.
fn long_winded(data: &Path) {
    let folder = data.join("prompts");
    fs::create_dir_all(&folder).expect("a folder");
    let words = "Weigh every word that you write. ".repeat(3_000);
    fs::write(folder.join("reply-to-post.md"), words + "Answer {{ item }}.").expect("a file");
}

async fn limit(stage: &Stage, scope: BudgetScope, tokens: Option<i64>) {
    let budget = Budget { scope, tokens, microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
}

/// What an answer of Bo's may use, as far as anybody can tell before.
async fn estimate(stage: &Stage) -> i64 {
    let group = stage.direct("Bo").await;
    let alone = Query::WouldWake { group, text: "hello".into(), reply_to: None };
    match stage.query(alone).await {
        Ok(Reply::WouldWake(would)) => would.tokens_at_most,
        other => panic!("no estimate: {other:?}"),
    }
}

async fn left_of_bo(stage: &Stage) -> Option<LeftOf> {
    let bo = stage.agent("Bo").await.id;
    let quotas = queue(stage).await.quotas.into_iter();
    quotas.filter(|quota| quota.agent == bo).map(|quota| quota.answers).next()
}

#[tokio::test]
async fn what_the_feed_has_no_room_for_after_all_waits_and_is_answered_once_there_is() {
    let stage = stage().before(long_winded).model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    limit(&stage, BudgetScope::Feed, Some(estimate(&stage).await * 2)).await;
    let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
    let ticked = tick(&stage).await;
    assert_eq!((ticked.events, ticked.woken), (1, 1), "nobody could tell");
    assert_eq!(stage.model.requests(), []);
    assert_eq!((queue(&stage).await.waiting, queue(&stage).await.failed.len()), (1, 0));
    let run = stage.runs().await.remove(0);
    assert_eq!(run.state, RunState::Dropped);
    let Some(Outcome::Silent { reason: Reason::NoRoomYet { scope, tokens, .. } }) = run.outcome
    else {
        panic!("not told: {run:?}");
    };
    assert_eq!(scope, BudgetScope::Feed);
    assert!(tokens > estimate(&stage).await * 2, "{tokens}");
    let decisions = stage.decisions(view.post.group).await;
    assert_eq!(decisions, ["Bo speak interested", "Bo wait no_room_yet"]);
    assert_eq!(stage.agent("Bo").await.state, AgentState::Idle);
    assert_eq!(left_of_bo(&stage).await, Some(LeftOf { left: 12, of: 12 }));

    // It is known now how much it needs, also after a start.
    let stage = stage.reopen().await;
    let ticked = tick(&stage).await;
    assert_eq!((ticked.events, ticked.woken, ticked.without_room), (0, 0, 1));
    assert_eq!(stage.runs().await.len(), 1);

    limit(&stage, BudgetScope::Feed, None).await;
    assert_eq!(tick(&stage).await.woken, 1);
    let told = thread(&stage, &view).await;
    assert_eq!(told.comments.len(), 1);
    assert_eq!(told.comments[0].message.parent, Some(item(&view)));
    assert_eq!(told.comments[0].message.chain_depth, 1);
    assert_eq!(left_of_bo(&stage).await, Some(LeftOf { left: 11, of: 12 }));
    tick(&stage).await;
    assert_eq!(stage.runs().await.len(), 2, "once");
}

/// One that needs more does not stand in the way of others.
#[tokio::test]
async fn what_needs_less_is_given_out_beside_what_waits_for_room() {
    let stage = stage().before(long_winded).model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    limit(&stage, BudgetScope::Feed, Some(estimate(&stage).await * 2)).await;
    post(&stage, square.id, "Which risks do you see in this plan?").await;
    tick(&stage).await;
    fs::remove_dir_all(stage.data().join("prompts")).expect("ours are used");
    let second = post(&stage, square.id, "Which risks do you see in that claim?").await;
    let ticked = tick(&stage).await;
    assert_eq!((ticked.events, ticked.woken, ticked.without_room), (1, 1, 1));
    let comments: Vec<u32> = feed(&stage).await.iter().map(|view| view.comments).collect();
    assert_eq!(comments, [1, 0], "the newest first");
    assert_eq!(thread(&stage, &second).await.comments.len(), 1);
}

#[tokio::test]
async fn who_has_used_up_its_own_day_keeps_what_it_was_given_and_says_why_it_waits() {
    let stage = stage().model(thoughtful()).open().await;
    let square = community(&stage, "Square", "", &["Bo"]).await;
    let bo = BudgetScope::Agent(stage.agent("Bo").await.id);
    limit(&stage, bo, Some(10)).await;
    let view = post(&stage, square.id, "Which risks do you see in this plan?").await;
    stage.do_(Command::Tick).await;
    stage.until(async |stage: &Stage| stage.agent("Bo").await.state == AgentState::Error).await;
    let decisions = stage.decisions(view.post.group).await;
    assert_eq!(decisions, ["Bo speak interested", "Bo wait no_room_yet"]);
    limit(&stage, bo, None).await;
    answered(&stage).await;
    assert_eq!(thread(&stage, &view).await.comments.len(), 1);
}

/// Has its tool count before it answers.
fn counts_first() -> Scripted {
    Scripted::from_fn(|_, n| {
        let (id, name) = (format!("c{n}"), Some("count".to_owned()));
        vec![Beat::ToolCall(ToolCallDelta { id, name, arguments: "{}".into() })]
    })
}

#[tokio::test]
async fn what_has_had_an_effect_is_not_done_again() {
    for (effects, waits) in [(Effects::None, 1), (Effects::Once, 0)] {
        let counter = Counter::held(effects);
        counter.gate.open();
        let soul = |data: &Path| {
            fs::create_dir_all(data.join("souls")).expect("a folder");
            let soul = "---\nname: Bo\ninterests: [risks]\ntools: [count]\n---\nYou count.\n";
            fs::write(data.join("souls/bo.md"), soul).expect("a soul");
        };
        let stage = stage().before(soul).tool(counter.clone()).model(counts_first()).open().await;
        let square = community(&stage, "Square", "", &["Bo"]).await;
        // For one call and not for another behind it.
        limit(&stage, BudgetScope::Feed, Some(estimate(&stage).await + 600)).await;
        post(&stage, square.id, "Which risks do you see in this plan?").await;
        tick(&stage).await;
        let uses = counter.uses();
        assert!(uses > 0, "{effects:?}");
        assert_eq!(queue(&stage).await.waiting, waits, "{effects:?}");
        tick(&stage).await;
        assert_eq!(counter.uses(), uses, "{effects:?}");
        let run = stage.runs().await.remove(0);
        let decided = stage.decisions(run.group).await.pop();
        let expected = match effects {
            Effects::None => (RunState::Dropped, "Bo wait no_room_yet"),
            Effects::Repeatable | Effects::Once => (RunState::Failed, "Bo pass over_budget"),
        };
        assert_eq!((run.state, decided.as_deref()), (expected.0, Some(expected.1)), "{effects:?}");
    }
}
