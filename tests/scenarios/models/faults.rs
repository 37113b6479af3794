//! What a bad server comes to: silence, a broken answer, a refusal.

use super::{PATIENT, ask, endpoint, told};
use domain::{Fault, FaultCode};
use llm::openai::Key;
use llm::{Delta, ModelFault, Trouble};
use serde_json::{Value, json};
use std::time::Duration;
use tests::fake_server::{FakeServer, Reply};
use tokio::net::TcpListener;

/// Where nothing will come, however long the test waits.
const IDLE: Duration = Duration::from_millis(400);
fn fault_of(deltas: &[Delta]) -> ModelFault {
    match deltas.last() {
        Some(Delta::Failed { fault, .. }) => fault.clone(),
        other => panic!("it did not fail: {other:?}"),
    }
}

fn saying(message: &str) -> Value {
    json!({"error": {"message": message}})
}

// Seen in earendil-works/pi#8331, microsoft/vscode#321432, bamboo#28.
#[tokio::test]
async fn a_server_that_falls_silent_is_given_up() {
    let server = FakeServer::start().await;
    let ping = Duration::from_millis(10);
    let silences = [
        ("at once", Reply::nothing()),
        ("after its headers", Reply::saying("one").silent_before("data:")),
        ("but for comments", Reply::saying("one").forever_before("data:", ": ping\n\n", ping)),
        (
            "but for empty events",
            Reply::saying("one").forever_before("data:", "data: {}\n\n", ping),
        ),
    ];
    for (when, reply) in silences {
        server.answer(reply);
        let deltas = ask(endpoint(&server.base_url()).with_idle(IDLE)).await;
        let fault = fault_of(&deltas);
        assert_eq!((fault.trouble, deltas.len()), (Trouble::BrokenAnswer, 1), "silent {when}");
        assert_eq!(fault.message, "acme sent nothing for 0.4 s");
        assert!(fault.trouble.may_pass());
    }
}

#[tokio::test]
async fn an_answer_that_is_cut_or_garbled_fails_and_keeps_what_was_said() {
    let server = FakeServer::start().await;
    let broken = [
        (
            Reply::saying("one two three").cut_before("wo "),
            "lost the connection in the middle of its answer: ",
        ),
        (
            Reply::saying("one two three")
                .cut_before("data: {\"choices\":[{\"delta\":{\"content\":\"two"),
            "lost the connection",
        ),
        (
            Reply::saying("one two three").cut_before("wo ").until_close(),
            "stopped in the middle of its answer",
        ),
        (
            Reply::saying("one two three").garbled_at("two ", 0xFF),
            "sent something that is not part of an answer: its text is not UTF-8",
        ),
        (
            Reply::saying("one two three")
                .garbled_at("{\"choices\":[{\"delta\":{\"content\":\"two", b'?'),
            "sent something that is not",
        ),
    ];
    for (reply, message) in broken {
        server.answer(reply.clone());
        let deltas = ask(endpoint(&server.base_url())).await;
        let fault = fault_of(&deltas);
        assert_eq!(
            (fault.trouble, told(&deltas).0.as_str()),
            (Trouble::BrokenAnswer, "one "),
            "{reply:?}"
        );
        assert!(fault.message.starts_with(&format!("acme {message}")), "{}", fault.message);
    }
}

