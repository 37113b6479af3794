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
use tools::{CallContext, MOST_CHARACTERS, Returned, Tool};

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
/// What the note takes that more fit.
const OF_NOTE: usize = 100;

pub(crate) fn tool(ground: Ground) -> impl Tool {
    Act::new("memory_search", Effects::None, ground, |shared, input, with| {
        search(shared, input, with).boxed()
    })
}

async fn search(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    if input.query.trim().is_empty() {
        return Ok(Returned::failed("nothing was looked for: say in `query` what to look for"));
    }
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
    let lines: Vec<String> = found.hits.iter().map(|hit| told(&hit.memory)).collect();
    Ok(Returned::ok(read_whole(lines)).foreign())
}

/// As many as are read whole. A memory that is cut in two would stand half in the history
/// and whole in a file, and be left in both when it is forgotten.
fn read_whole(mut lines: Vec<String>) -> String {
    let mut length = 0;
    let whole = lines.iter().take_while(|line| {
        length += line.chars().count() + 1;
        length <= MOST_CHARACTERS - OF_NOTE
    });
    let whole = whole.count();
    let more = lines.len() - whole;
    lines.truncate(whole);
    if more > 0 {
        lines.push(format!("[{more} more fit: look for something narrower]"));
    }
    lines.join("\n")
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_left_out_line_by_line() {
        let check = |lines: usize, whole: usize, note: &str| {
            let text = read_whole(vec!["x".repeat(4_000); lines]);
            assert!(text.chars().count() <= MOST_CHARACTERS);
            assert_eq!(text.lines().filter(|line| line.len() == 4_000).count(), whole);
            assert!(text.ends_with(note), "{lines}");
        };
        check(7, 7, "x");
        check(9, 7, "\n[2 more fit: look for something narrower]");
    }
}
