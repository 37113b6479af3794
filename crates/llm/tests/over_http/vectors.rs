//! Texts turned into vectors, in the words of each interface.

use crate::fake_server::{FakeServer, Reply};
use crate::{endpoint, http};
use llm::{ModelFault, Purpose, Texts, Trouble, Vectors, gemini, ollama, openai};
use serde_json::{Value, json};

fn texts(model: &str, purpose: Purpose) -> Texts {
    let texts = vec!["tea".to_owned(), "茶".to_owned()];
    Texts { model: model.to_owned(), purpose, texts }
}

fn two(vectors: Result<Vectors, ModelFault>) -> (Vec<Vec<f32>>, Option<u32>) {
    let vectors = vectors.map_err(|fault| fault.message).expect("vectors");
    (vectors.vectors, vectors.input_tokens)
}

#[tokio::test]
async fn each_interface_is_asked_in_its_own_words() {
    let server = FakeServer::start().await;
    let at = endpoint(&server.base_url());
    let said = || (vec![vec![0.6, 0.8], vec![1.0, 0.0]], Some(5));

    // Whatever order they come in.
    let answer = json!({"data": [{"index": 1, "embedding": [2, 0]},
        {"index": 0, "embedding": [3, 4]}], "usage": {"prompt_tokens": 5, "total_tokens": 5}});
    server.always("POST /v1/embeddings", Reply::json(&answer));
    let asked = texts("nomic-embed-text-v1.5", Purpose::Query);
    assert_eq!(two(openai::vectors(&http(), &at, &asked).await), said());

    let answer = json!({"embeddings": [[3, 4], [2, 0]], "prompt_eval_count": 5});
    server.always("POST /api/embed", Reply::json(&answer));
    let asked = texts("embeddinggemma", Purpose::Passage);
    assert_eq!(two(ollama::vectors(&http(), &at, &asked).await), said());

    let answer = json!({"embeddings": [{"values": [3, 4]}, {"values": [2, 0]}]});
    server.always("POST /v1/models/gemini-embedding-001:batchEmbedContents", Reply::json(&answer));
    let asked = texts("gemini-embedding-001", Purpose::Query);
    assert_eq!(two(gemini::vectors(&http(), &at, &asked).await), (said().0, None));

    let part = |text: &str| {
        json!({"model": "models/gemini-embedding-001", "content": {"parts": [{"text": text}]},
            "taskType": "RETRIEVAL_QUERY"})
    };
    let questions: Vec<Value> = server.requests().iter().map(|request| request.json()).collect();
    assert_eq!(
        questions,
        [
            json!({"model": "nomic-embed-text-v1.5", "input": ["search_query: tea", "search_query: 茶"]}),
            json!({"model": "embeddinggemma", "input": ["title: none | text: tea", "title: none | text: 茶"], "truncate": false}),
            json!({"requests": [part("tea"), part("茶")]}),
        ]
    );
}

#[tokio::test]
async fn what_is_no_vector_for_each_text_is_a_broken_answer() {
    let server = FakeServer::start().await;
    let asked = texts("m", Purpose::Query);
    for data in [
        json!([]),
        json!([{"embedding": [1, 2]}]),
        json!([{"embedding": [1, 2]}, {"embedding": [1]}]),
        json!([{"embedding": [1, 2]}, {"embedding": [0, 0]}]),
        json!([{"embedding": "AACAPw=="}, {"embedding": [0, 1]}]),
        json!("hello"),
    ] {
        server.once("POST /v1/embeddings", Reply::json(&json!({"data": data})));
        let fault = openai::vectors(&http(), &endpoint(&server.base_url()), &asked).await;
        let fault = fault.expect_err("is no answer");
        assert_eq!(fault.trouble, Trouble::BrokenAnswer, "{data}");
        assert!(fault.message.contains("one vector for each of 2 texts"), "{}", fault.message);
    }
}

#[tokio::test]
async fn models_that_make_vectors_are_told_from_those_that_answer() {
    let server = FakeServer::start().await;
    let at = endpoint(&server.base_url());
    let list = json!({"data": [{"id": "gpt-5"}, {"id": "text-embedding-3-small"},
        {"id": "nomic-ai/nomic-embed-text"}, {"id": "of-type", "type": "embeddings"},
        {"id": "bge-chat", "type": "llm"}, {"id": "whisper-1"}]});
    server.always("GET /v1/models", Reply::json(&list));
    let openai = openai::list_vector_models(&http(), &at).await;
    let openai = openai.map_err(|fault| fault.message).expect("a list");
    assert_eq!(openai, ["text-embedding-3-small", "nomic-ai/nomic-embed-text", "of-type"]);

    let chats = json!({"data": [{"id": "openai/gpt-5"}]});
    server.always("GET /v1/models", Reply::json(&chats));
    let apart = json!({"data": [{"id": "qwen/qwen3-embedding-8b"}]});
    server.once("GET /v1/embeddings/models", Reply::json(&apart));
    let openrouter = openai::list_vector_models(&http(), &at).await;
    let openrouter = openrouter.map_err(|fault| fault.message).expect("a list");
    assert_eq!(openrouter, ["qwen/qwen3-embedding-8b"]);
    let refused = json!({"error": {"message": "no such page"}});
    server.always("GET /v1/embeddings/models", Reply::refusal("404 Not Found", &refused));
    let none = openai::list_vector_models(&http(), &at).await;
    assert_eq!(none.map_err(|fault| fault.message).expect("a list"), [""; 0]);

    let tags = json!({"models": [{"name": "qwen3:4b"}, {"name": "nomic", "details": {"family": "nomic-bert"}}]});
    server.always("GET /api/tags", Reply::json(&tags));
    server.always("POST /api/show", Reply::json(&json!({})));
    let ollama = ollama::list_vector_models(&http(), &at).await;
    assert_eq!(ollama.map_err(|fault| fault.message).expect("a list"), ["nomic"]);

    let list = json!({"models": [
        {"name": "models/gemini-3-pro", "supportedGenerationMethods": ["generateContent"]},
        {"name": "models/gemini-embedding-001", "supportedGenerationMethods": ["embedContent"]}]});
    server.always("GET /v1/models?pageSize=1000", Reply::json(&list));
    let gemini = gemini::list_vector_models(&http(), &at).await;
    assert_eq!(gemini.map_err(|fault| fault.message).expect("a list"), ["gemini-embedding-001"]);
}
