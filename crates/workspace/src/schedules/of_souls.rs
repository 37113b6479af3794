//! Heartbeats that souls say: schedules that are changed in the soul's file alone.
//!
//! A file that somebody brings is no consent to spend: they come only while ticks come
//! by themselves, which a person has turned on with what it may cost. A person pauses
//! them as any schedule, and one that a person has made for the agent goes before its soul.

use super::ahead::Ahead;
use super::change::{named_zone, zone_of};
use crate::shared::Shared;
use crate::souls::{Heartbeat, heartbeat};
use crate::{acts, feed};
use domain::{
    Agent, AgentId, AgentState, CatchUp, Fault, Participant, Schedule, ScheduleId, SchedulePlan,
    ScheduledWork, Times,
};
use std::sync::Arc;
use store::table::{agents, schedules};
use store::{Durability, Read, StoreError, Write};
use uuid::Uuid;

/// Brings the schedules in step with what souls say now.
pub(super) async fn follow(shared: &Arc<Shared>) -> Result<(), Fault> {
    if shared.store.read(|read| changes(read, shared))?.is_empty() {
        return Ok(());
    }
    let with = shared.clone();
    let change = move |write: &mut Write<'_>| {
        for change in changes(write, &with)? {
            match change {
                Change::Put(schedule) => schedules::put(write, &schedule)?,
                Change::Remove(id) => schedules::remove(write, id)?,
            }
        }
        Ok(())
    };
    shared.store.write(Durability::Process, change).await
}

enum Change {
    Put(Box<Schedule>),
    Remove(ScheduleId),
}

fn changes(read: &Read<'_>, shared: &Shared) -> Result<Vec<Change>, Fault> {
    let all = schedules::all(read)?;
    let comes = feed::comes_by_itself(read)?;
    let mut wanted = Vec::new();
    let mut living = agents::living(read)?;
    // Who has a task for now has nothing else to do.
    acts::without_those_at_a_task(read, &mut living)?;
    for agent in living {
        if agent.state == AgentState::Terminated {
            continue;
        }
        let stands = all.iter().find(|one| one.id == id_of(agent.id));
        let made_by_hand = all.iter().any(|one| {
            !one.of_soul && one.plan.agent == agent.id && one.plan.work == ScheduledWork::Heartbeat
        });
        if !made_by_hand && let Some(schedule) = wanted_of(shared, &agent, stands, comes)? {
            wanted.push(schedule);
        }
    }
    let is_wanted = |id: ScheduleId| wanted.iter().any(|one| one.id == id);
    let over = all.iter().filter(|one| one.of_soul && !is_wanted(one.id));
    let mut changes: Vec<Change> = over.map(|one| Change::Remove(one.id)).collect();
    changes.extend(
        wanted.into_iter().filter(|one| !all.contains(one)).map(|one| Change::Put(Box::new(one))),
    );
    Ok(changes)
}

/// The schedule as it is to stand; `None` where the soul says no heartbeat.
fn wanted_of(
    shared: &Shared,
    agent: &Agent,
    stands: Option<&Schedule>,
    comes: bool,
) -> Result<Option<Schedule>, Fault> {
    let Some(soul) = shared.souls.in_force(&agent.soul) else {
        // Until the file is back it rests as it stands.
        return Ok(stands.map(|stands| Schedule { next_ms: None, ..stands.clone() }));
    };
    let said = soul.front.heartbeat.as_ref().map_or(Ok(None), heartbeat);
    // What cannot be read is said where souls are checked.
    let Ok(Some(Heartbeat { minutes, hours, zone })) = said else { return Ok(None) };
    let plan = SchedulePlan {
        agent: agent.id,
        work: ScheduledWork::Heartbeat,
        words: format!("every {minutes} minutes"),
        zone: named_zone(shared, &zone),
        hours,
        catch_up: CatchUp::Skip,
    };
    let now = shared.now_ms();
    let same = stands.filter(|stands| stands.plan == plan);
    let times = same.map_or(Times::Every { minutes, from_ms: now }, |same| same.times.clone());
    let next_ms = match same.and_then(|same| same.next_ms) {
        Some(next) if comes => Some(next),
        None if comes => {
            let zone = zone_of(&plan.zone)?;
            Ahead::of(&times, &zone, hours).and_then(|ahead| ahead.after(now))
        }
        Some(_) | None => None,
    };
    Ok(Some(Schedule {
        id: id_of(agent.id),
        plan,
        times,
        made_by: Participant::User,
        of_soul: true,
        paused: stands.is_some_and(|stands| stands.paused),
        next_ms,
        created_ms: stands.map_or(now, |stands| stands.created_ms),
    }))
}

/// An agent has one.
fn id_of(agent: AgentId) -> ScheduleId {
    ScheduleId(Uuid::new_v5(&agent.0, b"heartbeat"))
}

/// The name of the agent whose soul says the schedule, and the soul's, if one does.
pub(super) fn soul_of(
    read: &Read<'_>,
    schedule: &Schedule,
) -> Result<Option<(String, String)>, StoreError> {
    if !schedule.of_soul {
        return Ok(None);
    }
    let agent = agents::get(read, schedule.plan.agent)?;
    Ok(Some((agent.name, agent.soul)))
}
