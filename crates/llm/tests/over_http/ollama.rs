//! Ollama in its own words.

use crate::fake_server::{FakeServer, Reply};
use crate::{ask, endpoint, fault, http, is_done, question, recorded, text};
use domain::ModelInfo;
use llm::ollama::{Installed, Ollama, USUAL_WINDOW, installed, list_models, list_within};
use llm::{Delta, Role, Trouble, Turn};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;

/// Nothing that is waited for takes as long.
const LONG: Duration = Duration::from_secs(600);
const CHAT: &str = "POST /api/chat";

/// The fake server's address ends in `/v1`, as an address of the other door does.
fn model(server: &FakeServer) -> Ollama {
    let windows = HashMap::from([("qwen3:4b".to_owned(), 32_768)]);
    Ollama::new(http(), endpoint(&server.base_url()), windows)
}

// Seen in ollama#17427, ollama#17889, Stirling#7770.
#[tokio::test]
async fn every_question_says_how_much_may_be_read() {
    let server = FakeServer::start().await;
    for size in [1, 7, 16 * 1024] {
        server.once(CHAT, Reply::raw(recorded("ollama/thinking.ndjson")).in_pieces(size));
        let deltas = ask(&model(&server), question("qwen3:4b")).await;
        assert_eq!(text(&deltas), "Grüße, 世界 🌍");
        assert!(is_done(&deltas));
    }
    server.once(CHAT, Reply::raw(recorded("ollama/plain.ndjson")));
    ask(&model(&server), question("unknown")).await;
    let num_ctx = |nth: usize| server.requests()[nth].json()["options"]["num_ctx"].clone();
    assert_eq!([num_ctx(0), num_ctx(3)], [json!(32_768), json!(USUAL_WINDOW)]);
}

// Seen in ollama#17427, ollama#17889, Stirling#7770.
#[tokio::test]
async fn a_question_whose_beginning_was_cut_off_fails_although_it_was_answered() {
    let server = FakeServer::start().await;
    server.once(CHAT, Reply::raw(recorded("ollama/plain.ndjson")));
    let mut request = question("qwen3:4b");
    request.turns.push(Turn::new(Role::User, "word ".repeat(2_000)));
    let deltas = ask(&model(&server), request).await;
    let Some(Delta::Failed { fault, usage }) = deltas.last() else { panic!("{deltas:?}") };
    assert_eq!((fault.trouble, usage.input_tokens), (Trouble::TooLong, Some(20)));
    assert_eq!(
        fault.message,
        "acme let qwen3:4b read 20 of at least 2003 tokens: it cut off the beginning, so the \
         answer does not count"
    );
}

#[tokio::test]
async fn each_refusal_says_what_to_do() {
    let server = FakeServer::start().await;
    let refusals = [
        (
            "404 Not Found",
            "model 'qwen3:4b' not found",
            Trouble::UnknownModel,
            "acme does not have the model qwen3:4b (404: model 'qwen3:4b' not found)",
        ),
        (
            "400 Bad Request",
            "the input length exceeds the context length",
            Trouble::TooLong,
            "the conversation is too long for qwen3:4b (400: the input length exceeds the \
             context length)",
        ),
        (
            "400 Bad Request",
            "registry.ollama.ai/library/qwen3:4b does not support tools",
            Trouble::Refused,
            "qwen3:4b uses no tools (400: registry.ollama.ai/library/qwen3:4b does not support tools)",
        ),
        (
            "500 Internal Server Error",
            "model requires more system memory (9.1 GiB) than is available (4.2 GiB)",
            Trouble::ServerError,
            "acme failed (500: model requires more system memory (9.1 GiB) than is available \
             (4.2 GiB))",
        ),
    ];
    for (status, error, trouble, message) in refusals {
        server.once(CHAT, Reply::refusal(status, &json!({"error": error})));
        let fault = fault(&ask(&model(&server), question("qwen3:4b")).await);
        assert_eq!((fault.trouble, fault.message.as_str()), (trouble, message));
    }
}

fn tags(models: &[Value]) -> Reply {
    Reply::json(&json!({"models": models}))
}

#[tokio::test]
async fn the_models_are_listed_with_what_they_are_and_how_much_they_may_read() {
    let server = FakeServer::start().await;
    let details =
        json!({"family": "qwen3", "parameter_size": "4.0B", "quantization_level": "Q4_K_M"});
    let shown = json!({
        "details": details, "capabilities": ["completion", "tools", "thinking"],
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 262_144}});
    let models = [json!({"name": "qwen3:4b", "details": details}), json!({"name": "gone"})];
    server.always("GET /api/tags", tags(&models));
    server.always("POST /api/show", Reply::json(&shown));
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
    let expected = Installed {
        name: "qwen3:4b".into(),
        made_for: Some(262_144),
        num_ctx: None,
        size: Some("4.0B".into()),
        quantisation: Some("Q4_K_M".into()),
        capabilities: words(&["completion", "tools", "thinking"]),
    };
    let endpoint = endpoint(&server.base_url());
    let found = installed(&http(), &endpoint, LONG).await.map(|mut found| found.remove(0));
    assert_eq!(found, Ok(expected));
    let info = |name: &str| ModelInfo::new(name, Some(16_384));
    assert_eq!(list_models(&http(), &endpoint).await, Ok(vec![info("qwen3:4b"), info("gone")]));
}

#[tokio::test]
async fn a_server_that_tells_nothing_of_its_models_still_lists_them() {
    let server = FakeServer::start().await;
    server.always("GET /api/tags", tags(&[json!({"name": "qwen3:4b"})]));
    let found = list_models(&http(), &endpoint(&server.base_url())).await;
    let info = ModelInfo::new("qwen3:4b", None);
    assert_eq!(found, Ok(vec![info]));
    server.always("GET /api/tags", Reply::json(&json!({"hello": "world"})));
    let fault = list_models(&http(), &endpoint(&server.base_url())).await.expect_err("no list");
    assert_eq!(fault.message, "acme answered, but not with a list of models");
    assert!(fault.fix.contains("usually ends in :11434"), "{}", fault.fix);
}

#[tokio::test]
async fn hundreds_of_models_are_listed_in_their_order_with_what_was_told_in_time() {
    let server = FakeServer::start().await;
    let names: Vec<String> = (0..300).map(|nth| format!("m{nth}")).collect();
    let all: Vec<Value> = names.iter().map(|name| json!({"name": name})).collect();
    server.always("GET /api/tags", tags(&all));
    server.always("POST /api/show", Reply::json(&json!({"parameters": "num_ctx 32768"})));
    let told = endpoint(&server.base_url());
    let expected = |window| -> Vec<ModelInfo> {
        names.iter().map(|name| ModelInfo::new(name, window)).collect()
    };
    assert_eq!(list_within(&http(), &told, LONG).await, Ok(expected(Some(32_768))));
    // A server that tells nothing is not waited for once for each of its models.
    let silent = FakeServer::start().await;
    silent.always("GET /api/tags", tags(&all));
    silent.always("POST /api/show", Reply::nothing());
    let untold = endpoint(&silent.base_url());
    let found = list_within(&http(), &untold, Duration::from_millis(50)).await;
    assert_eq!(found, Ok(expected(None)));
    let asked = silent.requests().iter().filter(|it| it.line == "POST /api/show").count();
    assert!(asked <= 16, "{asked} at once");
}
