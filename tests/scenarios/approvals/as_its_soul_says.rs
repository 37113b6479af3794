//! What one soul has its agent ask about beyond what everybody asks about, and for how long.

use super::{answer, asked, call};
use domain::Consent;
use llm::Role;
use llm::scripted::{Beat, Scripted};
use serde_json::json;
use std::time::Duration;
use tests::{Stage, stage};

/// Ada asks as this policy says, and works out one sum after each word of a person.
async fn open(policy: &'static str) -> Stage {
    let prepare = move |data: &std::path::Path| {
        std::fs::create_dir_all(data.join("souls")).expect("a folder");
        let soul = format!("---\nname: Ada\nplan: never\npolicy: {policy}\n---\nYou help.\n");
        std::fs::write(data.join("souls/ada.md"), soul).expect("a soul");
    };
    let model = Scripted::from_fn(|request, _| match request.turns.last() {
        Some(turn) if turn.role == Role::Tool => vec![Beat::Text(turn.content.clone())],
        Some(_) | None => vec![call("c", "calculator", json!({"expression": "2+3"}))],
    });
    stage().before(prepare).model(model).open().await
}

#[tokio::test]
async fn what_its_soul_calls_risky_asks_first_and_can_be_allowed() {
    for policy in ["{high_risk_tools: [calculator]}", "{high_risk_tools: [shell, \"calc*\"]}"] {
        let stage = open(policy).await;
        let ada = stage.direct("Ada").await;
        stage.post(ada, "How much is it?").await;
        let question = asked(&stage).await;
        assert_eq!(question.tool, "calculator", "{policy}");
        answer(&stage, &question, Consent::Once, None).await.expect("it waits");
        stage.quiet().await;
        assert_eq!(stage.transcript(ada).await, ["you: How much is it?", "Ada: 5"]);
        // Once is once.
        stage.post(ada, "And again?").await;
        asked(&stage).await;
    }
}

#[tokio::test]
async fn others_are_not_asked_about_what_one_soul_calls_risky() {
    let stage = open("{high_risk_tools: [read_file]}").await;
    let ada = stage.direct("Ada").await;
    stage.say(ada, "How much is it?").await;
    assert_eq!(stage.transcript(ada).await, ["you: How much is it?", "Ada: 5"]);
}

#[tokio::test]
async fn its_questions_wait_as_long_as_its_soul_says() {
    let stage = open("{high_risk_tools: [calculator], approval_timeout: 20}").await;
    let ada = stage.direct("Ada").await;
    stage.post(ada, "How much is it?").await;
    let question = asked(&stage).await;
    assert_eq!(question.expires_ms - question.asked_ms, 20_000);
    stage.clock.advance(Duration::from_secs(21));
    stage.quiet().await;
    let said = "Ada: nobody answered in time whether this may be done, so it was not done";
    assert_eq!(stage.transcript(ada).await.last().map(String::as_str), Some(said));
}
