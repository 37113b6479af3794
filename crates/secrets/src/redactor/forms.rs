//! The forms in which one value travels: as it is, in JSON, in an address, in
//! base64 (alone or inside something longer, as in `Authorization: Basic`), in
//! hexadecimal.

use super::{Form, LEAST};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::ops::Range;

/// A line of a longer value that is told apart from others.
const LEAST_LINE: usize = 20;

pub(super) fn of(name: &str, value: &str) -> Vec<Form> {
    let form = |text, is_inside_base64| Form { text, is_inside_base64, name: name.to_owned() };
    let plain = [in_json(value), in_addresses(value), in_hexadecimal(value), lines(value)];
    let plain = plain.into_iter().flatten().chain([value.to_owned()]).map(|text| form(text, false));
    let inside = in_base64(value).into_iter().map(|text| form(text, true));
    plain.chain(inside).filter(|form| form.text.len() >= LEAST).collect()
}

/// JSON in JSON too, and the two liberties that writers of JSON take.
fn in_json(value: &str) -> Vec<String> {
    let once = escaped(value);
    let twice = escaped(&once);
    let slashes = once.replace('/', "\\/");
    let ascii: String = once.chars().map(ascii).collect();
    vec![once, twice, slashes, ascii]
}

fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("text is JSON");
    quoted[1..quoted.len() - 1].to_owned()
}

fn ascii(character: char) -> String {
    if character.is_ascii() {
        return character.into();
    }
    let mut units = [0; 2];
    character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
}

/// `encodeURIComponent`, what RFC 3986 leaves alone, and forms; upper and lower case.
fn in_addresses(value: &str) -> Vec<String> {
    let kept = [("-_.~!*'()", "%20"), ("-_.~", "%20"), ("-_.*", "+"), ("-_.~/", "%20")];
    let mut all = Vec::new();
    for (kept, space) in kept {
        let keeps = |byte: u8| byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte);
        for upper in [true, false] {
            let encode = |byte: u8| match byte {
                b' ' => space.to_owned(),
                byte if keeps(byte) => char::from(byte).to_string(),
                byte if upper => format!("%{byte:02X}"),
                byte => format!("%{byte:02x}"),
            };
            all.push(value.bytes().map(encode).collect());
        }
    }
    all
}

fn in_hexadecimal(value: &str) -> Vec<String> {
    let lower: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    vec![lower.to_uppercase(), lower]
}

/// A private key is often shown indented.
fn lines(value: &str) -> Vec<String> {
    let tells = |line: &&str| line.len() >= LEAST_LINE && !line.starts_with("-----");
    let lines = value.lines().map(str::trim);
    if value.lines().count() > 1 {
        lines.filter(tells).map(str::to_owned).collect()
    } else {
        vec![]
    }
}

/// What of the value can be seen in base64, wherever in the bytes it begins: the
/// characters at both ends also depend on what stands beside it.
fn in_base64(value: &str) -> Vec<String> {
    let mut all = Vec::new();
    for before in 0..3 {
        let bytes = [&[0; 2][..before.min(2)], value.as_bytes()].concat();
        let sure = (before * 8).div_ceil(6)..bytes.len() * 8 / 6;
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            all.push(engine.encode(&bytes)[sure.clone()].to_owned());
        }
    }
    all
}

/// The whole word of base64 around a part of it.
pub(super) fn whole_base64(text: &[u8], part: Range<usize>) -> Range<usize> {
    let belongs = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    let before = text[..part.start].iter().rev().take_while(|byte| belongs(byte)).count();
    let after = text[part.end..].iter().take_while(|byte| belongs(byte)).count();
    let end = part.end + after;
    let padding = text[end..].iter().take(2).take_while(|byte| **byte == b'=').count();
    part.start - before..end + padding
}
