//! What a server said when it said no, from any of the shapes in use.

use super::refusal::Asked;
use super::retry_after;
use serde_json::Value;
use std::time::Duration;

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The HTTP status, or the one that an error inside an answer names.
    pub(super) status: Option<u16>,
    /// Its own codes and types.
    pub(super) codes: String,
    pub(super) text: String,
    pub(super) pause: Option<Duration>,
    /// It was a web page, which no server of models says no with.
    pub(super) is_page: bool,
}

impl Said {
    /// Our own words for it.
    pub(crate) fn plain(text: &str) -> Self {
        Said { text: text.into(), ..Said::default() }
    }

    /// The body of a refusal: JSON in several shapes, or words, or a web page.
    pub(crate) fn of(body: &[u8]) -> Self {
        match serde_json::from_slice::<Value>(body) {
            Ok(Value::String(text)) => Said { text, ..Said::default() },
            Ok(value) => Said::in_chunk(&value).unwrap_or_else(|| Said::in_object(&value)),
            Err(_) => {
                let text = String::from_utf8_lossy(body);
                let is_page = text.trim_start().starts_with('<');
                Said {
                    text: if is_page { String::new() } else { text.into_owned() },
                    is_page,
                    ..Said::default()
                }
            }
        }
    }

    /// The `error` of a chunk or a body, if it has one.
    pub(crate) fn in_chunk(chunk: &Value) -> Option<Self> {
        let error = chunk.get("error").or_else(|| chunk.get(0)?.get("error"))?;
        match error {
            Value::Null | Value::Bool(false) => None,
            Value::String(text) if text.is_empty() => None,
            Value::String(text) => Some(Said { text: text.clone(), ..Said::default() }),
            error => Some(Said::in_object(error)),
        }
    }

    fn in_object(object: &Value) -> Self {
        let words = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| object.get(name).and_then(Value::as_str));
            texts.collect::<Vec<_>>().join(" ")
        };
        let status =
            ["code", "status", "status_code"].iter().find_map(|name| object.get(name)?.as_u64());
        Said {
            status: status
                .and_then(|status| u16::try_from(status).ok())
                .filter(|status| *status >= 400),
            codes: [words(&["code", "type", "status"]), reasons(object)]
                .join(" ")
                .trim()
                .to_owned(),
            pause: retry_after::in_error(object),
            text: misfits(object).unwrap_or_else(|| words(&["message", "detail", "error"])),
            ..Said::default()
        }
    }

    /// In brackets, for the end of a sentence: the server's text is a
    /// stranger's, so it is one short line without the key.
    pub(super) fn why(&self, asked: &Asked) -> String {
        let mut text = self.text.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(key) = &asked.key {
            text = key.taken_out_of(&text);
        }
        let text = shortened(text.trim_end_matches('.'));
        match (self.status, text.is_empty()) {
            (Some(status), true) => format!(" ({status})"),
            (Some(status), false) => format!(" ({status}: {text})"),
            (None, true) => String::new(),
            (None, false) => format!(" ({text})"),
        }
    }
}

/// What Google's servers name in `details`, as `API_KEY_INVALID`.
fn reasons(object: &Value) -> String {
    let details = object["details"].as_array().into_iter().flatten();
    details.filter_map(|detail| detail["reason"].as_str()).collect::<Vec<_>>().join(" ")
}

/// Characters of what a server says that are told.
const LONGEST: usize = 200;
/// Of a longer secret the beginning is known.
const MOST_OF_A_VALUE: usize = 128;

/// What would be cut in two goes whole: half a secret is not known again.
fn shortened(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(LONGEST) else { return text.to_owned() };
    let kept = &text[..end];
    let half = kept.bytes().rev().take_while(|byte| is_of_a_value(*byte)).count();
    let kept = if half <= MOST_OF_A_VALUE { &kept[..end - half] } else { kept };
    kept.to_owned() + "…"
}

fn is_of_a_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=_-.~%".contains(&byte)
}

/// What FastAPI and servers like it say of each field that they do not take:
/// `{"detail": [{"loc": ["body", "stop"], "msg": "…"}]}`, as `stop: …`.
fn misfits(object: &Value) -> Option<String> {
    let list = ["/detail", "/message/detail", "/message", "/errors"]
        .iter()
        .find_map(|at| object.pointer(at)?.as_array())?;
    let misfit = |one: &Value| {
        let message = one["msg"].as_str().or(one["message"].as_str())?;
        let path = one["loc"].as_array().map(Vec::as_slice).unwrap_or_default();
        let path: Vec<String> = path
            .iter()
            .filter(|part| *part != "body")
            .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
            .collect();
        let about = if path.is_empty() { String::new() } else { path.join(".") + ": " };
        Some(about + message)
    };
    let told: Vec<String> = list.iter().filter_map(misfit).collect();
    (!told.is_empty()).then(|| told.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_long_is_cut_where_no_secret_is_cut_in_two() {
        assert_eq!(shortened("short"), "short");
        let words = "word ".repeat(38);
        let cut = shortened(&format!("{words}your key is zq9-0123456789-ABCDEF"));
        assert_eq!(cut, format!("{words}your key …"));
        let cut = shortened(&format!("{words}zq9%2Bcut%2F0123456789%2BWXYZ"));
        assert_eq!(cut, format!("{words}…"));
        // Of what has no end in sight the beginning is enough to know it.
        let long = "x".repeat(300);
        assert_eq!(shortened(&long), "x".repeat(200) + "…");
        assert_eq!(shortened(&"字".repeat(300)), "字".repeat(200) + "…");
    }

    #[test]
    fn the_fields_that_a_server_does_not_take_are_named() {
        let check = |body: &str, expected: &str| {
            assert_eq!(Said::of(body.as_bytes()).text, expected, "{body}");
        };
        check(
            r#"{"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"],
                "msg": "Extra inputs are not permitted", "input": {"include_usage": true}}]}"#,
            "stream_options: Extra inputs are not permitted",
        );
        check(
            r#"{"object": "error", "message": {"detail": [
                {"loc": ["body", "messages", 0, "content"], "msg": "Field required"},
                {"loc": ["body"], "msg": "Wrong"}]}, "code": 422}"#,
            "messages.0.content: Field required; Wrong",
        );
        check(r#"{"detail": "Not found"}"#, "Not found");
        check(r#"{"detail": []}"#, "");
    }
}
