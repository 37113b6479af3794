//! Reads what a model wrote as a comment or a post.
//!
//! Pure. A template may ask for plain words or for JSON, and models give either, in
//! fences, behind a preface, or broken off. What people are shown is words and
//! never JSON: what cannot be read as words is nothing.

use agent::loose_json;
use domain::Fault;
use serde_json::{Map, Value};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Written {
    pub text: Option<String>,
    /// A reaction to what is answered.
    pub sign: Option<String>,
}

/// Fields that hold the words.
const WORDS: [&str; 9] =
    ["text", "comment", "reply", "content", "body", "post", "message", "answer", "response"];
const SIGNS: [&str; 4] = ["react", "reaction", "emoji", "sign"];
/// Objects around the words that are looked through.
const MOST_WRAPPINGS: usize = 3;
/// Places in a text that are looked at as the beginning of an object.
const MOST_BEGINNINGS: usize = 16;
const LONGEST_SIGN: usize = 24;

/// `None` where nothing of it can be shown.
pub(crate) fn read(answer: &str) -> Option<Written> {
    read_within(answer, MOST_WRAPPINGS)
}

fn read_within(answer: &str, wrappings: usize) -> Option<Written> {
    let answer = answer.trim();
    let inside = without_fence(answer);
    if let Some(written) = in_object(answer, wrappings) {
        return Some(written);
    }
    match inside.chars().next() {
        Some('{' | '[') if looks_like_json(inside) => {
            let text = broken_off(inside)?;
            Some(Written { text: Some(text), sign: None })
        }
        Some('"') => match loose_json(inside) {
            Some((Value::String(text), taken)) if taken == inside.len() && wrappings > 0 => {
                read_within(&text, wrappings - 1)
            }
            _ => Some(words(answer)),
        },
        _ => {
            Some(words(if inside.starts_with("```") { answer } else { inside_or(answer, inside) }))
        }
    }
}

/// A fence around everything is packaging, unless it shows code.
fn inside_or<'t>(answer: &'t str, inside: &'t str) -> &'t str {
    let language = answer.strip_prefix("```").and_then(|rest| rest.lines().next());
    match language.map(str::trim) {
        Some("" | "text" | "txt" | "markdown" | "md" | "json" | "plaintext") => inside,
        Some(_) | None => answer,
    }
}

fn words(text: &str) -> Written {
    let text = text.trim();
    let is_silence = text.is_empty() || text.eq_ignore_ascii_case("[pass]");
    Written { text: (!is_silence).then(|| text.to_owned()), sign: None }
}

/// What stands in the fence where one is around the whole of it.
fn without_fence(text: &str) -> &str {
    let Some(opened) = text.strip_prefix("```") else { return text };
    let Some((_, rest)) = opened.split_once('\n') else { return text };
    let rest = rest.trim_end();
    // Where it was broken off, the fence has no end.
    rest.strip_suffix("```").unwrap_or(rest).trim()
}

/// The words of an object that is most of the text.
fn in_object(text: &str, wrappings: usize) -> Option<Written> {
    for (at, _) in text.match_indices('{').take(MOST_BEGINNINGS) {
        let Some((Value::Object(fields), taken)) = loose_json(&text[at..]) else { continue };
        if taken * 2 < text.len() {
            continue;
        }
        if let Some(written) = of_fields(&fields, wrappings) {
            return Some(written);
        }
    }
    None
}

fn of_fields(fields: &Map<String, Value>, wrappings: usize) -> Option<Written> {
    let field = |names: &[&str]| {
        let known = |name: &&str| fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        names.iter().find_map(known).map(|(_, value)| value)
    };
    let sign = field(&SIGNS).and_then(Value::as_str).and_then(sign);
    let title = field(&["title"]).and_then(Value::as_str).map(str::trim);
    let title = title.filter(|title| !title.is_empty());
    match field(&WORDS) {
        Some(Value::String(text)) => {
            let text = words(text).text.filter(|text| !looks_like_json(text));
            let text = match (title, text) {
                (Some(title), Some(text)) => Some(format!("**{title}**\n\n{text}")),
                (_, text) => text,
            };
            Some(Written { text, sign })
        }
        Some(Value::Object(inner)) if wrappings > 0 => of_fields(inner, wrappings - 1),
        Some(Value::Null) => Some(Written { text: None, sign }),
        Some(_) => None,
        None => sign.map(|sign| Written { text: None, sign: Some(sign) }),
    }
}

/// The same for a person, who is told what is wrong with it.
pub(crate) fn checked_sign(text: &str) -> Result<String, Fault> {
    sign(text).ok_or_else(|| {
        Fault::bad_input(format!("{text:?} is no reaction"), "give an emoji, or one short word")
    })
}

