//! Schedules as they are read.

use super::ahead::Ahead;
use super::change::{named_zone, times_of, zone_of};
use crate::shared::Shared;
use crate::stand;
use domain::{
    ActiveHours, Became, Fault, ReadTimes, Reason, RunFilter, Schedule, ScheduleTime, ScheduleView,
    ScheduledWork, TimeView,
};
use store::table::{agents, runs, schedule_times, schedules};
use store::{Read, StoreError};

/// Times that are over and shown with a schedule.
const LATELY: u32 = 10;
/// A run that is older than so many others of its group is not looked for.
const RUNS: u32 = 50;

pub(crate) fn all(shared: &Shared) -> Result<Vec<ScheduleView>, Fault> {
    let now = shared.now_ms();
    shared.store.read(|read| {
        schedules::all(read)?.into_iter().map(|one| view(read, shared, one, now)).collect()
    })
}

pub(crate) fn read_times(
    shared: &Shared,
    words: &str,
    zone: &str,
    hours: Option<ActiveHours>,
) -> Result<ReadTimes, Fault> {
    let zone = named_zone(shared, zone);
    let (times, next) = times_of(words.trim(), &zone, hours, shared.now_ms())?;
    Ok(ReadTimes { times, zone, next })
}

fn view(
    read: &Read<'_>,
    shared: &Shared,
    schedule: Schedule,
    now: i64,
) -> Result<ScheduleView, Fault> {
    let zone = zone_of(&schedule.plan.zone)?;
    let mut next = Vec::new();
    if let (Some(first), Some(ahead)) =
        (schedule.next_ms, Ahead::of(&schedule.times, &zone, schedule.plan.hours))
    {
        next.push(first);
        next.extend(ahead.several_after(first.max(now), 2));
    }
    let lately = schedule_times::newest(read, schedule.id, LATELY)?.into_iter();
    let lately = lately.map(|time| time_view(read, time)).collect::<Result<_, _>>()?;
    let agent = agents::get(read, schedule.plan.agent)?;
    let is_heartbeat = schedule.plan.work == ScheduledWork::Heartbeat;
    let is_skipped = is_heartbeat && stand::has_demo_model(read, shared, &agent)?;
    let skipped = is_skipped.then_some(Reason::DemoModel);
    Ok(ScheduleView { schedule, next, lately, skipped })
}

fn time_view(read: &Read<'_>, time: ScheduleTime) -> Result<TimeView, StoreError> {
    let run = match time.became {
        Became::Given { group, message } => {
            let filter = RunFilter { group: Some(group), ..RunFilter::default() };
            let of_group = runs::page(read, &filter, None, RUNS)?;
            of_group.into_iter().find(|run| run.cause.message == message)
        }
        Became::Missed { .. } | Became::Skipped { .. } => None,
    };
    let outcome = run.as_ref().and_then(|run| run.outcome.clone());
    Ok(TimeView { time, run: run.map(|run| run.id), outcome })
}
