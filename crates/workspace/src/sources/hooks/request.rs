//! What another program may ask for, before anybody looks who it is. Pure.
//!
//! A page in a browser can send requests to this machine too, and by a name that it
//! controls. Its browser says where it comes from (`Origin`, `Sec-Fetch-Site`) and by
//! which name it came (`Host`), so neither gets in, whatever token it has.

use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, HeaderMap, ORIGIN};
use hyper::http::Method;
use hyper::http::request::Parts;
use percent_encoding::percent_decode_str;
use serde::de::IgnoredAny;

/// What is asked for: to have a source tell something.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub source: String,
    pub token: String,
    /// By which the same is known when it is sent again.
    pub delivery: Option<String>,
    pub form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Json,
    Text,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub status: StatusCode,
    pub why: String,
}

impl Refusal {
    pub(super) fn new(status: StatusCode, why: impl Into<String>) -> Self {
        Refusal { status, why: why.into() }
    }

    /// The same for whoever names no source, a wrong one, or has no token for it.
    pub(super) fn unknown() -> Self {
        Refusal::new(
            StatusCode::UNAUTHORIZED,
            "no source of this name takes this token; send it as Authorization: Bearer TOKEN",
        )
    }
}

/// Those that senders of webhooks use.
const DELIVERY: [&str; 4] =
    ["idempotency-key", "webhook-id", "x-github-delivery", "x-gitlab-event-uuid"];
const LONGEST_DELIVERY: usize = 200;

pub(super) fn read(head: &Parts, port: u16) -> Result<Wanted, Refusal> {
    let headers = &head.headers;
    comes_from_a_program(headers, port)?;
    let named = head.uri.path().strip_prefix("/hooks/").filter(|name| !name.is_empty());
    let named = named.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "post to /hooks/NAME"))?;
    if head.method != Method::POST {
        return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "only POST is taken"));
    }
    let source = percent_decode_str(named).decode_utf8().map_err(|_| Refusal::unknown())?;
    let token = said(headers, AUTHORIZATION.as_str()).and_then(|said| {
        let (scheme, token) = said.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| token.trim().to_owned())
    });
    Ok(Wanted {
        source: source.into_owned(),
        token: token.ok_or_else(Refusal::unknown)?,
        delivery: delivery(headers)?,
        form: form(headers)?,
    })
}

fn comes_from_a_program(headers: &HeaderMap, port: u16) -> Result<(), Refusal> {
    if headers.contains_key(ORIGIN) || headers.contains_key("sec-fetch-site") {
        return Err(Refusal::new(StatusCode::FORBIDDEN, "no page in a browser may send anything"));
    }
    let host = said(headers, HOST.as_str()).unwrap_or_default().to_ascii_lowercase();
    let is_ours = [format!("127.0.0.1:{port}"), format!("localhost:{port}")].contains(&host);
    match is_ours && headers.get_all(HOST).iter().count() == 1 {
        true => Ok(()),
        false => Err(Refusal::new(
            StatusCode::MISDIRECTED_REQUEST,
            format!("send it to http://127.0.0.1:{port}"),
        )),
    }
}

fn delivery(headers: &HeaderMap) -> Result<Option<String>, Refusal> {
    let Some(name) = DELIVERY.into_iter().find(|name| headers.contains_key(*name)) else {
        return Ok(None);
    };
    let given = said(headers, name).map(str::trim).filter(|given| {
        (1..=LONGEST_DELIVERY).contains(&given.len()) && given.bytes().all(|b| b.is_ascii_graphic())
    });
    let unfit = || {
        let why = format!("{name} is 1 to {LONGEST_DELIVERY} letters, digits and signs");
        Refusal::new(StatusCode::BAD_REQUEST, why)
    };
    given.map(|given| Some(given.to_owned())).ok_or_else(unfit)
}

/// A form that a page could send without being asked for leave is none of the two.
fn form(headers: &HeaderMap) -> Result<Form, Refusal> {
    let Some(kind) = said(headers, CONTENT_TYPE.as_str()) else { return Ok(Form::Text) };
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    match kind.as_str() {
        "application/json" => Ok(Form::Json),
        "text/plain" => Ok(Form::Text),
        kind if kind.ends_with("+json") => Ok(Form::Json),
        _ => Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "send application/json or text/plain",
        )),
    }
}

