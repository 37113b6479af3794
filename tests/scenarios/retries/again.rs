//! The same model is asked again.

use super::{BUSY, fails, fault, last, said, says, told};
use domain::{
    AgentState, Command, FromOwner, Outcome, RunState, Settings, SettingsPatch, StepKind, Target,
    TurnPolicy, Update,
};
use futures::StreamExt;
use llm::Trouble;
use llm::scripted::{Beat, Scripted};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tests::{speaker, stage};
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_call_that_fails_twice_is_answered_the_third_time_in_the_same_turn() {
    let model = Scripted::from_fn(|_, n| match n {
        1 => fails(BUSY),
        2 => fails(Trouble::Unreachable),
        _ => says("here"),
    });
    let stage = stage().model(model).chance(|| u32::MAX).open().await;
    let ada = stage.direct("Ada").await;
    let begun = Instant::now();
    stage.say(ada, "are you there?").await;
    assert_eq!(said(&stage, ada).await, ["Ada: here"]);
    assert_eq!(stage.runs().await.len(), 1);
    let run = last(&stage).await;
    let expected = [
        "asks test/script",
        "try 1 failed, again after 1000 ms",
        "try 2 failed, again after 4000 ms",
    ];
    assert_eq!(told(&run), expected);
    assert_eq!(begun.elapsed(), Duration::from_secs(5));
    assert_eq!(run.calls.len(), 3, "each try is on record by itself");
}

#[tokio::test(start_paused = true)]
async fn who_fails_three_times_says_so_once_and_makes_no_further_try() {
    let stage = stage().model(tests::fails(Trouble::ServerError)).open().await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "are you there?").await;
    stage
        .until(async |stage: &tests::Stage| stage.agent("Ada").await.state == AgentState::Error)
        .await;
    assert_eq!(said(&stage, ada).await, ["<run_failed>"]);
    let runs = stage.runs().await;
    assert_eq!((runs.len(), runs[0].state, runs[0].attempt), (1, RunState::Failed, 1));
    assert_eq!(stage.model.requests().len(), 3);
}

#[tokio::test(start_paused = true)]
async fn the_pause_is_what_chance_and_the_provider_say() {
    let asked = Some(Duration::from_secs(7));
    let model = Scripted::from_fn(move |_, n| match n {
        1 => fails(Trouble::Busy { retry_after: asked }),
        2 => fails(BUSY),
        _ => says("here"),
    });
    let draws = AtomicU32::new(0);
    let chance = move || if draws.fetch_add(1, Ordering::SeqCst) == 0 { u32::MAX } else { 0 };
    let stage = stage().model(model).chance(chance).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let told = told(&last(&stage).await);
    assert_eq!(told[1], "try 1 failed, again after 8000 ms", "no earlier than it asked");
    assert_eq!(told[2], "try 2 failed, again after 0 ms");
}

// Seen in earendil-works/pi#9595, mastra#19906, opensre#3171.
#[tokio::test(start_paused = true)]
async fn nobody_waits_an_hour_for_a_provider() {
    let hour = Trouble::Busy { retry_after: Some(Duration::from_secs(3600)) };
    let stage = stage().model(tests::fails(hour)).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.model.requests().len(), 1);
    let Some(Outcome::Failed { fault }) = last(&stage).await.run.outcome else { panic!("it ends") };
    assert_eq!(fault.message, "the test's model failed; it asks for a pause of 60 min");
}

