//! What is asked of a model server, and an answer as it comes.

use super::{ask, endpoint, http, question, told};
use domain::Usage;
use futures::StreamExt;
use llm::openai::{Key, OpenAi};
use llm::{Delta, Finish, Model};
use serde_json::json;
use std::time::Duration;
use tests::fake_server::{CHAT, FakeServer, Reply, words};

const ANSWER: &str = "Grüße aus 北京, 世界 🌍";

fn done() -> Delta {
    let usage = Usage { input_tokens: Some(12), output_tokens: Some(3), ..Usage::default() };
    Delta::Done { finish: Finish::Stop, usage }
}

// Seen in xberg-io/liter-llm#152, astrid#171, Intendant#411.
#[tokio::test]
async fn an_answer_arrives_whole_however_the_network_splits_it() {
    let server = FakeServer::start().await;
    for size in [1, 2, 3, 7, 150, 16 * 1024] {
        server.answer(Reply::saying(ANSWER).in_pieces(size));
        server.answer(Reply::saying(ANSWER).in_pieces(size).until_close());
        for framing in ["chunked", "until close"] {
            let deltas = ask(endpoint(&server.base_url())).await;
            assert_eq!(
                told(&deltas),
                (ANSWER.to_owned(), &done()),
                "{framing}, {size} bytes at a time"
            );
        }
    }
}

#[tokio::test]
async fn the_question_is_asked_with_the_key_and_in_the_servers_words() {
    let server = FakeServer::start().await;
    server.answer(Reply::saying("Hi"));
    ask(endpoint(&server.base_url()).with_key(Key::new(" sk-secret\n"))).await;
    let request = server.asked(1).await;
    assert_eq!(request.line, CHAT);
    assert_eq!(request.header("authorization"), Some("Bearer sk-secret"));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(
        request.json(),
        json!({
            "model": "m1",
            "messages": [{"role": "system", "content": "You are Ada."}, {"role": "user", "content": "你好"}],
            "stream": true,
            "stream_options": {"include_usage": true},
            "temperature": 0.7,
            "max_tokens": 100,
        })
    );
}

#[tokio::test]
async fn words_are_handed_on_before_the_answer_is_over() {
    let server = FakeServer::start().await;
    server.answer(
        Reply::saying("one two").silent_before("data: {\"choices\":[{\"delta\":{\"content\":\"two"),
    );
    let mut answer = OpenAi::new(http(), endpoint(&server.base_url())).ask(question());
    assert_eq!(answer.next().await, Some(Delta::Text("one ".into())));
}

// Seen in earendil-works/pi#8331, microsoft/vscode#321432, bamboo#28.
#[tokio::test]
async fn dropping_an_answer_hangs_up() {
    let server = FakeServer::start().await;
    let model = OpenAi::new(http(), endpoint(&server.base_url()));

    server.answer(Reply::saying("one two").silent_before("data: [DONE]"));
    let mut answer = model.ask(question());
    assert_eq!(answer.next().await, Some(Delta::Text("one ".into())));
    drop(answer);
    server.hung_up(1).await;

    let event = format!("data: {}\n\n", words("again "));
    server.answer(Reply::raw("x").forever_before("x", &event, Duration::ZERO));
    let mut answer = model.ask(question());
    assert_eq!(answer.next().await, Some(Delta::Text("again ".into())));
    drop(answer);
    server.hung_up(2).await;
}

#[tokio::test]
async fn dropping_a_question_that_nobody_has_answered_yet_hangs_up() {
    let server = FakeServer::start().await;
    server.answer(Reply::nothing());
    let answer = tokio::spawn(ask(endpoint(&server.base_url())));
    server.asked(1).await;
    answer.abort();
    server.hung_up(1).await;
}

#[tokio::test]
async fn two_calls_of_a_tool_stay_two() {
    let server = FakeServer::start().await;
    let call = |id: &str, city: &str| {
        let function = json!({"name": "weather", "arguments": json!({"city": city}).to_string()});
        json!({"choices": [{"delta": {"tool_calls": [{"index": 0, "id": id, "function": function}]}}]})
    };
    let end = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
    server.answer(Reply::stream(&[call("a", "Oslo"), call("b", "北京"), end]).in_pieces(5));
    let deltas = ask(endpoint(&server.base_url())).await;
    let calls: Vec<_> = deltas
        .iter()
        .filter_map(|delta| match delta {
            Delta::ToolCall(call) => {
                Some((call.id.as_str(), call.name.as_deref(), call.arguments.as_str()))
            }
            _ => None,
        })
        .collect();
    let expected = [
        ("a", Some("weather"), r#"{"city":"Oslo"}"#),
        ("b", Some("weather"), r#"{"city":"北京"}"#),
    ];
    assert_eq!(calls, expected);
    let usage = Usage::default();
    assert_eq!(deltas.last(), Some(&Delta::Done { finish: Finish::ToolCalls, usage }));
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let server = FakeServer::start().await;
    let message = json!({"role": "assistant", "content": ANSWER});
    let usage = json!({"prompt_tokens": 12, "completion_tokens": 3});
    let body = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage});
    server.answer(Reply::json(&body).in_pieces(3));
    assert_eq!(ask(endpoint(&server.base_url())).await, [Delta::Text(ANSWER.into()), done()]);
}
