//! Model servers over real connections: what reaches them, what comes back
//! from good and bad ones, and what happens when either side leaves.

use domain::{
    Call, Command, Fault, FaultCode, ModelInfo, Offer, Provider, ProviderKind, Query, Request,
    RequestId, Usage,
};
use futures::StreamExt;
use llm::discover::{self, Ports};
use llm::openai::{Endpoint, Http, Key, OpenAi, list_models};
use llm::{Delta, Finish, Model, ModelFault, ModelRequest, Role, Trouble, Turn};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tests::fake_server::{CHAT, FakeServer, MODELS, Reply, words};
use tokio::net::TcpListener;
use uuid::Uuid;
use workspace::{Parts, Places};

/// Where nothing will come, however long the test waits.
const IDLE: Duration = Duration::from_millis(400);
/// Where something comes first, which a busy machine may take its time for.
const PATIENT: Duration = Duration::from_secs(3);
const NOW_MS: i64 = 784_111_777_000;

fn http() -> Http {
    Http::new(|| NOW_MS)
}

fn endpoint(base_url: &str) -> Endpoint {
    Endpoint::new("acme", base_url).expect("a web address")
}

fn question() -> ModelRequest {
    ModelRequest {
        model: "m1".into(),
        turns: vec![Turn::new(Role::System, "You are Ada."), Turn::new(Role::User, "你好")],
        temperature: 0.7,
        max_tokens: 100,
        stop: vec![],
        seed: None,
        grammar: None,
        tools: vec![],
    }
}

async fn ask(endpoint: Endpoint) -> Vec<Delta> {
    OpenAi::new(http(), endpoint).ask(question()).collect().await
}

/// The words and the end.
fn told(deltas: &[Delta]) -> (String, &Delta) {
    let text = deltas.iter().filter_map(|delta| match delta {
        Delta::Text(text) => Some(text.as_str()),
        _ => None,
    });
    (text.collect(), deltas.last().expect("an answer has an end"))
}

fn fault_of(deltas: &[Delta]) -> ModelFault {
    match deltas.last() {
        Some(Delta::Failed { fault, .. }) => fault.clone(),
        other => panic!("it did not fail: {other:?}"),
    }
}

const ANSWER: &str = "Grüße aus 北京, 世界 🌍";

fn done() -> Delta {
    let usage = Usage { input_tokens: Some(12), output_tokens: Some(3), cached_tokens: None };
    Delta::Done { finish: Finish::Stop, usage }
}

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
            "sent something that is not part of an answer: ",
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

