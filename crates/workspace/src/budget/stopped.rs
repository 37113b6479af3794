//! Who stops for a budget, and when they go back to work: when a person gives
//! more room, or a new day does.

use super::in_force::{InForce, day_of};
use crate::shared::Shared;
use crate::states;
use domain::{Agent, AgentId, AgentState, BudgetScope, Fault, FaultCode, GroupId, TransitionCause};
use std::sync::Arc;
use std::time::Duration;
use store::table::spend::{self, Amount};
use store::table::{agents, transitions, wakes};
use store::{Durability, Read, StoreError, Write};

/// Whether meeting this limit stops the agent, and not just its turn.
pub(crate) fn stops_the_agent(scope: BudgetScope) -> bool {
    match scope {
        BudgetScope::Message | BudgetScope::Run | BudgetScope::Feed => false,
        BudgetScope::Day
        | BudgetScope::AnyAgent
        | BudgetScope::AnyGroup
        | BudgetScope::Agent(_)
        | BudgetScope::Group(_) => true,
    }
}

/// After a person has changed what may be spent; gives those who go on.
pub(super) fn resume_those_with_room(
    write: &mut Write<'_>,
    shared: &Shared,
) -> Result<Vec<AgentId>, Fault> {
    let now = shared.now_ms();
    let mut resumed = Vec::new();
    for mut agent in agents::living(write)? {
        let has_room = is_stopped(&agent) && has_room(write, shared, &agent, now)?;
        if has_room && states::mended(write, &mut agent, TransitionCause::ResumedByUser, now)? {
            resumed.push(agent.id);
        }
    }
    Ok(resumed)
}

/// Brings the agent back if it stopped on an earlier day and this one has room.
///
/// On the day itself it stays down, even where calls in progress have used
/// less than they were promised: it would meet the limit again at once.
pub(crate) fn resume_on_a_new_day(
    write: &mut Write<'_>,
    shared: &Shared,
    agent: &mut Agent,
) -> Result<bool, Fault> {
    let now = shared.now_ms();
    let is_due = is_stopped(agent)
        && stopped_before_today(write, agent.id, now)?
        && has_room(write, shared, agent, now)?;
    Ok(is_due && states::mended(write, agent, TransitionCause::NewDay, now)?)
}

/// Before somebody speaks in a group, so that its policy counts on those who
/// can answer again; gives them.
pub(crate) fn resume_members_on_a_new_day(
    write: &mut Write<'_>,
    shared: &Shared,
    group: GroupId,
) -> Result<Vec<AgentId>, Fault> {
    let stopped = agents::stopped_in(write, group)?;
    resume_all_on_a_new_day(write, shared, stopped)
}

/// Brings back everybody for whom the day has room again; gives them.
pub(crate) async fn look_at_the_day(shared: &Arc<Shared>) -> Result<Vec<AgentId>, Fault> {
    let with = shared.clone();
    let look = move |write: &mut Write<'_>| {
        let living = agents::living(write)?;
        resume_all_on_a_new_day(write, &with, living)
    };
    shared.store.write(Durability::Process, look).await
}

fn resume_all_on_a_new_day(
    write: &mut Write<'_>,
    shared: &Shared,
    agents: Vec<Agent>,
) -> Result<Vec<AgentId>, Fault> {
    let mut resumed = Vec::new();
    for mut agent in agents {
        if resume_on_a_new_day(write, shared, &mut agent)? {
            resumed.push(agent.id);
        }
    }
    Ok(resumed)
}

/// How often the clock is looked at. Nothing else would notice that a machine
/// has slept through midnight.
const LOOK_EVERY: Duration = Duration::from_secs(30);

/// Looks at each new day as it begins, until the workspace closes.
pub(crate) async fn watch_the_days(shared: Arc<Shared>) {
    let mut seen = day_of(shared.now_ms());
    loop {
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let today = day_of(shared.now_ms());
        if today <= seen {
            continue;
        }
        match look_at_the_day(&shared).await {
            Ok(resumed) => {
                seen = today;
                shared.wake(&resumed);
                shared.waiters.look_again();
            }
            Err(fault) => tracing::warn!(%fault, "those who wait for a new day are not looked at"),
        }
    }
}

fn is_stopped(agent: &Agent) -> bool {
    let for_a_budget = agent.problem.as_ref().is_some_and(|fault| fault.code == FaultCode::Budget);
    agent.state == AgentState::Error && for_a_budget
}

fn stopped_before_today(read: &Read<'_>, agent: AgentId, now: i64) -> Result<bool, StoreError> {
    let newest = transitions::newest(read, agent, 1)?.pop();
    Ok(newest.is_some_and(|stopped| day_of(stopped.at_ms) < day_of(now)))
}

/// Whether anything is left for what the agent is still to answer.
fn has_room(read: &Read<'_>, shared: &Shared, agent: &Agent, now: i64) -> Result<bool, Fault> {
    let limits = InForce::read(read)?;
    let mut due = vec![limits.of_day(now)];
    due.extend(limits.of_family(read, shared, agent.clone(), now)?);
    for wake in wakes::open_of(read, agent.id)? {
        due.extend(limits.of_groups(read, wake.group, wake.root, now)?);
    }
    for limit in due {
        let paid = spend::get(read, &limit.account)?;
        let least = Amount { tokens: 1, microusd: 1, unpriced: 0 };
        if limit.exceeded(paid, least).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
