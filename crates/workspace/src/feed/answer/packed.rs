//! Where data stands in a text: JSON, whole or broken, in a fence or not.
//!
//! Brackets alone are no data: people write `[1]`, `[laughs]` and `{x}` too. A name in
//! quotes behind a bracket is, and so is one of the names that answers have.

use super::{SIGNS, WORDS};
use agent::loose_json;
use serde_json::Value;
use std::ops::Range;

/// Brackets and quotes that are looked at; a text with more of them is none.
const MOST_BEGINNINGS: usize = 2_000;
/// With fewer words around it, data is not talked about. A Chinese character counts as half.
const FEWEST_HALF_WORDS: usize = 8;
/// Fewer words before a fence are a preface to the answer in it.
const FEWEST_TO_EXPLAIN: usize = 16;

/// Longer data is no part of a sentence.
const LONGEST_INLINE: usize = 120;

/// Data in a text.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Packed {
    pub at: Range<usize>,
    /// `None` for what breaks off or cannot be read.
    pub value: Option<Value>,
    /// In a fence, or between backticks.
    pub in_code: bool,
}

/// All of it, in order; `None` where there is too much to look at.
pub(super) fn find(text: &str) -> Option<Vec<Packed>> {
    let code = code(text);
    let (mut found, mut at, mut looked) = (Vec::new(), 0, 0);
    while let Some(begin) = next_beginning(text, at) {
        looked += 1;
        if looked > MOST_BEGINNINGS {
            return None;
        }
        let around = code.iter().find(|code| code.at.contains(&begin));
        if let Some(other) = around.filter(|code| !code.may_be_data) {
            at = other.at.end;
            continue;
        }
        let end = around.map_or(text.len(), |code| code.at.end);
        let rest = &text[begin..end];
        let in_code = around.is_some();
        at = begin + text[begin..].chars().next().map_or(1, char::len_utf8);
        if opens_json(rest) {
            let value = loose_json(rest);
            let taken = value.as_ref().map_or(rest.len(), |(_, taken)| *taken);
            at = begin + taken.max(1);
            let value = value.map(|(value, _)| value);
            found.push(Packed { at: begin..at, value, in_code });
        } else if opens_inside(&text[..begin], rest) {
            found.push(Packed { at: begin..end, value: None, in_code });
            at = end;
        }
    }
    Some(found)
}

fn next_beginning(text: &str, at: usize) -> Option<usize> {
    let opens = |c: char| matches!(c, '{' | '[' | '"' | '“');
    text.get(at..)?.find(opens).map(|found| at + found)
}

/// Whether something for a program begins here.
pub(super) fn opens_json(text: &str) -> bool {
    let Some(rest) = text.strip_prefix(['{', '[']) else { return false };
    let is_object = |rest: &str| rest.trim_start().starts_with('{');
    let inside = rest.trim_start_matches(|c: char| c.is_whitespace() || "{[".contains(c));
    let opened = &text[..text.len() - inside.len()];
    match inside.chars().next() {
        Some(quote @ ('"' | '“' | '\'')) => {
            if opened.contains('{') {
                return true;
            }
            let close = if quote == '“' { '”' } else { quote };
            let behind = inside.strip_prefix(quote).and_then(|rest| rest.split_once(close));
            behind.is_none_or(|(_, rest)| {
                let rest = rest.trim_start();
                rest.is_empty() || rest.starts_with([',', ']', ':'])
            })
        }
        Some('}') => text.starts_with('[') && is_object(rest),
        Some(_) if opened.contains('{') => opens_known_name(inside),
        Some(_) | None => false,
    }
}

/// `text: hello`, behind a bracket.
fn opens_known_name(inside: &str) -> bool {
    let name: String =
        inside.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_').collect();
    is_known_name(&name) && inside[name.len()..].trim_start().starts_with(':')
}

pub(super) fn is_known_name(name: &str) -> bool {
    WORDS.iter().chain(&SIGNS).any(|known| name.eq_ignore_ascii_case(known))
}

/// A name in quotes before something that can be a value.
pub(super) fn field(text: &str) -> Option<&str> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '“'))?;
    let close = if quote == '“' { '”' } else { quote };
    let (name, rest) = text[quote.len_utf8()..].split_once(close)?;
    let value = rest.trim_start().strip_prefix([':', '：'])?.trim_start();
    let begins = value.chars().next();
    let is_value = begins.is_none_or(|c| "\"“{[-".contains(c) || c.is_ascii_digit())
        || ["true", "false", "null"].iter().any(|word| value.starts_with(word));
    is_value.then_some(name)
}

/// Whether this is the middle of an object whose beginning was lost: a known name in
/// quotes before a value, or any name where the object ends or is all there is.
fn opens_inside(before: &str, text: &str) -> bool {
    let Some(name) = field(text) else { return false };
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let is_all = || {
        let whole = format!("{{{text}}}");
        before.trim().is_empty()
            && loose_json(&whole).is_some_and(|(_, taken)| taken == whole.len())
    };
    is_known_name(name) || (is_name && (closes_object(text) || is_all()))
}