fn said<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

/// What was sent, as it is told: JSON with a line for each part of it.
pub(super) fn text(form: Form, bytes: &[u8]) -> Result<String, Refusal> {
    let bad = |why: String| Refusal::new(StatusCode::BAD_REQUEST, why);
    let text = std::str::from_utf8(bytes).map_err(|_| bad("it is not UTF-8".into()))?;
    if text.trim().is_empty() {
        return Err(bad("it is empty".into()));
    }
    match form {
        Form::Text => Ok(text.trim().to_owned()),
        Form::Json => {
            let _: IgnoredAny = serde_json::from_str(text)
                .map_err(|error| bad(format!("it is not JSON: {error}")))?;
            Ok(in_lines(text))
        }
    }
}

/// What is deeper is not moved to the right any more: what is told is never much longer than
/// what was sent.
const DEEPEST: usize = 16;

/// Valid JSON with a line for each part of it. Numbers stay as they were sent: a number
/// of a program may have more digits than a computer's.
fn in_lines(json: &str) -> String {
    let (mut lines, mut depth, mut rest) = (String::new(), 0, json.trim());
    let begin_line = |lines: &mut String, depth: usize| {
        lines.push('\n');
        lines.push_str(&"  ".repeat(depth.min(DEEPEST)));
    };
    while let Some(sign) = rest.chars().next() {
        let taken = match sign {
            '"' => {
                let taken = text_length(rest);
                // Letters stand there as themselves.
                let plain = serde_json::from_str::<String>(&rest[..taken])
                    .and_then(|text| serde_json::to_string(&text));
                lines.push_str(plain.as_deref().unwrap_or(&rest[..taken]));
                taken
            }
            '{' | '[' => {
                lines.push(sign);
                let inside = rest[1..].trim_start();
                if !inside.starts_with(['}', ']']) {
                    depth += 1;
                    begin_line(&mut lines, depth);
                }
                1
            }
            '}' | ']' => {
                if !lines.ends_with(['{', '[']) {
                    depth = depth.saturating_sub(1);
                    begin_line(&mut lines, depth);
                }
                lines.push(sign);
                1
            }
            ',' => {
                lines.push(sign);
                begin_line(&mut lines, depth);
                1
            }
            ':' => {
                lines.push_str(": ");
                1
            }
            other => {
                lines.push(other);
                other.len_utf8()
            }
        };
        rest = rest[taken..].trim_start();
    }
    lines
}

