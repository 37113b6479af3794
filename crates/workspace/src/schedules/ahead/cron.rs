//! A cron expression, ready to be asked.
//!
//! The crate that reads it (`cronexpr` 1.7) takes a day for the last of its month where the
//! next day's month has a higher number, so that no `L` ever comes in December. Those are
//! looked for beside it: among the days from the 25th on, by what is the last there.

use cronexpr::{Crontab, MakeTimestamp};
use jiff::Zoned;

pub(super) struct Cron {
    crontab: Crontab,
    december: Option<December>,
}

/// What `L` means in December, whose last week begins with the 25th.
struct December {
    last_week: Crontab,
    /// `L` as the day of the month.
    last_day: bool,
    /// `5L`: the last of these days of the week.
    of_week: Option<Crontab>,
}

const LAST_DAY: i8 = 31;
/// A minute apart in seven days.
const MOST_TRIED: usize = 7 * 24 * 60;

impl Cron {
    /// Five fields; the zone stands behind them for the crate that reads it.
    pub(super) fn of(expression: &str, zone: &str) -> Option<Cron> {
        let fields: Vec<&str> = expression.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = fields[..] else { return None };
        let read =
            |expression: String| cronexpr::parse_crontab(&format!("{expression} {zone}")).ok();
        let crontab = read(fields.join(" "))?;
        let of_week: Vec<&str> =
            weekday.split(',').filter_map(|day| day.strip_suffix(['L', 'l'])).collect();
        let last_day = day.split(',').any(|day| day.eq_ignore_ascii_case("l"));
        let is_in_december = || {
            let december = read(format!("0 0 1 {month} *"))?;
            let first = MakeTimestamp::from_millisecond(LATE_IN_NOVEMBER).ok()?;
            (december.find_next(first).ok()?.month() == 12).then_some(())
        };
        let december = match last_day || !of_week.is_empty() {
            true if is_in_december().is_some() => Some(December {
                last_week: read(format!("{minute} {hour} 25-31 12 *"))?,
                last_day,
                of_week: match of_week.is_empty() {
                    true => None,
                    false => Some(read(format!("* * * * {}", of_week.join(",")))?),
                },
            }),
            _ => None,
        };
        Some(Cron { crontab, december })
    }

    /// The first after a moment.
    pub(super) fn next(&self, moment: i64) -> Option<i64> {
        let named = after(&self.crontab, moment).map(|at| at.timestamp().as_millisecond());
        let december = self.december.as_ref().and_then(|december| december.next(moment));
        [named, december].into_iter().flatten().min()
    }
}

impl December {
    fn next(&self, moment: i64) -> Option<i64> {
        let is_last = |at: &Zoned| {
            let of_week = self.of_week.as_ref();
            self.last_day && at.day() == LAST_DAY
                || of_week.is_some_and(|days| {
                    days.matches(MakeTimestamp(at.timestamp())).unwrap_or(false)
                })
        };
        std::iter::successors(after(&self.last_week, moment), |at| {
            after(&self.last_week, at.timestamp().as_millisecond())
        })
        .take(MOST_TRIED)
        .find(is_last)
        .map(|at| at.timestamp().as_millisecond())
    }
}

/// A moment of 2026 whose next month is December, in any zone.
const LATE_IN_NOVEMBER: i64 = 1_795_564_800_000;

fn after(crontab: &Crontab, moment: i64) -> Option<Zoned> {
    crontab.find_next(MakeTimestamp::from_millisecond(moment).ok()?).ok()
}
