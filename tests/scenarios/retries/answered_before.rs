//! What was answered a short while ago is not asked again.

use super::{choose, connect, fails, last, paid, said, says, says_and_used, told};
use domain::{
    Command, GroupId, ModelRole, ResponseCache, RunDetail, SettingsPatch, StepKind, Usage, UsageBy,
};
use llm::Trouble;
use llm::scripted::{Beat, Scripted};
use std::path::Path;
use std::time::Duration;
use store::table::response_cache::{self, MadeOf};
use store::{Durability, Store};
use tests::{Setting, Stage, stage};

/// Ada is asked for the likeliest answer; each answer has a number.
fn ada_says(more: &'static str) -> Setting {
    let counting = Scripted::from_fn(|_, n| {
        let usage = Usage { input_tokens: Some(100), output_tokens: Some(5), ..Usage::default() };
        says_and_used(&format!("answer {n}"), usage)
    });
    stage().model(counting).before(move |data: &Path| {
        let soul = format!("---\nname: Ada\n{more}---\nYou are Ada.\n");
        std::fs::create_dir_all(data.join("souls")).expect("the folder can be written");
        std::fs::write(data.join("souls/ada.md"), soul).expect("the folder can be written");
    })
}

/// The same, as if for the first time.
async fn asks_anew(stage: &Stage, text: &str) -> RunDetail {
    let agent = stage.agent("Ada").await.id;
    let line = domain::Line { role: domain::Speaker::User, content: text.into() };
    // It may fail, which is then on record.
    let _ = stage.command(Command::RunOnce { agent, dialog: vec![line] }).await;
    last(stage).await
}

async fn answer_of(stage: &Stage, run: &RunDetail) -> Vec<String> {
    said(stage, run.run.group).await
}

const LIKELIEST: &str = "temperature: 0\n";

#[tokio::test]
async fn the_same_question_is_answered_from_the_cache_for_an_hour_and_costs_nothing() {
    let stage = ada_says(LIKELIEST).open().await;
    let first = asks_anew(&stage, "hello").await;
    let again = asks_anew(&stage, "hello").await;
    assert_eq!(answer_of(&stage, &again).await, ["Ada: answer 1"]);
    assert_eq!(told(&again), ["asks test/script", "test/script is not asked"]);
    assert_eq!((paid(&again.calls), again.run.cost_microusd), (vec![], None));
    assert_eq!(first.calls.len(), 1);
    let asked_ms = again.steps.iter().find_map(|step| match step.kind {
        StepKind::FromCache { asked_ms, .. } => Some(asked_ms),
        _ => None,
    });
    assert_eq!(asked_ms, first.run.ended_ms);
    let [row] = super::usage(&stage, UsageBy::Agent).await.try_into().unwrap();
    assert_eq!((row.calls, row.input_tokens), (1, 100));

    stage.clock.advance(Duration::from_secs(3_600));
    asks_anew(&stage, "hello").await;
    assert_eq!(stage.model.requests().len(), 1, "an hour is an hour");
    stage.clock.advance(Duration::from_millis(1));
    let later = asks_anew(&stage, "hello").await;
    assert_eq!(answer_of(&stage, &later).await, ["Ada: answer 2"]);
}

#[tokio::test]
async fn who_stands_in_with_an_answer_of_before_is_told_of_too() {
    let model = Scripted::from_fn(|_, n| match n {
        1 | 4 => fails(Trouble::Key),
        2 => says("the spare one"),
        _ => says("I am back"),
    });
    let stage = ada_says(LIKELIEST).model(model).open().await;
    connect(&stage, "acme/spare", true).await;
    choose(&stage, ModelRole::Fallback, "acme/spare").await;
    for (words, expected) in [
        ("hello", &["<stood_in>", "Ada: the spare one"][..]),
        ("are you back?", &["Ada: I am back"]),
        ("hello", &["<stood_in>", "Ada: the spare one"]),
    ] {
        let run = asks_anew(&stage, words).await;
        assert_eq!(answer_of(&stage, &run).await, expected);
    }
    assert_eq!(stage.model.requests().len(), 4);
}

