//! What is charged for a call, and to whom.

use super::{answers, budget, calculates, last_fault, limit, price, settled, usage, used};
use domain::{
    AgentState, BudgetScope, Command, FaultCode, FromOwner, GroupId, ProviderKind, Query, Reply,
    RunState, Target, TurnPolicy, Update, Usage, UsageBy, WouldWake,
};
use futures::{FutureExt, Stream, StreamExt};
use llm::Trouble;
use llm::scripted::{Beat, Scripted};
use serde_json::json;
use tests::fake_server::{FakeServer, Reply as Answer};
use tests::{Stage, connected_as, fails, says, stage, thought};

#[tokio::test]
async fn a_call_that_was_killed_has_used_all_that_it_was_promised() {
    let stage =
        stage().model(Scripted::from_fn(|_, _| vec![Beat::Text("half".into()), Beat::Hang]));
    let stage = stage.open().await;
    price(&stage, "test/*").await;
    let ada = stage.direct("Ada").await;
    limit(&stage, BudgetScope::Run, Some(8_000), None).await;
    stage.post(ada, "hello").await;
    stage.model.asked(1).await;
    let promised = budget(&stage, BudgetScope::Day).await;
    assert!(promised.spent_tokens == 0 && promised.reserved_tokens > 4_096, "{promised:?}");

    let stage = stage.crash(says("yes")).await;
    stage.until(async |stage: &Stage| stage.runs().await.len() == 2).await;
    settled(&stage).await;
    let paid = budget(&stage, BudgetScope::Day).await;
    assert_eq!((paid.spent_tokens, paid.reserved_tokens), (promised.reserved_tokens, 0));
    assert_eq!(paid.spent_microusd, Some(promised.reserved_microusd));
    let first = stage.runs().await.remove(0);
    let tokens = first.usage.input_tokens.unwrap() + first.usage.output_tokens.unwrap();
    assert_eq!(i64::from(tokens), promised.reserved_tokens);
    assert_eq!(first.cost_microusd, Some(promised.reserved_microusd));
    // The second try is the same turn: what the first took is gone.
    assert_eq!(stage.model.requests(), []);
    assert_eq!(last_fault(&stage).await.code, FaultCode::Budget);
}

#[tokio::test]
async fn the_sums_on_record_are_what_the_provider_said() {
    let model = Scripted::from_fn(|_, n| {
        let cached_tokens = (n == 2).then_some(900);
        let usage = Usage { cached_tokens, ..used(1_000 * n as u32, 7) };
        if n < 3 { calculates(n, usage) } else { answers("three", usage) }
    });
    let stage = stage().model(model).open().await;
    price(&stage, "test/script").await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "count").await;

    let expected = Usage { cached_tokens: Some(900), ..used(6_000, 21) };
    let run = stage.runs().await.pop().unwrap();
    assert_eq!(run.usage, expected);
    let cost = 5_100 + 90 + 210;
    assert_eq!(run.cost_microusd, Some(cost));
    for by in [UsageBy::Agent, UsageBy::Model, UsageBy::Group, UsageBy::Day] {
        let [row] = usage(&stage, by).await.try_into().unwrap();
        let tokens = (row.input_tokens, row.output_tokens, row.cached_tokens);
        assert_eq!((row.calls, tokens, row.cost_microusd), (3, (6_000, 21, Some(900)), Some(cost)));
        assert_eq!(row.cache_write_tokens, None, "nobody said how much");
    }
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.spent_microusd), (6_021, Some(cost)));
}

/// Stops what is said in the group as soon as something of it is shown.
async fn stopped_in_its_words(
    stage: &Stage,
    events: &mut (impl Stream<Item = FromOwner> + Unpin),
    group: GroupId,
) {
    let is_live = |update: &Update| matches!(update, Update::Live { .. });
    while !matches!(events.next().await, Some(FromOwner::Event(event)) if is_live(&event.update)) {}
    stage.do_(Command::Stop { target: Target::Group(group) }).await;
    stage.quiet().await;
}

