//! Times in English sentences.

use super::{
    DAY, Found, HOUR, Half, LONGEST_SPAN, Next, OfMonth, Span, WEEKDAYS, WEEKEND, When, takes,
    through,
};
use domain::Day;
use jiff::civil::Date;

/// `None` where a word is not understood.
pub(super) fn find(words: &str) -> Option<Found> {
    let lower = words.to_lowercase().replace(',', " ").replace("o'clock", " ");
    let words: Vec<&str> =
        lower.split_whitespace().map(|word| word.trim_end_matches('.')).collect();
    if let Some(span) = span(&words) {
        return Some(Found { span: Some(span), ..Found::default() });
    }
    let mut found = Found::default();
    let mut rest = words.as_slice();
    while !rest.is_empty() {
        if let Some(more) = days_through(rest, &mut found) {
            rest = more;
            continue;
        }
        if let ["last", "day", more @ ..] = rest {
            takes(&mut found.of_month, OfMonth::Last).then_some(())?;
            rest = more;
            continue;
        }
        if let Some((days, more)) = days_ahead(rest) {
            takes(&mut found.date, When::Ahead(days)).then_some(())?;
            rest = more;
            continue;
        }
        // `every second month` is every other one.
        if let [nth, "month" | "months", ..] = rest
            && ordinal(nth).is_some()
        {
            return None;
        }
        let (word, more) = rest.split_first()?;
        rest = more;
        match *word {
            "at" | "on" | "the" | "and" | "in" | "of" => {}
            "next" => found.next = Some(Next::Day),
            "every" | "each" => found.every = true,
            "daily" | "day" | "days" => {
                found.every = true;
                found.days.extend(WEEKDAYS.into_iter().chain(WEEKEND));
            }
            "month" | "monthly" => {
                found.every = true;
                found.is_monthly = true;
            }
            "last" => takes(&mut found.of_month, OfMonth::Last).then_some(())?,
            "today" => takes(&mut found.date, When::Ahead(0)).then_some(())?,
            "tomorrow" => takes(&mut found.date, When::Ahead(1)).then_some(())?,
            "tonight" => {
                takes(&mut found.date, When::Ahead(0)).then_some(())?;
                takes(&mut found.half, Half::Night).then_some(())?;
            }
            "morning" | "mornings" | "am" | "a.m" => {
                takes(&mut found.half, Half::Morning).then_some(())?;
            }
            "afternoon" | "afternoons" | "pm" | "p.m" => {
                takes(&mut found.half, Half::Afternoon).then_some(())?;
            }
            "evening" | "evenings" => takes(&mut found.half, Half::Evening).then_some(())?,
            "night" | "nights" => takes(&mut found.half, Half::Night).then_some(())?,
            "noon" => takes(&mut found.time, (12, 0)).then_some(())?,
            "midnight" => takes(&mut found.time, (0, 0)).then_some(())?,
            word => a_word(word, &mut found)?,
        }
    }
    // `every 1 second` is a span that is too short.
    let counts = |word: &&str| NTH.contains(word);
    (found.is_monthly || !words.iter().any(counts)).then_some(found)
}

