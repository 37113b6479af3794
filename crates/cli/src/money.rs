//! US dollars as people write them, and as millionths.
//!
//! What has no price is not free.

use crate::words;

pub(crate) const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// When the day of the budgets began.
pub(crate) fn today_ms() -> i64 {
    words::now_ms().div_euclid(DAY_MS) * DAY_MS
}

/// What was paid, where all of it is known; else as far as it is.
pub(crate) fn paid(microusd: Option<i64>, unpriced_calls: u32) -> String {
    match (microusd, unpriced_calls) {
        (None, _) => "no price".to_owned(),
        (Some(microusd), 0) => dollars(microusd),
        (Some(microusd), 1) => format!("{} + 1 call without a price", dollars(microusd)),
        (Some(microusd), n) => format!("{} + {n} calls without a price", dollars(microusd)),
    }
}

/// Millionths of a dollar; the error says what would be right.
pub(crate) fn usd(word: &str) -> Result<i64, String> {
    let wrong = || "give US dollars as 2 or 0.25, with six places at most".to_owned();
    let (whole, parts) = word.trim_start_matches('$').split_once('.').unwrap_or((word, ""));
    let whole = whole.trim_start_matches('$');
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let fits = digits(whole) && digits(parts) && whole.len() <= 9 && parts.len() <= 6;
    if !fits || whole.len() + parts.len() == 0 {
        return Err(wrong());
    }
    format!("{whole}{parts:0<6}").parse().map_err(|_| wrong())
}

/// With two places at least, and as many more as say something.
pub(crate) fn dollars(microusd: i64) -> String {
    let sign = if microusd < 0 { "-" } else { "" };
    let text = format!("{:07}", microusd.unsigned_abs());
    let (whole, parts) = text.split_at(text.len() - 6);
    let parts = parts.trim_end_matches('0');
    format!("{sign}${whole}.{parts:0<2}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_price_is_not_free() {
        let written = [(None, 3), (Some(0), 0), (Some(5), 0), (Some(5), 1), (Some(5), 2)];
        let expected = [
            "no price",
            "$0.00",
            "$0.000005",
            "$0.000005 + 1 call without a price",
            "$0.000005 + 2 calls without a price",
        ];
        assert_eq!(written.map(|(microusd, unpriced)| paid(microusd, unpriced)), expected);
    }

    #[test]
    fn dollars_are_read_as_they_are_written() {
        for (word, microusd, written) in [
            ("2", 2_000_000, "$2.00"),
            ("$2.50", 2_500_000, "$2.50"),
            ("0.000001", 1, "$0.000001"),
            (".25", 250_000, "$0.25"),
            ("0", 0, "$0.00"),
            ("1234.5", 1_234_500_000, "$1234.50"),
        ] {
            assert_eq!(usd(word), Ok(microusd), "{word}");
            assert_eq!(dollars(microusd), written);
        }
        for wrong in ["", ".", "-1", "1e3", "0.0000001", "two", "1,5", "12345678901"] {
            assert!(usd(wrong).is_err(), "{wrong}");
        }
    }
}