fn saying(message: &str) -> Value {
    json!({"error": {"message": message}})
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

#[tokio::test]
async fn the_models_of_a_server_are_listed() {
    let server = FakeServer::start().await;
    let endpoint = || endpoint(&server.base_url());
    let info =
        |name: &str, context_tokens| ModelInfo { name: name.into(), context_tokens, demo: false };

    let list =
        json!({"object": "list", "data": [{"id": "a"}, {"id": "b", "context_length": 8192}]});
    server.once(MODELS, Reply::json(&list).in_pieces(3));
    assert_eq!(
        list_models(&http(), &endpoint()).await,
        Ok(vec![info("a", None), info("b", Some(8192))])
    );

    let troubles = [
        (
            Reply::json(&json!({"hello": "world"})),
            Trouble::Refused,
            "acme answered, but not with a list of models",
        ),
        (Reply::raw("<html>"), Trouble::Refused, "acme answered with a web page"),
        (Reply::refusal("401 Unauthorized", &json!({})), Trouble::Key, "acme wants a key (401)"),
        (
            Reply::json(&list).cut_before("8192"),
            Trouble::BrokenAnswer,
            "acme lost the connection in the middle of its answer",
        ),
    ];
    for (reply, trouble, message) in troubles {
        server.once(MODELS, reply);
        let fault = list_models(&http(), &endpoint()).await.expect_err("a bad list");
        assert_eq!(fault.trouble, trouble);
        assert!(fault.message.starts_with(message), "{}", fault.message);
    }
}

#[tokio::test]
async fn the_doctor_says_whether_a_key_has_been_looked_at() {
    let server = FakeServer::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let nowhere = folder.path().join("nowhere");
    let places = Places {
        data: folder.path().to_owned(),
        assets: nowhere.clone(),
        engine: nowhere.clone(),
        onnxruntime: nowhere,
    };
    let parts = Parts::real(&places, Arc::new(|name| Some(format!("the value of {name}"))));
    let workspace = workspace::open(places, parts, 1).await.expect("it opens");
    let ask =
        async |call| workspace.answer(Request { id: RequestId(Uuid::now_v7()), call }).await.result;
    let provider = Provider {
        name: "acme".into(),
        kind: ProviderKind::Openai,
        base_url: Some(server.base_url()),
        key_env: Some("ACME_KEY".into()),
        models: Vec::new(),
    };
    ask(Call::Command(Command::SaveProvider { provider })).await.expect("it is saved");
    let found = async || match ask(Call::Query(Query::Doctor)).await {
        Ok(domain::Reply::Checks(checks)) => {
            checks.into_iter().find(|check| check.name == "provider acme").expect("it looks").detail
        }
        other => panic!("no checks: {other:?}"),
    };
    let list = Reply::json(&json!({"data": [{"id": "a"}]}));
    server.once(MODELS, list.clone());
    server.once(MODELS, Reply::refusal("401 Unauthorized", &json!({})));
    assert_eq!(found().await, "answers; models: 1");
    server.always(MODELS, list);
    assert_eq!(
        found().await,
        "answers; models: 1; it tells them to anybody, so the key is not checked"
    );
    workspace.close().await;
}

/// Nobody is silent, so nobody is waited for.
const LONG: Duration = Duration::from_secs(60);

fn ports(ollama: &FakeServer, lmstudio: &FakeServer, llamaserver: &FakeServer) -> Ports {
    Ports { ollama: ollama.port(), lmstudio: lmstudio.port(), llamaserver: llamaserver.port() }
}

#[tokio::test]
async fn the_servers_on_this_machine_are_offered_with_their_models() {
    let (ollama, lmstudio, llamaserver) =
        (FakeServer::start().await, FakeServer::start().await, FakeServer::start().await);
    let tags = json!({"models": [
        {"name": "qwen3:4b", "details": {"family": "qwen3"}},
        {"name": "nomic-embed-text", "details": {"family": "nomic-bert"}},
    ]});
    ollama.always("GET /api/version", Reply::json(&json!({"version": "0.21.0"})));
    ollama.always("GET /api/tags", Reply::json(&tags));
    lmstudio.always("GET /lmstudio-greeting", Reply::json(&json!({"lmstudio": true})));
    lmstudio.models("organization_owner", &["gemma-4", "text-embedding-nomic"]);
    llamaserver.models("llamacpp", &["starter.gguf"]);

    let offer = |name: &str, title: &str, server: &FakeServer, model: &str| Offer {
        name: name.into(),
        title: title.into(),
        base_url: server.base_url(),
        models: vec![model.into()],
    };
    assert_eq!(
        discover::look(&http(), ports(&ollama, &lmstudio, &llamaserver), LONG).await,
        [
            offer("ollama", "Ollama", &ollama, "qwen3:4b"),
            offer("lmstudio", "LM Studio", &lmstudio, "gemma-4"),
            offer("llamaserver", "llama-server", &llamaserver, "starter.gguf"),
        ]
    );
}

#[tokio::test]
async fn a_stranger_on_a_known_port_is_not_offered() {
    let stranger = FakeServer::start().await;
    let page = Reply::raw("<html>It works!</html>").header("content-type", "text/html");
    let lines = ["GET /", "GET /api/version", "GET /api/tags", "GET /lmstudio-greeting", MODELS];
    for line in lines {
        stranger.always(line, page.clone());
    }
    let ports = ports(&stranger, &stranger, &stranger);
    assert_eq!(discover::look(&http(), ports, LONG).await, []);

    stranger.models("somebody", &["a-model"]);
    stranger.always("GET /api/version", Reply::json(&json!({"version": 3})));
    stranger
        .always("GET /lmstudio-greeting", Reply::json(&json!({"error": "Unexpected endpoint"})));
    assert_eq!(discover::look(&http(), ports, LONG).await, []);
}

#[tokio::test]
async fn a_server_that_does_not_answer_holds_nobody_up() {
    let (silent, llamaserver) = (FakeServer::start().await, FakeServer::start().await);
    silent.always("GET /api/version", Reply::nothing());
    silent.always(
        "GET /lmstudio-greeting",
        Reply::json(&json!({"lmstudio": true})).silent_before("true"),
    );
    llamaserver.models("llamacpp", &["starter.gguf"]);
    let offers = discover::look(&http(), ports(&silent, &silent, &llamaserver), PATIENT).await;
    let names: Vec<_> = offers.iter().map(|offer| offer.name.as_str()).collect();
    assert_eq!(names, ["llamaserver"]);
}
