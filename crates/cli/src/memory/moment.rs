//! Points in time as people give them: a date, a date with a time, or how long
//! ago.

use crate::words;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

const WANTED: &str = "give a date such as 2026-11-30, a date with a time such as \
                      2026-11-30T18:30, or how long ago: 90min, 12h, 7d or 2w";

/// From then on: a date from its beginning.
pub(super) fn beginning(word: &str) -> Result<i64, String> {
    read(word, Some)
}

/// Until then: a date with the whole of its day.
pub(super) fn end(word: &str) -> Result<i64, String> {
    read(word, |day| day.checked_add(1.day()).ok())
}

fn read(word: &str, bound: impl Fn(Date) -> Option<Date>) -> Result<i64, String> {
    let word = word.trim();
    point(word, bound, words::now_ms(), &TimeZone::system()).ok_or_else(|| WANTED.to_owned())
}

/// In milliseconds since 1970; `None` for what is no point in time.
fn point(
    word: &str,
    bound: impl Fn(Date) -> Option<Date>,
    now_ms: i64,
    here: &TimeZone,
) -> Option<i64> {
    if let Some(span_ms) = span_ms(word) {
        return now_ms.checked_sub(span_ms).filter(|at_ms| *at_ms >= 0);
    }
    if let Ok(at) = word.parse::<Timestamp>() {
        return Some(at.as_millisecond());
    }
    let at = match word.len() {
        // A date alone: what reads dates would read a time with it and drop it.
        ..=10 => bound(word.parse::<Date>().ok()?)?.to_datetime(jiff::civil::Time::midnight()),
        _ => word.parse::<DateTime>().ok()?,
    };
    Some(at.to_zoned(here.clone()).ok()?.timestamp().as_millisecond())
}

/// `7d`: how long.
fn span_ms(word: &str) -> Option<i64> {
    const MINUTE_MS: i64 = 60_000;
    let (number, unit) = word.split_at(word.find(|c: char| !c.is_ascii_digit())?);
    let unit_ms = match unit.trim() {
        "min" => MINUTE_MS,
        "h" => 60 * MINUTE_MS,
        "d" => 24 * 60 * MINUTE_MS,
        "w" => 7 * 24 * 60 * MINUTE_MS,
        _ => return None,
    };
    number.parse::<i64>().ok()?.checked_mul(unit_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 December 2026, noon, in UTC.
    const NOW: i64 = 1_796_126_400_000;
    const DAY: i64 = 24 * 3_600_000;
    const MIDNIGHT: i64 = NOW - DAY / 2;

    #[test]
    fn a_day_is_meant_from_its_beginning_to_its_end() {
        let point = |word: &str, whole_day: bool| {
            let bound = |day: Date| if whole_day { day.tomorrow().ok() } else { Some(day) };
            point(word, bound, NOW, &TimeZone::UTC)
        };
        for (word, from, to) in [
            ("2026-12-01", MIDNIGHT, MIDNIGHT + DAY),
            ("2026-12-01T06:00", MIDNIGHT + DAY / 4, MIDNIGHT + DAY / 4),
            ("2026-12-01 06:00", MIDNIGHT + DAY / 4, MIDNIGHT + DAY / 4),
            ("2026-12-01T06:00+06:00", MIDNIGHT, MIDNIGHT),
            ("7d", NOW - 7 * DAY, NOW - 7 * DAY),
            ("2w", NOW - 14 * DAY, NOW - 14 * DAY),
            ("12h", MIDNIGHT, MIDNIGHT),
            ("720min", MIDNIGHT, MIDNIGHT),
            ("0d", NOW, NOW),
        ] {
            assert_eq!((point(word, false), point(word, true)), (Some(from), Some(to)), "{word}");
        }
        for word in [
            "",
            "d",
            "7",
            "7m",
            "-7d",
            "1.5d",
            "yesterday",
            "2026-13-01",
            "2026-02-30",
            "01/12/2026",
            "2026-12-01T25:00",
            "99999999999999999999d",
            "9999999999999w",
            "999999d",
            "去年",
        ] {
            assert_eq!(point(word, false), None, "{word}");
        }
    }

    #[test]
    fn a_date_is_one_of_where_the_machine_stands() {
        let east = TimeZone::fixed(jiff::tz::offset(8));
        let found = point("2026-12-01", Some, NOW, &east);
        assert_eq!(found, Some(MIDNIGHT - DAY / 3));
    }
}
