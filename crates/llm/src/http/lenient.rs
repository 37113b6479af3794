//! JSON as some servers write it although it is none: half of a character, and
//! numbers that are not numbers.
//!
//! A program that counts in UTF-16 cuts an emoji in two (`"\ud83d"` in one event,
//! `"\ude00"` in the next). Only text that the strict parser refused comes here. A
//! half stands in the repaired text as a character of Unicode's last private
//! plane, which nobody uses; [`Halves`] puts them together again, piece by piece,
//! or makes of one that is alone the sign for what cannot be read.

use crate::{Delta, ToolCallDelta};
use domain::KeptPart;
use serde_json::Value;
use std::collections::HashMap;

/// The first half of all, 0xD800, stands as this, and the others follow.
const FIRST: u32 = 0x10_F800;
const HALVES: u32 = 0xD800;

/// The document, if that is all that is wrong with it.
pub(super) fn read(json: &[u8]) -> Option<Value> {
    serde_json::from_slice(&repaired(json)?).ok()
}

/// Nothing where nothing can be repaired.
fn repaired(json: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(json.len());
    let (mut rest, mut in_text, mut changed) = (json, false, false);
    while let Some(first) = rest.first().copied() {
        let length = match first {
            b'\\' if in_text => match half(rest) {
                Some(high) if !is_low(high) && half(&rest[6..]).is_some_and(is_low) => {
                    out.extend_from_slice(&rest[..12]);
                    12
                }
                Some(alone) => {
                    out.extend_from_slice(standing_for(alone).to_string().as_bytes());
                    changed = true;
                    6
                }
                None => {
                    let length = rest.len().min(2);
                    out.extend_from_slice(&rest[..length]);
                    length
                }
            },
            _ if in_text => {
                in_text = first != b'"';
                out.push(first);
                1
            }
            _ => {
                let numbers: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];
                match numbers.iter().find(|number| rest.starts_with(number)) {
                    Some(number) => {
                        out.extend_from_slice(b"null");
                        changed = true;
                        number.len()
                    }
                    None => {
                        in_text = first == b'"';
                        out.push(first);
                        1
                    }
                }
            }
        };
        rest = &rest[length..];
    }
    changed.then_some(out)
}

/// The half of a character that is written at the beginning.
fn half(text: &[u8]) -> Option<u32> {
    let digits = text.get(..6)?.strip_prefix(b"\\u")?;
    let digits = str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    u32::from_str_radix(digits, 16).ok().filter(|half| (0xD800..0xE000).contains(half))
}

fn is_low(half: u32) -> bool {
    half >= 0xDC00
}

fn standing_for(half: u32) -> char {
    char::from_u32(FIRST + (half - HALVES)).expect("the last plane has as many")
}

fn stands_for(char: char) -> Option<u32> {
    u32::from(char).checked_sub(FIRST).map(|from| from + HALVES).filter(|half| *half < 0xE000)
}

/// Puts halves together that came in two pieces of an answer.
#[derive(Default)]
pub(super) struct Halves {
    text: Option<u32>,
    reasoning: Option<u32>,
    /// By the call's id.
    calls: HashMap<String, u32>,
}

impl Halves {
    pub(super) fn joined(&mut self, delta: Delta) -> Delta {
        match delta {
            Delta::Text(text) => Delta::Text(join(&mut self.text, &text)),
            Delta::Reasoning(text) => Delta::Reasoning(join(&mut self.reasoning, &text)),
            Delta::ToolCall(ToolCallDelta { id, name, arguments }) => {
                let mut half = self.calls.remove(&id);
                let arguments = join(&mut half, &arguments);
                self.calls.extend(half.map(|half| (id.clone(), half)));
                let name = name.map(|name| alone(&name));
                Delta::ToolCall(ToolCallDelta { id: alone(&id), name, arguments })
            }
            Delta::Kept(mut kept) => {
                for part in &mut kept.parts {
                    match part {
                        KeptPart::Own { json } => *json = alone(json),
                        KeptPart::Call { id, .. } => *id = alone(id),
                        KeptPart::Text { .. } => {}
                    }
                }
                Delta::Kept(kept)
            }
            other @ (Delta::Unshown(_)
            | Delta::Counted(_)
            | Delta::Anew
            | Delta::Done { .. }
            | Delta::Failed { .. }) => other,
        }
    }

