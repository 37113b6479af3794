//! Reads what a model wrote as a comment or a post.
//!
//! Pure. A template may ask for plain words or for JSON, and models give either, in
//! fences, behind a preface, or broken off. What people are shown is words and
//! never JSON: what cannot be read as words is nothing.

mod packed;
mod quoted;
mod silence;
mod words_in;

use agent::{loose_json, passes};
use domain::Fault;
use packed::{
    Packed, find, is_inline, is_own, is_part_of_words, is_shown, is_talked_about, opens_json,
    outside,
};
use serde_json::Value;
use silence::{says_nothing, without_tag};
use words_in::{broken_off, joined, of_data, of_list};

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Written {
    pub text: Option<String>,
    /// A reaction to what is answered.
    pub sign: Option<String>,
}

impl Written {
    const SILENT: Written = Written { text: None, sign: None };
}

/// Fields that hold the words.
const WORDS: [&str; 20] = [
    "text",
    "comment",
    "comment_text",
    "reply",
    "reply_text",
    "content",
    "body",
    "post",
    "post_text",
    "message",
    "answer",
    "final_answer",
    "response",
    "output",
    "回复",
    "评论",
    "回答",
    "内容",
    "正文",
    "文本",
];
const SIGNS: [&str; 4] = ["react", "reaction", "emoji", "sign"];
/// What is looked through for the words: an object in an object, a text in a text.
const MOST_WRAPPINGS: usize = 5;
const LONGEST_SIGN: usize = 24;
/// How a model says that it uses a tool, where nobody reads that as a use.
const TOOL_TAGS: [&str; 4] = ["<tool_call", "<function", "<|tool", "<|python_tag|>"];

/// `None` where nothing of it can be shown.
pub(crate) fn read(answer: &str) -> Option<Written> {
    read_within(answer, MOST_WRAPPINGS)
}

/// Whether nobody is told anything by it, in whatever form it says so.
pub(crate) fn is_silence(answer: &str) -> bool {
    read(answer).is_some_and(|written| written == Written::SILENT)
}

fn read_within(answer: &str, wrappings: usize) -> Option<Written> {
    let answer = without_tag(answer.trim());
    let inside = without_fence(answer);
    if says_nothing(answer) || says_nothing(inside) || passes(answer) {
        return Some(Written::SILENT);
    }
    match loose_json(inside).filter(|(_, taken)| inside[*taken..].trim().is_empty()) {
        // Words in quotes.
        Some((Value::String(text), _)) if inside.starts_with('"') => {
            return read_within(&text, wrappings.checked_sub(1)?);
        }
        Some((Value::Array(items), _)) if opens_json(inside) && is_of_parts(&items) => {
            return of_list(&items, wrappings);
        }
        Some((value @ (Value::Object(_) | Value::Array(_)), _)) if is_data(&value, inside) => {
            return of_data(inside, &value, wrappings);
        }
        Some(_) | None => {}
    }
    if let Some(texts) = broken_list(inside) {
        return of_list(&texts, wrappings);
    }
    let packed = find(answer)?;
    if !packed.is_empty() {
        return unpacked(answer, &packed, wrappings);
    }
    // Text of a program, in which quotes are marked once more.
    if inside.contains("{\\\"") {
        return read_within(&inside.replace("\\\"", "\""), wrappings.checked_sub(1)?);
    }
    (!uses_tool(answer, &packed)).then(|| words(inside_or(answer, inside)))
}

/// What was given as words and may be packed once more. `None` where nothing of it can be shown.
fn read_given(text: &str, wrappings: usize) -> Option<Written> {
    read_within(text, wrappings).or_else(|| {
        let packed = find(text)?;
        let speaks = is_part_of_words(text, &packed) && !uses_tool(text, &packed);
        speaks.then(|| words(text))
    })
}

fn uses_tool(answer: &str, packed: &[Packed]) -> bool {
    let outside = outside(answer, packed);
    TOOL_TAGS.iter().any(|tag| outside.contains(tag))
}

/// What is written in a text beside and in the data that stands in it.
fn unpacked(answer: &str, packed: &[Packed], wrappings: usize) -> Option<Written> {
    let mut silent: Option<Written> = None;
    let mut texts: Vec<Written> = Vec::new();
    // Where there is nothing else, each is a part of what was written.
    let is_all = outside(answer, packed).trim().is_empty();
    // Behind an example only what is said to be the answer is one.
    let mut explains = false;
    for one in packed {
        explains |= is_shown(answer, one);
        if is_shown(answer, one) || explains && !is_own(answer, one) {
            continue;
        }
        let raw = &answer[one.at.clone()];
        let written = match &one.value {
            Some(value) => of_data(raw, value, wrappings),
            None => broken_off(raw, wrappings),
        };
        match written {
            Some(written) if written.text.is_some() && !is_all => return Some(written),
            Some(written) if written.text.is_some() => texts.push(written),
            Some(written) => silent = silent.or(Some(written)),
            None => {}
        }
    }
    if !texts.is_empty() {
        return Some(joined(texts));
    }
    let speaks = explains
        || is_talked_about(answer, packed)
        || is_inline(answer, packed, wrappings < MOST_WRAPPINGS);
    if let Some(written) = silent.filter(|written| written.sign.is_some() || !speaks) {
        // The sign may stand behind the words that it goes with.
        let before = answer[..packed[0].at.start].trim();
        let is_behind = packed.len() == 1 && answer[packed[0].at.end..].trim().is_empty();
        let goes_with = written.sign.is_some() && is_behind && !packed[0].in_code;
        let text = words(before).text.filter(|text| goes_with && !text.ends_with([':', '：']));
        return Some(Written { text, ..written });
    }
    (speaks && !uses_tool(answer, packed)).then(|| words(answer))
}

/// Whether a text that can be read as data was meant so. `[laughs]` is words.
fn is_data(value: &Value, text: &str) -> bool {
    match value {
        Value::Array(items) => {
            let is_word = |item: &Value| matches!(item, Value::String(_));
            opens_json(text) || items.is_empty() || !items.iter().all(is_word)
        }
        _ => true,
    }
}

/// Whether all of a list are texts, or objects with words: one behind the other they are the
/// answer.
fn is_of_parts(items: &[Value]) -> bool {
    let has_words = |item: &Value| {
        item.as_object().is_some_and(|fields| {
            fields.keys().any(|name| WORDS.iter().any(|known| name.eq_ignore_ascii_case(known)))
        })
    };
    !items.is_empty() && (items.iter().all(Value::is_string) || items.iter().all(has_words))
}

/// The texts of a list that cannot be read as data, where it is all there is.
fn broken_list(text: &str) -> Option<Vec<Value>> {
    let items = text.strip_prefix('[').filter(|items| items.trim_start().starts_with('"'))?;
    let (texts, rest) = quoted::list(items);
    (rest.trim() == "]").then(|| texts.into_iter().map(Value::String).collect())
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
    let is_silence = says_nothing(text) || passes(text);
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

#[cfg(test)]
mod tests;
