//! A model and a fallback that do anything wrong, in any order.

use super::{choose, connect, fault, said};
use domain::{FromOwner, ModelRole, Record, StepKind, Update, Usage};
use futures::{FutureExt, StreamExt};
use llm::scripted::{Beat, Scripted};
use llm::{Finish, ToolCallDelta, Trouble};
use proptest::prelude::*;
use std::time::Duration;
use tests::stage;

#[derive(Debug, Clone, Copy)]
enum Does {
    Answers,
    SaysNothing,
    Calls,
    IsCutShort,
    Fails { trouble: Trouble, after_words: bool },
}

fn trouble() -> impl Strategy<Value = Trouble> {
    prop_oneof![
        Just(Trouble::Unreachable),
        Just(Trouble::BrokenAnswer),
        Just(Trouble::Busy { retry_after: None }),
        Just(Trouble::Busy { retry_after: Some(Duration::from_secs(9)) }),
        Just(Trouble::Busy { retry_after: Some(Duration::from_secs(9_000)) }),
        Just(Trouble::ServerError),
        Just(Trouble::Key),
        Just(Trouble::UnknownModel),
        Just(Trouble::TooLong),
        Just(Trouble::Refused),
        Just(Trouble::Engine),
        Just(Trouble::ModelFile),
    ]
}

fn does() -> impl Strategy<Value = Does> {
    prop_oneof![
        2 => Just(Does::Answers),
        1 => Just(Does::SaysNothing),
        2 => Just(Does::Calls),
        1 => Just(Does::IsCutShort),
        6 => (trouble(), any::<bool>())
            .prop_map(|(trouble, after_words)| Does::Fails { trouble, after_words }),
    ]
}

fn beats(does: Does, n: usize) -> Vec<Beat> {
    let words = Beat::Text(format!("words of call {n}"));
    // So that what came before is shown before it is taken back.
    let shown = Beat::Wait(Duration::from_millis(40));
    let usage = Usage::default();
    match does {
        Does::Answers => vec![words],
        Does::SaysNothing => vec![Beat::Reasoning("hm".into())],
        Does::Calls => {
            let call = ToolCallDelta {
                id: format!("c{n}"),
                name: Some("calculator".into()),
                arguments: format!("{{\"expression\": \"{n} + 1\"}}"),
            };
            vec![words, Beat::ToolCall(call), Beat::Done { finish: Finish::ToolCalls, usage }]
        }
        Does::IsCutShort => vec![words, Beat::Done { finish: Finish::Length, usage }],
        Does::Fails { trouble, after_words: true } => {
            vec![words, shown, Beat::Fail(fault(trouble))]
        }
        Does::Fails { trouble, after_words: false } => vec![Beat::Fail(fault(trouble))],
    }
}

/// At most three tries a call and a model; and one answer or one notice, which
/// is what a window has shown in the end.
async fn check(script: Vec<Does>, with_fallback: bool) {
    let last = *script.last().expect("does something");
    let model = Scripted::from_fn(move |_, n| beats(*script.get(n - 1).unwrap_or(&last), n));
    let stage = stage().model(model).open().await;
    if with_fallback {
        connect(&stage, "acme/spare", true).await;
        choose(&stage, ModelRole::Fallback, "acme/spare").await;
    }
    let ada = stage.direct("Ada").await;
    let mut events = stage.events();
    stage.post(ada, "hello").await;
    stage.until(async |stage: &tests::Stage| !answers(stage, ada).await.is_empty()).await;

    let said = answers(&stage, ada).await;
    // What stood beside a call is kept where the question is not asked again.
    let is_kept = said.len() == 2 && said[1] == "<run_failed>" && said[0].starts_with("Ada: words");
    assert!(said.len() == 1 || is_kept, "{said:?}");
    assert_eq!(stage.runs().await.len(), 1, "a turn is one run");
    let run = super::last(&stage).await;
    let (mut tries, mut asked) = (0, 0);
    for step in &run.steps {
        match &step.kind {
            StepKind::ModelCalled { .. } | StepKind::FellBack { .. } => {
                (tries, asked) = (1, asked + 1)
            }
            StepKind::Retried { .. } => (tries, asked) = (tries + 1, asked + 1),
            _ => {}
        }
        assert!(tries <= 3, "{:?}", run.steps);
    }
    let requests = stage.model.requests().len();
    // The circuit may refuse a try.
    assert!(requests <= asked, "{requests} questions for {asked} tries");

    let mut shown = String::new();
    while let Some(Some(event)) = events.next().now_or_never() {
        let FromOwner::Event(event) = event else { continue };
        match event.update {
            Update::Live { live } if live.offset == 0 => shown = live.text,
            Update::Live { live } => shown += &live.text,
            Update::Saved { record: Record::Message(message) } if message.run.is_some() => {
                let posted = message.text().unwrap_or_default();
                // Only the runtime adds to what was shown: that no answer came.
                let added = posted.strip_prefix(shown.trim()).map(str::trim_start);
                assert!(
                    added.is_some_and(|it| it.is_empty() || it.starts_with("I found no answer"))
                        || shown.is_empty()
                        // Half a sentence of a call that failed is nobody's answer.
                        || (is_kept && shown.starts_with(posted)),
                    "shown {shown:?}, posted {posted:?}"
                );
            }
            _ => {}
        }
    }
}

/// Who stands in for whom is no answer.
async fn answers(stage: &tests::Stage, group: domain::GroupId) -> Vec<String> {
    let mut said = said(stage, group).await;
    said.retain(|line| line != "<stood_in>");
    said
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    // Seen in earendil-works/pi#9595, mastra#19906, opensre#3171.
    #[test]
    fn a_call_is_tried_three_times_at_most_and_a_person_sees_one_answer(
        script in prop::collection::vec(does(), 1..14),
        with_fallback in any::<bool>(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .expect("it starts");
        runtime.block_on(check(script, with_fallback));
    }
}
