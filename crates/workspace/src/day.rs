//! Which day it is, as agents are told.

use crate::clock::Clock;

/// The date with its weekday, in local time.
pub(crate) fn of(clock: &dyn Clock, at_ms: i64) -> String {
    let local = at_ms.saturating_add(i64::from(clock.ahead_of_utc_s(at_ms)) * 1000);
    let moment = jiff::Timestamp::from_millisecond(local).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.to_zoned(jiff::tz::TimeZone::UTC).strftime("%A, %-d %B %Y").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Ahead(i32);

    impl Clock for Ahead {
        fn now_ms(&self) -> i64 {
            0
        }

        fn ahead_of_utc_s(&self, _: i64) -> i32 {
            self.0
        }
    }

    #[test]
    fn the_day_is_the_one_where_the_clock_stands() {
        let nearly_midnight = 1_780_012_799_000;
        assert_eq!(of(&Ahead(0), nearly_midnight), "Thursday, 28 May 2026");
        assert_eq!(of(&Ahead(8 * 3600), nearly_midnight), "Friday, 29 May 2026");
        assert_eq!(of(&Ahead(0), i64::MAX), "Thursday, 1 January 1970");
    }
}