#[tokio::test]
async fn who_has_it_answered_again_is_not_given_the_same() {
    let stage = ada_says(LIKELIEST).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let answer = stage.messages(ada).await.pop().expect("was said").id;
    stage.do_(Command::AnswerAgain { message: answer }).await;
    stage.quiet().await;
    assert_eq!(said(&stage, ada).await, ["Ada: answer 2"]);
    assert_eq!(stage.model.requests().len(), 2);
}

#[tokio::test]
async fn the_smallest_difference_is_another_question() {
    let stage = ada_says(LIKELIEST).open().await;
    asks_anew(&stage, "hello").await;
    asks_anew(&stage, "hello!").await;
    assert_eq!(stage.model.requests().len(), 2);
    // The same model under another name, or at another address, is another one.
    connect(&stage, "twin/script", false).await;
    choose(&stage, ModelRole::Default, "twin/script").await;
    asks_anew(&stage, "hello").await;
    assert_eq!(stage.model.requests().len(), 3);
}

#[tokio::test]
async fn what_chance_has_a_part_in_is_asked_anew_unless_a_person_wants_it_otherwise() {
    let check = async |soul: &'static str, cache: Option<ResponseCache>, asked: usize| {
        let stage = ada_says(soul).open().await;
        let patch = SettingsPatch { response_cache: cache, ..SettingsPatch::default() };
        stage.do_(Command::ChangeSettings { patch }).await;
        asks_anew(&stage, "hello").await;
        asks_anew(&stage, "hello").await;
        assert_eq!(stage.model.requests().len(), asked, "{soul} {cache:?}");
    };
    let cache = |on, sampled| Some(ResponseCache { on, sampled });
    check("", None, 2).await;
    check("temperature: 0.1\n", None, 2).await;
    check("", cache(true, true), 1).await;
    check("response_cache: true\n", None, 1).await;
    check(LIKELIEST, None, 1).await;
    check(LIKELIEST, cache(false, false), 2).await;
    check("temperature: 0\nresponse_cache: false\n", None, 2).await;
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_broke_off_or_said_nothing_is_never_given_again() {
    for ending in [
        fails(Trouble::Refused),
        vec![Beat::Text("  ".into())],
        vec![
            Beat::Text("Once upon".into()),
            Beat::Done { finish: llm::Finish::Length, usage: Usage::default() },
        ],
    ] {
        let first = ending.clone();
        let model =
            Scripted::from_fn(move |_, n| if n <= 3 { first.clone() } else { says("here") });
        let stage = ada_says(LIKELIEST).model(model).open().await;
        let agent = stage.agent("Ada").await.id;
        asks_anew(&stage, "hello").await;
        let _ = stage.command(Command::ResumeAgent { agent }).await;
        let asked = stage.model.requests().len();
        asks_anew(&stage, "hello").await;
        assert!(stage.model.requests().len() > asked, "{ending:?}");
    }
}

#[tokio::test]
async fn what_is_to_be_forgotten_is_forgotten_here_too() {
    let stage = ada_says(LIKELIEST).open().await;
    let first = asks_anew(&stage, "hello").await;
    let data = stage.data().join("coterie.db");
    stage.workspace.close().await;
    let (store, _) = Store::open(&data, |_| {}).expect("it opens");
    let forget = async |made_of| {
        let work = move |write: &mut store::Write<'_>| response_cache::forget(write, made_of);
        store.write(Durability::Process, work).await.expect("it can be written")
    };
    let stranger = GroupId(uuid::Uuid::nil());
    assert_eq!(forget(MadeOf::Group(stranger)).await, 0);
    assert_eq!(forget(MadeOf::Run(first.run.id)).await, 1);
    assert_eq!(forget(MadeOf::Agent(first.run.agent)).await, 0);
    assert_eq!(forget(MadeOf::Anything).await, 0);
}
