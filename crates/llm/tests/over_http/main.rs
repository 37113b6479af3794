//! Providers over real connections: what reaches a server, what its refusals
//! mean, and what happens when either side leaves.

#[allow(dead_code, unreachable_pub)]
#[path = "../../../../tests/harness/fake_server.rs"]
mod fake_server;

mod anthropic;
mod gemini;
mod leaving;
mod llama_server;
mod ollama;
mod openai;
mod vectors;

use futures::StreamExt;
use llm::http::{Endpoint, Http};
use llm::{Delta, Finish, Model, ModelFault, ModelRequest, Role, Turn};

const NOW_MS: i64 = 784_111_777_000;

fn http() -> Http {
    Http::new(|| NOW_MS)
}

fn endpoint(base_url: &str) -> Endpoint {
    Endpoint::new("acme", base_url).expect("a web address")
}

fn question(model: &str) -> ModelRequest {
    ModelRequest {
        model: model.into(),
        turns: vec![Turn::new(Role::System, "You are Ada."), Turn::new(Role::User, "你好")],
        temperature: 0.5,
        max_tokens: 100,
        stop: vec![],
        seed: None,
        grammar: None,
        tools: domain::ToolSpecs::default(),
    }
}

async fn ask(model: &dyn Model, request: ModelRequest) -> Vec<Delta> {
    model.ask(request).collect().await
}

fn text(deltas: &[Delta]) -> String {
    let text = deltas.iter().filter_map(|delta| match delta {
        Delta::Text(text) => Some(text.as_str()),
        _ => None,
    });
    text.collect()
}

fn fault(deltas: &[Delta]) -> ModelFault {
    match deltas {
        [Delta::Failed { fault, .. }] => fault.clone(),
        other => panic!("it did not fail at once: {other:?}"),
    }
}

fn is_done(deltas: &[Delta]) -> bool {
    matches!(deltas.last(), Some(Delta::Done { finish: Finish::Stop, .. }))
}

fn recorded(name: &str) -> Vec<u8> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    std::fs::read(folder.join(name)).expect("the recording is there")
}
