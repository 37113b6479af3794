//! Model servers over real connections: what reaches them, what comes back
//! from good and bad ones, and what happens when either side leaves.

mod faults;
mod forms;
mod found;
mod last_word;
mod narrowed;
mod own_files;
mod prefix;
mod streams;

use futures::StreamExt;
use llm::openai::{Endpoint, Http, OpenAi};
use llm::{Delta, Model, ModelRequest, Role, Turn};
use std::time::Duration;

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
        tools: domain::ToolSpecs::default(),
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
