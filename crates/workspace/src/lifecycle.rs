//! Agents come, rest, come back and go.

mod all;
pub(crate) mod another_model;
mod model;
mod name;

pub(crate) use all::{pause_all, resume_all};
pub(crate) use name::{check_your_name, free_name, is_name_taken, name_here, stands_for_another};

use crate::shared::{Shared, Why};
use crate::{
    acts, approvals, branches, desk, groups, keeper, kept, questions, recover, states, turns,
};
use domain::{
    Agent, AgentId, AgentState, BudgetScope, Caps, Fault, FaultCode, FaultKind, Group, GroupKind,
    Participant, Reason, RequestId, TransitionCause, TurnPolicy,
};
use model::{check_model, named_model};
use name::{check_name, own_name};
use std::sync::Arc;
use store::table::{agents, budgets, groups as group_table, members, settings, wakes};
use store::{Durability, Read, StoreError, Write};

/// Makes an agent from a soul, with a direct group of its own. The agent takes
/// the request's id.
pub(crate) async fn create(
    shared: &Arc<Shared>,
    request: RequestId,
    soul: String,
    name: Option<String>,
    model: Option<String>,
    parent: Option<AgentId>,
) -> Result<Agent, Fault> {
    let in_force = keeper::to_wear(shared, &soul)?;
    if let Some(name) = &name {
        check_name(name)?;
    }
    let model = named_model(model);
    if let Some(model) = &model {
        check_model(shared, model).await?;
    }
    let (now, with) = (shared.now_ms(), shared.clone());
    let (agent, new) = shared
        .store
        .write(Durability::Process, move |write| {
            let id = AgentId(request.0);
            if let Some(agent) = agents::find(write, id)? {
                return Ok((agent, false));
            }
            if let Some(parent) = parent {
                check_parent(write, &with, parent)?;
            }
            let name = match name {
                Some(name) => own_name(write, name)?,
                None => free_name(write, &in_force.front.name)?,
            };
            let agent = Agent::new(id, name, in_force.stem.clone(), now);
            let mut agent = Agent { soul_version: in_force.version, model, parent, ..agent };
            keeper::dress(&mut agent, &in_force);
            states::begin(write, &agent, now)?;
            if settings::get(write)?.all_paused {
                rest(write, &mut agent, TransitionCause::AllPaused, now)?;
            }
            add_direct_group(write, &agent, now)?;
            Ok::<_, Fault>((agent, true))
        })
        .await?;
    if new {
        // Somebody may have written to it between the commit and here.
        desk::open(shared, agent.id, true);
    }
    Ok(agent)
}

fn check_parent(read: &Read<'_>, shared: &Shared, parent: AgentId) -> Result<(), Fault> {
    let parent = agents::get(read, parent)?;
    if parent.state == AgentState::Terminated {
        return Err(Fault::new(
            FaultCode::Refused,
            format!("{} has been terminated and cannot have children", parent.name),
            "choose a parent that is at work",
        )
        .of(FaultKind::AgentEnded { name: parent.name }));
    }
    // As for those that it gives tasks to.
    match acts::full(read, &shared.souls, parent.id, acts::MadeBy::Person)? {
        Some(full) => Err(Fault::new(
            FaultCode::Refused,
            format!("make a child of {}: {full}", parent.name),
            "choose a parent further up, make the agent without one, or terminate a child first",
        )),
        None => Ok(()),
    }
}

fn add_direct_group(write: &mut Write<'_>, agent: &Agent, now: i64) -> Result<(), StoreError> {
    let group = Group {
        id: groups::direct_of(agent.id),
        name: agent.name.clone(),
        kind: GroupKind::Direct,
        policy: TurnPolicy::DefaultResponder,
        default_agent: Some(agent.id),
        supervisor: None,
        caps: Caps::default(),
        archived: false,
        created_ms: now,
        problem: None,
    };
    group_table::put(write, &group)?;
    groups::seat(write, group.id, Participant::User, 0, 0)?;
    groups::seat(write, group.id, Participant::Agent(agent.id), 1, 0)
}

/// The agent rests, and with it whoever works for it on a task. What they were at
/// goes on when it is resumed: a task keeps its child.
pub(crate) async fn pause(shared: &Arc<Shared>, agent: AgentId) -> Result<Agent, Fault> {
    let now = shared.now_ms();
    let (agent, resting) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut agent = agents::get(write, agent)?;
            let cause = TransitionCause::PausedByUser;
            rest(write, &mut agent, cause.clone(), now)?;
            let mut resting = vec![agent.id];
            for mut child in acts::working_below(write, agent.id)? {
                if states::is_legal(child.state, AgentState::Paused)
                    && child.state != AgentState::Error
                {
                    rest(write, &mut child, cause.clone(), now)?;
                    resting.push(child.id);
                }
            }
            Ok::<_, Fault>((agent, resting))
        })
        .await?;
    shared.going_on.stop(Why::Paused, |_, going| resting.contains(&going.agent));
    Ok(agent)
}

fn rest(
    write: &mut Write<'_>,
    agent: &mut Agent,
    cause: TransitionCause,
    now: i64,
) -> Result<(), Fault> {
    states::change(write, agent, AgentState::Paused, cause, now)
}

/// Back to work, with whoever rested with it: what waited is answered, and
/// earlier failures are forgiven.
pub(crate) async fn resume(shared: &Arc<Shared>, agent: AgentId) -> Result<Agent, Fault> {
    let now = shared.now_ms();
    let (agent, back) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut agent = agents::get(write, agent)?;
            states::resume(write, &mut agent, TransitionCause::ResumedByUser, now)?;
            let mut back = vec![agent.id];
            for mut child in acts::working_below(write, agent.id)? {
                if child.state == AgentState::Paused {
                    states::resume(write, &mut child, TransitionCause::ResumedByUser, now)?;
                    back.push(child.id);
                }
            }
            Ok::<_, Fault>((agent, back))
        })
        .await?;
    shared.wake(&back);
    Ok(agent)
}

