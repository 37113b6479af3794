//! What a person does about schedules, and agents with a person's leave.

use super::ahead::Ahead;
use super::of_souls;
use super::said::{self, Unsaid};
use crate::shared::Shared;
use crate::{feed, groups, post};
use domain::{
    ActiveHours, AgentState, CatchUp, Fault, FaultCode, FaultKind, Participant, Schedule,
    ScheduleId, SchedulePlan, ScheduledWork, Times,
};
use jiff::tz::TimeZone;
use std::sync::Arc;
use store::table::{agents, schedules, settings};
use store::{Durability, Read, Write};

/// More schedules nobody oversees.
const MOST: usize = 200;
/// What one of them may give at once after a long absence.
const MOST_AT_ONCE: u32 = 24;
const LONGEST: u32 = 4_000;

/// Who makes it, and under which id.
#[derive(Debug, Clone, Copy)]
pub(crate) struct By {
    pub id: ScheduleId,
    pub who: Participant,
}

/// Making it twice is making it once.
pub(crate) async fn new(
    shared: &Arc<Shared>,
    by: By,
    plan: SchedulePlan,
) -> Result<Schedule, Fault> {
    let now = shared.now_ms();
    let plan = with_zone(shared, plan);
    let make = move |write: &mut Write<'_>| {
        if let Some(schedule) = schedules::find(write, by.id)? {
            return Ok(schedule);
        }
        if schedules::all(write)?.len() >= MOST {
            return Err(Fault::bad_input(
                format!("there are {MOST} schedules, the most there can be"),
                "remove one that is over, with coterie schedule remove",
            ));
        }
        let (times, next_ms) = checked(write, by.id, &plan, now)?;
        let By { id, who: made_by } = by;
        let (paused, of_soul, created_ms) = (false, false, now);
        let schedule = Schedule { id, plan, times, made_by, of_soul, paused, next_ms, created_ms };
        schedules::put(write, &schedule)?;
        Ok::<_, Fault>(schedule)
    };
    let schedule = shared.store.write(Durability::Process, make).await?;
    shared.schedules.changed.notify_one();
    Ok(schedule)
}

pub(crate) async fn edit(
    shared: &Arc<Shared>,
    schedule: ScheduleId,
    plan: SchedulePlan,
) -> Result<Schedule, Fault> {
    let now = shared.now_ms();
    let plan = with_zone(shared, plan);
    changed(shared, schedule, move |write, stands| {
        is_no_souls(write, &stands)?;
        let is_same = |one: &SchedulePlan| (one.words.clone(), one.zone.clone(), one.hours);
        let (times, next_ms) = match is_same(&plan) == is_same(&stands.plan) {
            // Every 20 minutes is counted on from where it began.
            true => {
                check(write, stands.id, &plan)?;
                (stands.times, stands.next_ms)
            }
            false => checked(write, stands.id, &plan, now)?,
        };
        Ok(Schedule { plan, times, next_ms, ..stands })
    })
    .await
}

/// What passes while it is paused is not missed.
pub(crate) async fn pause(
    shared: &Arc<Shared>,
    schedule: ScheduleId,
    paused: bool,
) -> Result<Schedule, Fault> {
    let now = shared.now_ms();
    changed(shared, schedule, move |_, stands| {
        if paused == stands.paused {
            return Ok(stands);
        }
        let zone = zone_of(&stands.plan.zone)?;
        let ahead = Ahead::of(&stands.times, &zone, stands.plan.hours);
        let next_ms = ahead.and_then(|ahead| ahead.after(now)).filter(|_| stands.next_ms.is_some());
        Ok(Schedule { paused, next_ms, ..stands })
    })
    .await
}

pub(crate) async fn remove(shared: &Arc<Shared>, schedule: ScheduleId) -> Result<(), Fault> {
    let remove = move |write: &mut Write<'_>| {
        is_no_souls(write, &schedules::get(write, schedule)?)?;
        Ok::<_, Fault>(schedules::remove(write, schedule)?)
    };
    shared.store.write(Durability::Process, remove).await?;
    shared.schedules.changed.notify_one();
    Ok(())
}

/// What a soul says is changed there.
fn is_no_souls(read: &Read<'_>, schedule: &Schedule) -> Result<(), Fault> {
    let Some((name, soul)) = of_souls::soul_of(read, schedule)? else { return Ok(()) };
    Err(Fault::new(
        FaultCode::Refused,
        format!("the soul of {name} says its heartbeat"),
        format!("change heartbeat: in souls/{soul}.md, or pause it with coterie schedule pause"),
    )
    .of(FaultKind::HeartbeatOfSoul { name, soul }))
}

