//! OpenAI's chat completions, of a server that stands in no table.

use crate::fake_server::{CHAT, FakeServer, Reply};
use crate::{ask, endpoint, fault, http, is_done, question, recorded, text};
use llm::openai::OpenAi;
use llm::{Delta, ModelRequest, Role, Trouble, Turn};
use serde_json::{Value, json};

fn refusal(message: &str) -> Reply {
    let error = json!({"message": message, "type": "invalid_request_error"});
    Reply::refusal("400 Bad Request", &json!({ "error": error }))
}

fn asked(model: &str) -> ModelRequest {
    ModelRequest { stop: vec!["\nBob:".into()], ..question(model) }
}

/// Of the fields that may be refused, those in each question.
fn fields(server: &FakeServer) -> Vec<Vec<&'static str>> {
    const FIELDS: [&str; 4] = ["max_tokens", "max_completion_tokens", "temperature", "stop"];
    let sent = |body: Value| FIELDS.into_iter().filter(|field| body.get(field).is_some()).collect();
    server.requests().iter().map(|request| sent(request.json())).collect()
}

// Seen with LiteLLM, Azure and GitHub Models in front of models that reason.
#[tokio::test]
async fn a_field_that_a_model_refuses_is_left_out_at_once_and_from_then_on() {
    let server = FakeServer::start().await;
    for message in [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
         'max_completion_tokens' instead.",
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default \
         (1) value is supported.",
        "Unsupported parameter: 'stop' is not supported with this model.",
    ] {
        server.once(CHAT, refusal(message));
    }
    server.always(CHAT, Reply::raw(recorded("answers/plain.sse")));
    let model = OpenAi::new(http(), endpoint(&server.base_url()));
    for name in ["o9", "o9", "plain"] {
        let deltas = ask(&model, asked(name)).await;
        assert_eq!(text(&deltas), "Grüße, 世界 🌍");
        assert!(is_done(&deltas));
    }
    let all = vec!["max_tokens", "temperature", "stop"];
    let expected = [
        all.clone(),
        vec!["max_completion_tokens", "temperature", "stop"],
        vec!["max_completion_tokens", "stop"],
        vec!["max_completion_tokens"],
        vec!["max_completion_tokens"],
        all,
    ];
    assert_eq!(fields(&server), expected);
}

// Seen with vLLM and llama-server in front of Gemma 2.
#[tokio::test]
async fn a_model_without_a_place_for_the_system_hears_it_from_the_person() {
    let server = FakeServer::start().await;
    server.once(CHAT, refusal("System role not supported"));
    server.always(CHAT, Reply::raw(recorded("answers/plain.sse")));
    let model = OpenAi::new(http(), endpoint(&server.base_url()));
    let turns = vec![
        Turn::new(Role::System, "You are Ada."),
        Turn::new(Role::User, "Hello"),
        Turn::new(Role::Assistant, "Hi!"),
        Turn::new(Role::User, "How are you?"),
    ];
    for _ in 0..2 {
        assert!(is_done(&ask(&model, ModelRequest { turns: turns.clone(), ..asked("g2") }).await));
    }
    let sent: Vec<Value> =
        server.requests().iter().map(|request| request.json()["messages"].clone()).collect();
    let said = |role: &str, content: &str| json!({"role": role, "content": content});
    let [first, others @ ..] = &sent[..] else { panic!("nothing was asked") };
    assert_eq!(first[0], said("system", "You are Ada."));
    let merged = json!([
        said("user", "You are Ada.\n\nHello"),
        said("assistant", "Hi!"),
        said("user", "How are you?"),
    ]);
    assert_eq!(others, [merged.clone(), merged]);
}

#[tokio::test]
async fn a_field_that_is_refused_for_ever_is_refused_once_more_and_then_told() {
    let server = FakeServer::start().await;
    server.always(CHAT, refusal("Unsupported parameter: 'stop'"));
    let model = OpenAi::new(http(), endpoint(&server.base_url()));
    let fault = fault(&ask(&model, asked("m1")).await);
    assert_eq!(fault.trouble, Trouble::Refused);
    assert_eq!(server.requests().len(), 2);
}

#[tokio::test]
async fn a_model_whose_template_begins_to_think_is_heard_to_think_from_the_second_answer_on() {
    let server = FakeServer::start().await;
    server.always(CHAT, Reply::raw(recorded("answers/think_opened_by_the_template.sse")));
    let model = OpenAi::new(http(), endpoint(&server.base_url()));
    for is_void in [true, false] {
        let deltas = ask(&model, question("r1")).await;
        let anew = deltas.iter().position(|delta| *delta == Delta::Anew);
        assert_eq!(anew.is_some(), is_void, "{deltas:?}");
        let counts = &deltas[anew.map_or(0, |at| at + 1)..];
        assert_eq!(text(counts), "Grüße, 世界 🌍");
        assert!(matches!(&counts[0], Delta::Reasoning(_)), "{deltas:?}");
    }
}
