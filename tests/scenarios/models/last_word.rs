//! Servers that answer only what somebody else said last.

use domain::{Command, Query, Reply as Answer, RunState, TurnPolicy};
use serde_json::{Value, json};
use tests::fake_server::{FakeServer, Reply};
use tests::{connected, thought};

/// As Mistral says it; llama-server and vLLM do the same while a model thinks.
fn refuses_its_own_words(asked: &Value) -> Option<Reply> {
    let last = asked["messages"].as_array().and_then(|all| all.last()).expect("a message");
    let message = "Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant";
    let refusal = Reply::refusal("400 Bad Request", &json!({"message": message}));
    (last["role"] == "assistant").then_some(refusal)
}

#[tokio::test]
async fn who_is_asked_to_speak_twice_in_a_row_answers_both_times() {
    let server = FakeServer::start().await;
    server.refuses(refuses_its_own_words);
    for n in 0..4 {
        server.answer(Reply::saying(thought(n)));
    }
    let stage = connected(&server).await;
    let group = stage.group(&["Ada", "Bo"], TurnPolicy::Mention).await;
    let agent = stage.agent("Ada").await.id;
    stage.say(group, "@Ada what do you know?").await;
    for _ in 0..2 {
        stage.do_(Command::SpeakNow { group, agent }).await;
        stage.quiet().await;
    }
    stage.say(group, "@Ada go on").await;
    let said = stage.transcript(group).await;
    let ada = |n: usize| format!("Ada: {}", thought(n));
    let expected = [
        "you: @Ada what do you know?".to_owned(),
        ada(0),
        ada(1),
        ada(2),
        "you: @Ada go on".to_owned(),
        ada(3),
    ];
    assert_eq!(said, expected);
    let runs = stage.runs().await;
    assert!(runs.iter().all(|run| run.state == RunState::Settled), "{runs:?}");

    let asked: Vec<Vec<Value>> = server.requests().iter().map(messages).collect();
    for two in asked.windows(2) {
        assert_eq!(two[0], two[1][..two[0].len()], "each begins with all of the one before");
    }
    let filler = json!({"role": "user", "content": "…"});
    assert_eq!(asked[2].iter().filter(|message| **message == filler).count(), 2);
    let second = Query::SentRequest { run: runs[1].id, n: 1 };
    match stage.query(second).await.expect("it is on record") {
        Answer::SentRequest(sent) => {
            assert_eq!(sent.turns.last().expect("a last turn").content, "…");
        }
        other => panic!("no request: {other:?}"),
    }
}

fn messages(request: &tests::fake_server::Request) -> Vec<Value> {
    request.json()["messages"].as_array().expect("messages").clone()
}