/// Whether a bracket is closed that was opened nowhere.
fn closes_object(text: &str) -> bool {
    let mut open = 0_i32;
    text.chars().any(|c| {
        open += i32::from(c == '{') - i32::from(c == '}');
        open < 0
    })
}

/// Whether a text speaks of data, which it shows as code, and is none itself.
pub(super) fn is_talked_about(text: &str, packed: &[Packed]) -> bool {
    let is_named = |one: &Packed| {
        !is_fenced(text, one) && one.value.as_ref().is_some_and(|value| is_plain(value, true))
    };
    // Between backticks in a line, the fewest words speak of it.
    let fewest = if packed.iter().all(is_named) { 1 } else { FEWEST_HALF_WORDS };
    packed.iter().all(|one| one.in_code && !is_given(text, one))
        && half_words(&outside(text, packed)) >= fewest
}

/// Whether words speak of it, so that nothing is taken out of it whatever its names are: it
/// stands in the middle of their sentence, in a fence between them, or behind a colon that
/// announces something else than the answer.
pub(super) fn is_shown(text: &str, one: &Packed) -> bool {
    let before = &text[..one.at.start];
    if is_announced(before) || is_announced_as_own(before) {
        return false;
    }
    let spoken = half_words(before.trim_end_matches(|c: char| c != '`'));
    match is_fenced(text, one) {
        true => {
            let is_told_on = half_words(behind(text, one)) >= FEWEST_HALF_WORDS;
            spoken > 0
                && (is_told_on || announcing(before).is_some() && spoken >= FEWEST_TO_EXPLAIN)
        }
        false => one.in_code && is_in_a_sentence(text, one),
    }
}

/// Whether the words before it say that it is the author's answer.
pub(super) fn is_own(text: &str, one: &Packed) -> bool {
    is_announced_as_own(&text[..one.at.start])
}

/// Whether words of its line go on behind it, or enough stand before it.
fn is_in_a_sentence(text: &str, one: &Packed) -> bool {
    let before = text[..one.at.start].lines().next_back().unwrap_or_default();
    let behind = text[one.at.end..].lines().next().unwrap_or_default();
    let (before, behind) = (without_tags(before), without_tags(behind));
    // A colon announces what is all of the code behind it.
    let is_announced = before.rsplit_once('`').is_some_and(|(words, code)| {
        code.trim().is_empty() && words.trim_end_matches(['`', ' ']).ends_with([':', '：'])
    });
    !is_announced
        && half_words(&before) > 0
        && (half_words(&behind) > 0 || half_words(&before) >= FEWEST_HALF_WORDS)
}

/// What stands in angle brackets is no word.
fn without_tags(line: &str) -> String {
    let mut depth = 0_i32;
    line.chars()
        .filter(|c| {
            depth += i32::from(*c == '<');
            let outside = depth == 0;
            depth = (depth - i32::from(*c == '>')).max(0);
            outside
        })
        .collect()
}

/// Whether the words around some data, which were given as words, speak of it.
pub(super) fn is_part_of_words(text: &str, packed: &[Packed]) -> bool {
    let is_part = |one: &Packed| {
        one.value.as_ref().is_some_and(|value| is_plain(value, true)) && !is_given(text, one)
    };
    packed.iter().all(is_part) && half_words(&outside(text, packed)) > 0
}

/// Whether the words before it say that it is the answer.
fn is_given(text: &str, one: &Packed) -> bool {
    let before = &text[..one.at.start];
    is_announced_as_own(before)
        || is_announced(before) && half_words(behind(text, one)) < FEWEST_HALF_WORDS
}

fn behind<'t>(text: &'t str, one: &Packed) -> &'t str {
    &text[one.at.end..]
}

fn is_fenced(text: &str, one: &Packed) -> bool {
    let line = text[..one.at.start].trim_end().lines().next_back().unwrap_or_default();
    one.in_code && line.trim_start().starts_with("```")
}

/// Whether a text has short data in the middle of its sentences, such as a list in a line
/// of a program, that is no answer: no name in it is one that answers have. Objects stand
/// there only in what was itself given as words.
pub(super) fn is_inline(text: &str, packed: &[Packed], is_given_as_words: bool) -> bool {
    let is_within = |one: &Packed| {
        let Range { start, end } = one.at;
        let before = text[..start].lines().next_back().unwrap_or_default();
        let behind = text[end..].lines().next().unwrap_or_default();
        let says = |part: &str| part.chars().any(char::is_alphanumeric);
        end - start <= LONGEST_INLINE && says(before) && says(behind)
    };
    packed.iter().all(|one| {
        one.value.as_ref().is_some_and(|value| is_plain(value, is_given_as_words))
            && is_within(one)
            && !is_announced(&text[..one.at.start])
    }) && half_words(&outside(text, packed)) >= FEWEST_HALF_WORDS
}

