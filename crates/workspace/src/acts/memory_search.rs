//! `memory_search`: looks for what the agent may remember.

use super::Ground;
use crate::memory;
use async_trait::async_trait;
use domain::{Effects, Fault, Memory, MemoryFilter, Risk, ToolSpec, Trust};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
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

pub(crate) struct MemorySearch {
    spec: ToolSpec,
    ground: Ground,
}

impl MemorySearch {
    pub(crate) fn new(ground: Ground) -> Self {
        let spec = tools::describe::<Input>("memory_search", Effects::None, Risk::Low);
        MemorySearch { spec, ground }
    }

    async fn search(&self, input: Input, with: &CallContext) -> Result<String, Fault> {
        let Ok(shared) = self.ground.shared() else { return Ok(String::new()) };
        let scopes = shared.store.read(|read| {
            let group = runs::get(read, with.run)?.group;
            Ok::<_, Fault>(memory::read_in(with.agent, group))
        })?;
        let filter = MemoryFilter { scopes, ..MemoryFilter::default() };
        let limit = input.limit.unwrap_or(USUAL_LIMIT);
        let found = memory::search(&shared, input.query, filter, limit, None, true).await?;
        if found.hits.is_empty() {
            return Ok("[nothing that you remember fits]".to_owned());
        }
        let lines = found.hits.iter().map(|hit| told(&hit.memory));
        Ok(lines.collect::<Vec<_>>().join("\n"))
    }
}

#[async_trait]
impl Tool for MemorySearch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_usual(&self) -> bool {
        false
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let input: Input = match tools::input(arguments) {
            Ok(input) => input,
            Err(returned) => return returned,
        };
        tokio::select! {
            biased;
            () = with.stop.cancelled() => Returned::stopped(),
            found = self.search(input, with) => match found {
                Ok(text) => Returned::ok(text).foreign(),
                Err(fault) => Returned::failed(fault.to_string()),
            },
        }
    }
}

/// With how far it can be relied on.
fn told(memory: &Memory) -> String {
    let from = match memory.trust {
        Trust::Person => "the person said",
        Trust::Agent => "an agent noticed",
        Trust::Untrusted => "not confirmed",
    };
    format!("- {} ({from})", memory.text)
}
