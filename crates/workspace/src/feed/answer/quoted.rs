//! Texts in quotes that hold quotes which nothing marks, or that break off.
//!
//! A quote ends a text where something of the object follows that the text stands in: its
//! end, another field, another item. Any other is part of the text.

use super::packed::{field, is_known_name};

/// The text that a value begins with, as far as it goes; `None` where it is none.
pub(super) fn text(value: &str) -> Option<String> {
    read(value, Place::Field).map(|(text, _)| text)
}

/// The texts of a list, from behind its bracket on, and what stands behind them.
pub(super) fn list(items: &str) -> (Vec<String>, &str) {
    let (mut texts, mut rest) = (Vec::new(), items);
    while let Some((text, behind)) = read(begin_of_item(rest), Place::Item) {
        texts.push(text);
        rest = behind;
    }
    (texts, rest)
}

fn begin_of_item(rest: &str) -> &str {
    rest.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '，'))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Field,
    Item,
}

/// A text, and what stands behind it.
fn read(value: &str, place: Place) -> Option<(String, &str)> {
    let open = value.chars().next()?;
    let close = closing(open)?;
    let (mut text, mut rest) = (String::new(), &value[open.len_utf8()..]);
    while let Some(c) = rest.chars().next() {
        // Its end was left out.
        if field(rest).is_some_and(is_known_name) {
            break;
        }
        rest = &rest[c.len_utf8()..];
        if c == close && ends(rest, place) {
            break;
        }
        match c {
            '\\' => rest = unescape(&mut text, rest),
            c => text.push(c),
        }
    }
    Some((text, rest))
}

fn closing(open: char) -> Option<char> {
    match open {
        '"' | '\'' => Some(open),
        '“' => Some('”'),
        '「' => Some('」'),
        _ => None,
    }
}

/// Whether what stands behind a quote says that it ended a text.
fn ends(behind: &str, place: Place) -> bool {
    let behind = behind.trim_start();
    let closes = |rest: &str| rest.is_empty() || rest.starts_with(['}', ']', ',', '，']);
    if behind.is_empty() || behind.starts_with('}') || behind.starts_with("```") {
        return true;
    }
    if let Some(rest) = behind.strip_prefix(']') {
        return place == Place::Item || closes(rest.trim_start());
    }
    match behind.strip_prefix([',', '，']).map(str::trim_start) {
        Some(next) => {
            let another_item =
                place == Place::Item && next.chars().next().and_then(closing).is_some();
            another_item || closes(next) || begins_field(next) || breaks_off_in_name(next)
        }
        None => begins_field(behind),
    }
}

/// Whether the answer ends in the name of the next field.
fn breaks_off_in_name(text: &str) -> bool {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_';
    let ended = text.trim_end_matches(|c: char| c.is_whitespace() || c == '`');
    let name = ended.strip_prefix(['"', '“']);
    name.is_some_and(|name| name.trim_end_matches(['"', '”']).chars().all(is_of_name))
}

fn begins_field(text: &str) -> bool {
    let bare: String = text.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '_').collect();
    let names_words =
        || is_known_name(&bare) && text[bare.len()..].trim_start().starts_with([':', '：']);
    field(text).is_some() || names_words()
}

/// Adds what a backslash stands before, and gives what follows that.
fn unescape<'r>(text: &mut String, rest: &'r str) -> &'r str {
    let Some(c) = rest.chars().next() else { return rest };
    let behind = &rest[c.len_utf8()..];
    match c {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'u' => return code_point(text, behind),
        other => text.push(other),
    }
    behind
}

/// What follows `\u`. Half of a sign says nothing.
fn code_point<'r>(text: &mut String, rest: &'r str) -> &'r str {
    let Some((first, mut behind)) = four_digits(rest) else { return rest };
    let mut units = vec![first];
    if (0xD800..0xDC00).contains(&first)
        && let Some((second, behind_both)) = behind.strip_prefix("\\u").and_then(four_digits)
    {
        units.push(second);
        behind = behind_both;
    }
    text.extend(char::decode_utf16(units).filter_map(Result::ok));
    behind
}

fn four_digits(rest: &str) -> Option<(u16, &str)> {
    let digits = rest.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
    Some((u16::from_str_radix(digits, 16).ok()?, &rest[4..]))
}