/// One that can be shown as a reaction.
pub(crate) fn sign(text: &str) -> Option<String> {
    let text = text.trim();
    let fits = !text.is_empty()
        && text.chars().count() <= LONGEST_SIGN
        && !text.chars().any(|c| c.is_control() || c.is_whitespace() || "{}[]<>\"".contains(c));
    fits.then(|| text.to_owned())
}

/// Whether it was meant for a program: a name in quotes stands behind a bracket, or
/// all of it can be read as an object or a list.
fn looks_like_json(text: &str) -> bool {
    let text = text.trim();
    let Some(rest) = text.strip_prefix(['{', '[']) else { return false };
    let rest = rest.trim_start_matches(|c: char| c.is_whitespace() || "{[".contains(c));
    if rest.starts_with(['"', '\'', '“', '}']) {
        return true;
    }
    let whole = loose_json(text).is_some_and(|(_, taken)| taken == text.len());
    text.starts_with('{') && (whole || rest.contains(':'))
}

/// The words of an object that ends in the middle of them.
fn broken_off(text: &str) -> Option<String> {
    let begins = WORDS.iter().find_map(|name| {
        let quoted = format!("\"{name}\"");
        let at = text.find(&quoted)? + quoted.len();
        let rest = text[at..].trim_start().strip_prefix(':')?.trim_start();
        rest.strip_prefix('"')
    })?;
    let mut words = String::new();
    let mut characters = begins.chars();
    while let Some(character) = characters.next() {
        match character {
            '"' => break,
            '\\' => match characters.next() {
                Some('n') => words.push('\n'),
                Some('t') => words.push('\t'),
                // Half of a sign says nothing.
                Some('u') => drop(characters.by_ref().take(4).count()),
                Some(other) => words.push(other),
                None => {}
            },
            other => words.push(other),
        }
    }
    let words = words.trim();
    (!words.is_empty() && !looks_like_json(words)).then(|| words.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(answer: &str, text: Option<&str>, sign: Option<&str>) {
        let expected = Written { text: text.map(Into::into), sign: sign.map(Into::into) };
        assert_eq!(read(answer), Some(expected), "{answer}");
    }

    #[test]
    fn a_comment_is_read_however_it_is_packed() {
        check("I like it.", Some("I like it."), None);
        check(r#"{"text": "I like it."}"#, Some("I like it."), None);
        check("```json\n{\"comment\": \"I like it.\"}\n```", Some("I like it."), None);
        check("```\nI like it.\n```", Some("I like it."), None);
        check("\"I like it.\"", Some("I like it."), None);
        check(
            "Sure! Here it is:\n\n{\"reply\": \"I like it, and here is why it may work.\", }",
            Some("I like it, and here is why it may work."),
            None,
        );
        check("{'text': 'I like it.', 'reaction': '👍'}", Some("I like it."), Some("👍"));
        check(r#"{"comment": {"text": "I like it."}}"#, Some("I like it."), None);
        check(r#"{"title": "Tea", "text": "Hot."}"#, Some("**Tea**\n\nHot."), None);
        check("{\"text\": \"I like it, becau", Some("I like it, becau"), None);
        check("```json\n{\"text\": \"One\\nTwo\\", Some("One\nTwo"), None);
        check("{“text”: “好的，我来看。”}", Some("好的，我来看。"), None);
    }

    #[test]
    fn silence_and_a_sign_alone_are_read_too() {
        check("[pass]", None, None);
        check(r#"{"text": ""}"#, None, None);
        check(r#"{"react": "👏"}"#, None, Some("👏"));
        check(r#"{"text": null, "react": "👏"}"#, None, Some("👏"));
    }

    #[test]
    fn words_that_speak_of_json_stay_words() {
        let code = "Try this:\n\n```json\n{\"text\": \"x\"}\n```\n\nand tell me whether the server takes it, because mine did not.";
        check(code, Some(code), None);
        check("[1] is the only source.", Some("[1] is the only source."), None);
        check("```rust\nfn main() {}\n```", Some("```rust\nfn main() {}\n```"), None);
    }

    #[test]
    fn what_cannot_be_shown_is_nothing() {
        for answer in [
            "{\"verdict\": 3}",
            "{\"a\": {\"b\": [1, 2",
            "[{\"x\": 1}]",
            "{\"text\": 12}",
            "```json\n{}\n```",
        ] {
            assert_eq!(read(answer), None, "{answer}");
        }
    }

    proptest! {
        #[test]
        fn nobody_is_ever_shown_an_object(answer in "(\\{|\\[|```json\n|\"|a|: |,|\\}|\\]|text|\"text\": |comment|\\\\|\n|。){0,24}") {
            if let Some(Written { text: Some(text), .. }) = read(&answer) {
                prop_assert!(!text.trim_start().starts_with("{\""), "{answer:?} gives {text:?}");
            }
        }
    }
}