// Seen in PostHog/posthog-js#4664, 9router#2873.
#[tokio::test]
async fn an_answer_that_was_stopped_is_charged_by_our_own_count() {
    let text = "word ".repeat(40);
    let words = text.clone();
    let model = Scripted::from_fn(move |_, _| vec![Beat::Text(words.clone()), Beat::Hang]);
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "hello").await;
    let mut events = stage.events();
    stage.model.asked(1).await;
    stopped_in_its_words(&stage, &mut events, ada).await;
    let run = stage.runs().await.pop().unwrap();
    assert_eq!(run.state, RunState::Stopped);
    assert_eq!(run.usage.output_tokens, Some(text.len().div_ceil(4) as u32));
    assert!(run.usage.input_tokens > Some(50), "{:?}", run.usage);
    assert_eq!(run.usage.cached_tokens, None);
    let sum = run.usage.input_tokens.unwrap() + run.usage.output_tokens.unwrap();
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.reserved_tokens), (i64::from(sum), 0));
}

#[tokio::test]
async fn what_a_provider_had_counted_when_an_answer_was_stopped_is_charged_as_it_said() {
    let server = FakeServer::start().await;
    let usage = json!({"input_tokens": 1_000, "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 300, "output_tokens": 1});
    let start = json!({"type": "message_start", "message": {"usage": usage}});
    let block = json!({"type": "content_block_start", "index": 0,
        "content_block": {"type": "text", "text": ""}});
    let words = json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": "word ".repeat(40)}});
    let events = [start, block, words].map(|event| format!("data: {event}\n\n"));
    let answer = Answer::raw(events.concat() + "data: the end").silent_before("data: the end");
    server.once("POST /v1/messages", answer.header("Content-Type", "text/event-stream"));
    let stage = connected_as(&server, ProviderKind::Anthropic).await;
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.post(ada, "hello").await;
    stopped_in_its_words(&stage, &mut events, ada).await;
    let run = stage.runs().await.pop().unwrap();
    let Usage { input_tokens, output_tokens, cached_tokens, cache_write_tokens } = run.usage;
    assert_eq!(
        (input_tokens, cached_tokens, cache_write_tokens),
        (Some(1_800), Some(500), Some(300))
    );
    assert_eq!((output_tokens, run.estimated), (Some(50), true), "by our own count");
}

/// Perhaps it thought, and showed nothing of that; a budget that counted only what was
/// shown would never be used up.
#[tokio::test]
async fn a_count_far_above_what_was_allowed_is_charged_as_all_that_was_promised() {
    let model = Scripted::from_fn(|_, _| answers("yes", used(100, 2_000_000)));
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let run = stage.runs().await.pop().unwrap();
    let request = stage.model.requests().pop().unwrap();
    assert_eq!(run.usage.output_tokens, Some(request.max_tokens));
    assert!(run.estimated);
}

#[tokio::test]
async fn what_a_provider_does_not_say_is_our_own_count_and_what_it_refuses_is_free() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let run = stage.runs().await.pop().unwrap();
    assert_eq!(run.usage.output_tokens, Some(1));
    assert!(run.usage.input_tokens > Some(50));

    let stage = tests::stage().model(fails(Trouble::Key)).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "hello").await;
    stage.until(async |stage: &Stage| stage.agent("Ada").await.state == AgentState::Error).await;
    let run = stage.runs().await.pop().unwrap();
    assert_eq!((run.usage, run.cost_microusd), (Usage::default(), None));
    let day = budget(&stage, BudgetScope::Day).await;
    assert_eq!((day.spent_tokens, day.reserved_tokens), (0, 0));
    assert_eq!(usage(&stage, UsageBy::Agent).await[0].calls, 1);
}