/// Without anything in it that could be an answer.
fn is_plain(value: &Value, may_have_names: bool) -> bool {
    let is_plain = |value: &Value| is_plain(value, may_have_names);
    match value {
        Value::Object(fields) => {
            may_have_names
                && fields.iter().all(|(name, value)| !is_known_name(name) && is_plain(value))
        }
        Value::Array(items) => items.iter().all(is_plain),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// `Here is the result as JSON:` announces what follows as the answer, unless it is said to be an
/// example, or the name of a file.
fn is_announced(before: &str) -> bool {
    const NAMED: [&str; 22] = [
        "answer",
        "comment",
        "reply",
        "response",
        "verdict",
        "output",
        "result",
        "json",
        "回答",
        "评论",
        "回复",
        "答案",
        "结果",
        "評論",
        "回覆",
        "結果",
        "here is",
        "here's",
        "here you go",
        "i would write",
        "这是",
        "如下",
    ];
    const SHOWN: [&str; 14] = [
        "example",
        "e.g.",
        "such as",
        "looks like",
        "request",
        "body",
        "payload",
        "config",
        "server",
        ".json",
        "例如",
        "比如",
        "示例",
        "请求",
    ];
    announcing(before).is_some_and(|line| {
        NAMED.iter().any(|named| line.contains(named))
            && !SHOWN.iter().any(|shown| has(&line, shown))
    })
}

/// Whether a line has these words. `requested` is no request.
fn has(line: &str, words: &str) -> bool {
    match words.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        true => line.split(|c: char| !c.is_ascii_alphabetic()).any(|word| word == words),
        false => line.contains(words),
    }
}

/// `Here is my answer:`
fn is_announced_as_own(before: &str) -> bool {
    const OWN: [&str; 12] = [
        "my answer",
        "my comment",
        "my reply",
        "my response",
        "my verdict",
        "the verdict",
        "我的回答",
        "我的评论",
        "我的回复",
        "我的答案",
        "我的評論",
        "我的回覆",
    ];
    announcing(before).is_some_and(|line| OWN.iter().any(|own| line.contains(own)))
}

/// The line before, in small letters, if it ends with a colon.
fn announcing(before: &str) -> Option<String> {
    let line =
        before.trim_end_matches(|c: char| c.is_whitespace() || c == '`' || "json".contains(c));
    let line = line.trim_end().lines().next_back().unwrap_or_default().to_lowercase();
    let line = line.trim_end_matches(['`', ' ']);
    line.ends_with([':', '：']).then(|| line.to_owned())
}

fn half_words(text: &str) -> usize {
    let is_wide = |c: &char| ('\u{2e80}'..='\u{9fff}').contains(c);
    let wide = text.chars().filter(is_wide).count();
    let words = text.split(|c: char| !c.is_alphanumeric() || is_wide(&c));
    wide + 2 * words.filter(|word| !word.is_empty()).count()
}

/// What is neither data nor code.
pub(super) fn outside(text: &str, packed: &[Packed]) -> String {
    let code = code(text);
    let is_inside = |at: usize| {
        packed.iter().any(|one| one.at.contains(&at)) || code.iter().any(|one| one.at.contains(&at))
    };
    text.char_indices().filter(|(at, _)| !is_inside(*at)).map(|(_, c)| c).collect()
}

/// Code that a text shows, without its marks.
struct Code {
    at: Range<usize>,
    /// It is not said to be in another language.
    may_be_data: bool,
}

fn code(text: &str) -> Vec<Code> {
    let (mut all, mut at) = (Vec::new(), 0);
    while let Some(found) = text[at..].find('`') {
        let begin = at + found;
        let marks = text[begin..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = begin + marks;
        let end = match text[inside..].find(&"`".repeat(marks)) {
            Some(end) => inside + end,
            // A fence that is not closed goes to the end, a backtick is one.
            None if marks >= 3 => text.len(),
            None => {
                at = inside;
                continue;
            }
        };
        let may_be_data = match marks >= 3 {
            true => is_for_data(&text[inside..end]),
            false => true,
        };
        all.push(Code { at: inside..end, may_be_data });
        at = (end + marks).min(text.len());
    }
    all
}

/// In a language that data is shown in, or none; or it is data whatever it says.
fn is_for_data(fenced: &str) -> bool {
    let (language, inside) = fenced.split_once('\n').unwrap_or(("", fenced));
    let is_named =
        ["", "json", "json5", "jsonc", "text", "txt", "plaintext", "markdown", "md", "tool_call"]
            .contains(&language.trim().to_ascii_lowercase().as_str());
    let is_whole =
        || loose_json(inside).is_some_and(|(_, taken)| inside[taken..].trim().is_empty());
    let is_of_form = || field(inside.trim_start()).is_some_and(is_known_name);
    is_named
        || opens_json(language)
        || is_of_form()
        || (opens_json(inside.trim_start()) && is_whole())
}
