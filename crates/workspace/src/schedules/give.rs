//! Gives what is due: once, or not, with the reason.

use super::ahead::Ahead;
use super::change::zone_of;
use super::work;
use crate::shared::Shared;
use crate::{budget, stand};
use domain::{
    Agent, AgentId, AgentState, Became, BudgetScope, CatchUp, Fault, FaultCode, FaultKind, Message,
    MessageId, Reason, RequestId, Schedule, ScheduleId, ScheduleTime, ScheduledWork,
};
use std::sync::Arc;
use store::table::{agents, schedule_times, schedules, settings, wakes};
use store::{Durability, Read, StoreError, Write};
use uuid::Uuid;

/// A time that is given no later than this is given on time.
const ON_TIME_MS: i64 = 2 * 60 * 1000;
/// More times that passed are not counted one by one.
const MOST_PASSED: usize = 10_000;

/// Gives everything that is due now.
pub(super) async fn give_due(shared: &Arc<Shared>) -> Result<(), Fault> {
    let now = shared.now_ms();
    let due = shared.store.read(|read| match settings::get(read)?.all_paused {
        true => Ok::<_, StoreError>(Vec::new()),
        false => schedules::due(read, now),
    })?;
    for Schedule { id, .. } in due {
        fail::fail_point!("schedule.due");
        let with = shared.clone();
        let give = move |write: &mut Write<'_>| give(write, &with, id, now);
        let woken = shared.store.write(Durability::Process, give).await?;
        fail::fail_point!("schedule.given");
        shared.wake(&woken);
    }
    Ok(())
}

/// Gives it now, whatever its times are. Gives what the agent is told.
pub(crate) async fn run_now(
    shared: &Arc<Shared>,
    request: RequestId,
    schedule: ScheduleId,
) -> Result<Message, Fault> {
    let now = shared.now_ms();
    let with = shared.clone();
    let run = move |write: &mut Write<'_>| {
        let schedule = schedules::get(write, schedule)?;
        let agent = agents::get(write, schedule.plan.agent)?;
        if schedule.plan.work == ScheduledWork::Heartbeat
            && stand::has_demo_model(write, &with, &agent)?
        {
            return Err(no_heartbeat(&agent));
        }
        let message = work::put_down(write, &schedule, MessageId(request.0), now)?;
        let became = Became::Given { group: message.group, message: message.id };
        note(write, &schedule, now, now, became)?;
        Ok::<_, Fault>((message, schedule.plan.agent))
    };
    let (message, agent) = shared.store.write(Durability::Process, run).await?;
    shared.wake(&[agent]);
    Ok(message)
}

/// Where it could not tell whether there is anything to do, it would invent something.
fn no_heartbeat(agent: &Agent) -> Fault {
    Fault::new(
        FaultCode::Refused,
        format!("{} has no heartbeats with the starter model, which can only talk", agent.name),
        "choose another model in Settings, or with coterie model use default PROVIDER/MODEL",
    )
    .of(FaultKind::HeartbeatOfDemo { name: agent.name.clone() })
}

/// In one transaction with the next time; gives who is woken.
fn give(
    write: &mut Write<'_>,
    shared: &Shared,
    id: ScheduleId,
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    let Some(mut schedule) = schedules::find(write, id)? else { return Ok(Vec::new()) };
    let Some(first) = schedule.next_ms.filter(|next| *next <= now && !schedule.paused) else {
        return Ok(Vec::new());
    };
    let zone = zone_of(&schedule.plan.zone)?;
    let Some(ahead) = Ahead::of(&schedule.times, &zone, schedule.plan.hours) else {
        return Ok(Vec::new());
    };
    let mut passed = vec![first];
    while let Some(next) = passed.last().and_then(|last| ahead.after(*last)) {
        if next > now || passed.len() == MOST_PASSED {
            break;
        }
        passed.push(next);
    }
    schedule.next_ms = ahead.after(now);
    let given = made_up_for(&schedule, &passed, now);
    let missed = passed.len() - given.len();
    if let (Some(last), Ok(times @ 1..)) = (passed[..missed].last(), u32::try_from(missed)) {
        note(write, &schedule, *last, now, Became::Missed { times })?;
    }
    let mut woken = Vec::new();
    let hindrance = hindrance(write, shared, &schedule, now)?;
    if let Some(Reason::Terminated) = hindrance {
        schedule.next_ms = None;
    }
    for due in given {
        let became = match &hindrance {
            Some(why) => Became::Skipped { why: why.clone() },
            None => {
                let message = work::put_down(write, &schedule, id_at(id, *due), now)?;
                woken.push(schedule.plan.agent);
                Became::Given { group: message.group, message: message.id }
            }
        };
        note(write, &schedule, *due, now, became)?;
    }
    schedules::put(write, &schedule)?;
    Ok(woken)
}

