//! `memory_search`: looks for what the agent may remember.

use super::{Act, Ground};
use crate::memory;
use crate::shared::Shared;
use domain::{Effects, Fault, Memory, MemoryFilter, Trust};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::table::runs;
use tools::{CallContext, Returned, Tool};

/// Looks for what you remember: of the person, of the work, of this conversation, and
/// of your own.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to look for, in a few words or as a question.
    query: String,
    /// How many to give at most; 10 when left out.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u32>,
}

const USUAL_LIMIT: u32 = 10;

pub(crate) fn tool(ground: Ground) -> impl Tool {
    Act::new("memory_search", Effects::None, ground, |shared, input, with| {
        search(shared, input, with).boxed()
    })
}

async fn search(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    let scopes = shared.store.read(|read| {
        let group = runs::get(read, with.run)?.group;
        Ok::<_, Fault>(memory::read_in(with.agent, group))
    })?;
    let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
    let limit = input.limit.unwrap_or(USUAL_LIMIT);
    let found = memory::search(&shared, input.query, filter, limit, None, true).await?;
    if found.hits.is_empty() {
        return Ok(Returned::ok("[nothing that you remember fits]").foreign());
    }
    let lines = found.hits.iter().map(|hit| told(&hit.memory));
    Ok(Returned::ok(lines.collect::<Vec<_>>().join("\n")).foreign())
}

/// With how far it can be relied on.
fn told(memory: &Memory) -> String {
    let from = match memory.trust {
        Trust::Person => "the person said",
        Trust::Agent => "an agent noticed",
        Trust::Untrusted => memory::NOT_CONFIRMED,
    };
    format!("{}{from})", found_as(&memory.text))
}

/// How the line of a memory with these words begins.
pub(crate) fn found_as(text: &str) -> String {
    format!("- {text} (")
}
