//! How much a model can read at once, and how much of that something takes.
//!
//! Pure. Tokens are first counted by rule of thumb; what a provider reports of
//! its calls says how far that is off for a model. Two counts must not be mixed
//! up: `tokens` and everything that is compared with a room are our own count.

use domain::ToolSpec;
use llm::{ModelRequest, Role, Turn};

/// Assumed where a provider does not say how much its model can read.
const USUAL: u32 = 8192;
/// The part of a window that stays free, for what our count misses.
const HEADROOM: u32 = 16;
/// The roles and the name in front cost a few tokens too.
const AROUND: u32 = 8;

/// A thousandth: our count is the provider's.
const EVEN: u32 = 1_000;
/// Further off than this is no model that answers in words.
const LEAST: u32 = 500;
const MOST: u32 = 4_000;

/// What a model can read and write at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    /// By the provider's count.
    pub tokens: u32,
    /// Its count for a thousand of ours.
    pub per_mille: u32,
}

impl Window {
    pub(crate) fn new(tokens: Option<u32>, per_mille: Option<u32>) -> Self {
        Window {
            tokens: tokens.unwrap_or(USUAL),
            per_mille: per_mille.unwrap_or(EVEN).clamp(LEAST, MOST),
        }
    }

    /// What a request may take beside an answer of so many tokens, by our
    /// count.
    pub(crate) fn room(self, max_tokens: u32) -> u32 {
        let free = self.tokens.saturating_sub(self.tokens / HEADROOM).saturating_sub(max_tokens);
        narrowed(u64::from(free) * u64::from(EVEN) / u64::from(self.per_mille))
    }

    /// Our count of something, as the provider would count it.
    pub(crate) fn counted(self, tokens: u32) -> u32 {
        narrowed(u64::from(tokens) * u64::from(self.per_mille) / u64::from(EVEN))
    }
}

/// What is known of a model's count after one more call: the newer calls weigh
/// more.
pub(crate) fn learned(before: Option<u32>, estimated: u32, reported: u32) -> u32 {
    let seen = u64::from(reported) * u64::from(EVEN) / u64::from(estimated.max(1));
    let seen = narrowed(seen).clamp(LEAST, MOST);
    before.map_or(seen, |before| (before.clamp(LEAST, MOST) * 3 + seen) / 4)
}

/// Tokens by rule of thumb: four characters each, a Han character one.
pub(crate) fn tokens(text: &str) -> u32 {
    let (wide, narrow) = text.chars().fold((0_u32, 0_u32), |(wide, narrow), c| {
        if is_wide(c) { (wide + 1, narrow) } else { (wide, narrow + 1) }
    });
    wide + narrow.div_ceil(4)
}

fn is_wide(c: char) -> bool {
    c as u32 >= 0x2E80
}

pub(crate) fn turn_tokens(turn: &Turn) -> u32 {
    let calls = turn.calls.iter().map(|call| tokens(&call.name) + tokens(&call.arguments) + AROUND);
    tokens(&turn.content) + AROUND + calls.sum::<u32>()
}

pub(crate) fn tool_tokens(tools: &[ToolSpec]) -> u32 {
    let one = |tool: &ToolSpec| {
        tokens(&tool.name) + tokens(&tool.description) + tokens(&tool.input.to_string()) + AROUND
    };
    tools.iter().map(one).sum()
}

/// Everything of a request that the model reads.
pub(crate) fn request_tokens(request: &ModelRequest) -> u32 {
    request.turns.iter().map(turn_tokens).sum::<u32>() + tool_tokens(&request.tools)
}

/// Fewer tokens than this no tokenizer makes of the text.
///
/// Runs of blanks and rules count once, a Han character half, and of the rest
/// five characters a token.
pub(crate) fn least_tokens(request: &ModelRequest) -> u32 {
    request.turns.iter().map(|turn| least(&turn.content)).sum()
}

fn least(text: &str) -> u32 {
    let (mut wide, mut narrow, mut last) = (0_u32, 0_u32, None);
    for c in text.chars() {
        let repeats = last == Some(c) && !c.is_alphanumeric();
        match (repeats, is_wide(c)) {
            (true, _) => {}
            (false, true) => wide += 1,
            (false, false) => narrow += 1,
        }
        last = Some(c);
    }
    wide / 2 + narrow / 5
}