// Seen in Mininglamp/cc-channel-octo#185.
#[tokio::test]
async fn a_childs_work_is_charged_to_everybody_it_works_for() {
    let stage = stage().model(Scripted::from_fn(|_, _| answers("yes", used(4_999, 1)))).open();
    let stage = stage.await;
    let ada = stage.agent("Ada").await.id;
    let mut parent = ada;
    for name in ["Child", "Grandchild"] {
        let name = Some(name.to_owned());
        let new = Command::NewAgent { soul: "ada".into(), name, model: None, parent: Some(parent) };
        let Reply::Agent(agent) = stage.do_(new).await else { panic!("no agent") };
        parent = agent.id;
    }
    limit(&stage, BudgetScope::Agent(ada), Some(11_000), None).await;
    let group = stage.direct("Grandchild").await;
    stage.say(group, "one").await;
    assert_eq!(budget(&stage, BudgetScope::Agent(ada)).await.spent_tokens, 5_000);
    stage.say(group, "two").await;
    stage.post(group, "three").await;
    stage
        .until(async |stage: &Stage| stage.agent("Grandchild").await.state == AgentState::Error)
        .await;
    let fault = last_fault(&stage).await;
    assert!(fault.message.starts_with("Ada has used 5,000 tokens"), "{fault}");
    assert!(fault.fix.contains("coterie budget set agent:Ada --tokens"), "{fault}");
}

#[tokio::test]
async fn what_a_message_may_cost_is_known_before_it_is_posted() {
    // What they read is not said, and so counted by us.
    let model = Scripted::from_fn(|request, n| {
        let output_tokens = Some(request.max_tokens);
        answers(thought(n), Usage { output_tokens, ..Usage::default() })
    });
    let stage = stage().model(model).open().await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let would = async |stage: &Stage| -> WouldWake {
        match stage.query(Query::WouldWake { group, text: "hello".into(), reply_to: None }).await {
            Ok(Reply::WouldWake(would)) => would,
            other => panic!("no estimate: {other:?}"),
        }
    };
    let unpriced = would(&stage).await;
    assert_eq!((unpriced.agents.len(), unpriced.microusd_at_most), (2, None));
    price(&stage, "test/*").await;
    let before = would(&stage).await;
    let cost = before.microusd_at_most.unwrap();
    assert!(cost > 2 * 4_096 * 10, "{before:?}");

    let mut events = stage.events();
    stage.post(group, "hello").await;
    stage.model.asked(2).await;
    stage.quiet().await;
    drop(events.next().now_or_never());
    let asked: u32 = stage.model.requests().iter().map(|request| request.max_tokens).sum();
    assert!(before.tokens_at_most > i64::from(asked));
    let spent = budget(&stage, BudgetScope::Day).await;
    assert!(spent.spent_tokens <= before.tokens_at_most, "{spent:?} {before:?}");
    assert!(spent.spent_microusd <= Some(cost), "{spent:?} {before:?}");
}

/// What is said to have been used, and whether that is believed.
#[tokio::test]
async fn a_count_that_cannot_be_true_is_as_good_as_none() {
    let text = "word ".repeat(400);
    let cases = [
        (used(0, 0), false, false),
        (used(2_400, 0), true, false),
        (used(0, 400), false, true),
        (used(5, 400), false, true),
        (used(2_400, 7), true, false),
        (used(2_400, 400), true, true),
        (used(4_000_000_000, 400), false, true),
        (used(2_400, 4_000_000_000), true, false),
    ];
    for (said, reads, writes) in cases {
        let words = text.clone();
        let model = Scripted::from_fn(move |_, _| answers(&words, said));
        let stage = stage().model(model).open().await;
        price(&stage, "test/*").await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, &"What do you make of it? ".repeat(400)).await;
        let run = stage.runs().await.remove(0);
        assert_eq!(run.state, RunState::Settled);
        let [call] = &stage.run(run.id).await.calls[..] else { panic!("one call") };
        let Usage { input_tokens, output_tokens, .. } = call.usage;
        assert_eq!(call.estimated, !(reads && writes), "{said:?}");
        assert_eq!(input_tokens == said.input_tokens, reads, "{call:?}");
        assert_eq!(output_tokens == said.output_tokens, writes, "{call:?}");
        assert!(input_tokens >= Some(2_000) && output_tokens >= Some(400), "{call:?}");
        let paid = budget(&stage, BudgetScope::Day).await;
        let both = i64::from(input_tokens.unwrap() + output_tokens.unwrap());
        assert_eq!((paid.spent_tokens, paid.spent_microusd), (both, call.cost_microusd));
    }
}
