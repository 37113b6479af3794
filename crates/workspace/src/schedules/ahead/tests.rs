//! Times ahead, also where clocks are put forward and back.

use super::*;
use domain::Day::{Friday, Monday};

fn zone(name: &str) -> TimeZone {
    TimeZone::get(name).expect("it is known")
}

fn ms(moment: &str) -> i64 {
    moment.parse::<Timestamp>().expect("it is a moment").as_millisecond()
}

/// The next three, as the clock there shows them.
fn check(times: Times, place: &str, hours: Option<(u16, u16)>, after: &str, expected: &[&str]) {
    let zone = zone(place);
    let hours = hours.map(|(from, to)| ActiveHours { from, to });
    let ahead = Ahead::of(&times, &zone, hours).expect("it is valid");
    let shown = |at: i64| {
        let at = Timestamp::from_millisecond(at).expect("it is a moment");
        at.to_zoned(zone.clone()).strftime("%F %H:%M %:z").to_string()
    };
    let found: Vec<_> = ahead.several_after(ms(after), 3).into_iter().map(shown).collect();
    assert_eq!(found, expected, "{times:?} in {place}");
}

fn daily(minute: u16) -> Times {
    use domain::Day::{Saturday, Sunday, Thursday, Tuesday, Wednesday};
    let days = vec![Monday, Tuesday, Wednesday, Thursday, Friday, Saturday, Sunday];
    Times::Days { days, minute }
}

fn cron(expression: &str) -> Times {
    Times::Cron { expression: expression.into() }
}

#[test]
fn days_of_the_week_come_at_their_time_there() {
    let times = Times::Days { days: vec![Monday, Friday], minute: 9 * 60 };
    let expected =
        ["2026-05-29 09:00 +08:00", "2026-06-01 09:00 +08:00", "2026-06-05 09:00 +08:00"];
    check(times, "Asia/Shanghai", None, "2026-05-28T20:26:40Z", &expected);
}

#[test]
fn what_the_clock_leaves_out_comes_right_after_it() {
    // In Berlin 2:00 is followed by 3:00 on the 29th of March.
    let expected =
        ["2026-03-28 02:30 +01:00", "2026-03-29 03:30 +02:00", "2026-03-30 02:30 +02:00"];
    check(daily(2 * 60 + 30), "Europe/Berlin", None, "2026-03-27T12:00:00Z", &expected);
}

#[test]
fn what_the_clock_shows_twice_comes_once() {
    // In Berlin 3:00 is followed by 2:00 on the 25th of October.
    let expected =
        ["2026-10-25 02:30 +02:00", "2026-10-26 02:30 +01:00", "2026-10-27 02:30 +01:00"];
    check(daily(2 * 60 + 30), "Europe/Berlin", None, "2026-10-24T12:00:00Z", &expected);
    // Also when it has been given already and the clock shows it again.
    check(
        daily(2 * 60 + 30),
        "Europe/Berlin",
        None,
        "2026-10-25T00:45:00Z",
        &["2026-10-26 02:30 +01:00", "2026-10-27 02:30 +01:00", "2026-10-28 02:30 +01:00"],
    );
}

#[test]
fn cron_keeps_to_what_the_clock_leaves_out_and_shows_twice() {
    let at = "30 2 * * *";
    let expected =
        ["2027-03-27 02:30 +01:00", "2027-03-28 03:30 +02:00", "2027-03-29 02:30 +02:00"];
    check(cron(at), "Europe/Berlin", None, "2027-03-26T12:00:00Z", &expected);
    // Right after the clock was put forward too.
    let expected =
        ["2027-03-28 03:30 +02:00", "2027-03-29 02:30 +02:00", "2027-03-30 02:30 +02:00"];
    check(cron(at), "Europe/Berlin", None, "2027-03-28T01:05:00Z", &expected);
    let expected =
        ["2027-10-31 02:30 +02:00", "2027-11-01 02:30 +01:00", "2027-11-02 02:30 +01:00"];
    check(cron(at), "Europe/Berlin", None, "2027-10-30T12:00:00Z", &expected);
    // While the clock shows it again.
    let expected =
        ["2027-11-01 02:30 +01:00", "2027-11-02 02:30 +01:00", "2027-11-03 02:30 +01:00"];
    check(cron(at), "Europe/Berlin", None, "2027-10-31T01:05:00Z", &expected);
    // Of a month.
    let expected =
        ["2027-10-31 02:30 +02:00", "2027-12-31 02:30 +01:00", "2028-01-31 02:30 +01:00"];
    check(cron("30 2 31 * *"), "Europe/Berlin", None, "2027-10-01T12:00:00Z", &expected);
    let expected =
        ["2027-03-28 03:30 +02:00", "2027-04-28 02:30 +02:00", "2027-05-28 02:30 +02:00"];
    check(cron("30 2 28 * *"), "Europe/Berlin", None, "2027-03-01T12:00:00Z", &expected);
    // Half an hour is left out on Lord Howe Island: 2:15 comes behind 2:40.
    let expected =
        ["2027-10-03 02:40 +11:00", "2027-10-03 02:45 +11:00", "2027-10-04 02:15 +11:00"];
    check(cron("15,40 2 * * *"), "Australia/Lord_Howe", None, "2027-10-02T12:00:00Z", &expected);
    // A whole day was left out in Samoa.
    let expected =
        ["2011-12-29 09:00 -10:00", "2011-12-31 09:00 +14:00", "2012-01-01 09:00 +14:00"];
    check(cron("0 9 * * *"), "Pacific/Apia", None, "2011-12-29T12:00:00Z", &expected);
}