/// Makes a request fit: old results of tools are shortened first, then
/// whatever is longest. The system prompt stays whole.
pub(crate) fn fit(request: &mut ModelRequest, window: Window) {
    let room = window.room(request.max_tokens);
    let mut total = request_tokens(request);
    for turn in request.turns.iter_mut().filter(|turn| turn.role == Role::Tool) {
        if total <= room {
            return;
        }
        total -= shorten_turn(turn, SHORTENED);
    }
    while total > room {
        let spoken = request.turns.iter_mut().filter(|turn| turn.role != Role::System);
        let Some(longest) = spoken.max_by_key(|turn| tokens(&turn.content)) else { return };
        let keep = tokens(&longest.content).saturating_sub(total - room).max(SHORTENED);
        let saved = shorten_turn(longest, keep);
        if saved == 0 {
            return;
        }
        total -= saved;
    }
}

/// What remains of the result of a tool that is shortened.
pub(crate) const SHORTENED: u32 = 60;

/// Gives the tokens that it saved.
fn shorten_turn(turn: &mut Turn, most: u32) -> u32 {
    let before = tokens(&turn.content);
    if before > most {
        turn.content = shortened(&turn.content, most);
    }
    before.saturating_sub(tokens(&turn.content))
}

const LEFT_OUT: &str = "\n[… left out, because it is too long …]\n";

/// A text's beginning and end, with a mark where the rest was; at most so many
/// tokens, and as it is where it is not longer than that.
pub(crate) fn shortened(text: &str, most: u32) -> String {
    if tokens(text) <= most {
        return text.to_owned();
    }
    let keep = most.saturating_sub(tokens(LEFT_OUT) + 2);
    let start: &str = beginning(text, keep - keep / 3);
    let back: String = text.chars().rev().collect();
    let end: String = beginning(&back, keep / 3).chars().rev().collect();
    format!("{start}{LEFT_OUT}{end}")
}

/// As much of the text's start as takes so many tokens.
pub(crate) fn beginning(text: &str, most: u32) -> &str {
    let mut quarters = u64::from(most) * 4;
    for (at, c) in text.char_indices() {
        let cost = if is_wide(c) { 4 } else { 1 };
        if cost > quarters {
            return &text[..at];
        }
        quarters -= cost;
    }
    text
}

fn narrowed(tokens: u64) -> u32 {
    u32::try_from(tokens).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request(turns: Vec<Turn>) -> ModelRequest {
        ModelRequest {
            model: "m".into(),
            turns,
            temperature: 0.0,
            max_tokens: 100,
            stop: Vec::new(),
            seed: None,
            grammar: None,
            tools: Vec::new(),
        }
    }

    #[test]
    fn a_provider_that_counts_double_leaves_half_the_room() {
        let check = |per_mille, room| {
            assert_eq!(Window::new(Some(1_600), per_mille).room(500), room, "{per_mille:?}");
        };
        check(None, 1_000);
        check(Some(2_000), 500);
        check(Some(500), 2_000);
        check(Some(u32::MAX), 250);
        assert_eq!(Window::new(None, None).tokens, 8192);
        assert_eq!(Window::new(Some(10), None).room(100), 0);
    }

    #[test]
    fn the_newest_call_counts_for_a_quarter() {
        assert_eq!(learned(None, 1_000, 2_000), 2_000);
        assert_eq!(learned(Some(2_000), 1_000, 1_000), 1_750);
        assert_eq!(learned(None, 1_000, 1), LEAST);
        assert_eq!(learned(None, 0, u32::MAX), MOST);
    }

    #[test]
    fn results_of_tools_are_shortened_before_anything_that_was_said() {
        let long = "word ".repeat(400);
        let mut asked = request(vec![
            Turn::new(Role::System, "You are Ada."),
            Turn::new(Role::User, long.clone()),
            Turn::answering("c", long.clone()),
        ]);
        fit(&mut asked, Window::new(Some(900), None));
        assert_eq!(asked.turns[1].content, long);
        assert!(asked.turns[2].content.contains("left out"));
        fit(&mut asked, Window::new(Some(400), None));
        assert!(request_tokens(&asked) <= Window::new(Some(400), None).room(100));
        assert_eq!(asked.turns[0].content, "You are Ada.");
    }

    #[test]
    fn no_text_has_fewer_tokens_than_the_least() {
        assert_eq!(least("字".repeat(10).as_str()), 5);
        assert_eq!(least("                    x"), 0);
        assert_eq!(least(&"word ".repeat(100)), 100);
    }

    proptest! {
        #[test]
        fn what_is_shortened_is_never_longer_than_allowed(
            text in "[a-z 字\n]{0,400}", most in 0_u32..200
        ) {
            let short = shortened(&text, most);
            prop_assert!(tokens(&short) <= most.max(tokens(LEFT_OUT) + 2));
            prop_assert!(tokens(beginning(&text, most)) <= most);
            if tokens(&text) <= most {
                prop_assert_eq!(short, text);
            }
        }
    }
}
