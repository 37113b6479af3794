//! Anthropic's Messages.

use crate::fake_server::{FakeServer, Reply};
use crate::{ask, endpoint, fault, http, is_done, question, recorded, text};
use domain::{Kept, KeptPart, ModelInfo, ProviderKind};
use llm::anthropic::{Anthropic, list_models};
use llm::http::Key;
use llm::{Called, Trouble, Turn};
use serde_json::{Value, json};
use std::time::Duration;

const MESSAGES: &str = "POST /v1/messages";
const KEY: &str = "sk-ant-secret";

fn model(server: &FakeServer) -> Anthropic {
    Anthropic::new(http(), endpoint(&server.base_url()).with_key(Key::new(KEY)))
}

#[tokio::test]
async fn the_question_is_asked_with_the_key_and_the_version_and_the_answer_arrives_whole() {
    let server = FakeServer::start().await;
    for size in [1, 7, 16 * 1024] {
        server.once(MESSAGES, Reply::raw(recorded("anthropic/thinking.sse")).in_pieces(size));
        let deltas = ask(&model(&server), question("claude-haiku-5-5")).await;
        assert_eq!(text(&deltas), "Grüße, 世界 🌍");
        assert!(is_done(&deltas));
    }
    let request = server.asked(1).await;
    assert_eq!(request.line, MESSAGES);
    assert_eq!(request.header("x-api-key"), Some(KEY));
    assert_eq!(request.header("authorization"), None);
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.json()["model"], "claude-haiku-5-5");
}

fn error(kind: &str, message: &str) -> Value {
    json!({"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"})
}

#[tokio::test]
async fn each_refusal_says_what_to_do() {
    let server = FakeServer::start().await;
    let busy = |ms: Option<u64>| Trouble::Busy { retry_after: ms.map(Duration::from_millis) };
    let slow_down = || {
        Reply::refusal("429 Too Many Requests", &error("rate_limit_error", "slow down"))
            .header("retry-after", "17")
    };
    let refusals = [
        (
            Reply::refusal("529 ", &error("overloaded_error", "Overloaded")),
            busy(None),
            "acme is busy (529: Overloaded)",
        ),
        (slow_down(), busy(Some(17_000)), "acme is busy (429: slow down)"),
        (
            Reply::refusal(
                "401 Unauthorized",
                &error("authentication_error", "invalid x-api-key sk-ant-secret"),
            ),
            Trouble::Key,
            "acme refused the key (401: invalid x-api-key [key])",
        ),
        (
            Reply::refusal("404 Not Found", &error("not_found_error", "model: claude-x")),
            Trouble::UnknownModel,
            "acme does not have the model claude-x (404: model: claude-x)",
        ),
        (
            Reply::refusal(
                "400 Bad Request",
                &error("invalid_request_error", "Your credit balance is too low"),
            ),
            Trouble::Refused,
            "acme has no credit left for this key (400: Your credit balance is too low)",
        ),
        (
            Reply::refusal(
                "400 Bad Request",
                &error(
                    "invalid_request_error",
                    "input length and `max_tokens` exceed context limit: 199000 + 4096 > 200000",
                ),
            ),
            Trouble::TooLong,
            "the conversation is too long for claude-x (400: input length and `max_tokens` \
             exceed context limit: 199000 + 4096 > 200000)",
        ),
        (
            Reply::refusal("413 ", &error("request_too_large", "Request exceeds the maximum")),
            Trouble::TooLong,
            "the conversation is too long for claude-x (413: Request exceeds the maximum)",
        ),
        (
            Reply::refusal("500 ", &error("api_error", "Internal server error")),
            Trouble::ServerError,
            "acme failed (500: Internal server error)",
        ),
    ];
    let count = refusals.len();
    for (reply, trouble, message) in refusals {
        server.once(MESSAGES, reply);
        let fault = fault(&ask(&model(&server), question("claude-x")).await);
        assert_eq!((fault.trouble, fault.message.as_str()), (trouble, message));
    }
    assert_eq!(server.requests().len(), count, "nothing was asked twice");
}

#[tokio::test]
async fn thoughts_that_the_server_does_not_take_back_are_left_out() {
    let server = FakeServer::start().await;
    let own = r#"{"type":"thinking","thinking":"Hm.","signature":"s"}"#;
    let parts = vec![
        KeptPart::Own { json: own.into() },
        KeptPart::Call { id: "toolu_a".into(), seal: None },
    ];
    let kept = Kept { by: ProviderKind::Anthropic, model: "claude-x".into(), parts };
    let mut request = question("claude-x");
    let calling = Turn::calling("", vec![Called::new("toolu_a", "look", "{}")]);
    request.turns.push(calling.keeping(Some(kept)));
    request.turns.push(Turn::answering("toolu_a", "dark"));
    let no = error("invalid_request_error", "messages.1.content.0: Invalid `signature`");
    server.once(MESSAGES, Reply::refusal("400 Bad Request", &no));
    server.once(MESSAGES, Reply::raw(recorded("anthropic/plain.sse")));
    let deltas = ask(&model(&server), request.clone()).await;
    assert!(is_done(&deltas), "{deltas:?}");
    let said = |nth: usize| server.requests()[nth].json()["messages"][1]["content"].clone();
    let call = json!({"type": "tool_use", "id": "toolu_a", "name": "look", "input": {}});
    let thought = json!({"type": "thinking", "thinking": "Hm.", "signature": "s"});
    assert_eq!([said(0), said(1)], [json!([thought, call]), json!([call])]);

    server.once(MESSAGES, Reply::refusal("400 Bad Request", &no));
    server.once(MESSAGES, Reply::refusal("400 Bad Request", &no));
    assert_eq!(fault(&ask(&model(&server), request).await).trouble, Trouble::Refused);
    assert_eq!(server.requests().len(), 4, "not a third time");
}

#[tokio::test]
async fn the_models_are_listed_with_what_they_read() {
    let server = FakeServer::start().await;
    let list = json!({"data": [
        {"type": "model", "id": "claude-opus-5-5", "max_input_tokens": 1_000_000},
        {"type": "model", "id": "claude-haiku-4-5"}, {"type": "model"}], "has_more": false});
    server.once("GET /v1/models?limit=1000", Reply::json(&list));
    let endpoint = endpoint(&server.base_url()).with_key(Key::new(KEY));
    let info = |name: &str, context_tokens| ModelInfo::new(name, context_tokens);
    let expected = vec![info("claude-opus-5-5", Some(1_000_000)), info("claude-haiku-4-5", None)];
    assert_eq!(list_models(&http(), &endpoint).await, Ok(expected));
    assert_eq!(server.asked(1).await.header("x-api-key"), Some(KEY));
}
