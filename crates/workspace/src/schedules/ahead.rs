//! Which times are ahead.
//!
//! Pure. All of it is told in a named zone, whose clocks are put forward and back. A
//! time of day that the clock leaves out comes right after it, one that it shows twice
//! comes once; what comes every so often comes so often, whatever clocks do.

mod cron;

use cron::Cron;
use domain::{ActiveHours, Day, Times};
use jiff::civil::{Date, Weekday};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

/// The times of one schedule.
pub(super) struct Ahead<'a> {
    times: &'a Times,
    zone: &'a TimeZone,
    hours: Option<ActiveHours>,
    cron: Option<Shown>,
}

/// A cron expression, by what clocks show.
enum Shown {
    /// It says times of day: it is asked as if no clock were ever put forward or back.
    OfDay(Cron),
    /// It comes in every hour, the one that a clock shows twice too.
    Hourly(Cron),
}

/// So many times in a row that lie outside the hours mean that none lies in them: a
/// minute apart they cover a day.
const MOST_OUTSIDE: usize = 1_500;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;

impl<'a> Ahead<'a> {
    /// `None` where a cron expression is none.
    pub(super) fn of(
        times: &'a Times,
        zone: &'a TimeZone,
        hours: Option<ActiveHours>,
    ) -> Option<Ahead<'a>> {
        let cron = match times {
            Times::Cron { expression } => Some(Shown::of(expression, zone)?),
            Times::Once { .. } | Times::Every { .. } | Times::Days { .. } => None,
        };
        Some(Ahead { times, zone, hours, cron })
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
            Times::Cron { .. } => match self.cron.as_ref()? {
                Shown::OfDay(cron) => self.of_day_after(cron, moment),
                Shown::Hourly(cron) => cron.next(moment),
            },
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

    /// The first by what clocks show, which are put forward and back. What they leave out
    /// may come behind what they show right after it.
    fn of_day_after(&self, cron: &Cron, moment: i64) -> Option<i64> {
        let offset = |moment| offset_ms(moment, self.zone);
        let mut shown = moment + offset(moment)?.min(offset(moment - DAY_MS)?);
        let mut first: Option<i64> = None;
        loop {
            shown = cron.next(shown)?;
            if let Some(first) = first
                && shown - offset(moment)?.max(offset(first)?) >= first
            {
                return Some(first);
            }
            let at = shown_at(shown, self.zone)?;
            if at > moment {
                first = Some(first.map_or(at, |first| first.min(at)));
            }
        }
    }
}

impl Shown {
    fn of(expression: &str, zone: &TimeZone) -> Option<Shown> {
        let is_hourly = expression.split_whitespace().nth(1) == Some("*");
        match is_hourly {
            true => Cron::of(expression, zone.iana_name()?).map(Shown::Hourly),
            false => Cron::of(expression, "UTC").map(Shown::OfDay),
        }
    }
}

/// How far clocks there are ahead of UTC.
fn offset_ms(moment: i64, zone: &TimeZone) -> Option<i64> {
    let moment = Timestamp::from_millisecond(moment).ok()?;
    Some(i64::from(zone.to_offset(moment).seconds()) * 1000)
}

/// When clocks there show what those at UTC show at a moment.
fn shown_at(shown: i64, zone: &TimeZone) -> Option<i64> {
    let shown = Timestamp::from_millisecond(shown).ok()?.to_zoned(TimeZone::UTC).datetime();
    Some(zone.to_ambiguous_zoned(shown).compatible().ok()?.timestamp().as_millisecond())
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

/// Whether it is a cron expression.
pub(super) fn is_cron(words: &str) -> bool {
    Cron::of(words, "UTC").is_some()
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