async fn changed(
    shared: &Arc<Shared>,
    schedule: ScheduleId,
    change: impl FnOnce(&mut Write<'_>, Schedule) -> Result<Schedule, Fault> + Send + 'static,
) -> Result<Schedule, Fault> {
    let put = move |write: &mut Write<'_>| {
        let stands = schedules::get(write, schedule)?;
        let schedule = change(write, stands)?;
        schedules::put(write, &schedule)?;
        Ok::<_, Fault>(schedule)
    };
    let schedule = shared.store.write(Durability::Process, put).await?;
    shared.schedules.changed.notify_one();
    Ok(schedule)
}

fn with_zone(shared: &Shared, plan: SchedulePlan) -> SchedulePlan {
    let words = plan.words.trim().to_owned();
    SchedulePlan { zone: named_zone(shared, &plan.zone), words, ..plan }
}

/// The zone's name; the machine's where none is given.
pub(super) fn named_zone(shared: &Shared, zone: &str) -> String {
    match zone.trim() {
        "" => shared.clock.zone(),
        zone => zone.to_owned(),
    }
}

/// The times that a plan says and the first of them, if all of it can be.
fn checked(
    read: &Read<'_>,
    id: ScheduleId,
    plan: &SchedulePlan,
    now: i64,
) -> Result<(Times, Option<i64>), Fault> {
    check(read, id, plan)?;
    let (times, next) = times_of(&plan.words, &plan.zone, plan.hours, now)?;
    Ok((times, next.first().copied()))
}

/// What words say, with the next three times; there is at least one.
pub(super) fn times_of(
    words: &str,
    zone: &str,
    hours: Option<ActiveHours>,
    now: i64,
) -> Result<(Times, Vec<i64>), Fault> {
    let zone = zone_of(zone)?;
    let times = said::read(words, now, &zone).map_err(|why| match why {
        Unsaid::NotUnderstood => unread(words),
        Unsaid::Past => past(words),
    })?;
    let next = Ahead::of(&times, &zone, hours).ok_or_else(|| unread(words))?.several_after(now, 3);
    if next.is_empty() { Err(past(words)) } else { Ok((times, next)) }
}

fn unread(words: &str) -> Fault {
    Fault::bad_input(
        format!("{words:?} says no times that can be understood"),
        "say it like: every weekday at 9 · every 2 hours · in 20 minutes · tomorrow at 18:30 · 每天早上9点 · 0 9 * * 1-5",
    )
    .of(FaultKind::TimesUnread { words: words.to_owned() })
}

fn past(words: &str) -> Fault {
    Fault::bad_input(
        format!("{words:?} says a time that is over, or that never comes in the active hours"),
        "say one that is ahead",
    )
    .of(FaultKind::TimesPast)
}

pub(super) fn zone_of(name: &str) -> Result<TimeZone, Fault> {
    TimeZone::get(name).ok().filter(|zone| zone.iana_name().is_some()).ok_or_else(|| {
        Fault::bad_input(
            format!("{name:?} is no time zone"),
            "give its name, such as Europe/Berlin or Asia/Shanghai",
        )
        .of(FaultKind::ZoneUnknown { zone: name.to_owned() })
    })
}

/// Whether the agent can be given that, there.
fn check(read: &Read<'_>, id: ScheduleId, plan: &SchedulePlan) -> Result<(), Fault> {
    let agent = agents::get(read, plan.agent)?;
    if agent.state == AgentState::Terminated {
        return Err(groups::gone(&agent.name));
    }
    if let Some(ActiveHours { from, to }) = plan.hours
        && (from == to || from.max(to) > 24 * 60)
    {
        return Err(Fault::bad_input(
            "active hours go from one time of day to another",
            "say them like 9-17 or 22:30-6",
        ));
    }
    if let CatchUp::All { most } = plan.catch_up
        && !(1..=MOST_AT_ONCE).contains(&most)
    {
        return Err(Fault::bad_input(
            format!("1 to {MOST_AT_ONCE} times can be made up for, not {most}"),
            "choose one of these",
        ));
    }
    match &plan.work {
        ScheduledWork::Say { group, text } => {
            let most = settings::get(read)?.limits.message_characters;
            post::check_text(text, most.min(LONGEST))?;
            let group = post::open_group(read, *group)?;
            groups::must_be_member(read, &group, plan.agent).map(drop)
        }
        ScheduledWork::Post { community, text } => {
            if !text.trim().is_empty() {
                post::check_text(text, LONGEST)?;
            }
            feed::open_community(read, *community).map(drop)
        }
        ScheduledWork::Heartbeat => {
            // What a person makes goes before what the soul says.
            let other = |one: &Schedule| {
                let same = one.plan.agent == plan.agent && one.id != id && !one.of_soul;
                same && one.plan.work == ScheduledWork::Heartbeat
            };
            match schedules::all(read)?.iter().any(other) {
                true => Err(Fault::bad_input(
                    format!("{} has a heartbeat already", agent.name),
                    "change that one: coterie schedule list shows it",
                )
                .of(FaultKind::HeartbeatThere { name: agent.name })),
                false => Ok(()),
            }
        }
        ScheduledWork::Digest => Ok(()),
    }
}