#[tokio::test]
async fn each_refusal_says_what_to_do() {
    let server = FakeServer::start().await;
    let busy = |ms: u64| Trouble::Busy { retry_after: Some(Duration::from_millis(ms)) };
    let too_many = || Reply::refusal("429 Too Many Requests", &saying("slow down"));
    let delay = json!({"error": {"message": "no", "details": [{"retryDelay": "23s"}]}});
    let refusals = [
        (
            Reply::refusal("401 Unauthorized", &saying("bad key sk-secret")),
            Trouble::Key,
            "acme refused the key (401: bad key [key])",
        ),
        (
            Reply::refusal("403 Forbidden", &saying("not for you")),
            Trouble::Key,
            "acme refused the key (403: not for you)",
        ),
        (
            Reply::refusal("404 Not Found", &saying("The model `m1` does not exist")),
            Trouble::UnknownModel,
            "acme does not have the model m1 (404: The model `m1` does not exist)",
        ),
        (
            Reply::refusal("404 Not Found", &json!({"detail": "Not Found"})),
            Trouble::Refused,
            "acme does not take questions at this address (404: Not Found)",
        ),
        (
            Reply::refusal("307 Temporary Redirect", &json!({})).header("location", "/elsewhere"),
            Trouble::Refused,
            "acme does not take questions at this address (307)",
        ),
        (
            Reply::refusal("400 Bad Request", &saying("maximum context length is 8")),
            Trouble::TooLong,
            "the conversation is too long for m1 (400: maximum context length is 8)",
        ),
        (
            Reply::refusal("400 Bad Request", &saying("stop: too many")),
            Trouble::Refused,
            "acme did not accept the question (400: stop: too many)",
        ),
        (
            Reply::refusal("500 Internal Server Error", &saying("boom")),
            Trouble::ServerError,
            "acme failed (500: boom)",
        ),
        (too_many(), Trouble::Busy { retry_after: None }, "acme is busy (429: slow down)"),
        (too_many().header("Retry-After", "3"), busy(3_000), "acme is busy (429: slow down)"),
        (
            too_many().header("Retry-After", "Sun, 06 Nov 1994 08:49:57 GMT"),
            busy(20_000),
            "acme is busy (429: slow down)",
        ),
        (too_many().header("retry-after-ms", "94"), busy(94), "acme is busy (429: slow down)"),
        (Reply::refusal("429 Too Many Requests", &delay), busy(23_000), "acme is busy (429: no)"),
        (
            Reply::refusal("429 Too Many Requests", &saying("try again in 94ms")),
            busy(94),
            "acme is busy (429: try again in 94ms)",
        ),
        (
            Reply::refusal("503 Service Unavailable", &saying("soon")).header("retry-after", "1"),
            busy(1_000),
            "acme is busy (503: soon)",
        ),
    ];
    let count = refusals.len();
    for (reply, trouble, message) in refusals {
        server.answer(reply);
        let deltas = ask(endpoint(&server.base_url()).with_key(Key::new("sk-secret"))).await;
        let fault = fault_of(&deltas);
        assert_eq!((fault.trouble, fault.message.as_str(), deltas.len()), (trouble, message, 1));
        let fix = fault.fix;
        assert!(fix.starts_with(char::is_lowercase) && !fix.ends_with('.'), "{fix}");
    }
    assert_eq!(server.requests().len(), count, "nothing was asked twice");
}

#[tokio::test]
async fn a_refusal_whose_text_never_comes_is_still_a_refusal() {
    let server = FakeServer::start().await;
    server.answer(Reply::refusal("401 Unauthorized", &saying("no")).silent_before("no"));
    let fault = fault_of(&ask(endpoint(&server.base_url()).with_idle(PATIENT)).await);
    assert_eq!((fault.trouble, fault.message.as_str()), (Trouble::Key, "acme wants a key (401)"));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_its_address() {
    let free = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}/v1", free.local_addr().expect("bound"));
    drop(free);
    let fault = fault_of(&ask(endpoint(&address)).await);
    assert_eq!(fault.trouble, Trouble::Unreachable);
    assert!(
        fault.message.starts_with(&format!("acme cannot be reached at {address}: ")),
        "{}",
        fault.message
    );
    assert!(fault.message.contains("refused"), "{}", fault.message);
    let fix = "start acme, or correct its address in Settings or with coterie provider add acme --url URL";
    assert_eq!(fault.fix, fix);
    assert_eq!(Fault::from(fault).code, FaultCode::Provider);
}

#[tokio::test]
async fn a_key_that_cannot_be_sent_is_refused_before_anything_is() {
    let server = FakeServer::start().await;
    let fault =
        fault_of(&ask(endpoint(&server.base_url()).with_key(Key::new("sk-\nsecret"))).await);
    assert_eq!(fault.trouble, Trouble::Key);
    assert!(!fault.message.contains("secret"));
    assert!(server.requests().is_empty());
}