/// `in 3 days`, with more behind it; gives that.
fn days_ahead<'w>(words: &'w [&'w str]) -> Option<(i32, &'w [&'w str])> {
    let ["in", count, unit @ ("day" | "days" | "week" | "weeks"), more @ ..] = words else {
        return None;
    };
    let minutes = number(count)?.checked_mul(minutes_of(unit)?)?;
    let is_near = minutes <= LONGEST_SPAN && !more.is_empty();
    is_near.then_some((i32::try_from(minutes / DAY).ok()?, more))
}

/// `monday to friday`, `from fri through mon`, `mon-fri`; gives what stands behind it.
fn days_through<'w>(words: &'w [&'w str], found: &mut Found) -> Option<&'w [&'w str]> {
    let words = words.strip_prefix(&["from"]).unwrap_or(words);
    let (from, to, rest) = match words {
        [from, "to" | "through" | "thru" | "till" | "until", to, rest @ ..] => (*from, *to, rest),
        [both, rest @ ..] => {
            let (from, to) = both.split_once(['-', '–'])?;
            (from, to, rest)
        }
        [] => return None,
    };
    found.days.extend(through(a_day(from)?, a_day(to)?));
    found.every = true;
    Some(rest)
}

/// A day, a date, a time, or which day of the month.
fn a_word(word: &str, found: &mut Found) -> Option<()> {
    if let Some((days, again)) = days(word) {
        found.days.extend(days);
        found.every |= again;
        return Some(());
    }
    if let Ok(date) = word.parse::<Date>() {
        return takes(&mut found.date, When::On(date)).then_some(());
    }
    if let Some(number) = ordinal(word) {
        return takes(&mut found.of_month, OfMonth::Number(number)).then_some(());
    }
    let (clock, half) = match word.strip_suffix("am").or_else(|| word.strip_suffix("a.m")) {
        Some(clock) => (clock, Some(Half::Morning)),
        None => match word.strip_suffix("pm").or_else(|| word.strip_suffix("p.m")) {
            Some(clock) => (clock, Some(Half::Afternoon)),
            None => (word, None),
        },
    };
    let (hour, minute) = clock.split_once([':', '.']).unwrap_or((clock, "0"));
    let time = (hour.parse().ok()?, minute.parse().ok()?);
    let is_first = takes(&mut found.time, time);
    (is_first && half.is_none_or(|half| takes(&mut found.half, half))).then_some(())
}

const NTH: [&str; 5] = ["first", "second", "third", "fourth", "fifth"];

/// `1st`, `second`.
fn ordinal(word: &str) -> Option<u16> {
    if let Some(at) = NTH.iter().position(|one| *one == word) {
        return u16::try_from(at + 1).ok();
    }
    ["st", "nd", "rd", "th"].iter().find_map(|end| word.strip_suffix(end))?.parse().ok()
}

/// `in 20 minutes`, `every 2 hours`.
fn span(words: &[&str]) -> Option<Span> {
    let (first, rest) = words.split_first()?;
    let length = match rest {
        ["half", "an", "hour"] | ["half", "hour"] => 30,
        [unit] => minutes_of(unit)?,
        [count, unit] => number(count)?.checked_mul(minutes_of(unit)?)?,
        _ => return (words == ["hourly"]).then_some(Span::Every(HOUR)),
    };
    // `every day` and `every week` do not say when on the day.
    let is_short = length < DAY || rest.len() > 1;
    match *first {
        "every" | "each" if is_short => Some(Span::Every(length)),
        "in" => Some(Span::In(length)),
        _ => None,
    }
}

fn minutes_of(unit: &str) -> Option<u32> {
    match unit {
        "minute" | "minutes" | "min" | "mins" => Some(1),
        "hour" | "hours" => Some(HOUR),
        "day" | "days" => Some(DAY),
        "week" | "weeks" => Some(7 * DAY),
        _ => None,
    }
}

fn number(word: &str) -> Option<u32> {
    let words = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
        "twelve",
    ];
    match word {
        "a" | "an" => Some(1),
        "other" => Some(2),
        word => match words.iter().position(|one| *one == word) {
            Some(at) => u32::try_from(at + 1).ok(),
            None => word.parse().ok(),
        },
    }
}

/// And whether the word says that it comes again and again.
fn days(word: &str) -> Option<(Vec<Day>, bool)> {
    match word {
        "weekday" | "weekdays" | "workday" | "workdays" => return Some((WEEKDAYS.into(), true)),
        "weekend" | "weekends" => return Some((WEEKEND.into(), true)),
        _ => {}
    }
    let (word, again) = match word.strip_suffix("days") {
        Some(stem) => (format!("{stem}day"), true),
        None => (word.to_owned(), false),
    };
    Some((vec![a_day(&word)?], again))
}

fn a_day(word: &str) -> Option<Day> {
    Some(match word {
        "monday" | "mon" => Day::Monday,
        "tuesday" | "tue" | "tues" => Day::Tuesday,
        "wednesday" | "wed" => Day::Wednesday,
        "thursday" | "thu" | "thur" | "thurs" => Day::Thursday,
        "friday" | "fri" => Day::Friday,
        "saturday" | "sat" => Day::Saturday,
        "sunday" | "sun" => Day::Sunday,
        _ => return None,
    })
}
