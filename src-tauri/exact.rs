//! What the page is handed, as JSON that it reads as it was written.
//!
//! A page's numbers hold whole ones up to 2⁵³ exactly, and round what is longer: an id in
//! what an agent wants to do would be shown as another one. Those are handed as text.

use serde::Serialize;

/// No whole number of fewer digits is too long for a page.
const SHORTEST: usize = 16;
const LARGEST: u64 = (1 << 53) - 1;

pub(crate) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    serde_json::to_string(value).map(quoted)
}

/// With quotation marks around the whole numbers that are too long.
fn quoted(json: String) -> String {
    let numbers = too_long(&json);
    if numbers.is_empty() {
        return json;
    }
    let (mut written, mut from) = (String::with_capacity(json.len() + 2 * numbers.len()), 0);
    for (start, end) in numbers {
        written.push_str(&json[from..start]);
        written.push('"');
        written.push_str(&json[start..end]);
        written.push('"');
        from = end;
    }
    written.push_str(&json[from..]);
    written
}

/// Where they stand, outside of texts.
fn too_long(json: &str) -> Vec<(usize, usize)> {
    let bytes = json.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b'"' => end_of_text(bytes, at + 1),
            b'-' | b'0'..=b'9' => end_of_number(bytes, at),
            _ => at + 1,
        };
        if byte != b'"' && end - at >= SHORTEST && is_too_long(&json[at..end]) {
            found.push((at, end));
        }
        at = end;
    }
    found
}

fn end_of_text(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_number(bytes: &[u8], start: usize) -> usize {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
    start + bytes[start..].iter().take_while(|byte| is_part(byte)).count()
}

fn is_too_long(number: &str) -> bool {
    let digits = number.strip_prefix('-').unwrap_or(number);
    let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
    is_whole && digits.parse::<u64>().is_ok_and(|size| size > LARGEST)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    #[test]
    fn a_whole_number_that_a_page_would_round_is_handed_as_text() {
        let check =
            |value: Value, expected: &str| assert_eq!(super::json(&value).unwrap(), expected);
        check(json!({"id": 1_234_567_890_123_456_789_u64}), r#"{"id":"1234567890123456789"}"#);
        check(json!([-9_007_199_254_740_993_i64]), r#"["-9007199254740993"]"#);
        check(json!([9_007_199_254_740_991_u64, 1.5e300]), "[9007199254740991,1.5e+300]");
        check(json!([0.123_456_789_012_345_68]), "[0.12345678901234568]");
        let text = r#"1234567890123456789 "\ 1234567890123456789"#;
        check(json!({text: [text, u64::MAX]}), &{
            let text = serde_json::to_string(text).unwrap();
            format!(r#"{{{text}:[{text},"18446744073709551615"]}}"#)
        });
    }
}
