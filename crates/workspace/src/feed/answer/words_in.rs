//! The words in what a model wrote as data.

use super::quoted::{list, text};
use super::{SIGNS, WORDS, Written, read_given, read_within, sign};
use agent::loose_json;
use serde_json::{Map, Value};

/// What stands around the fields: a use of a tool, most of all.
const WRAPS: [&str; 10] = [
    "arguments",
    "parameters",
    "params",
    "args",
    "action_input",
    "input",
    "data",
    "result",
    "output",
    "choices",
];

/// What was read in this text, with the texts of its lists as they stand there: where a
/// comma may be missing, a quote in a text looks like another text.
pub(super) fn of_data(raw: &str, value: &Value, wrappings: usize) -> Option<Written> {
    let is_doubtful = || serde_json::from_str::<Value>(raw).is_err();
    let by_names = (lists_texts(value) && is_doubtful()).then(|| by_names(raw, wrappings));
    by_names.flatten().or_else(|| of_value(value, wrappings))
}

fn lists_texts(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.values().any(lists_texts),
        Value::Array(items) => items.iter().any(|item| item.is_string() || lists_texts(item)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// `None` where nothing in it is known as words or as a sign.
fn of_value(value: &Value, wrappings: usize) -> Option<Written> {
    match value {
        Value::Object(fields) => of_fields(fields, wrappings),
        Value::Array(items) => {
            let within = wrappings.checked_sub(1)?;
            items.iter().find_map(|item| match item {
                Value::Object(_) | Value::Array(_) => of_value(item, within),
                _ => None,
            })
        }
        _ => None,
    }
}

/// Paragraphs, one text each; `None` where none of it is words.
pub(super) fn of_list(items: &[Value], wrappings: usize) -> Option<Written> {
    let within = wrappings.checked_sub(1)?;
    let written: Vec<Written> = items
        .iter()
        .filter_map(|item| match item {
            Value::String(text) => read_within(text, within),
            Value::Object(_) => of_value(item, within),
            Value::Array(inner) => of_list(inner, within),
            Value::Null => Some(Written::SILENT),
            Value::Bool(_) | Value::Number(_) => None,
        })
        .collect();
    if written.is_empty() && !items.is_empty() {
        return None;
    }
    Some(joined(written))
}

/// One behind the other, each text once.
pub(super) fn joined(written: Vec<Written>) -> Written {
    let sign = written.iter().find_map(|one| one.sign.clone());
    let mut texts: Vec<String> = Vec::new();
    for text in written.into_iter().filter_map(|one| one.text) {
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    let text = (!texts.is_empty()).then(|| texts.join("\n\n"));
    Written { text, sign }
}

fn of_fields(fields: &Map<String, Value>, wrappings: usize) -> Option<Written> {
    let known = |name: &&str| fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
    let field = |names: &[&str]| names.iter().find_map(known).map(|(_, value)| value);
    let own_sign = field(&SIGNS).and_then(Value::as_str).and_then(sign);
    let title = field(&["title"]).and_then(Value::as_str);
    let mut silent: Option<Written> = own_sign.is_some().then_some(Written::SILENT);
    for (_, value) in WORDS.iter().filter_map(known) {
        match of_field(value, wrappings) {
            Some(Written { text: Some(text), sign }) => {
                let text = Some(below_title(title, text));
                return Some(Written { text, sign: own_sign.or(sign) });
            }
            // Another field may have words.
            Some(written) => silent = silent.filter(|one| one.sign.is_some()).or(Some(written)),
            None => {}
        }
    }
    let wrapped = match field(&WRAPS) {
        Some(inner @ (Value::Object(_) | Value::Array(_))) => {
            of_value(inner, wrappings.checked_sub(1)?)
        }
        Some(Value::String(inner)) => {
            let value = loose_json(inner).map(|(value, _)| value).filter(Value::is_object);
            value.and_then(|value| of_value(&value, wrappings.checked_sub(1)?))
        }
        Some(_) | None => None,
    };
    let written = wrapped.or(silent)?;
    Some(Written { sign: own_sign.or(written.sign), ..written })
}

/// What stands in one field that is for words.
fn of_field(value: &Value, wrappings: usize) -> Option<Written> {
    let within = wrappings.checked_sub(1)?;
    match value {
        Value::String(text) => read_given(text, within),
        Value::Array(items) => of_list(items, wrappings),
        Value::Object(_) => of_value(value, within),
        Value::Null => Some(Written::SILENT),
        Value::Bool(_) | Value::Number(_) => None,
    }
}

fn below_title(title: Option<&str>, text: String) -> String {
    match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) => format!("**{title}**\n\n{text}"),
        None => text,
    }
}

/// The words of an object that ends in the middle, that lacks its beginning, or in which
/// quotes stand that nothing marks as part of a text.
pub(super) fn broken_off(whole: &str, wrappings: usize) -> Option<Written> {
    let begun = format!("{{{}", whole.trim_start_matches(['{', '[']));
    if let Some((value, _)) = loose_json(&begun)
        && let Some(written) = of_value(&value, wrappings)
    {
        return Some(written);
    }
    by_names(whole, wrappings)
}

/// What stands behind the names of fields, whatever the whole of it is.
fn by_names(whole: &str, wrappings: usize) -> Option<Written> {
    let within = wrappings.checked_sub(1)?;
    let words = WORDS.iter().find_map(|name| behind(whole, name))?;
    let written = read_within(words.trim(), within)?;
    let own_sign = SIGNS.iter().find_map(|name| behind(whole, name)).as_deref().and_then(sign);
    let title = behind(whole, "title");
    let text = written.text.map(|text| below_title(title.as_deref(), text));
    Some(Written { sign: own_sign.or(written.sign), text })
}

/// What stands behind this name, as far as it goes.
fn behind(whole: &str, name: &str) -> Option<String> {
    let quotes = [('"', '"'), ('“', '”'), ('\'', '\'')];
    let value = quotes.iter().find_map(|(open, close)| {
        let quoted = format!("{open}{name}{close}");
        let at = whole.find(&quoted)? + quoted.len();
        Some(whole[at..].trim_start().strip_prefix([':', '：'])?.trim_start())
    })?;
    let words = match value.strip_prefix('[') {
        Some(items) => list(items).0.join("\n\n"),
        None => text(value)?,
    };
    (!words.trim().is_empty()).then_some(words)
}
