//! Which times are ahead.
//!
//! Pure. All of it is told in a named zone, whose clocks are put forward and back.

use cronexpr::{Crontab, MakeTimestamp};
use domain::{ActiveHours, Day, Times};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// The times of one schedule.
pub(super) struct Ahead<'a> {
    times: &'a Times,
    zone: &'a TimeZone,
    hours: Option<ActiveHours>,
    crontab: Option<Crontab>,
}

/// So many times in a row that lie outside the hours mean that none lies in them: a
/// minute apart they cover a day.
const MOST_OUTSIDE: usize = 1_500;
const MINUTE_MS: i64 = 60_000;

impl<'a> Ahead<'a> {
    /// `None` where a cron expression is none.
    pub(super) fn of(
        times: &'a Times,
        zone: &'a TimeZone,
        hours: Option<ActiveHours>,
    ) -> Option<Ahead<'a>> {
        let crontab = match times {
            Times::Cron { expression } => Some(crontab(expression, zone)?),
            Times::Once { .. } | Times::Every { .. } | Times::Days { .. } => None,
        };
        Some(Ahead { times, zone, hours, crontab })
    }

    /// The first after a moment; `None` when it is over, or never comes.
    pub(super) fn after(&self, moment: i64) -> Option<i64> {
        let mut last = moment;
        for _ in 0..MOST_OUTSIDE {
            last = self.any_after(last)?;
            if self.hours.is_none_or(|hours| holds(hours, last, self.zone)) {
                return Some(last);
            }
        }
        None
    }

    /// The next so many.
    pub(super) fn several_after(&self, moment: i64, count: usize) -> Vec<i64> {
        std::iter::successors(self.after(moment), |last| self.after(*last)).take(count).collect()
    }

    /// Within the hours or not.
    fn any_after(&self, moment: i64) -> Option<i64> {
        match self.times {
            Times::Once { at_ms } => (*at_ms > moment).then_some(*at_ms),
            Times::Every { minutes, from_ms } => {
                let apart = i64::from((*minutes).max(1)) * MINUTE_MS;
                let gone = moment.saturating_sub(*from_ms).div_euclid(apart);
                from_ms.checked_add(gone.checked_add(1)?.checked_mul(apart)?)
            }
            Times::Days { days, minute } => self.on_days_after(days, *minute, moment),
            Times::Cron { .. } => {
                let moment = MakeTimestamp::from_millisecond(moment).ok()?;
                let next = self.crontab.as_ref()?.find_next(moment).ok()?;
                Some(next.timestamp().as_millisecond())
            }
        }
    }

    fn on_days_after(&self, days: &[Day], minute: u16, moment: i64) -> Option<i64> {
        let today = local(moment, self.zone)?.0;
        // A clock that is put back may bring today's time although it has passed.
        let on_day = |ahead: i64| {
            let date = today.checked_add(ahead.days()).ok()?;
            let wanted = days.contains(&day_of(date.weekday()));
            wanted.then(|| at(date, minute, self.zone)).flatten().filter(|at| *at > moment)
        };
        (0..=8).find_map(on_day)
    }
}

/// When it is this minute of a day. A time that the clock leaves out is the one right
/// after it; of one that it shows twice, the first counts.
pub(super) fn at(date: Date, minute: u16, zone: &TimeZone) -> Option<i64> {
    let (hour, minute) = (i8::try_from(minute / 60).ok()?, i8::try_from(minute % 60).ok()?);
    let time = jiff::civil::Time::new(hour, minute, 0, 0).ok()?;
    let at = zone.to_ambiguous_zoned(date.to_datetime(time)).compatible().ok()?;
    Some(at.timestamp().as_millisecond())
}

/// The day and the minute of it that a clock shows there.
pub(super) fn local(moment: i64, zone: &TimeZone) -> Option<(Date, u16)> {
    let local = Timestamp::from_millisecond(moment).ok()?.to_zoned(zone.clone());
    let minute = i16::from(local.hour()) * 60 + i16::from(local.minute());
    Some((local.date(), u16::try_from(minute).ok()?))
}

pub(super) fn day_of(weekday: Weekday) -> Day {
    match weekday {
        Weekday::Monday => Day::Monday,
        Weekday::Tuesday => Day::Tuesday,
        Weekday::Wednesday => Day::Wednesday,
        Weekday::Thursday => Day::Thursday,
        Weekday::Friday => Day::Friday,
        Weekday::Saturday => Day::Saturday,
        Weekday::Sunday => Day::Sunday,
    }
}

/// Five fields; the zone stands behind them for the crate that reads it.
pub(super) fn crontab(expression: &str, zone: &TimeZone) -> Option<Crontab> {
    if expression.split_whitespace().count() != 5 {
        return None;
    }
    cronexpr::parse_crontab(&format!("{expression} {}", zone.iana_name()?)).ok()
}

fn holds(hours: ActiveHours, moment: i64, zone: &TimeZone) -> bool {
    let Some((_, minute)) = local(moment, zone) else { return false };
    match hours.from <= hours.to {
        true => (hours.from..hours.to).contains(&minute),
        false => minute >= hours.from || minute < hours.to,
    }
}

#[cfg(test)]
mod tests;
