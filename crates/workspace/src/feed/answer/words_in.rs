//! The words in what a model wrote as data.

use super::{SIGNS, WORDS, Written, read_within, sign};
use agent::loose_json;
use serde_json::{Map, Value};

/// What stands around the fields: a use of a tool, most of all.
const WRAPS: [&str; 7] = ["arguments", "parameters", "args", "input", "data", "result", "output"];

/// `None` where nothing in it is known as words or as a sign.
pub(super) fn of_value(value: &Value, wrappings: usize) -> Option<Written> {
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

fn of_fields(fields: &Map<String, Value>, wrappings: usize) -> Option<Written> {
    let field = |names: &[&str]| {
        let known = |name: &&str| fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        names.iter().find_map(known).map(|(_, value)| value)
    };
    let own_sign = field(&SIGNS).and_then(Value::as_str).and_then(sign);
    let title = field(&["title"]).and_then(Value::as_str).map(str::trim);
    let title = title.filter(|title| !title.is_empty());
    match field(&WORDS) {
        Some(Value::String(text)) => {
            // It may be packed once more.
            let Written { text, sign } = match wrappings.checked_sub(1) {
                Some(within) => read_within(text, within).unwrap_or(Written::SILENT),
                None => return None,
            };
            let text = match (title, text) {
                (Some(title), Some(text)) => Some(format!("**{title}**\n\n{text}")),
                (_, text) => text,
            };
            Some(Written { text, sign: own_sign.or(sign) })
        }
        Some(inner @ Value::Object(_)) => of_value(inner, wrappings.checked_sub(1)?),
        Some(Value::Null) => Some(Written { text: None, sign: own_sign }),
        Some(_) => None,
        None => match field(&WRAPS) {
            Some(inner @ (Value::Object(_) | Value::Array(_))) => {
                of_value(inner, wrappings.checked_sub(1)?)
            }
            Some(Value::String(inner)) => {
                let (value, _) = loose_json(inner).filter(|(value, _)| value.is_object())?;
                of_value(&value, wrappings.checked_sub(1)?)
            }
            Some(_) | None => own_sign.map(|sign| Written { text: None, sign: Some(sign) }),
        },
    }
}

/// The words of an object that ends in the middle, or that lacks its beginning.
pub(super) fn broken_off(text: &str, wrappings: usize) -> Option<Written> {
    let begun = format!("{{{}", text.trim_start_matches(['{', '[']));
    if let Some((value, _)) = loose_json(&begun)
        && let Some(written) = of_value(&value, wrappings)
    {
        return Some(written);
    }
    let words = string_of(text, &WORDS)?;
    let written = read_within(words.trim(), wrappings.checked_sub(1)?)?;
    let own_sign = string_of(text, &SIGNS).as_deref().and_then(sign);
    Some(Written { sign: own_sign.or(written.sign), ..written })
}

/// What stands behind one of these names, as far as it goes.
fn string_of(text: &str, names: &[&str]) -> Option<String> {
    let begins = names.iter().find_map(|name| {
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
    (!words.trim().is_empty()).then_some(words)
}
