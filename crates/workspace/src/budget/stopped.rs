//! What stops for a budget, and when it goes on: when a person gives more room, or a
//! new day does. An agent stops for its own; a group for its own and for everybody's,
//! and its agents go on elsewhere (decision 0028).

use super::in_force::{InForce, day_of};
use crate::shared::Shared;
use crate::{kept, states, turns};
use domain::{
    Agent, AgentId, AgentState, BudgetScope, BudgetUnit, Fault, FaultCode, FaultKind, Group,
    GroupId, MessageId, Reason, TransitionCause,
};
use std::sync::Arc;
use std::time::Duration;
use store::table::spend::{self, Amount};
use store::table::{agents, groups, transitions, wakes};
use store::{Durability, Read, StoreError, Write};

/// What stops where a limit is met: what the limit belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stops {
    Turn,
    /// The group where it was met. Everybody's limit stops one after the other.
    Group,
    Agent,
}

impl Stops {
    pub(crate) fn of(scope: BudgetScope) -> Stops {
        match scope {
            BudgetScope::Message | BudgetScope::Run | BudgetScope::Feed => Stops::Turn,
            BudgetScope::Day | BudgetScope::AnyGroup | BudgetScope::Group(_) => Stops::Group,
            BudgetScope::AnyAgent | BudgetScope::Agent(_) => Stops::Agent,
        }
    }
}

/// Nobody takes a turn there until it goes on. Gives whether it had not stopped before.
pub(crate) fn stop(
    write: &mut Write<'_>,
    mut group: Group,
    problem: &Fault,
) -> Result<bool, StoreError> {
    if group.problem.is_some() {
        return Ok(false);
    }
    group.problem = Some(problem.clone());
    groups::put(write, &group)?;
    Ok(true)
}

/// What begins anew in a group that has stopped is tried with all that waits there: it may be
/// charged elsewhere, or need less by now. Gives the group as it stands then.
pub(crate) fn try_again(
    write: &mut Write<'_>,
    shared: &Shared,
    group: Group,
    root: MessageId,
) -> Result<Group, StoreError> {
    match waiting(write, &group)?.iter().any(|wake| wake.root == root) {
        true => Ok(group),
        false => open(write, shared, group),
    }
}

/// What waits in the group is taken up as if nothing had been in its way.
pub(crate) fn go_on(
    write: &mut Write<'_>,
    shared: &Shared,
    group: Group,
) -> Result<(), StoreError> {
    for wake in waiting(write, &group)? {
        wakes::forgive(write, wake.agent)?;
    }
    open(write, shared, group).map(drop)
}

/// Nobody takes up what waits in the group, and it has stopped for nothing any more.
pub(crate) fn call_off(
    write: &mut Write<'_>,
    mut group: Group,
    why: &Reason,
    now: i64,
) -> Result<(), Fault> {
    let waiting = waiting(write, &group)?;
    kept::words_for(write, &waiting, now)?;
    turns::dismiss(write, &waiting, why)?;
    group.problem = None;
    Ok(groups::put(write, &group)?)
}

fn open(write: &mut Write<'_>, shared: &Shared, mut group: Group) -> Result<Group, StoreError> {
    group.problem = None;
    groups::put(write, &group)?;
    for wake in waiting(write, &group)? {
        // It looks when this is on the disk: whoever begins a turn writes.
        shared.wake(&[wake.agent]);
    }
    Ok(group)
}

fn waiting(read: &Read<'_>, group: &Group) -> Result<Vec<wakes::Wake>, StoreError> {
    let mut open = wakes::open_of_group(read, group.id)?;
    open.retain(|wake| wake.claimed_by.is_none());
    Ok(open)
}

/// The budget that the group has stopped for.
pub(crate) fn stopped_for(group: &Group) -> Option<BudgetScope> {
    match group.problem.as_ref()?.kind.as_deref()? {
        FaultKind::OverBudget { scope, .. } => Some(*scope),
        _ => None,
    }
}

/// Whether the group has stopped and would stop again.
pub(crate) fn is_stopped(read: &Read<'_>, group: &Group, now: i64) -> Result<bool, StoreError> {
    let kind = group.problem.as_ref().and_then(|problem| problem.kind.as_deref());
    let Some(FaultKind::OverBudget { scope, unit, needed, .. }) = kind else { return Ok(false) };
    let limits = InForce::read(read)?;
    let limit = match *scope {
        BudgetScope::Group(group) => limits.of_group(group, now),
        BudgetScope::Day
        | BudgetScope::Message
        | BudgetScope::Run
        | BudgetScope::AnyAgent
        | BudgetScope::AnyGroup
        | BudgetScope::Feed
        | BudgetScope::Agent(_) => limits.of_day(now),
    };
    let needed = match unit {
        BudgetUnit::Tokens => Amount { tokens: *needed, ..Amount::default() },
        BudgetUnit::Microusd => Amount { microusd: *needed, ..Amount::default() },
    };
    Ok(limit.exceeded(spend::get(read, &limit.account)?, needed).is_some())
}

fn go_on_where_there_is_room(write: &mut Write<'_>, shared: &Shared) -> Result<(), StoreError> {
    let now = shared.now_ms();
    for group in groups::stopped(write)? {
        if !is_stopped(write, &group, now)? {
            go_on(write, shared, group)?;
        }
    }
    Ok(())
}

/// After a person has changed what may be spent; gives those who go on.
pub(super) fn resume_those_with_room(
    write: &mut Write<'_>,
    shared: &Shared,
) -> Result<Vec<AgentId>, Fault> {
    let now = shared.now_ms();
    let mut resumed = Vec::new();
    for mut agent in agents::living(write)? {
        let has_room = has_stopped(&agent) && has_room(write, shared, &agent, now)?;
        if has_room && states::mended(write, &mut agent, TransitionCause::ResumedByUser, now)? {
            resumed.push(agent.id);
        }
    }
    go_on_where_there_is_room(write, shared)?;
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
    let is_due = has_stopped(agent)
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

/// Brings back everybody for whom the day has room again, and has groups go on; gives the
/// agents.
pub(crate) async fn look_at_the_day(shared: &Arc<Shared>) -> Result<Vec<AgentId>, Fault> {
    let with = shared.clone();
    let look = move |write: &mut Write<'_>| {
        let living = agents::living(write)?;
        go_on_where_there_is_room(write, &with)?;
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

fn has_stopped(agent: &Agent) -> bool {
    let for_a_budget = agent.problem.as_ref().is_some_and(|fault| fault.code == FaultCode::Budget);
    agent.state == AgentState::Error && for_a_budget
}

fn stopped_before_today(read: &Read<'_>, agent: AgentId, now: i64) -> Result<bool, StoreError> {
    let newest = transitions::newest(read, agent, 1)?.pop();
    Ok(newest.is_some_and(|stopped| day_of(stopped.at_ms) < day_of(now)))
}

/// Whether anything is left of the agent's own, and of those it works for.
fn has_room(read: &Read<'_>, shared: &Shared, agent: &Agent, now: i64) -> Result<bool, Fault> {
    for limit in InForce::read(read)?.of_family(read, shared, agent.clone(), now)? {
        let paid = spend::get(read, &limit.account)?;
        let least = Amount { tokens: 1, microusd: 1, unpriced: 0 };
        if limit.exceeded(paid, least).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}
