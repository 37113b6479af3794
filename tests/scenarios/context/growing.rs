//! A conversation that grows: how it begins stays the same from turn to turn,
//! and what is sent fits the model's window.

use super::{
    NOTES, answer, answered, asks_for_notes, fits, manual, reads, say_sheep, sheep, text, tokens,
    whole,
};
use async_trait::async_trait;
use domain::{
    Command, Effects, ModelInfo, Outcome, Provider, ProviderKind, RunState, ToolSpec, Usage,
};
use llm::scripted::{Beat, Scripted};
use llm::{Finish, Role, ToolCallDelta};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tests::{Stage, stage, tool_spec};
use tools::{CallContext, Returned, Tool};

/// Gives so many characters.
struct Wordy {
    spec: ToolSpec,
    characters: usize,
    uses: Arc<AtomicU32>,
}

impl Wordy {
    fn new(name: &str, characters: usize) -> Self {
        let spec = tool_spec(name, Effects::None);
        Wordy { spec, characters, uses: Arc::default() }
    }
}

#[async_trait]
impl Tool for Wordy {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: Value, _: &CallContext) -> Returned {
        let n = self.uses.fetch_add(1, Ordering::SeqCst);
        Returned::ok(format!("result {n} {}", "blah ".repeat(self.characters / 5)))
    }
}

/// Uses the tool once in every turn, and then answers.
fn uses(tool: &'static str) -> Scripted {
    Scripted::from_fn(move |request, nth| {
        let after_tool = request.turns.last().is_some_and(|turn| turn.role == Role::Tool);
        match (asks_for_notes(request), after_tool) {
            (true, _) => text(NOTES),
            (false, true) => text(&format!("answer {nth}")),
            (false, false) => vec![Beat::ToolCall(ToolCallDelta {
                id: format!("call{nth}"),
                name: Some(tool.into()),
                arguments: "{}".into(),
            })],
        }
    })
}

// Seen in goruck#617, agentcore#697.
/// Criterion 24: a clock or the tools' order in the prefix breaks prompt
/// caches.
#[tokio::test]
async fn over_ten_turns_with_tools_each_request_begins_with_the_one_before() {
    let stage = stage()
        .model(uses("zeta"))
        .tool(Wordy::new("zeta", 200))
        .tool(Wordy::new("alpha", 10))
        .open()
        .await;
    let ada = stage.direct("Ada").await;
    for turn in 0..10 {
        stage.say(ada, &sheep(turn)).await;
        stage.clock.advance(Duration::from_secs(3 * 60 * 60));
    }
    let requests = stage.model.requests();
    assert_eq!(requests.len(), 20);
    for pair in requests.windows(2) {
        let (before, after) = (&pair[0], &pair[1]);
        assert_eq!(before.turns[..], after.turns[..before.turns.len()]);
        assert_eq!(before.tools, after.tools);
        assert_eq!(llm::history::check(&after.turns), Ok(()));
    }
    let names: Vec<_> = requests[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.is_sorted(), "{names:?}");
    // The days that went by stand where they began.
    let said = whole(&requests[19]);
    assert_eq!(said.matches("[Thursday, 28 May 2026]").count(), 1);
    assert_eq!(said.matches("[Friday, 29 May 2026]").count(), 1);
    assert!(!requests[19].turns[0].content.contains("2026"), "no clock in the system prompt");
}

#[tokio::test]
async fn a_turn_that_is_taken_up_on_a_later_day_is_told_which_day_it_is() {
    let stage = stage().open().await;
    let ada = stage.direct("Ada").await;
    let agent = stage.agent("Ada").await.id;
    stage.do_(Command::PauseAgent { agent }).await;
    stage.post(ada, "good evening").await;
    stage.clock.advance(Duration::from_secs(24 * 60 * 60));
    stage.do_(Command::ResumeAgent { agent }).await;
    stage.quiet().await;
    let asked = stage.model.requests().remove(0);
    let expected = "[Thursday, 28 May 2026]\ngood evening\n\n[Today is Friday, 29 May 2026]";
    assert_eq!(asked.turns[1].content, expected);
}

