//! Children end with the call that made them.
//!
//! A child lives exactly as long as its call is open in the ledger. Whoever ends
//! a call ends its child in the same transaction, so that no restart finds a
//! child that nobody waits for, and none gets a second one.

use crate::gate;
use crate::keeper::Keeper;
use crate::lifecycle::{self, Ended};
use crate::souls::Policy;
use domain::{
    Agent, AgentId, AgentState, CallId, CallState, Effects, Fault, GroupId, RunFilter,
    TransitionCause,
};
use std::fmt;
use store::table::{agents, delegations, runs, tool_calls, wakes};
use store::{Read, StoreError, Write};
use uuid::Uuid;

/// Generations below an agent, where its soul does not say.
const DEPTH: u32 = 3;
/// Children of one agent at the same time, where its soul does not say.
const CHILDREN: usize = 5;
/// More tries of one task than this nobody has made.
const MOST_RUNS: u32 = 100;

/// Why an agent can have no more children, whoever makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Full {
    /// So many generations are the limit, below whom.
    Deep(u32, String),
    Wide(usize),
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Full::Deep(1, above) => {
                write!(f, "1 generation of children below {above} is the limit")
            }
            Full::Deep(depth, above) => {
                write!(f, "{depth} generations of children below {above} are the limit")
            }
            Full::Wide(1) => f.write_str("1 child at a time is the limit"),
            Full::Wide(children) => write!(f, "{children} children at a time are the limit"),
        }
    }
}

/// Whose child another one would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MadeBy {
    /// It is there for good, and counts with all that are.
    Person,
    /// It is there for a task, and counts with those that are at one.
    Task,
}

/// `None` while there is room for another child: for each above it as its soul says.
pub(crate) fn full(
    read: &Read<'_>,
    souls: &Keeper,
    parent: AgentId,
    by: MadeBy,
) -> Result<Option<Full>, StoreError> {
    let policy = |agent: &Agent| Policy::of(souls.worn(agent).front.policy.as_ref());
    let mut generations = 1;
    let mut above = agents::get(read, parent)?;
    let most = policy(&above).max_children.map_or(CHILDREN, |most| most as usize);
    loop {
        let depth = policy(&above).max_depth.unwrap_or(DEPTH);
        if generations > depth {
            return Ok(Some(Full::Deep(depth, above.name)));
        }
        let Some(next) = above.parent else { break };
        above = agents::get(read, next)?;
        generations += 1;
    }
    let mut children = 0;
    for child in agents::children(read, parent)? {
        let counts = by == MadeBy::Person || delegations::of_child(read, child.id)?.is_some();
        children += usize::from(counts);
    }
    Ok((children >= most).then_some(Full::Wide(most)))
}

/// Leaves those that are there for good, also below another.
pub(crate) fn without_those_at_a_task(
    read: &Read<'_>,
    agents: &mut Vec<Agent>,
) -> Result<(), StoreError> {
    let mut at_a_task = Vec::new();
    for agent in agents.iter().filter(|agent| agent.parent.is_some()) {
        if delegations::of_child(read, agent.id)?.is_some() {
            at_a_task.push(agent.id);
        }
    }
    agents.retain(|agent| !at_a_task.contains(&agent.id));
    Ok(())
}

/// The child of a call that delegates, in every try of its turn.
pub(crate) fn child_of(call: CallId) -> AgentId {
    AgentId(Uuid::new_v5(&call.0, b"child"))
}

/// Ends the agent's children whose call has ended.
pub(crate) fn end_those_without_a_call(
    write: &mut Write<'_>,
    parent: AgentId,
    now: i64,
) -> Result<Ended, Fault> {
    let mut ended = Ended::default();
    for child in agents::children(write, parent)? {
        let Some(task) = delegations::of_child(write, child.id)? else { continue };
        let call = tool_calls::find(write, task.call)?;
        if call.is_none_or(|call| call.state != CallState::Dispatched) {
            let cause = TransitionCause::TaskEnded;
            ended.add(lifecycle::end_family(write, child.id, cause, now)?);
        }
    }
    Ok(ended)
}

