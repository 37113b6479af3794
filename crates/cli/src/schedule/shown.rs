//! Schedules as text.

use crate::names::Names;
use crate::screen::Paint;
use crate::table::{pairs, table};
use crate::words::memory::moment_to_the_minute;
use crate::{ids, transcript, words};
use domain::{
    ActiveHours, Became, CatchUp, Day, Message, Participant, ReadTimes, Schedule, SchedulePlan,
    ScheduleView, ScheduledWork, TimeView, Times,
};
use jiff::Timestamp;
use jiff::tz::TimeZone;

pub(super) fn list(paint: Paint, names: &Names, all: &[ScheduleView]) -> String {
    if all.is_empty() {
        return "nothing is given by a schedule; coterie schedule add makes one".to_owned();
    }
    let short = ids::shorter(all.iter().map(|view| view.schedule.id));
    let row = |view: &ScheduleView| {
        let Schedule { id, plan, times, .. } = &view.schedule;
        [
            short(*id),
            names.agent_name(plan.agent),
            work(&plan.work, names) + if view.schedule.of_soul { ", by its soul" } else { "" },
            self::times(times, &plan.zone),
            next(&view.schedule),
        ]
    };
    let heads = ["id", "agent", "is given", "when", "next"];
    table(paint, heads, all.iter().map(row).collect())
}

pub(super) fn one(paint: Paint, names: &Names, view: &ScheduleView) -> String {
    let Schedule { id, plan, times, made_by, .. } = &view.schedule;
    let made_by = match made_by {
        _ if view.schedule.of_soul => "its soul, in whose file it is changed".to_owned(),
        Participant::User => "you".to_owned(),
        Participant::Agent(agent) => format!("{}, with your leave", names.agent_name(*agent)),
    };
    let mut rows = vec![
        ("id", ids::end_of(id)),
        ("agent", names.agent_name(plan.agent)),
        ("is given", work(&plan.work, names)),
        ("when", self::times(times, &plan.zone)),
    ];
    rows.extend(plan.hours.map(|hours| ("only", self::hours(hours))));
    rows.push(("next", next(&view.schedule)));
    rows.extend(view.next.iter().skip(1).map(|at| ("", moment_in(*at, &plan.zone))));
    rows.extend(
        view.skipped
            .as_ref()
            .map(|why| ("skipped", words::reason(why, |agent| names.agent_name(agent)))),
    );
    rows.push(("if missed", if_missed(plan)));
    rows.push(("made by", made_by));
    let lately = view.lately.iter().map(|time| ("", became(time, &plan.zone, names)));
    pairs(paint, &rows) + &pairs(paint, &lately.collect::<Vec<_>>())
}

pub(super) fn read(paint: Paint, read: &ReadTimes) -> String {
    let mut rows = vec![("when", times(&read.times, &read.zone))];
    rows.extend(read.next.iter().map(|at| ("next", moment_in(*at, &read.zone))));
    pairs(paint, &rows)
}

pub(super) fn said(paint: Paint, names: &Names, said: &[Message]) -> String {
    said.iter().map(|message| transcript::entry(paint, names, message)).collect()
}

fn work(work: &ScheduledWork, names: &Names) -> String {
    match work {
        ScheduledWork::Say { group, text } => {
            format!("“{text}” in {}", names.group_name_of(*group))
        }
        ScheduledWork::Post { text, .. } if text.is_empty() => "a post to write".to_owned(),
        ScheduledWork::Post { text, .. } => format!("a post to write about {text}"),
        ScheduledWork::Heartbeat => "a heartbeat".to_owned(),
        ScheduledWork::Digest => "a digest to tell".to_owned(),
    }
}

/// When, in words.
fn times(times: &Times, zone: &str) -> String {
    match times {
        Times::Once { at_ms } => format!("once, {}", moment_in(*at_ms, zone)),
        Times::Every { minutes, .. } => every(*minutes),
        Times::Days { days, minute } => {
            format!("{} at {} ({zone})", self::days(days), clock(*minute))
        }
        Times::Cron { expression } => format!("cron {expression} ({zone})"),
    }
}

fn every(minutes: u32) -> String {
    let (count, unit) = match minutes {
        _ if minutes.is_multiple_of(24 * 60) => (minutes / (24 * 60), "day"),
        _ if minutes.is_multiple_of(60) => (minutes / 60, "hour"),
        _ => (minutes, "minute"),
    };
    if count == 1 { format!("every {unit}") } else { format!("every {count} {unit}s") }
}

fn days(days: &[Day]) -> String {
    use Day::{Friday, Monday, Saturday, Sunday, Thursday, Tuesday, Wednesday};
    match days {
        [Monday, Tuesday, Wednesday, Thursday, Friday] => "every weekday".to_owned(),
        [Saturday, Sunday] => "every weekend".to_owned(),
        all if all.len() == 7 => "every day".to_owned(),
        some => {
            let names: Vec<String> = some.iter().map(|day| format!("{day:?}")).collect();
            format!("every {}", names.join(", "))
        }
    }
}

fn clock(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}

fn hours(hours: ActiveHours) -> String {
    format!("from {} to {}", clock(hours.from), clock(hours.to))
}

fn next(schedule: &Schedule) -> String {
    match schedule.next_ms {
        _ if schedule.paused => "paused".to_owned(),
        Some(at) => moment_in(at, &schedule.plan.zone),
        None if schedule.of_soul => "rests until ticks come by themselves".to_owned(),
        None => "over".to_owned(),
    }
}

/// As the clocks of a zone show it, which is named where it is not this machine's.
fn moment_in(at_ms: i64, zone: &str) -> String {
    let here = TimeZone::system();
    let there = TimeZone::get(zone).ok().filter(|_| here.iana_name() != Some(zone));
    let at = there.and_then(|there| Some(Timestamp::from_millisecond(at_ms).ok()?.to_zoned(there)));
    at.map_or_else(
        || moment_to_the_minute(at_ms),
        |at| format!("{} ({zone})", at.strftime("%Y-%m-%d %H:%M")),
    )
}

fn if_missed(plan: &SchedulePlan) -> String {
    match plan.work {
        // What was to be seen then is over.
        ScheduledWork::Heartbeat => catch_up(CatchUp::Skip),
        _ => catch_up(plan.catch_up),
    }
}

fn catch_up(catch_up: CatchUp) -> String {
    match catch_up {
        CatchUp::Skip => "skipped".to_owned(),
        CatchUp::Once => "made up for once".to_owned(),
        CatchUp::All { most } => format!("up to {most} are made up for"),
    }
}

fn became(view: &TimeView, zone: &str, names: &Names) -> String {
    let name_of = |agent| names.agent_name(agent);
    let when = moment_in(view.time.due_ms, zone);
    match &view.time.became {
        Became::Given { .. } => match &view.outcome {
            Some(_) => format!("{when}  {}", words::outcome(view.outcome.as_ref(), name_of)),
            None => format!("{when}  given"),
        },
        Became::Missed { times: 1 } => format!("{when}  missed"),
        Became::Missed { times } => format!("{when}  missed, with {} before it", times - 1),
        Became::Skipped { why } => format!("{when}  skipped: {}", words::reason(why, name_of)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_once_is_told_by_the_clocks_of_its_zone() {
        let told = times(&Times::Once { at_ms: 0 }, "Asia/Tokyo");
        assert_eq!(told, "once, 1970-01-01 09:00 (Asia/Tokyo)");
    }
}
