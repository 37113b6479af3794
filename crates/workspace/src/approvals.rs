//! What a person is asked before a risky use of a tool, and what they allowed
//! for longer than once.
//!
//! A question is on the disk before anybody sees it, and so is its answer before
//! anything comes of it. It holds for one use: this tool with this schema, these
//! arguments, this target (`binding`). No answer in time is no. What the person
//! put on the list of what never happens is not asked about, and no permission
//! passes it.

mod answer;
mod binding;
mod permit;

pub(crate) use answer::{answer, revoke};
pub(crate) use binding::Use;
pub(crate) use permit::{Permit, permit};

use crate::states;
use domain::{
    AgentId, AgentState, Approval, ApprovalState, CallId, Fault, GroupId, TransitionCause,
};
use store::table::{agents, approvals, grants};
use store::{Read, StoreError, Write};

/// What waits for the person, oldest first.
pub(crate) fn waiting(read: &Read<'_>, now: i64) -> Result<Vec<Approval>, StoreError> {
    let mut waiting = approvals::waiting(read)?;
    waiting.retain(|approval| now < approval.expires_ms);
    Ok(waiting)
}

/// Whether somebody was asked who has not answered, or answered and was not heard
/// yet.
pub(crate) fn is_open(read: &Read<'_>, agent: AgentId, group: GroupId) -> Result<bool, StoreError> {
    Ok(!approvals::open_of(read, agent, Some(group))?.is_empty())
}

/// Before anybody works: what was allowed until Coterie ends has ended.
pub(crate) fn at_start(write: &mut Write<'_>) -> Result<(), StoreError> {
    for grant in grants::all(write)?.into_iter().filter(|grant| !grant.always) {
        grants::remove(write, grant.id)?;
    }
    Ok(())
}

/// Nobody goes on with what was asked about, but with these.
pub(crate) fn withdraw(
    write: &mut Write<'_>,
    agent: AgentId,
    group: Option<GroupId>,
    but: &[CallId],
    now: i64,
) -> Result<(), StoreError> {
    for open in approvals::open_of(write, agent, group)? {
        if !but.contains(&open.call) {
            end(write, open, ApprovalState::Withdrawn, now)?;
        }
    }
    Ok(())
}

/// The same for one use, whose turn goes on without it.
pub(crate) fn withdraw_one(write: &mut Write<'_>, call: CallId, now: i64) -> Result<(), Fault> {
    let Some(approval) = approvals::find(write, call)? else { return Ok(()) };
    if matches!(approval.state, ApprovalState::Waiting | ApprovalState::Allowed) {
        let agent = approval.agent;
        end(write, approval, ApprovalState::Withdrawn, now)?;
        goes_on(write, agent, now)?;
    }
    Ok(())
}

/// With an agent that ends, all that it was allowed.
pub(crate) fn forget(write: &mut Write<'_>, agent: AgentId) -> Result<(), StoreError> {
    for grant in grants::all(write)?.into_iter().filter(|grant| grant.agent == agent) {
        grants::remove(write, grant.id)?;
    }
    Ok(())
}

fn end(
    write: &mut Write<'_>,
    approval: Approval,
    state: ApprovalState,
    now: i64,
) -> Result<(), StoreError> {
    let answered_ms = approval.answered_ms.or(Some(now));
    approvals::put(write, &Approval { state, answered_ms, ..approval })
}

/// The agent waits for the person.
fn waits(write: &mut Write<'_>, agent: AgentId, now: i64) -> Result<(), Fault> {
    let mut agent = agents::get(write, agent)?;
    if agent.state == AgentState::Running {
        let to = AgentState::WaitingApproval;
        states::change(write, &mut agent, to, TransitionCause::AskedFirst, now)?;
    }
    Ok(())
}

/// It waits no longer, if nothing else is asked.
fn goes_on(write: &mut Write<'_>, agent: AgentId, now: i64) -> Result<(), Fault> {
    let mut agent = agents::get(write, agent)?;
    let open = approvals::open_of(write, agent.id, None)?;
    let still = open.iter().any(|approval| approval.state == ApprovalState::Waiting);
    if agent.state == AgentState::WaitingApproval && !still {
        states::change(write, &mut agent, AgentState::Running, TransitionCause::AnswerCame, now)?;
    }
    Ok(())
}
