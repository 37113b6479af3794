//! The provider: mostly it answers, and now and then it does everything else
//! that a provider does.

use serde_json::json;
use std::collections::HashMap;
use tests::Dice;
use tests::fake_server::{self, CHAT, FakeServer, Reply};
use tests::thought;

/// Words of a person's message that no agent says.
const NUMBER: &str = "make of number ";
/// Tokens of a prompt. One that was counted shorter than it is was cut off.
const MORE_THAN_ALL: usize = 20_000;

pub(super) struct Provider {
    server: FakeServer,
    /// What each request got or will get, in order.
    laid_out: Vec<Manner>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Manner {
    Answers,
    /// Falls silent in the middle of its answer.
    Stalls,
    /// Says nothing at all.
    NeverBegins,
    BreaksOff,
    ServerError,
    TooManyRequests,
}

impl Manner {
    pub(super) const ALL: [Manner; 6] = [
        Manner::Answers,
        Manner::Stalls,
        Manner::NeverBegins,
        Manner::BreaksOff,
        Manner::ServerError,
        Manner::TooManyRequests,
    ];
}

impl Provider {
    pub(super) async fn open() -> Provider {
        let server = FakeServer::start().await;
        server.always(CHAT, answer("[pass]", None));
        Provider { server, laid_out: Vec::new() }
    }

    pub(super) fn base_url(&self) -> String {
        self.server.base_url()
    }

    /// Decides how the next requests are met.
    pub(super) fn lay_out(&mut self, replies: usize, dice: &mut Dice) {
        for _ in 0..replies {
            let n = self.laid_out.len();
            let text = words(n, dice);
            // Half of the answers say what was counted: more than was sent.
            let said = answer(&text, n.is_multiple_of(2).then_some(MORE_THAN_ALL + n));
            let second = text.split(' ').nth(1).unwrap_or("data: [DONE]").to_owned();
            let refused =
                |status: &str| Reply::refusal(status, &json!({"error": {"message": "no"}}));
            let (manner, reply) = match dice.below(100) {
                0..2 => (Manner::Stalls, said.silent_before(&second)),
                2..3 => (Manner::NeverBegins, Reply::nothing()),
                3..9 => (Manner::BreaksOff, said.cut_before(&second)),
                9..14 => (Manner::ServerError, refused("500 Internal Server Error")),
                14..18 => (Manner::TooManyRequests, refused("429 Too Many Requests")),
                _ => (Manner::Answers, said),
            };
            self.laid_out.push(manner);
            self.server.answer(reply);
        }
    }

    /// How many requests there were, and how those were met that were not
    /// simply answered.
    pub(super) fn met(&self) -> (usize, HashMap<Manner, usize>) {
        let asked = self.server.requests().len();
        let mut met = HashMap::new();
        for manner in self.laid_out.iter().take(asked) {
            *met.entry(*manner).or_default() += 1;
        }
        (asked, met)
    }

    /// In what each agent was ever asked, no message stands twice, and those
    /// of a group stand in the order in which they were posted.
    pub(super) fn heard_everything_once_and_in_order(&self) {
        for request in self.server.requests() {
            let body = request.json();
            let turns = body["messages"].as_array().expect("a conversation").iter();
            let heard: Vec<usize> = turns
                .filter(|turn| turn["role"] == "user")
                .flat_map(|turn| numbers(turn["content"].as_str().unwrap_or_default()))
                .collect();
            assert!(heard.is_sorted_by(|one, next| one < next), "heard {heard:?}");
        }
    }
}

/// A word an event, and what was counted, if that is said.
fn answer(text: &str, prompt_tokens: Option<usize>) -> Reply {
    let mut chunks: Vec<_> = text.split_inclusive(' ').map(fake_server::words).collect();
    chunks.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}));
    if let Some(tokens) = prompt_tokens {
        let usage = json!({"prompt_tokens": tokens, "completion_tokens": 9});
        chunks.push(json!({"choices": [], "usage": usage}));
    }
    Reply::stream(&chunks)
}

/// Numbers after [`NUMBER`] in a text.
fn numbers(text: &str) -> Vec<usize> {
    let digits = |rest: &str| -> String { rest.chars().take_while(char::is_ascii_digit).collect() };
    text.split(NUMBER).skip(1).map(|rest| digits(rest).parse().expect("a number")).collect()
}

fn words(n: usize, dice: &mut Dice) -> String {
    match dice.below(12) {
        0 => "[pass]".to_owned(),
        1 => format!("@Ada {} {n}", thought(n)),
        2 => format!("@Otto {} {n}", thought(n)),
        _ => format!("{} {n}", thought(n)),
    }
}

/// What a person says in the nth message.
pub(super) fn letter(n: usize, to: &str) -> String {
    format!("@{to} what do you {NUMBER}{n}?")
}
