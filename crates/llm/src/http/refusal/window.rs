//! How much a model reads at once, where its server says so while it refuses more.

/// What stands before the number.
const BEFORE: [&str; 17] = [
    "maximum context length is",
    "maximum context length of",
    "max context length is",
    "model's context length is",
    "context length of only",
    "context window of",
    "context window is",
    "available context size (",
    "maximum prompt length is",
    "maximum number of tokens allowed (",
    "max_seq_len (",
    "token limit:",
    "model's context length (",
    "`inputs` must have less than",
    "must be <=",
    "range of input length should be [1,",
    // Behind the sum that is too much.
    ">",
];
/// What stands behind it.
const BEHIND: [&str; 3] = [" maximum context length", " maximum", " token limit"];
/// A window is neither smaller nor larger.
const LEAST: u32 = 256;
const MOST: u32 = 100_000_000;

/// The window that a refusal names.
pub(super) fn told(text: &str) -> Option<u32> {
    let text = text.to_lowercase();
    let before = BEFORE.iter().find_map(|words| first(text.split_once(words)?.1));
    let behind = || BEHIND.iter().find_map(|words| last(text.split_once(words)?.0));
    before.or_else(behind).filter(|tokens| (LEAST..=MOST).contains(tokens))
}

fn first(text: &str) -> Option<u32> {
    let text = text.trim_start();
    let end = text.find(|c| !is_of_number(c)).unwrap_or(text.len());
    number(&text[..end])
}

fn last(text: &str) -> Option<u32> {
    let text = text.trim_end();
    let begin = text.rfind(|c| !is_of_number(c)).map_or(0, |at| at + 1);
    text.get(begin..).and_then(number)
}

fn is_of_number(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, ',' | '_')
}

fn number(text: &str) -> Option<u32> {
    text.chars().filter(char::is_ascii_digit).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_refusal_names_the_window_and_not_what_was_sent() {
        let check = |text, expected| assert_eq!(super::told(text), expected, "{text}");
        check(
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
            Some(8192),
        );
        check("prompt is too long: 215000 tokens > 200000 maximum", Some(200_000));
        check(
            "the request exceeds the available context size (4096 tokens), try increasing it",
            Some(4096),
        );
        check(
            "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough",
            Some(4096),
        );
        check(
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            Some(1_048_576),
        );
        check(
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32,768 maximum context length",
            Some(32_768),
        );
        check(
            "The input (5000 tokens) is longer than the model's context length (4096 tokens).",
            Some(4096),
        );
        check(
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            Some(200_000),
        );
        check(
            "InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]",
            Some(30_720),
        );
        check(
            "Input validation error: `inputs` must have less than 4096 tokens. Given: 4121",
            Some(4096),
        );
        check(
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 500 `max_new_tokens`",
            Some(4096),
        );
        check("Please reduce the length of the messages or completion.", None);
        check("the request exceeds the available context size, try increasing it", None);
        check("maximum context length is 7 tokens", None);
        check("the maximum is what it is", None);
        check("", None);
    }
}
