//! Tokens by rule of thumb, where no provider has counted them.
//!
//! Pure. Four ASCII characters are a token, two of the other alphabets around Latin, and
//! one of every other script: tokenizers have learned few of their words, and what is
//! counted too low is promised too low (see `budget`).

use domain::{ToolSpec, ToolSpecs};
use llm::{Delta, ModelRequest, Turn};

/// The roles and the names around a text cost a few tokens too.
pub(crate) const AROUND: u32 = 8;

/// What providers count for a picture of usual size: from a hundred to a few
/// thousand.
pub(crate) const A_PICTURE: u32 = 1_600;

pub(crate) fn of(text: &str) -> u32 {
    let mut count = Count::default();
    count.add(text);
    count.tokens()
}

pub(crate) fn of_turn(turn: &Turn) -> u32 {
    let calls = turn.calls.iter().map(|call| of(&call.name) + of(&call.arguments) + AROUND);
    of(&turn.content) + AROUND + calls.sum::<u32>() + turn.images.len() as u32 * A_PICTURE
}

pub(crate) fn of_tools(tools: &ToolSpecs) -> u32 {
    tools.size(|all| all.iter().map(of_tool).sum())
}

pub(crate) fn of_tool(tool: &ToolSpec) -> u32 {
    of(&tool.name) + of(&tool.description) + of(&tool.input.to_string()) + AROUND
}

/// Everything of a request that the model reads.
pub(crate) fn of_request(request: &ModelRequest) -> u32 {
    request.turns.iter().map(of_turn).sum::<u32>() + of_tools(&request.tools)
}

/// Fewer tokens than this no tokenizer makes of the text.
///
/// Runs of blanks and rules count once, a Han character half, and of the rest
/// five characters a token.
pub(crate) fn least_of(request: &ModelRequest) -> u32 {
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

/// Counts what a model writes while it comes, for when nobody says it at the
/// end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Written {
    shown: Count,
    /// Characters that nobody is shown.
    unshown: u32,
}

/// What is sealed is several times as long as what it seals, and what has no
/// name yet may be shown once it has one.
const UNSHOWN_FOR_ONE: u32 = 4;

impl Written {
    pub(crate) fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(piece) | Delta::Reasoning(piece) => self.shown.add_piece(&[piece]),
            Delta::ToolCall(piece) => {
                let name = piece.name.as_deref().unwrap_or_default();
                self.shown.add_piece(&[name, &piece.arguments]);
            }
            Delta::Unshown(letters) => self.unshown = self.unshown.saturating_add(*letters),
            // What is in there has been told as it came.
            Delta::Counted(_)
            | Delta::Kept(_)
            | Delta::Anew
            | Delta::Done { .. }
            | Delta::Failed { .. } => {}
        }
    }

    /// By the kindest tokenizer: an answer must not be cut off for its language.
    pub(crate) fn tokens(self) -> u32 {
        self.shown.at_best().saturating_add(self.unshown_as_shown().at_best())
    }

    /// Hardly any tokenizer makes fewer of it. What is unshown may be the same
    /// thoughts as those that are shown: the longer of the two counts.
    pub(crate) fn at_least(self) -> u32 {
        self.shown.at_least().max(self.unshown_as_shown().at_least())
    }

    fn unshown_as_shown(self) -> Count {
        Count { narrow: self.unshown / UNSHOWN_FOR_ONE, ..Count::default() }
    }
}

/// Characters by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Count {
    wide: u32,
    narrow: u32,
    /// Of a token, over all of them.
    quarters: u32,
}

impl Count {
    fn add(&mut self, text: &str) {
        // Most texts are, and all of a request is counted several times a turn.
        if text.is_ascii() {
            let letters = u32::try_from(text.len()).unwrap_or(u32::MAX);
            self.narrow = self.narrow.saturating_add(letters);
            self.quarters = self.quarters.saturating_add(letters);
            return;
        }
        for c in text.chars() {
            let of_its_kind = if is_wide(c) { &mut self.wide } else { &mut self.narrow };
            *of_its_kind = of_its_kind.saturating_add(1);
            self.quarters = self.quarters.saturating_add(quarters(c));
        }
    }

    /// A piece with nothing in it counts too: else no sum of them came to an
    /// end.
    fn add_piece(&mut self, texts: &[&str]) {
        match texts.iter().all(|text| text.is_empty()) {
            true => self.narrow = self.narrow.saturating_add(1),
            false => texts.iter().for_each(|text| self.add(text)),
        }
    }

    fn tokens(self) -> u32 {
        self.quarters.div_ceil(4)
    }

    fn at_best(self) -> u32 {
        self.wide.saturating_add(self.narrow.div_ceil(4))
    }

    /// A word of five letters a token, and two Han characters.
    fn at_least(self) -> u32 {
        (self.wide / 2).saturating_add(self.narrow / 5)
    }
}

fn is_wide(c: char) -> bool {
    c as u32 >= 0x2E80
}

/// What a character takes of a token, in quarters.
fn quarters(c: char) -> u32 {
    match c as u32 {
        0..0x80 => 1,
        // Latin with its signs, Greek, Cyrillic, Armenian.
        0x80..0x590 => 2,
        // Hebrew, Arabic, Hindi, Thai, Han and whatever else is written.
        0x590.. => 4,
    }
}

const LEFT_OUT: &str = "\n[… left out, because it is too long …]\n";

/// The same in the result of a tool, which may be used again.
const LEFT_OUT_OF_RESULT: &str =
    "\n[… left out, because it is too long; ask for less at a time …]\n";
/// Less than this of a result says nothing.
const LEAST_OF_RESULT: u32 = 8;

