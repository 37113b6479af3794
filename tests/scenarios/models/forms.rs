//! Answers in a form: what servers of different rules are asked, and what comes
//! of it where they refuse.

use domain::{Command, GroupId, GroupPatch, Run, RunState, TurnPolicy};
use serde_json::{Value, json};
use tests::fake_server::{CHAT, FakeServer, Reply};
use tests::{Stage, connected};

/// Otto supervises; Ada answers.
async fn supervised(stage: &Stage) -> GroupId {
    let group = stage.group(&["Ada", "Otto"], TurnPolicy::Supervisor).await;
    let supervisor = Some(stage.agent("Otto").await.id);
    let patch = GroupPatch { supervisor, ..GroupPatch::default() };
    stage.do_(Command::EditGroup { group, patch }).await;
    group
}

fn refuses(message: &str) -> Reply {
    Reply::refusal(
        "400 Bad Request",
        &json!({"error": {"message": message, "type": "invalid_request_error"}}),
    )
}

/// The forms that the server was asked for, one after the other.
fn forms(server: &FakeServer) -> Vec<String> {
    let asked = server.requests().into_iter().filter(|request| request.line == CHAT);
    let form = |body: Value| match &body["response_format"]["type"] {
        Value::String(form) => form.clone(),
        _ if body.to_string().contains("JSON Schema") => "words".to_owned(),
        _ => "none".to_owned(),
    };
    asked.map(|request| form(request.json())).collect()
}

async fn failed(stage: &Stage) -> Vec<Run> {
    let runs = stage.runs().await;
    runs.into_iter().filter(|run| run.state == RunState::Failed).collect()
}

#[tokio::test]
async fn a_supervisor_is_held_to_openais_strict_rules() {
    let server = FakeServer::start().await;
    let stage = connected(&server).await;
    let group = supervised(&stage).await;
    server.answer(Reply::saying(r#"{"next": null, "why": null}"#));
    stage.say(group, "what is missing?").await;
    let sent = server.requests()[0].json()["response_format"]["json_schema"].clone();
    assert_eq!(sent["strict"], true);
    let schema = &sent["schema"];
    assert_eq!(schema["required"], json!(["next", "why"]));
    assert_eq!(schema["additionalProperties"], false);
    assert_eq!(schema["properties"]["next"]["type"], json!(["string", "null"]));
    assert_eq!(schema["properties"]["why"]["type"], json!(["string", "null"]));
}

// As DeepSeek answers.
#[tokio::test]
async fn a_supervisor_whose_server_takes_no_schema_is_asked_for_json_and_from_then_on_at_once() {
    let server = FakeServer::start().await;
    let stage = connected(&server).await;
    let group = supervised(&stage).await;
    server.answer(refuses("This response_format type is unavailable now"));
    for _ in 0..2 {
        server.answer(Reply::saying(r#"{"next": null}"#));
        stage.say(group, "and now?").await;
    }
    assert_eq!(forms(&server), ["json_schema", "json_object", "json_object"]);
    assert_eq!(failed(&stage).await, []);
}

#[tokio::test]
async fn a_supervisor_whose_server_takes_no_form_at_all_is_asked_in_words() {
    let server = FakeServer::start().await;
    let stage = connected(&server).await;
    let group = supervised(&stage).await;
    server.answer(refuses("response_format.type: json_schema is not supported by model: m1"));
    server.answer(refuses("'response_format.type' must be 'text'"));
    for _ in 0..2 {
        server.answer(Reply::saying("I think {\"next\": null} is right."));
        stage.say(group, "and now?").await;
    }
    assert_eq!(forms(&server), ["json_schema", "json_object", "words", "words"]);
    assert_eq!(failed(&stage).await, []);
}

#[tokio::test]
async fn a_model_of_unknown_size_writes_as_much_as_its_soul_says_until_that_is_refused() {
    let server = FakeServer::start().await;
    let stage = connected(&server).await;
    let all = stage.overview().await.providers;
    let mut provider = all.into_iter().find(|one| one.name == "acme").expect("it is connected");
    provider.models[0].context_tokens = None;
    stage.do_(Command::save_provider(provider)).await;
    let ada = stage.direct("Ada").await;
    let asked = || {
        let all = server.requests().into_iter().filter(|request| request.line == CHAT);
        all.map(|request| request.json()["max_tokens"].clone()).collect::<Vec<_>>()
    };
    server.answer(Reply::saying("Hello."));
    stage.say(ada, "hi").await;
    assert_eq!(asked(), [4096]);
    server.answer(refuses("max_tokens is too large: 4096. The most is 2048"));
    server.answer(Reply::saying("Hello again."));
    stage.say(ada, "hi again").await;
    assert_eq!(asked(), [4096, 4096, 2048]);
    assert_eq!(failed(&stage).await, []);
}