/// Ends an agent for good: it leaves its groups, and what it said stays.
pub(crate) async fn terminate(shared: &Arc<Shared>, agent: AgentId) -> Result<Agent, Fault> {
    end(shared, agent, TransitionCause::TerminatedByUser).await
}

/// Who has ended in a transaction, and whom that gives something to do.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ended {
    pub agents: Vec<Agent>,
    pub woken: Vec<AgentId>,
}

impl Ended {
    pub(crate) fn add(&mut self, more: Ended) {
        self.agents.extend(more.agents);
        self.woken.extend(more.woken);
    }
}

/// After the commit: ends what they were doing.
pub(crate) fn let_go(shared: &Shared, ended: &Ended) {
    for agent in &ended.agents {
        shared.going_on.stop(Why::Terminated, |_, going| going.agent == agent.id);
        shared.desks.close(agent.id);
    }
    shared.wake(&ended.woken);
}

/// Ends an agent with everybody below it.
async fn end(shared: &Arc<Shared>, agent: AgentId, cause: TransitionCause) -> Result<Agent, Fault> {
    let now = shared.now_ms();
    let ended = shared
        .store
        .write(Durability::Process, move |write| end_family(write, agent, cause, now))
        .await?;
    fail::fail_point!("agent.ended");
    let_go(shared, &ended);
    let first = ended.agents.into_iter().next();
    first.ok_or_else(|| Fault::not_found(format!("there is no agent {agent}"), "look who there is"))
}

/// Gives the agent and everybody below it, and whom the turns go to that they
/// leave.
pub(crate) fn end_family(
    write: &mut Write<'_>,
    agent: AgentId,
    cause: TransitionCause,
    now: i64,
) -> Result<Ended, Fault> {
    let (mut ended, mut left) = (Vec::new(), Vec::new());
    let mut next = vec![(agent, cause)];
    while let Some((agent, cause)) = next.pop() {
        let mut agent = agents::get(write, agent)?;
        let children = agents::children(write, agent.id)?;
        left.extend(end_one(write, &mut agent, cause, now)?);
        next.extend(
            children.iter().rev().map(|child| (child.id, TransitionCause::ParentTerminated)),
        );
        ended.push(agent);
    }
    // Only now, so that no turn goes to one who ends too.
    let woken = turns::go_on_without(write, &left)?;
    Ok(Ended { agents: ended, woken })
}

/// Gives the wakes that it leaves behind.
fn end_one(
    write: &mut Write<'_>,
    agent: &mut Agent,
    cause: TransitionCause,
    now: i64,
) -> Result<Vec<wakes::Wake>, Fault> {
    states::change(write, agent, AgentState::Terminated, cause, now)?;
    // Every task's child has one of its own, and each call looks at all of them.
    budgets::remove(write, BudgetScope::Agent(agent.id))?;
    approvals::forget(write, agent.id)?;
    questions::withdraw(write, agent.id, None, &[], now)?;
    let waiting = give_up_all(write, agent.id, now)?;
    for group in members::groups_of(write, agent.id)? {
        let mut group = group_table::get(write, group)?;
        match group.kind {
            GroupKind::Direct | GroupKind::Task => {
                group.archived = true;
                group_table::put(write, &group)?;
            }
            GroupKind::Group => {
                let is_of_two = groups::is_between(write, &group, agent.id)?;
                groups::leave(write, &mut group, agent.id, now)?;
                // Nobody will say anything there again.
                if is_of_two {
                    group.archived = true;
                    group_table::put(write, &group)?;
                }
            }
            // Nobody has to be told who will not answer there any more.
            GroupKind::Post => {
                members::leave(write, group.id, Participant::Agent(agent.id), now)?;
            }
        }
    }
    Ok(waiting)
}

/// What one that has ended still owed. What a run has claimed that goes on is
/// its to end.
pub(crate) fn give_up_all(
    write: &mut Write<'_>,
    agent: AgentId,
    now: i64,
) -> Result<Vec<wakes::Wake>, Fault> {
    recover::drop_all_of(write, agent, now)?;
    let mut waiting = wakes::open_of(write, agent)?;
    waiting.retain(|wake| wake.claimed_by.is_none());
    kept::words_for(write, &waiting, now)?;
    turns::dismiss(write, &waiting, &Reason::Terminated)?;
    for wake in waiting.iter().filter(|wake| wake.reason == Reason::AskedByUser) {
        branches::bring_back(write, wake.group)?;
    }
    Ok(waiting)
}

pub(crate) async fn set_model(
    shared: &Arc<Shared>,
    agent: AgentId,
    model: Option<String>,
) -> Result<Agent, Fault> {
    let model = named_model(model);
    if let Some(model) = &model {
        check_model(shared, model).await?;
    }
    let (now, with) = (shared.now_ms(), shared.clone());
    let (agent, resumed) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut stopped = another_model::stopped(write, &with)?;
            stopped.retain(|one| one.agent == agent);
            let mut changed = agents::get(write, agent)?;
            changed.model = model;
            agents::put(write, &changed)?;
            let resumed = another_model::resume(write, &with, stopped, now)?;
            Ok::<_, Fault>((agents::get(write, agent)?, resumed))
        })
        .await?;
    shared.wake(&resumed);
    Ok(agent)
}