/// Of the text in quotes that stands at the beginning, with them.
fn text_length(json: &str) -> usize {
    let mut is_escaped = false;
    let end = json.char_indices().skip(1).find(|(_, sign)| {
        let ends = *sign == '"' && !is_escaped;
        is_escaped = *sign == '\\' && !is_escaped;
        ends
    });
    end.map_or(json.len(), |(at, _)| at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::Request;

    const GOOD: [(&str, &str); 2] =
        [("host", "127.0.0.1:4321"), ("authorization", "Bearer let-me-in")];

    fn asked(method: &str, path: &str, headers: &[(&str, &str)]) -> Result<Wanted, StatusCode> {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (head, ()) = request.body(()).unwrap().into_parts();
        read(&head, 4321).map_err(|refusal| refusal.status)
    }

    #[test]
    fn what_is_told_is_not_much_longer_than_what_was_sent() {
        let deep = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
        let told = text(Form::Json, deep.as_bytes()).unwrap();
        assert!(told.len() < 40 * deep.len(), "{} of {}", told.len(), deep.len());
    }

    #[test]
    fn json_is_told_in_lines_with_its_numbers_as_they_were_sent() {
        let sent = r#" {"id":123456789012345678901234567890,"ratio":1.10,"to":{"name":"\u4e2d \"a, b\" {x}"},"none":[ ],"all":[1,{}]} "#;
        let told = "{\n  \"id\": 123456789012345678901234567890,\n  \"ratio\": 1.10,\n  \"to\": {\n    \"name\": \"中 \\\"a, b\\\" {x}\"\n  },\n  \"none\": [],\n  \"all\": [\n    1,\n    {}\n  ]\n}";
        assert_eq!(text(Form::Json, sent.as_bytes()).ok().as_deref(), Some(told));
        assert_eq!(text(Form::Json, b"7").ok().as_deref(), Some("7"));
        assert!(text(Form::Json, br#"{"a":}"#).is_err());
    }

    fn with(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
        GOOD.iter().chain(more).copied().collect()
    }

    #[test]
    fn a_program_names_a_source_and_shows_its_token() {
        let wanted = |source: &str, delivery: Option<&str>, form| Wanted {
            source: source.into(),
            token: "let-me-in".into(),
            delivery: delivery.map(Into::into),
            form,
        };
        let check = |path, more: &[_], expected| {
            assert_eq!(asked("POST", path, &with(more)), Ok(expected), "{path}");
        };
        check("/hooks/Builds", &[], wanted("Builds", None, Form::Text));
        check("/hooks/My%20%E6%9E%84%E5%BB%BA", &[], wanted("My 构建", None, Form::Text));
        let json = ("content-type", "application/json; charset=utf-8");
        check("/hooks/x", &[json, ("webhook-id", "7")], wanted("x", Some("7"), Form::Json));
        let cloud = ("content-type", "application/cloudevents+json");
        check("/hooks/x?y", &[cloud], wanted("x", None, Form::Json));
        let local = [("host", "LocalHost:4321"), GOOD[1]];
        assert_eq!(asked("POST", "/hooks/x", &local), Ok(wanted("x", None, Form::Text)));
    }

    #[test]
    fn no_page_in_a_browser_and_nothing_by_another_name_gets_in() {
        let check = |headers: &[(&str, &str)], expected| {
            assert_eq!(asked("POST", "/hooks/x", headers), Err(expected), "{headers:?}");
        };
        check(&with(&[("origin", "http://127.0.0.1:4321")]), StatusCode::FORBIDDEN);
        check(&with(&[("origin", "null")]), StatusCode::FORBIDDEN);
        check(&with(&[("sec-fetch-site", "cross-site")]), StatusCode::FORBIDDEN);
        check(&[GOOD[1]], StatusCode::MISDIRECTED_REQUEST);
        check(&with(&[("host", "127.0.0.1:4321")]), StatusCode::MISDIRECTED_REQUEST);
        for host in ["evil.example:4321", "127.0.0.1", "127.0.0.1:4322", "127.0.0.1:4321.evil"] {
            check(&[("host", host), GOOD[1]], StatusCode::MISDIRECTED_REQUEST);
        }
    }

    #[test]
    fn what_is_no_delivery_is_refused_with_what_is() {
        let check = |method, path, headers: &[_], expected| {
            assert_eq!(asked(method, path, headers), Err(expected), "{method} {path} {headers:?}");
        };
        check("GET", "/hooks/x", &GOOD, StatusCode::METHOD_NOT_ALLOWED);
        check("OPTIONS", "/hooks/x", &GOOD, StatusCode::METHOD_NOT_ALLOWED);
        check("POST", "/", &GOOD, StatusCode::NOT_FOUND);
        check("POST", "/hooks/", &GOOD, StatusCode::NOT_FOUND);
        check("POST", "/hooks/%ff", &GOOD, StatusCode::UNAUTHORIZED);
        check("POST", "/hooks/x", &GOOD[..1], StatusCode::UNAUTHORIZED);
        let basic = [GOOD[0], ("authorization", "Basic bGV0")];
        check("POST", "/hooks/x", &basic, StatusCode::UNAUTHORIZED);
        let form = ("content-type", "application/x-www-form-urlencoded");
        check("POST", "/hooks/x", &with(&[form]), StatusCode::UNSUPPORTED_MEDIA_TYPE);
        check("POST", "/hooks/x", &with(&[("webhook-id", "a b")]), StatusCode::BAD_REQUEST);
        check("POST", "/hooks/x", &with(&[("webhook-id", "")]), StatusCode::BAD_REQUEST);
    }

    #[test]
    fn what_was_sent_is_text_or_json() {
        let check = |form, bytes: &[u8], expected: Option<&str>| {
            assert_eq!(text(form, bytes).ok().as_deref(), expected, "{bytes:?}");
        };
        check(Form::Text, b" built \n", Some("built"));
        check(Form::Text, b" \n", None);
        check(Form::Text, b"\xff", None);
        check(Form::Json, b"{\"a\":[1]}", Some("{\n  \"a\": [\n    1\n  ]\n}"));
        check(Form::Json, b"{", None);
    }
}
