//! What a sentence says about times, in English or Chinese; or a cron expression.
//!
//! Pure. The languages find the same few things in a sentence (`Found`); what these
//! mean together is decided here. What is not understood is refused, so that nothing
//! is given at a time that nobody meant.

mod chinese;
mod english;

use super::ahead::{at, day_of, is_cron, local};
use domain::{Day, Times};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::BTreeSet;

/// Why words say no times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unsaid {
    NotUnderstood,
    /// They say a moment that is over.
    Past,
}

/// What is found in a sentence.
#[derive(Debug, Clone, PartialEq, Default)]
struct Found {
    /// Again and again.
    every: bool,
    days: BTreeSet<Day>,
    /// Of a day, in hours and minutes.
    time: Option<(u16, u16)>,
    half: Option<Half>,
    date: Option<When>,
    /// In minutes: so far apart, or from now.
    span: Option<Span>,
    /// Of every month: so manieth, or with one day of the week the so manieth such.
    of_month: Option<OfMonth>,
    /// A month is spoken of.
    is_monthly: bool,
    /// The days are not those that come first.
    next: Option<Next>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OfMonth {
    Number(u16),
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// Not today, if today is one.
    Day,
    /// Of the week that begins with the next Monday.
    Week,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Half {
    Morning,
    Noon,
    Afternoon,
    Evening,
    /// Until the next morning.
    Night,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    /// So many days from today.
    Ahead(i32),
    On(Date),
    /// Without a year: the next one.
    MonthDay(u16, u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    Every(u32),
    In(u32),
}

const WEEKDAYS: [Day; 5] = [Day::Monday, Day::Tuesday, Day::Wednesday, Day::Thursday, Day::Friday];
const WEEKEND: [Day; 2] = [Day::Saturday, Day::Sunday];
const HOUR: u32 = 60;
const DAY: u32 = 24 * HOUR;
/// A year is the longest that anything lies apart.
const LONGEST_SPAN: u32 = 366 * DAY;

/// What crontab(5) calls some expressions.
const NICKNAMES: [(&str, &str); 7] = [
    ("@hourly", "0 * * * *"),
    ("@daily", "0 0 * * *"),
    ("@midnight", "0 0 * * *"),
    ("@weekly", "0 0 * * 0"),
    ("@monthly", "0 0 1 * *"),
    ("@yearly", "0 0 1 1 *"),
    ("@annually", "0 0 1 1 *"),
];

/// What the words say at a moment, in a zone.
pub(super) fn read(words: &str, now: i64, zone: &TimeZone) -> Result<Times, Unsaid> {
    let words = words.trim();
    let words = NICKNAMES
        .iter()
        .find(|(name, _)| words.eq_ignore_ascii_case(name))
        .map_or(words, |(_, cron)| cron);
    if is_cron(words) {
        let expression = words.split_whitespace().collect::<Vec<_>>().join(" ");
        return Ok(Times::Cron { expression });
    }
    let is_chinese = words.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c));
    let found = match is_chinese {
        true => chinese::find(words),
        false => english::find(words),
    };
    meant(&found.ok_or(Unsaid::NotUnderstood)?, now, zone)
}

/// Takes what a sentence says once. Whether it can be: what it says a second time and otherwise,
/// as two times of the day, is more than one schedule.
fn takes<T: PartialEq>(known: &mut Option<T>, said: T) -> bool {
    match known {
        Some(known) => *known == said,
        None => {
            *known = Some(said);
            true
        }
    }
}

fn meant(found: &Found, now: i64, zone: &TimeZone) -> Result<Times, Unsaid> {
    if let Some(span) = found.span {
        return spanned(span, found, now);
    }
    let minute = found.minute().ok_or(Unsaid::NotUnderstood)?;
    if found.is_after_midnight() && !found.has_one_night() {
        return Err(Unsaid::NotUnderstood);
    }
    let (today, _) = local(now, zone).ok_or(Unsaid::NotUnderstood)?;
    let once = |date: Option<Date>| {
        let moment = date.and_then(|date| at(date, minute, zone)).ok_or(Unsaid::NotUnderstood)?;
        if moment > now { Ok(Times::Once { at_ms: moment }) } else { Err(Unsaid::Past) }
    };
    if found.of_month.is_some() || found.is_monthly {
        let expression = found.monthly().ok_or(Unsaid::NotUnderstood)?;
        let expression = format!("{} {} {expression}", minute % 60, minute / 60);
        let valid = is_cron(&expression);
        return if valid { Ok(Times::Cron { expression }) } else { Err(Unsaid::NotUnderstood) };
    }
    if let Some(next) = found.next {
        let one = if found.days.len() == 1 { found.days.first() } else { None };
        let Some(day) = one.filter(|_| !found.every && found.date.is_none()) else {
            return Err(Unsaid::NotUnderstood);
        };
        return once(next.on(*day, today));
    }
    if let Some(date) = found.date {
        if found.every || !found.days.is_empty() {
            return Err(Unsaid::NotUnderstood);
        }
        return once(match date {
            // The night goes on when the day is over.
            When::Ahead(0) if found.is_after_midnight() && once(Some(today)).is_err() => {
                today.checked_add(1.days()).ok()
            }
            When::Ahead(days) => today.checked_add(days.days()).ok(),
            When::On(date) => Some(date),
            When::MonthDay(month, day) => next_month_day(today, month, day),
        });
    }
    // Nobody who names two days means the one that comes first.
    if found.every || found.days.len() > 1 {
        // `every morning at 9` is every day.
        let days: Vec<Day> = match found.days.is_empty() && found.half.is_some() {
            true => WEEKDAYS.into_iter().chain(WEEKEND).collect(),
            false => found.days.iter().copied().collect(),
        };
        let says = !days.is_empty();
        return if says { Ok(Times::Days { days, minute }) } else { Err(Unsaid::NotUnderstood) };
    }
    // The next such day, or the next such time.
    let fits = |date: &Date| found.days.is_empty() || found.days.contains(&day_of(date.weekday()));
    let ahead = (0..=7).filter_map(|days: i64| today.checked_add(days.days()).ok()).filter(fits);
    ahead.map(|date| once(Some(date))).find(Result::is_ok).unwrap_or(Err(Unsaid::NotUnderstood))
}

fn spanned(span: Span, found: &Found, now: i64) -> Result<Times, Unsaid> {
    let alone = Found { span: found.span, every: found.every, ..Found::default() };
    let (Span::Every(minutes) | Span::In(minutes)) = span;
    if *found != alone || !(1..=LONGEST_SPAN).contains(&minutes) {
        return Err(Unsaid::NotUnderstood);
    }
    Ok(match span {
        Span::Every(minutes) => Times::Every { minutes, from_ms: now },
        Span::In(minutes) => Times::Once { at_ms: now + i64::from(minutes) * 60_000 },
    })
}

fn next_month_day(today: Date, month: u16, day: u16) -> Option<Date> {
    let (month, day) = (i8::try_from(month).ok()?, i8::try_from(day).ok()?);
    let in_year = |year| Date::new(year, month, day).ok().filter(|date| *date >= today);
    in_year(today.year()).or_else(|| in_year(today.year() + 1))
}

impl Found {
    /// Of the day.
    fn minute(&self) -> Option<u16> {
        let (hour, minute) = self.time?;
        let hour = match self.half {
            Some(Half::Morning) if hour == 12 => 0,
            Some(Half::Noon) if hour < 3 => hour + 12,
            Some(Half::Afternoon) if hour < 12 => hour + 12,
            Some(Half::Evening) if (4..12).contains(&hour) => hour + 12,
            Some(Half::Night) if (6..12).contains(&hour) => hour + 12,
            // 4 and 5 at night are said of both ends of it.
            Some(Half::Night) if matches!(hour, 4 | 5 | 12) => return None,
            Some(Half::Evening) if hour < 4 || hour == 12 => return None,
            Some(Half::Morning | Half::Noon | Half::Afternoon | Half::Evening | Half::Night)
            | None => hour,
        };
        (hour < 24 && minute < 60).then_some(hour * 60 + minute)
    }

