//! Another model answers in the place of one that failed for good.

use super::{BUSY, choose, connect, fails, fault, last, paid, said, says, says_and_used, told};
use domain::{AgentState, Command, ModelRole, Outcome, Price, SettingsPatch, Usage, UsageBy};
use llm::scripted::{Beat, Scripted};
use llm::{Finish, ModelRequest, ToolCallDelta, Trouble};
use std::path::Path;
use tests::{Setting, Stage, stage};

const FALLBACK: &str = "acme/spare";

fn is_spare(request: &ModelRequest) -> bool {
    request.model == "spare"
}

fn used() -> Usage {
    Usage { input_tokens: Some(1_000), output_tokens: Some(100), ..Usage::default() }
}

/// The first model does this, the other one answers.
fn with_spare(first: impl Fn(usize) -> Vec<Beat> + Send + Sync + 'static) -> Scripted {
    Scripted::from_fn(move |request, n| {
        if is_spare(request) { says_and_used("the spare one", used()) } else { first(n) }
    })
}

async fn opened(setting: Setting) -> Stage {
    let stage = setting.open().await;
    connect(&stage, FALLBACK, true).await;
    choose(&stage, ModelRole::Fallback, FALLBACK).await;
    stage
}

fn price(model: &str, microusd: i64) -> Price {
    Price {
        model: model.into(),
        input_microusd: microusd,
        cached_microusd: None,
        cache_write_microusd: None,
        output_microusd: microusd,
        as_of: None,
        by_provider: false,
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_keeps_a_model_from_answering_the_fallback_answers_in_the_same_turn() {
    for (trouble, tries) in [
        (Trouble::Unreachable, 3),
        (BUSY, 3),
        (Trouble::ServerError, 3),
        (Trouble::BrokenAnswer, 3),
        (Trouble::Engine, 3),
        (Trouble::Key, 1),
        (Trouble::UnknownModel, 1),
        (Trouble::Refused, 1),
        (Trouble::ModelFile, 1),
    ] {
        let stage = opened(stage().model(with_spare(move |_| fails(trouble)))).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "hello").await;
        let waits_for_a_person = [Trouble::Key, Trouble::UnknownModel, Trouble::ModelFile];
        let expected: &[&str] = match waits_for_a_person.contains(&trouble) {
            true => &["<stood_in>", "Ada: the spare one"],
            false => &["Ada: the spare one"],
        };
        assert_eq!(said(&stage, ada).await, expected, "{trouble:?}");
        assert_eq!(stage.model.requests().len(), tries + 1, "{trouble:?}");
        let run = last(&stage).await;
        assert_eq!(run.context.fallback.as_deref(), Some(FALLBACK));
        assert_eq!(run.run.model, "test/script");
        assert_eq!(run.run.asked_instead.as_deref(), Some(FALLBACK));
        assert_eq!(told(&run).last().unwrap(), "acme/spare for test/script");
        assert_eq!(stage.agent("Ada").await.state, AgentState::Idle);
    }
}

#[tokio::test(start_paused = true)]
async fn who_answers_for_a_model_without_a_key_is_told_once_until_it_has_answered() {
    let first = |n| if n == 5 { says("I am back") } else { fails(Trouble::Key) };
    let stage = opened(stage().model(with_spare(first))).await;
    let ada = stage.direct("Ada").await;
    for text in ["one", "two", "three", "four"] {
        stage.say(ada, text).await;
    }
    let spare = "Ada: the spare one";
    assert_eq!(
        said(&stage, ada).await,
        ["<stood_in>", spare, spare, "Ada: I am back", "<stood_in>", spare]
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_paid_is_what_the_model_costs_that_answered() {
    let stage = opened(stage().model(with_spare(|_| fails(Trouble::ServerError)))).await;
    for price in [price("test/*", 5_000_000), price("acme/*", 1_000_000)] {
        let patch = SettingsPatch { price: Some(price.into()), ..SettingsPatch::default() };
        stage.do_(Command::ChangeSettings { patch }).await;
    }
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let run = last(&stage).await;
    let (first, spare) = (("test/script", None), ("acme/spare", Some(1_100)));
    assert_eq!(paid(&run.calls), [first, first, first, spare]);
    assert_eq!((run.run.cost_microusd, run.run.usage), (Some(1_100), used()));
    let by_model = super::usage(&stage, UsageBy::Model).await;
    let row = by_model.iter().find(|row| row.key == "acme/spare").expect("it was used");
    assert_eq!((row.calls, row.cost_microusd, row.unpriced_calls), (1, Some(1_100), 0));
}

#[tokio::test(start_paused = true)]
async fn the_fallback_goes_on_for_the_rest_of_the_turn_and_no_longer() {
    let model = Scripted::from_fn(|request, n| match (is_spare(request), n) {
        (false, 1) => fails(Trouble::Key),
        (true, 2) => {
            let call = ToolCallDelta {
                id: "c1".into(),
                name: Some("calculator".into()),
                arguments: r#"{"expression": "1 + 1"}"#.into(),
            };
            let usage = Usage::default();
            vec![Beat::ToolCall(call), Beat::Done { finish: Finish::ToolCalls, usage }]
        }
        (true, _) => says("two"),
        (false, _) => says("three"),
    });
    let stage = opened(stage().model(model)).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "1 + 1?").await;
    let expected = ["asks test/script", "acme/spare for test/script", "asks acme/spare"];
    assert_eq!(told(&last(&stage).await), expected);
    stage.say(ada, "and 1 + 2?").await;
    assert_eq!(told(&last(&stage).await), ["asks test/script"]);
    assert_eq!(last(&stage).await.run.asked_instead, None);
    assert_eq!(said(&stage, ada).await, ["<stood_in>", "Ada: two", "Ada: three"]);

    let run = stage.runs().await.remove(0).id;
    match stage.query(domain::Query::Replay { run }).await {
        Ok(domain::Reply::Replayed(replayed)) => assert_eq!(replayed.difference, None),
        other => panic!("not done again: {other:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn words_of_the_first_model_give_way_to_those_of_the_other() {
    let first = |_| vec![Beat::Text("Once upon".into()), Beat::Fail(fault(Trouble::Refused))];
    let stage = opened(stage().model(with_spare(first))).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(said(&stage, ada).await, ["Ada: the spare one"]);
    assert_eq!(told(&last(&stage).await)[1], "acme/spare for test/script, replaces");
}

#[tokio::test(start_paused = true)]
async fn when_both_fail_one_notice_names_both() {
    let model = Scripted::from_fn(|request, _| {
        fails(if is_spare(request) { Trouble::UnknownModel } else { Trouble::Key })
    });
    let stage = opened(stage().model(model)).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(said(&stage, ada).await, ["<run_failed>"]);
    let Some(Outcome::Failed { fault }) = last(&stage).await.run.outcome else { panic!("it ends") };
    assert_eq!(fault.message, "the model failed; acme/spare in its place: the model failed");
    assert_eq!(fault.code, domain::FaultCode::Key);
}

#[tokio::test(start_paused = true)]
async fn a_limit_of_ours_is_no_reason_to_ask_somebody_else() {
    let stage = opened(stage().model(with_spare(|_| says("the first one")))).await;
    let budget =
        domain::Budget { scope: domain::BudgetScope::Day, tokens: Some(10), microusd: None };
    stage.do_(Command::SetBudget { budget }).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.model.requests(), []);
    let Some(Outcome::Failed { fault }) = last(&stage).await.run.outcome else { panic!("it ends") };
    assert_eq!(fault.code, domain::FaultCode::Budget);
}

#[tokio::test(start_paused = true)]
async fn a_model_whose_provider_is_gone_is_answered_for() {
    let stage = opened(stage().model(with_spare(|_| says("the first one")))).await;
    stage.do_(Command::RemoveProvider { provider: "test".into() }).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(said(&stage, ada).await, ["<stood_in>", "Ada: the spare one"]);
}

/// Ada's soul names the model, and perhaps a fallback.
fn ada_keeps_to(model: &'static str, fallback: Option<&'static str>) -> Setting {
    stage().before(move |data: &Path| {
        let fallback = fallback.map_or(String::new(), |model| format!("fallback: {model}\n"));
        let soul = format!("---\nname: Ada\nmodel: {model}\n{fallback}---\nYou are Ada.\n");
        std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
        std::fs::write(data.join("souls/ada.md"), soul).expect("the folder can be written");
    })
}

#[tokio::test(start_paused = true)]
async fn what_is_meant_for_a_model_of_ones_own_machine_goes_nowhere_else_unasked() {
    for (fallback, expected) in [
        (None, "<run_failed>"),
        (Some("none"), "<run_failed>"),
        (Some(FALLBACK), "Ada: the spare one"),
    ] {
        let setting = ada_keeps_to("test/script", fallback);
        let stage = opened(setting.model(with_spare(|_| fails(Trouble::Engine)))).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, "hello").await;
        assert_eq!(said(&stage, ada).await, [expected], "{fallback:?}");
    }
    // Of a provider that is gone nobody knows any more that it was here.
    let setting = ada_keeps_to("test/script", None);
    let stage = opened(setting.model(with_spare(|_| says("the first one")))).await;
    stage.do_(Command::RemoveProvider { provider: "test".into() }).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(said(&stage, ada).await, ["<run_failed>"]);
    assert_eq!(stage.model.requests(), []);
}

#[tokio::test(start_paused = true)]
async fn the_fallback_is_asked_for_no_more_than_its_window_holds() {
    let stage = opened(stage().model(with_spare(|_| fails(Trouble::Key)))).await;
    let mut provider = stage.overview().await.providers;
    provider.retain(|provider| provider.name == "acme");
    let mut provider = provider.remove(0);
    provider.models[0].context_tokens = Some(2_000);
    stage.do_(Command::save_provider(provider)).await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, &"sheep ".repeat(3_000)).await;
    let requests = stage.model.requests();
    let length = |request: &ModelRequest| -> usize {
        request.turns.iter().map(|turn| turn.content.len()).sum()
    };
    assert!(length(&requests[0]) > 18_000 && length(&requests[1]) < 8_000);
    assert_eq!((requests[0].max_tokens, requests[1].max_tokens), (4_096, 500));
}