#[tokio::test(start_paused = true)]
async fn words_that_were_shown_are_replaced_and_the_run_says_so() {
    let model = Scripted::from_fn(|_, n| {
        if n == 1 {
            let broken = fault(Trouble::BrokenAnswer);
            vec![
                Beat::Reasoning("Hm. ".into()),
                Beat::Text("Once upon a".into()),
                Beat::Wait(Duration::from_millis(50)),
                Beat::Fail(broken),
            ]
        } else {
            vec![Beat::Reasoning("Right. ".into()), Beat::Text("There was a fox.".into())]
        }
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.say(ada, "a story").await;
    assert_eq!(said(&stage, ada).await, ["Ada: There was a fox."]);
    let expected = ["asks test/script", "try 1 failed, again after 0 ms, replaces"];
    assert_eq!(told(&last(&stage).await), expected);

    // As a window shows it: a piece at 0 stands for everything before it.
    let (mut shown, mut seen) = ((String::new(), String::new()), Vec::new());
    loop {
        let Some(FromOwner::Event(event)) = events.next().await else { continue };
        match event.update {
            Update::Live { live } => {
                if live.offset == 0 {
                    shown = (live.text, live.reasoning);
                } else {
                    shown.0 += &live.text;
                    shown.1 += &live.reasoning;
                }
                seen.push(shown.clone());
            }
            Update::Saved { record: domain::Record::Message(message) } if message.run.is_some() => {
                break;
            }
            _ => {}
        }
    }
    // The end of what was written waits until it cannot be a key.
    let shown = |text: &str, thought: &str| (text.to_owned(), thought.to_owned());
    let expected =
        [shown("Once upon ", "Hm. "), shown("", ""), shown("There was a fox.", "Right. ")];
    assert_eq!(seen, expected);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_pause_at_once_and_keeps_what_was_shown() {
    let model = Scripted::from_fn(|_, _| {
        let minute = Trouble::Busy { retry_after: Some(Duration::from_secs(60)) };
        vec![Beat::Text("Once upon a time".into()), Beat::Fail(fault(minute))]
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.post(ada, "a story").await;
    loop {
        let Some(FromOwner::Event(event)) = events.next().await else { continue };
        if let Update::Saved { record: domain::Record::Step(step) } = event.update
            && matches!(step.kind, StepKind::Retried { .. })
        {
            break;
        }
    }
    let stopped = Instant::now();
    stage.do_(Command::Stop { target: Target::Group(ada) }).await;
    stage.quiet().await;
    assert!(stopped.elapsed() < Duration::from_millis(100), "{:?}", stopped.elapsed());
    assert_eq!(said(&stage, ada).await, ["Ada: Once upon a time"]);
    let run = last(&stage).await;
    assert_eq!((run.run.state, stage.model.requests().len()), (RunState::Stopped, 1));
    assert_eq!(run.calls.len(), 1, "what was said is paid for");
}

#[tokio::test(start_paused = true)]
async fn who_waits_for_another_try_holds_nobody_up() {
    let model = Scripted::from_fn(|request, _| match speaker(request).as_str() {
        "Ada" => fails(Trouble::Busy { retry_after: Some(Duration::from_secs(50)) }),
        _ => says("here"),
    });
    let stage = stage().model(model).open().await;
    let mut limits = Settings::default().limits;
    limits.max_concurrent = 1;
    let patch = SettingsPatch { limits: Some(limits), ..SettingsPatch::default() };
    stage.do_(Command::ChangeSettings { patch }).await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Broadcast).await;
    let begun = Instant::now();
    stage.post(group, "hello").await;
    stage.until(async |stage: &tests::Stage| said(stage, group).await == ["Bo: here"]).await;
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_model_that_ends_without_a_word_is_asked_again_and_is_then_said_to() {
    let silent = || vec![Beat::Text(" \n".into())];
    let model = Scripted::from_fn(move |_, n| if n == 1 { silent() } else { says("here") });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(said(&stage, ada).await, ["Ada: here"]);

    let stage = tests::stage().model(Scripted::from_fn(move |_, _| silent())).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    assert_eq!(stage.model.requests().len(), 3);
    let Some(Outcome::Failed { fault }) = last(&stage).await.run.outcome else { panic!("it ends") };
    assert_eq!(fault.message, "the model ended its answer without a word");
}

#[tokio::test(start_paused = true)]
async fn a_run_with_a_second_try_is_done_again_the_same_way() {
    let model = Scripted::from_fn(|_, n| match n {
        1 => vec![Beat::Text("Once".into()), Beat::Fail(fault(BUSY))],
        _ => says("here"),
    });
    let stage = stage().model(model).open().await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "hello").await;
    let run = last(&stage).await.run.id;
    match stage.query(domain::Query::Replay { run }).await {
        Ok(domain::Reply::Replayed(replayed)) => assert_eq!(replayed.difference, None),
        other => panic!("not done again: {other:?}"),
    }
}
