//! When a server says that it may be asked again.

use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;
use std::time::{Duration, UNIX_EPOCH};

/// The pause that the server asks for, in any of the forms in use: milliseconds
/// or seconds or a date in a header, `retryDelay` in the body, or words
/// ("try again in 94ms").
pub(super) fn retry_after(headers: &HeaderMap, body: &str, now_ms: i64) -> Option<Duration> {
    in_header(headers, now_ms).or_else(|| in_details(body)).or_else(|| in_words(body))
}

/// The same of an `error` inside an answer, which has no headers.
pub(super) fn in_error(error: &Value) -> Option<Duration> {
    let words = || in_words(error.get("message")?.as_str()?);
    detailed(error).or_else(words)
}

fn in_header(headers: &HeaderMap, now_ms: i64) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(pause) = text("retry-after-ms").and_then(|text| at_least_zero(text, 0.001)) {
        return Some(pause);
    }
    let value = text(RETRY_AFTER.as_str())?;
    at_least_zero(value, 1.0).or_else(|| {
        let at = httpdate::parse_http_date(value).ok()?.duration_since(UNIX_EPOCH).ok()?;
        let now = Duration::from_millis(u64::try_from(now_ms).ok()?);
        Some(at.saturating_sub(now))
    })
}

fn at_least_zero(number: &str, seconds: f64) -> Option<Duration> {
    let number: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(number.max(0.0) * seconds).ok()
}

/// Google's form, wrapped in a list by its OpenAI door.
fn in_details(body: &str) -> Option<Duration> {
    let body: Value = serde_json::from_str(body).ok()?;
    detailed(body.pointer("/error").or_else(|| body.pointer("/0/error"))?)
}

fn detailed(error: &Value) -> Option<Duration> {
    let details = error.get("details")?.as_array()?;
    details.iter().find_map(|detail| duration(detail.get("retryDelay")?.as_str()?))
}

fn in_words(body: &str) -> Option<Duration> {
    let body = body.to_ascii_lowercase();
    ["try again in ", "retry in ", "retry after "]
        .iter()
        .find_map(|words| duration(body.split_once(words)?.1.trim_start()))
}

/// `94ms`, `1.5s`, `6m0s`, `2 seconds`; what follows is ignored.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = None;
    loop {
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let Ok(number) = number.trim_end_matches('.').parse::<f64>() else { return total };
        let after = after.strip_prefix(' ').unwrap_or(after);
        let letters = after.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        let seconds = match unit {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => return total,
        };
        let part = Duration::try_from_secs_f64(number * seconds).ok()?;
        total = Some(total.unwrap_or(Duration::ZERO).checked_add(part)?);
        rest = after;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW_MS: i64 = 1_792_000_000_000;

    fn check(headers: &[(&'static str, &str)], body: &str, expected_ms: Option<u64>) {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| {
                (name.parse().expect("a header name"), value.parse().expect("a header value"))
            })
            .collect();
        let found = retry_after(&headers, body, NOW_MS);
        assert_eq!(found, expected_ms.map(Duration::from_millis), "{headers:?} {body}");
    }

    #[test]
    fn every_form_of_a_pause_is_understood() {
        check(&[("retry-after", "3")], "", Some(3_000));
        check(&[("retry-after", "0.5")], "", Some(500));
        check(&[("retry-after", "-1")], "", Some(0));
        check(&[("retry-after-ms", "94"), ("retry-after", "3")], "", Some(94));
        let date =
            httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_millis(NOW_MS as u64 + 20_000));
        check(&[("retry-after", &date)], "", Some(20_000));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], "", Some(0));
        check(&[], r#"{"error":{"details":[{"@type":"x"},{"retryDelay":"23s"}]}}"#, Some(23_000));
        check(&[], r#"[{"error":{"details":[{"retryDelay":"1.250s"}]}}]"#, Some(1_250));
        check(&[], r#"{"error":{"message":"Please try again in 94ms."}}"#, Some(94));
        check(&[], "Please try again in 1m30.5s. Thank you", Some(90_500));
        check(&[], "retry after 2 seconds", Some(2_000));
    }

    #[test]
    fn what_names_no_pause_gives_none() {
        check(&[], "", None);
        check(&[("retry-after", "soon")], "Please try again in a while", None);
        check(&[("retry-after", "inf")], "", None);
        check(&[], "try again in 1e999s", None);
        check(&[], "try again in 5 apples", None);
    }
}
