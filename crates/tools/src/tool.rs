//! What every tool is.

use async_trait::async_trait;
use domain::{AgentId, CallId, RunId, ToolSpec};
use serde_json::Value;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// Something an agent can use.
#[async_trait]
pub trait Tool: Send + Sync {
    /// The same at every call.
    fn spec(&self) -> &ToolSpec;

    /// Whether it is of any use here.
    fn offered(&self, _place: &Place) -> bool {
        true
    }

    /// Uses it, with arguments that match its schema. Answers within 100 ms
    /// once `with.stop` is cancelled.
    async fn call(&self, arguments: Value, with: &CallContext) -> Returned;
}

/// What an agent has, here and now.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// The folders whose files are its to see; absolute.
    pub roots: Vec<PathBuf>,
    /// The souls that it may give tasks to.
    pub delegates: Vec<String>,
}

/// What a tool is told about one use of it.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The same when the same use is tried again.
    pub key: CallId,
    /// Who uses it, and in which run.
    pub agent: AgentId,
    pub run: RunId,
    pub place: Place,
    pub stop: CancellationToken,
}

/// What the model reads about a use of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Returned {
    /// Whether the tool did what it was asked.
    pub ok: bool,
    /// At most [`MOST_CHARACTERS`] and the mark of what was left out.
    pub text: String,
}

/// How much of a tool's answer a model gets to read.
pub const MOST_CHARACTERS: usize = 32_000;

impl Returned {
    pub fn ok(text: impl Into<String>) -> Self {
        Returned { ok: true, text: shortened(text.into(), MOST_CHARACTERS) }
    }

    /// `text` says what was tried, why it did not work and what may help.
    pub fn failed(text: impl Into<String>) -> Self {
        Returned { ok: false, text: shortened(text.into(), MOST_CHARACTERS) }
    }

    /// The answer of a tool that was stopped while it worked.
    pub fn stopped() -> Self {
        Returned::failed("stopped before it was done")
    }
}

/// Leaves out the middle of what is too long: the beginning says what it is,
/// and the end is where programs say how it went.
fn shortened(text: String, most: usize) -> String {
    // Counting is only due when there may be too many.
    let length = if text.len() > most { text.chars().count() } else { 0 };
    if length <= most {
        return text;
    }
    let (first, last) = (most - most / 4, most / 4);
    let head_ends = text.char_indices().nth(first).map_or(text.len(), |(at, _)| at);
    let tail_begins = text.char_indices().rev().nth(last - 1).map_or(0, |(at, _)| at);
    let left_out = length - most;
    format!(
        "{}\n[{left_out} characters left out here]\n{}",
        &text[..head_ends],
        &text[tail_begins..]
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_loses_its_middle_and_says_how_much() {
        let check = |text: &str, expected: &str| {
            assert_eq!(shortened(text.to_owned(), 8), expected);
        };
        check("", "");
        check("12345678", "12345678");
        check("123456789", "123456\n[1 characters left out here]\n89");
        check("abcdefghijklmnopqrst", "abcdef\n[12 characters left out here]\nst");
        check("八个汉字正好不短", "八个汉字正好不短");
        check("九个汉字已经太长了", "九个汉字已经\n[1 characters left out here]\n长了");
        check("🌍🌎🌏🌍🌎🌏🌍🌎🌏🌍", "🌍🌎🌏🌍🌎🌏\n[2 characters left out here]\n🌏🌍");
    }

    #[test]
    fn no_answer_is_longer_than_a_model_should_read() {
        let endless = "字".repeat(MOST_CHARACTERS * 2);
        for returned in [Returned::ok(endless.clone()), Returned::failed(endless)] {
            assert!(returned.text.chars().count() < MOST_CHARACTERS + 50);
            assert!(returned.text.contains("[32000 characters left out here]"));
        }
    }
}
