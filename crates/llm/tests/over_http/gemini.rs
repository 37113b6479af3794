//! Gemini in its own words.

use crate::fake_server::{FakeServer, Reply};
use crate::{ask, endpoint, fault, http, is_done, question, recorded, text};
use domain::ModelInfo;
use llm::Trouble;
use llm::gemini::{Gemini, list_models};
use llm::http::Key;
use serde_json::json;
use std::time::Duration;

const ASK: &str = "POST /v1/models/gemini-3-pro:streamGenerateContent?alt=sse";
const KEY: &str = "AIza-secret";

fn model(server: &FakeServer) -> Gemini {
    Gemini::new(http(), endpoint(&server.base_url()).with_key(Key::new(KEY)))
}

#[tokio::test]
async fn the_question_is_asked_at_the_models_own_address_and_with_the_key() {
    let server = FakeServer::start().await;
    for size in [1, 7, 16 * 1024] {
        server.once(ASK, Reply::raw(recorded("gemini/sealed_at_the_end.sse")).in_pieces(size));
        let deltas = ask(&model(&server), question("gemini-3-pro")).await;
        assert_eq!(text(&deltas), "Grüße, 世界 🌍");
        assert!(is_done(&deltas));
    }
    let request = server.asked(1).await;
    assert_eq!(request.header("x-goog-api-key"), Some(KEY));
    assert_eq!(request.json()["systemInstruction"]["parts"][0]["text"], "You are Ada.");
}

#[tokio::test]
async fn a_model_has_one_address_however_it_and_the_server_are_written() {
    let server = FakeServer::start().await;
    let answers = [ASK, "POST /v1/tunedModels/mine:streamGenerateContent?alt=sse"];
    for line in answers {
        server.always(line, Reply::raw(recorded("gemini/plain.sse")));
    }
    let openai_door = endpoint(&format!("{}/openai/", server.base_url()));
    for name in ["gemini-3-pro", "models/gemini-3-pro", "tunedModels/mine"] {
        let deltas = ask(&Gemini::new(http(), openai_door.clone()), question(name)).await;
        assert!(is_done(&deltas), "{name}: {deltas:?}");
    }
}

#[tokio::test]
async fn each_refusal_says_what_to_do() {
    let server = FakeServer::start().await;
    let quota = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED",
        "message": "You exceeded your current quota",
        "details": [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "23s"}]}});
    let pause = Some(Duration::from_secs(23));
    let refusals = [
        (
            Reply::refusal("429 Too Many Requests", &quota),
            Trouble::Busy { retry_after: pause },
            "acme is busy (429: You exceeded your current quota)",
        ),
        (
            Reply::refusal(
                "400 Bad Request",
                &json!({"error": {"code": 400, "status": "INVALID_ARGUMENT",
                    "message": "API key not valid. Please pass a valid API key."}}),
            ),
            Trouble::Key,
            "acme refused the key (400: API key not valid. Please pass a valid API key)",
        ),
        (
            Reply::refusal(
                "404 Not Found",
                &json!({"error": {"code": 404, "status": "NOT_FOUND", "message":
                    "models/gemini-3-pro is not found for API version v1beta"}}),
            ),
            Trouble::UnknownModel,
            "acme does not have the model gemini-3-pro (404: models/gemini-3-pro is not found for \
             API version v1beta)",
        ),
        (
            Reply::refusal(
                "503 Service Unavailable",
                &json!({"error": {"code": 503, "message": "The model is overloaded."}}),
            ),
            Trouble::Busy { retry_after: None },
            "acme is busy (503: The model is overloaded)",
        ),
    ];
    for (reply, trouble, message) in refusals {
        server.once(ASK, reply);
        let fault = fault(&ask(&model(&server), question("gemini-3-pro")).await);
        assert_eq!((fault.trouble, fault.message.as_str()), (trouble, message));
    }
}

#[tokio::test]
async fn the_models_that_talk_are_listed_with_what_they_read() {
    let server = FakeServer::start().await;
    let list = json!({"models": [
        {"name": "models/gemini-3-pro", "inputTokenLimit": 1_048_576,
            "supportedGenerationMethods": ["generateContent", "countTokens"]},
        {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]}]});
    server.once("GET /v1/models?pageSize=1000", Reply::json(&list));
    let endpoint = endpoint(&server.base_url()).with_key(Key::new(KEY));
    let name = "gemini-3-pro".to_owned();
    let expected = ModelInfo::new(name, Some(1_048_576));
    assert_eq!(list_models(&http(), &endpoint).await, Ok(vec![expected]));
}