    /// The halves whose others never came.
    pub(super) fn end(self) -> impl Iterator<Item = Delta> {
        let unread = || char::REPLACEMENT_CHARACTER.to_string();
        let thought = self.reasoning.map(|_| Delta::Reasoning(unread()));
        let text = self.text.map(|_| Delta::Text(unread()));
        let call = move |id| Delta::ToolCall(ToolCallDelta { id, name: None, arguments: unread() });
        thought.into_iter().chain(text).chain(self.calls.into_keys().map(call))
    }
}

/// The text with its halves joined; what may go on in the next piece waits.
fn join(waiting: &mut Option<u32>, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        let half = stands_for(char);
        match (waiting.take(), half) {
            (Some(high), Some(low)) if is_low(low) => {
                let whole = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                out.push(char::from_u32(whole).unwrap_or(char::REPLACEMENT_CHARACTER));
                continue;
            }
            (Some(_), _) => out.push(char::REPLACEMENT_CHARACTER),
            (None, _) => {}
        }
        match half {
            None => out.push(char),
            Some(low) if is_low(low) => out.push(char::REPLACEMENT_CHARACTER),
            Some(high) => *waiting = Some(high),
        }
    }
    out
}

/// The same of a text that comes whole.
fn alone(text: &str) -> String {
    let mut waiting = None;
    let mut out = join(&mut waiting, text);
    out.extend(waiting.map(|_| char::REPLACEMENT_CHARACTER));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn text(json: &str) -> Option<String> {
        let Value::String(text) = read(json.as_bytes())? else { return None };
        Some(alone(&text))
    }

    #[test]
    fn half_a_character_becomes_the_sign_for_what_cannot_be_read() {
        let check = |json: &str, expected: Option<&str>| {
            assert_eq!(text(json).as_deref(), expected, "{json}");
        };
        check(r#""a\ud83d""#, Some("a\u{fffd}"));
        check(r#""\ude00b""#, Some("\u{fffd}b"));
        check(r#""\ud83d\ud83d\ude00""#, Some("\u{fffd}😀"));
        check(r#""\ud83d\n\\ud83d""#, Some("\u{fffd}\n\\ud83d"));
        check(r#""\uD83D\u0041""#, Some("\u{fffd}A"));
        check(r#""\ude00\ud83d""#, Some("\u{fffd}\u{fffd}"));
        // Nothing that is repaired here.
        check(r#""\u+83d""#, None);
        check(r#""\ud8""#, None);
        check(r#""\ud83d"#, None);
        check("", None);
    }

    #[test]
    fn what_is_no_number_counts_as_nothing_and_words_stay_words() {
        let read = |json: &str| read(json.as_bytes());
        let found = read(r#"{"a":NaN,"b":[Infinity,-Infinity],"c":"NaN \" Infinity"}"#);
        assert_eq!(found, Some(json!({"a": null, "b": [null, null], "c": "NaN \" Infinity"})));
        assert_eq!(read(r#"{"a":Nan}"#), None);
        assert_eq!(read(r#"{"a":NaN"#), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2_048, ..ProptestConfig::default() })]

        #[test]
        fn however_a_text_is_cut_between_its_halves_it_comes_out_whole(
            text in "[a😀字🌍\"\\\\]{0,12}", cuts in prop::collection::vec(0..24_usize, 0..8)
        ) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(units.len())).collect();
            cuts.sort_unstable();
            cuts.push(units.len());
            let (mut from, mut halves, mut out) = (0, Halves::default(), String::new());
            for cut in cuts {
                let escaped: String =
                    units[from..cut].iter().map(|unit| format!("\\u{unit:04x}")).collect();
                let json = format!("\"{escaped}\"");
                let piece = serde_json::from_str(&json).ok();
                let piece = piece.or_else(|| read(json.as_bytes())).expect("it is repaired");
                let piece = piece.as_str().expect("a text").to_owned();
                let Delta::Text(piece) = halves.joined(Delta::Text(piece)) else { panic!() };
                out += &piece;
                from = cut;
            }
            prop_assert_eq!(out, text);
            prop_assert_eq!(halves.end().count(), 0);
        }

        #[test]
        fn what_is_repaired_reads_as_before_where_nothing_was_wrong(
            bytes in "[a\"\\\\u0d8-f{}:,NIn]{0,40}"
        ) {
            if let Ok(value) = serde_json::from_str::<Value>(&bytes)
                && let Some(repaired) = read(bytes.as_bytes())
            {
                prop_assert_eq!(repaired, value);
            }
        }
    }
}
