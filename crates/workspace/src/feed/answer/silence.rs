//! How models say nothing without the marker that they are told, and the tags that they put around what they say.

use super::WORDS;

/// What a form is left with that holds nothing.
const NOTHING: [&str; 6] = ["null", "nil", "none", "undefined", "true", "false"];
/// What models were told elsewhere to say, with or without brackets.
const MARKERS: [&str; 4] = ["pass", "no_reply", "heartbeat_ok", "通过"];
/// The languages that a fence around plain words is said to be in.
const LANGUAGES: [&str; 6] = ["json", "text", "txt", "markdown", "md", "plaintext"];

/// Whether nobody would be told anything by it.
pub(super) fn says_nothing(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || "`*\"'“”".contains(c));
    let has_words = bare.chars().any(|c| !c.is_whitespace() && !"{}[]()<>:,;.\"'`“”/".contains(c));
    let word = bare.trim_matches(|c: char| "[]()<>/.。!［］【】（）".contains(c));
    let is_language = || text.starts_with("```") && LANGUAGES.contains(&bare);
    let is_nothing = |nothing: &&str| match *nothing {
        // `True` may well be an answer.
        "true" | "false" => bare == *nothing,
        _ => bare.eq_ignore_ascii_case(nothing),
    };
    !has_words
        || MARKERS.iter().any(|marker| word.eq_ignore_ascii_case(marker))
        || NOTHING.iter().any(is_nothing)
        || is_language()
        || is_one_tag(bare)
}

/// `<no_comment/>`
fn is_one_tag(text: &str) -> bool {
    let inside = text.strip_prefix('<').and_then(|rest| rest.strip_suffix('>'));
    let begins = |inside: &str| inside.starts_with(|c: char| c == '/' || c.is_ascii_alphabetic());
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-/ ".contains(c);
    inside.is_some_and(|inside| begins(inside) && inside.chars().all(is_name))
}

/// What stands in the tag that is around the words: `<comment>…</comment>`, with an end or
/// without one, or behind words that announce it.
pub(super) fn without_tag(text: &str) -> &str {
    for name in WORDS {
        let Some((before, inside)) = opened(text, name) else { continue };
        let closed = inside.rsplit_once(&format!("</{name}>"));
        let (inside, behind) = closed.unwrap_or((inside, ""));
        let is_announced = before.trim_end().ends_with([':', '：']);
        let is_all = closed.is_some() && behind.trim().is_empty();
        if before.trim().is_empty() || (is_announced && is_all) {
            return if inside.trim().is_empty() { behind.trim() } else { inside.trim() };
        }
    }
    text
}

/// What stands before and behind the beginning of this tag.
fn opened<'t>(text: &'t str, name: &str) -> Option<(&'t str, &'t str)> {
    let (before, rest) = text.split_once(&format!("<{name}"))?;
    let (attributes, inside) = rest.split_once('>')?;
    let is_tag = attributes.is_empty() || attributes.starts_with([' ', '/']);
    (is_tag && !attributes.contains(['<', '\n'])).then_some((before, inside))
}