/// A text's beginning and end, with a mark where the rest was; at most so many
/// tokens, and as it is where it is not longer than that.
pub(crate) fn shortened(text: &str, most: u32) -> String {
    shortened_with(LEFT_OUT, text, most)
}

fn shortened_with(mark: &str, text: &str, most: u32) -> String {
    if of(text) <= most {
        return text.to_owned();
    }
    let keep = most.saturating_sub(of(mark) + 2);
    let start: &str = beginning(text, keep - keep / 3);
    let back: String = text.chars().rev().collect();
    let end: String = beginning(&back, keep / 3).chars().rev().collect();
    format!("{start}{mark}{end}")
}

/// The same of what came of a tool: its frame and where the whole of it is stay whole. What
/// says that it is left out may take more than it is allowed.
pub(crate) fn shortened_result(result: &str, most: u32) -> String {
    let before = of(result);
    if before <= most {
        return result.to_owned();
    }
    let least = of(LEFT_OUT_OF_RESULT) + LEAST_OF_RESULT;
    let short = tools::squeezed(result, |inside, around| {
        // Counted apart, the two take a token more.
        let room = most.saturating_sub(of(around) + 1);
        let fits = of(inside) <= room || room >= least;
        fits.then(|| shortened_with(LEFT_OUT_OF_RESULT, inside, room))
    });
    if of(&short) < before { short } else { result.to_owned() }
}

/// As much of the text's start as takes so many tokens.
pub(crate) fn beginning(text: &str, most: u32) -> &str {
    let mut left = u64::from(most) * 4;
    for (at, c) in text.char_indices() {
        let cost = u64::from(quarters(c));
        if cost > left {
            return &text[..at];
        }
        left -= cost;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_comes_in_pieces_counts_as_much_as_in_one() {
        let text = "Tea for two, 两杯茶, and a very long word: antidisestablishmentarianism.";
        let mut written = Written::default();
        for c in text.chars() {
            written.hear(&Delta::Text(c.to_string()));
        }
        assert_eq!(written.tokens(), of(text));
    }

    #[test]
    fn a_script_that_tokenizers_hardly_know_counts_by_the_letter() {
        let check = |text: &str, tokens| assert_eq!(of(text), tokens, "{text}");
        check("good morning", 3);
        check("доброе утро", 6);
        check("สวัสดี", 6);
        check("नमस्ते", 6);
        check("早上好", 3);
    }

    #[test]
    fn an_answer_counts_by_the_kindest_tokenizer_whatever_it_is_written_in() {
        let mut written = Written::default();
        written.hear(&Delta::Text("สวัสดี".repeat(100)));
        assert_eq!(written.tokens(), 150);
    }

    #[test]
    fn no_text_has_fewer_tokens_than_the_least() {
        assert_eq!(least("字".repeat(10).as_str()), 5);
        assert_eq!(least("                    x"), 0);
        assert_eq!(least(&"word ".repeat(100)), 100);
    }

    #[test]
    fn even_nothing_comes_to_a_sum_if_it_does_not_end() {
        let mut written = Written::default();
        for _ in 0..1_000 {
            written.hear(&Delta::Text(String::new()));
        }
        assert_eq!((written.tokens(), written.at_least()), (250, 200));
    }

    #[test]
    fn what_nobody_is_shown_counts_too_and_what_is_shown_as_well_not_twice_for_sure() {
        let mut written = Written::default();
        written.hear(&Delta::Unshown(16_000));
        assert_eq!((written.tokens(), written.at_least()), (1_000, 800));
        written.hear(&Delta::Reasoning("blah".repeat(1_000)));
        assert_eq!((written.tokens(), written.at_least()), (2_000, 800));
    }

    proptest! {
        #[test]
        fn the_least_of_what_was_written_is_half_of_what_we_count_or_more(
            text in "[a-z 字\n]{0,400}"
        ) {
            let mut written = Written::default();
            written.hear(&Delta::Text(text));
            prop_assert!(written.at_least() <= written.tokens());
            prop_assert!(written.tokens() <= 2 * written.at_least() + 3);
        }

        #[test]
        fn a_result_is_cut_within_its_frame_or_told_to_be_left_out(
            text in "[a-z 字пกé\n]{0,400}", most in 0_u32..200, is_kept: bool
        ) {
            let (head, end) = ("[material 0123: to be judged]\n", "\n[end of material 0123]");
            let note = "\n[the whole result is in /a/b.txt; read parts of it with read_file]";
            let end = format!("{end}{}", if is_kept { note } else { "" });
            let whole = format!("{head}{text}{end}");
            let short = shortened_result(&whole, most);
            prop_assert!(of(&short) <= of(&whole));
            prop_assert_eq!(&shortened_result(&short, most), &short);
            if short.starts_with(head) {
                prop_assert!(short.ends_with(&end), "{}", short);
                prop_assert!(of(&short) <= most || short == whole);
            } else {
                let says = "[this result is left out, because there is no room for it; ";
                prop_assert!(short.starts_with(says) && !short.contains('\n'), "{}", short);
                prop_assert_eq!(short.contains("/a/b.txt; read parts of it with"), is_kept);
            }
        }

        #[test]
        fn what_is_shortened_is_never_longer_than_allowed(
            text in "[a-z 字пกé\n]{0,400}", most in 0_u32..200
        ) {
            let short = shortened(&text, most);
            prop_assert!(of(&short) <= most.max(of(LEFT_OUT) + 2));
            prop_assert!(of(beginning(&text, most)) <= most);
            if of(&text) <= most {
                prop_assert_eq!(short, text);
            }
        }
    }
}