/// Those of the times that passed which are given: the last, if it is on time, and
/// what is to be made up for.
fn made_up_for<'t>(schedule: &Schedule, passed: &'t [i64], now: i64) -> &'t [i64] {
    let on_time = passed.last().is_some_and(|last| now - last <= ON_TIME_MS);
    let most = match (&schedule.plan.work, schedule.plan.catch_up) {
        // What was to be seen then is over.
        (ScheduledWork::Heartbeat, _) | (_, CatchUp::Skip) => 0,
        (_, CatchUp::Once) => 1,
        (_, CatchUp::All { most }) => most as usize,
    };
    let most = most.max(usize::from(on_time)).min(passed.len());
    &passed[passed.len() - most..]
}

/// Why nothing is given now.
fn hindrance(
    read: &Read<'_>,
    shared: &Shared,
    schedule: &Schedule,
    now: i64,
) -> Result<Option<Reason>, Fault> {
    let agent = agents::get(read, schedule.plan.agent)?;
    let open = wakes::open_of(read, agent.id)?;
    let is_heartbeat = schedule.plan.work == ScheduledWork::Heartbeat;
    let works = matches!(agent.state, AgentState::Running | AgentState::WaitingApproval);
    Ok(match agent.state {
        AgentState::Terminated => Some(Reason::Terminated),
        AgentState::Paused => Some(Reason::Paused),
        AgentState::Error => Some(Reason::InError),
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => {
            if let Some(why) = work::hindrance(read, schedule, now)? {
                Some(why)
            } else if is_heartbeat && stand::has_demo_model(read, shared, &agent)? {
                Some(Reason::DemoModel)
            } else if (is_heartbeat && (works || !open.is_empty()))
                || is_unanswered(read, schedule.id, &open)?
            {
                Some(Reason::Busy)
            } else if budget::is_feed_used_up(read, now)? {
                Some(Reason::OverBudget { scope: BudgetScope::Feed })
            } else {
                None
            }
        }
    })
}

/// Whether what was given the last time still waits.
fn is_unanswered(
    read: &Read<'_>,
    schedule: ScheduleId,
    open: &[wakes::Wake],
) -> Result<bool, StoreError> {
    let given =
        schedule_times::newest(read, schedule, 20)?.into_iter().filter_map(|time| {
            match time.became {
                Became::Given { message, .. } => Some(message),
                Became::Missed { .. } | Became::Skipped { .. } => None,
            }
        });
    Ok(given.into_iter().any(|message| open.iter().any(|wake| wake.message == message)))
}

fn note(
    write: &mut Write<'_>,
    schedule: &Schedule,
    due_ms: i64,
    at_ms: i64,
    became: Became,
) -> Result<(), StoreError> {
    schedule_times::add(write, &ScheduleTime { schedule: schedule.id, due_ms, at_ms, became })
}

/// What is given at a time has one id, so that it is there once.
fn id_at(schedule: ScheduleId, due_ms: i64) -> MessageId {
    MessageId(Uuid::new_v5(&schedule.0, &due_ms.to_be_bytes()))
}
