//! What reading a token costs a client and nothing beside it: ours, and the
//! one that OpenAI makes for Python. Both are asked by one thread, one question
//! after the other, over one connection that stays open.

use super::provider::{TEXT, THREADS, TOKENS};
use crate::bench::{broken, cost, python};
use crate::screen::Failure;
use futures::StreamExt;
use llm::openai::{Endpoint, Http, OpenAi};
use llm::{Delta, Model, ModelRequest, Role, Turn};
use tokio::runtime;

const SCRIPT: &str = include_str!("openai_client.py");

/// Microseconds of processor time a token. Blocks.
pub(super) fn ours(url: &str, answers: usize) -> Result<f64, Failure> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| broken("start a client", error))?;
    let endpoint = Endpoint::new("bench", url).map_err(|fault| broken("ask", fault.message))?;
    let model = OpenAi::new(Http::new(|| 0), endpoint);
    runtime.block_on(ask(&model, 5))?;
    let before = cost::processor_without(THREADS)?;
    runtime.block_on(ask(&model, answers))?;
    let used = cost::processor_without(THREADS)?.saturating_sub(before);
    Ok(used.as_secs_f64() * 1e6 / (answers * TOKENS) as f64)
}

async fn ask(model: &impl Model, answers: usize) -> Result<(), Failure> {
    for _ in 0..answers {
        let mut deltas = model.ask(question());
        let mut seen = 0;
        while let Some(delta) = deltas.next().await {
            match delta {
                Delta::Text(text) => seen += text.len(),
                Delta::Failed { fault, .. } => return Err(broken("ask", fault.message)),
                Delta::Reasoning(_)
                | Delta::ToolCall(_)
                | Delta::Unshown(_)
                | Delta::Counted(_)
                | Delta::Kept(_)
                | Delta::Anew
                | Delta::Done { .. } => {}
            }
        }
        if seen != TEXT.len() * TOKENS {
            return Err(broken("ask", format!("{seen} bytes of text arrived")));
        }
    }
    Ok(())
}

fn question() -> ModelRequest {
    ModelRequest {
        model: "bench".into(),
        turns: vec![Turn::new(Role::User, "What do you see?")],
        temperature: 0.7,
        max_tokens: 4_000,
        stop: Vec::new(),
        seed: None,
        grammar: None,
        tools: domain::ToolSpecs::default(),
    }
}

/// The same for the client for Python, by its own clock, start and imports left
/// out; `None` where it is not installed.
pub(super) fn pythons(url: &str, answers: usize) -> Result<Option<f64>, Failure> {
    let arguments = [url, &answers.to_string(), &(TEXT.len() * TOKENS).to_string()];
    let Some(told) = python::told(SCRIPT, &arguments)? else { return Ok(None) };
    let seconds = told.trim().parse::<f64>();
    let seconds = seconds.map_err(|error| broken("read what Python measured", error))?;
    Ok(Some(seconds * 1e6 / (answers * TOKENS) as f64))
}