#[test]
fn cron_of_every_hour_comes_in_every_hour() {
    let expected =
        ["2027-10-31 02:30 +02:00", "2027-10-31 02:30 +01:00", "2027-10-31 03:30 +01:00"];
    check(cron("30 * * * *"), "Europe/Berlin", None, "2027-10-31T00:00:00Z", &expected);
    let expected =
        ["2027-03-28 01:30 +01:00", "2027-03-28 03:30 +02:00", "2027-03-28 04:30 +02:00"];
    check(cron("30 * * * *"), "Europe/Berlin", None, "2027-03-28T00:00:00Z", &expected);
}

#[test]
fn an_hour_is_an_hour_whatever_clocks_do() {
    let from_ms = ms("2026-03-29T00:15:00Z");
    let expected =
        ["2026-03-29 03:15 +02:00", "2026-03-29 04:15 +02:00", "2026-03-29 05:15 +02:00"];
    let times = Times::Every { minutes: 60, from_ms };
    check(times, "Europe/Berlin", None, "2026-03-29T00:59:00Z", &expected);
}

#[test]
fn cron_says_what_it_always_said() {
    let expected =
        ["2026-05-29 09:00 +00:00", "2026-06-01 09:00 +00:00", "2026-06-02 09:00 +00:00"];
    check(cron("0 9 * * 1-5"), "UTC", None, "2026-05-28T20:26:40Z", &expected);
    let zone = zone("UTC");
    for bad in ["0 9 * *", "61 9 * * *", "0 9 * * 1-5 Asia/Shanghai", "words of no meaning at all"]
    {
        assert!(Ahead::of(&cron(bad), &zone, None).is_none(), "{bad}");
    }
}

#[test]
fn the_last_day_of_a_month_comes_in_december_too() {
    let after = "2026-11-28T12:00:00Z";
    for (expression, expected) in [
        (
            "0 9 L * *",
            ["2026-11-30 09:00 +00:00", "2026-12-31 09:00 +00:00", "2027-01-31 09:00 +00:00"],
        ),
        (
            "0 9 * * 5L",
            ["2026-12-25 09:00 +00:00", "2027-01-29 09:00 +00:00", "2027-02-26 09:00 +00:00"],
        ),
        (
            "0 9 L 12 *",
            ["2026-12-31 09:00 +00:00", "2027-12-31 09:00 +00:00", "2028-12-31 09:00 +00:00"],
        ),
        (
            "0 9 * 6-12 0L",
            ["2026-11-29 09:00 +00:00", "2026-12-27 09:00 +00:00", "2027-06-27 09:00 +00:00"],
        ),
        (
            "0 9 L 1-11 *",
            ["2026-11-30 09:00 +00:00", "2027-01-31 09:00 +00:00", "2027-02-28 09:00 +00:00"],
        ),
    ] {
        check(cron(expression), "UTC", None, after, &expected);
    }
}

#[test]
fn outside_of_the_hours_nothing_comes() {
    let times = Times::Every { minutes: 30, from_ms: 0 };
    let expected =
        ["2026-05-28 16:30 +00:00", "2026-05-29 09:00 +00:00", "2026-05-29 09:30 +00:00"];
    check(times.clone(), "UTC", Some((9 * 60, 17 * 60)), "2026-05-28T16:10:00Z", &expected);
    // Over midnight.
    let expected =
        ["2026-05-28 23:30 +00:00", "2026-05-29 00:00 +00:00", "2026-05-29 00:30 +00:00"];
    check(times, "UTC", Some((23 * 60 + 30, 60)), "2026-05-28T16:10:00Z", &expected);
    // Never is an answer too.
    check(daily(9 * 60), "UTC", Some((10 * 60, 17 * 60)), "2026-05-28T16:10:00Z", &[]);
}

#[test]
fn once_is_once() {
    let at_ms = ms("2026-05-28T18:00:00Z");
    check(Times::Once { at_ms }, "UTC", None, "2026-05-28T16:10:00Z", &["2026-05-28 18:00 +00:00"]);
    check(Times::Once { at_ms }, "UTC", None, "2026-05-28T18:00:00Z", &[]);
}

proptest::proptest! {
    /// A time of day comes once on each day, whatever its clocks do on it.
    #[test]
    fn a_time_of_day_comes_on_every_day_once(
        minute in 0_u16..24 * 60,
        after in 1_700_000_000_000_i64..1_900_000_000_000,
    ) {
        let expression = format!("{} {} * * *", minute % 60, minute / 60);
        for place in ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Shanghai"] {
            let zone = zone(place);
            let (days, cron) = (daily(minute), cron(&expression));
            let days = Ahead::of(&days, &zone, None).expect("it is valid").several_after(after, 4);
            let cron = Ahead::of(&cron, &zone, None).expect("it is valid").several_after(after, 4);
            proptest::prop_assert_eq!(days, cron);
        }
    }
}