// Seen in anomalyco/opencode#27924, crush#2551, openclaw#113701.
/// Criterion 17: what tools said can be most of a conversation.
#[tokio::test]
async fn results_of_tools_never_grow_out_of_the_window_and_stay_with_their_calls() {
    let stage = stage().model(uses("zeta")).tool(Wordy::new("zeta", 6_000)).open().await;
    reads(&stage, 8192).await;
    let ada = stage.direct("Ada").await;
    for turn in 0..12 {
        stage.say(ada, &sheep(turn)).await;
    }
    for request in stage.model.requests() {
        assert!(fits(&request, 8192), "{} tokens", tokens(&request));
        assert_eq!(llm::history::check(&request.turns), Ok(()));
    }
    assert_eq!(stage.transcript(ada).await.len(), 24, "every turn was answered");
    let last = whole(&stage.model.requests()[stage.model.requests().len() - 1]);
    assert!((8..12).all(|n| last.contains(&sheep(n))), "what was said goes last");
}

#[tokio::test]
async fn a_provider_that_counts_double_is_sent_half_as_much() {
    let counting = |factor: f64| {
        Scripted::from_fn(move |request, nth| {
            let input = (tokens(request) as f64 * factor) as u32;
            let usage =
                Usage { input_tokens: Some(input), output_tokens: Some(3), ..Usage::default() };
            let said = if asks_for_notes(request) { NOTES.into() } else { format!("answer {nth}") };
            vec![Beat::Text(said), Beat::Done { finish: Finish::Stop, usage }]
        })
    };
    let mut most = Vec::new();
    for factor in [1.0, 2.0] {
        let stage = stage().model(counting(factor)).open().await;
        reads(&stage, 8192).await;
        let group = manual(&stage).await;
        let mut largest = 0;
        for turn in 0..30 {
            say_sheep(&stage, group, turn * 10..(turn + 1) * 10).await;
            answer(&stage, group).await;
        }
        for request in answered(&stage).iter().skip(1) {
            assert!(
                tokens(request) as f64 * factor + f64::from(request.max_tokens) <= 8192.0,
                "{} tokens, counted {factor} times",
                tokens(request)
            );
            largest = largest.max(tokens(request));
        }
        most.push(largest);
    }
    assert!(most[1] < most[0] * 2 / 3, "{most:?}");
}

fn read_far_too_little() -> Scripted {
    Scripted::from_fn(|_, _| {
        let usage = Usage { input_tokens: Some(2_048), output_tokens: Some(3), ..Usage::default() };
        vec![Beat::Text("who am I?".into()), Beat::Done { finish: Finish::Stop, usage }]
    })
}

// Seen in ollama#17427, ollama#17889, Stirling#7770.
/// Criterion 27: a server that silently cuts off the beginning, whichever way it is
/// spoken to.
#[tokio::test]
async fn an_answer_to_a_prompt_that_ollama_has_cut_off_does_not_count() {
    for (kind, base_url) in [
        (ProviderKind::Ollama, "http://box.example:8080"),
        (ProviderKind::Openai, "http://127.0.0.1:11434/v1"),
    ] {
        let stage = stage().model(read_far_too_little()).open().await;
        served_by(&stage, kind, base_url).await;
        let ada = stage.direct("Ada").await;
        stage.say(ada, &(0..300).map(sheep).collect::<String>()).await;
        assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("<run_failed>"));
        let run = stage.runs().await.pop().expect("a run");
        let Some(Outcome::Failed { fault }) = run.outcome else { panic!("{:?}", run.outcome) };
        assert!(fault.message.contains("Ollama cut off the beginning"), "{fault}");
    }
}

/// Which many do that stand between us and a model.
#[tokio::test]
async fn a_provider_that_counts_wrongly_is_not_said_to_have_cut_anything_off() {
    let stage = stage().model(read_far_too_little()).open().await;
    served_by(&stage, ProviderKind::Openai, "https://api.acme.example/v1").await;
    let ada = stage.direct("Ada").await;
    for _ in 0..2 {
        stage.say(ada, &(0..300).map(sheep).collect::<String>()).await;
    }
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some("Ada: who am I?"));
    for (run, request) in stage.runs().await.iter().zip(stage.model.requests()) {
        assert_eq!(run.state, RunState::Settled);
        let [call] = &stage.run(run.id).await.calls[..] else { panic!("one call") };
        // As if nothing had been said; and nothing was learned from it.
        let (read, ours) = (call.usage.input_tokens.unwrap(), tokens(&request));
        assert!(call.estimated && read.abs_diff(ours as u32) < 100, "{read} of {ours}");
    }
}

async fn served_by(stage: &Stage, kind: ProviderKind, base_url: &str) {
    let info = ModelInfo::new("script", Some(32_000));
    let provider = Provider {
        name: "test".into(),
        kind,
        base_url: Some(base_url.into()),
        key_env: None,
        key: None,
        models: vec![info],
    };
    stage.do_(Command::save_provider(provider)).await;
}
