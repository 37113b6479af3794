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
mod holder;
mod named;
mod never;
mod permit;
mod replaced;

pub(crate) use answer::{answer, revoke};
pub(crate) use binding::Use;
pub(crate) use never::{At, block_as_in, blocks_all_of, is_blocked, unseen, unused};
pub(crate) use permit::{Permit, is_permitted, permit};
pub(crate) use replaced::replaced;

use crate::acts::READ_RESOURCE;
use crate::waits;
use domain::{AgentId, Approval, ApprovalState, CallId, Covers, Fault, Grant, GroupId, StepKind};
use store::table::{approvals, grants, runs, steps};
use store::{Read, StoreError, Write};
use tools::Registry;

/// What waits for the person, oldest first.
pub(crate) fn waiting(read: &Read<'_>, now: i64) -> Result<Vec<Approval>, StoreError> {
    let mut waiting = approvals::waiting(read)?;
    waiting.retain(|approval| now < approval.expires_ms);
    Ok(waiting)
}

/// What waits for the person and never happens, as they say now, has its answer by that.
pub(crate) fn deny_blocked(write: &mut Write<'_>, tools: &Registry, now: i64) -> Result<(), Fault> {
    for asked in approvals::waiting(write)? {
        let at = At::of(&runs::get(write, asked.run)?);
        if is_blocked(write, at, &Use::that_waits(&asked, tools))? {
            close(write, asked, ApprovalState::Denied, now)?;
        }
    }
    Ok(())
}

/// Before anybody works: what was allowed until Coterie ends has ended, and what was
/// allowed of one target is for that one.
pub(crate) fn at_start(write: &mut Write<'_>) -> Result<(), StoreError> {
    for grant in grants::all(write)? {
        if !grant.always {
            grants::remove(write, grant.id)?;
        } else if let Some(target) = only_target(write, &grant)? {
            grants::put(write, &Grant { covers: Covers::Same { target }, ..grant })?;
        }
    }
    Ok(())
}

/// The one target that a permission of an earlier Coterie was given for: it was kept as
/// a pattern then, so that a `*` in it would stand for any signs.
fn only_target(read: &Read<'_>, grant: &Grant) -> Result<Option<String>, StoreError> {
    let Covers::Target { pattern } = &grant.covers else { return Ok(None) };
    if !pattern.contains('*') {
        return Ok(None);
    }
    let answered = approvals::answered_at(read, grant.agent, grant.at_ms)?;
    let was_for_it = |asked: &Approval| {
        asked.tool == grant.tool
            && asked.group == grant.group
            && asked.target.as_ref() == Some(pattern)
    };
    Ok(answered.iter().any(was_for_it).then(|| pattern.clone()))
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

/// The same for one use; gives whether there was something to withdraw.
pub(crate) fn withdraw_one(
    write: &mut Write<'_>,
    call: CallId,
    now: i64,
) -> Result<bool, StoreError> {
    let open = approvals::find(write, call)?.filter(|approval| approval.state.is_open());
    let Some(approval) = open else { return Ok(false) };
    end(write, approval, ApprovalState::Withdrawn, now)?;
    Ok(true)
}

/// With an agent that ends, all that it was allowed.
pub(crate) fn forget(write: &mut Write<'_>, agent: AgentId) -> Result<(), StoreError> {
    for grant in grants::all(write)?.into_iter().filter(|grant| grant.agent == agent) {
        grants::remove(write, grant.id)?;
    }
    Ok(())
}

/// With a server that is removed, all that agents were allowed to do with it.
pub(crate) fn forget_server(write: &mut Write<'_>, server: &str) -> Result<(), StoreError> {
    for grant in grants::all(write)?.into_iter().filter(|grant| is_for(grant, server)) {
        grants::remove(write, grant.id)?;
    }
    Ok(())
}

fn is_for(grant: &Grant, server: &str) -> bool {
    if grant.tool == READ_RESOURCE {
        return match &grant.covers {
            // As the tool says what it touches.
            Covers::Same { target: touched } | Covers::Target { pattern: touched } => {
                touched.split(' ').next() == Some(server)
            }
            Covers::Arguments { arguments } => arguments["server"] == server,
            // Of every server that its agent has.
            Covers::AnyUse => false,
        };
    }
    grant.tool.strip_prefix(server).is_some_and(|tool| tool.starts_with("__"))
}

/// The person said it, or let the time pass: that stands in the turn too, at once, and
/// not when its use has its turn.
fn close(
    write: &mut Write<'_>,
    approval: Approval,
    state: ApprovalState,
    now: i64,
) -> Result<(), Fault> {
    let (run, agent, call) = (approval.run, approval.agent, approval.call);
    end(write, approval, state, now)?;
    steps::add(write, run, &StepKind::ApprovalEnded { call, state }, now)?;
    waits::end(write, agent, now)
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