/// Before the first loop starts: ends the children that nobody will ask about.
/// A parent that has gone, or no longer owes the answer that it gave the task
/// for, does not.
pub(crate) fn end_orphans(write: &mut Write<'_>, now: i64) -> Result<(), Fault> {
    for child in agents::living(write)? {
        let Some(parent) = child.parent else { continue };
        let Some(task) = delegations::of_child(write, child.id)? else { continue };
        // It may have ended with one above it.
        if agents::get(write, child.id)?.state == AgentState::Terminated {
            continue;
        }
        if agents::get(write, parent)?.state == AgentState::Terminated {
            lifecycle::end_family(write, child.id, TransitionCause::ParentTerminated, now)?;
            continue;
        }
        let group = runs::get(write, task.run)?.group;
        if wakes::open_in_group(write, parent, group)?.is_empty() {
            gate::close(write, task.call, now)?;
        }
        end_those_without_a_call(write, parent, now)?;
    }
    Ok(())
}

/// Who gave the task that the agent's work is a part of, and where: the first of all who wait
/// for it. `None` where nobody gave it one.
pub(crate) fn given_by(
    read: &Read<'_>,
    child: AgentId,
) -> Result<Option<(AgentId, GroupId)>, StoreError> {
    let mut given = None;
    let mut below = child;
    while let Some(task) = delegations::of_child(read, below)? {
        let run = runs::get(read, task.run)?;
        given = Some((run.agent, run.group));
        below = run.agent;
    }
    Ok(given)
}

/// Everybody who works for the agent on a task, however far below.
///
/// They rest and go on with it: who waits for a task that nobody works on, or
/// works on one that nobody waits for, would only cost money. An agent that was
/// merely made below another has a life of its own.
pub(crate) fn working_below(read: &Read<'_>, parent: AgentId) -> Result<Vec<Agent>, StoreError> {
    let (mut below, mut above) = (Vec::new(), vec![parent]);
    while let Some(parent) = above.pop() {
        for child in agents::children(read, parent)? {
            if delegations::of_child(read, child.id)?.is_some() {
                above.push(child.id);
                below.push(child);
            }
        }
    }
    Ok(below)
}

/// Whether the child, or anybody who worked for it, has begun what may have changed something.
pub(crate) fn may_have_acted(read: &Read<'_>, child: AgentId) -> Result<bool, StoreError> {
    let filter = RunFilter { agent: Some(child), ..RunFilter::default() };
    for run in runs::page(read, &filter, None, MOST_RUNS)? {
        for call in tool_calls::of_run(read, run.id)? {
            let acted = call.effects == Effects::Once && has_begun(call.state);
            // Most calls have no child, and then there is nothing to find.
            if acted || may_have_acted(read, child_of(call.id))? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn has_begun(state: CallState) -> bool {
    match state {
        CallState::Dispatched
        | CallState::Succeeded
        | CallState::Failed
        | CallState::Cancelled
        | CallState::OutcomeUnknown => true,
        CallState::Refused
        | CallState::Denied
        | CallState::Expired
        | CallState::Blocked
        | CallState::Skipped => false,
    }
}

/// A person wants a turn done again: the turns below it that wait for a person
/// are done again with it. Gives who has something to do.
pub(crate) fn resume_below(
    write: &mut Write<'_>,
    parent: AgentId,
) -> Result<Vec<AgentId>, StoreError> {
    let mut resumed = Vec::new();
    for child in working_below(write, parent)? {
        for run in interrupted(write, child.id)? {
            wakes::release(write, run)?;
            wakes::forgive(write, child.id)?;
            resumed.push(child.id);
        }
    }
    Ok(resumed)
}

fn interrupted(read: &Read<'_>, agent: AgentId) -> Result<Vec<domain::RunId>, StoreError> {
    let open = runs::open(read)?.into_iter();
    let own = open.filter(|run| run.agent == agent && run.state == domain::RunState::Interrupted);
    Ok(own.map(|run| run.id).collect())
}