    /// `at 2 at night` is before the morning.
    fn is_after_midnight(&self) -> bool {
        self.half == Some(Half::Night) && self.time.is_some_and(|(hour, _)| hour < 4)
    }

    /// Which night is meant: each, or the next. The night of a day goes over to another.
    fn has_one_night(&self) -> bool {
        let any_day = self.days.is_empty() || self.days.len() == 7;
        any_day
            && self.next.is_none()
            && matches!(self.date, None | Some(When::Ahead(0)))
            && self.of_month.is_none()
    }

    /// The last three fields of a cron expression.
    fn monthly(&self) -> Option<String> {
        if !self.every || self.date.is_some() || self.next.is_some() {
            return None;
        }
        let mut days = self.days.iter();
        match (self.of_month?, days.next(), days.next()) {
            (OfMonth::Number(number), None, _) => Some(format!("{number} * *")),
            (OfMonth::Last, None, _) => Some("L * *".into()),
            // `every second monday` is every other one.
            (_, Some(_), None) if !self.is_monthly => None,
            (OfMonth::Number(number), Some(day), None) => {
                Some(format!("* * {}#{number}", in_cron(*day)))
            }
            (OfMonth::Last, Some(day), None) => Some(format!("* * {}L", in_cron(*day))),
            _ => None,
        }
    }
}

impl Next {
    fn on(self, day: Day, today: Date) -> Option<Date> {
        let from = match self {
            Next::Day => 1,
            Next::Week => 7 - i64::from(today.weekday().to_monday_zero_offset()),
        };
        let is_it = |date: &Date| day_of(date.weekday()) == day;
        (from..from + 7).filter_map(|ahead| today.checked_add(ahead.days()).ok()).find(is_it)
    }
}

/// The week begins with Sunday, which is 0.
fn in_cron(day: Day) -> usize {
    WEEKDAYS.into_iter().chain(WEEKEND).position(|one| one == day).map_or(0, |at| (at + 1) % 7)
}

/// All days from one to another, over the end of a week too.
fn through(from: Day, to: Day) -> impl Iterator<Item = Day> {
    let week = || WEEKDAYS.into_iter().chain(WEEKEND);
    let mut is_over = false;
    let from = week().chain(week()).skip_while(move |day| *day != from);
    from.take_while(move |day| !std::mem::replace(&mut is_over, *day == to))
}

#[cfg(test)]
mod tests;
