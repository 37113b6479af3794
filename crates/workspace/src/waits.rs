//! Waiting for the person, whatever they are asked: may it be done (`approvals`),
//! or what is it to be (`questions`).
//!
//! Who waits for somebody is `waiting_approval` until nothing more is asked, holds
//! no place for a model meanwhile, and is looked at again when an answer may have
//! come or the time is over. What waits ends with its use of a tool, and with its
//! turn.

use crate::shared::Shared;
use crate::{approvals, questions, states};
use domain::{
    AgentId, AgentState, ApprovalState, CallId, Event, Fault, FromOwner, GroupId, Record,
    TransitionCause, Update,
};
use futures::{Stream, StreamExt};
use std::time::Duration;
use store::table::{self, agents};
use store::{Read, StoreError, Write};

/// The agent waits for the person.
pub(crate) fn begin(write: &mut Write<'_>, agent: AgentId, now: i64) -> Result<(), Fault> {
    let mut agent = agents::get(write, agent)?;
    if agent.state == AgentState::Running {
        let to = AgentState::WaitingApproval;
        states::change(write, &mut agent, to, TransitionCause::AskedFirst, now)?;
    }
    Ok(())
}

/// It waits no longer, if nothing else is asked.
pub(crate) fn end(write: &mut Write<'_>, agent: AgentId, now: i64) -> Result<(), Fault> {
    let mut agent = agents::get(write, agent)?;
    let open = table::approvals::open_of(write, agent.id, None)?;
    let still = open.iter().any(|approval| approval.state == ApprovalState::Waiting)
        || !table::questions::waiting_of(write, agent.id, None)?.is_empty();
    if agent.state == AgentState::WaitingApproval && !still {
        states::change(write, &mut agent, AgentState::Running, TransitionCause::AnswerCame, now)?;
    }
    Ok(())
}

/// Whether somebody was asked who has not answered, or answered and was not heard
/// yet.
pub(crate) fn is_open(read: &Read<'_>, agent: AgentId, group: GroupId) -> Result<bool, StoreError> {
    Ok(!table::approvals::open_of(read, agent, Some(group))?.is_empty()
        || table::questions::is_open(read, agent, group)?)
}

/// Nobody waits for what was asked any more, but for what these uses ask.
pub(crate) fn withdraw(
    write: &mut Write<'_>,
    agent: AgentId,
    group: Option<GroupId>,
    but: &[CallId],
    now: i64,
) -> Result<(), StoreError> {
    approvals::withdraw(write, agent, group, but, now)?;
    questions::withdraw(write, agent, group, but, now)
}

/// The same for one use, whose turn goes on without an answer.
pub(crate) fn withdraw_one(
    write: &mut Write<'_>,
    agent: AgentId,
    call: CallId,
    now: i64,
) -> Result<(), Fault> {
    let asked = approvals::withdraw_one(write, call, now)?;
    if questions::withdraw_one(write, call, now)? || asked {
        end(write, agent, now)?;
    }
    Ok(())
}

const LOOKS_AGAIN: Duration = Duration::from_secs(15);

/// Comes when it is to be looked at again whether there is an answer, which these
/// records tell of.
pub(crate) async fn moved(
    shared: &Shared,
    events: &mut (impl Stream<Item = FromOwner> + Unpin),
    until_ms: i64,
    tells: impl Fn(&Record) -> bool,
) {
    let left_ms = u64::try_from(until_ms - shared.now_ms()).unwrap_or(0);
    // The clock may be set, or stand still while the machine sleeps.
    let look_again = Duration::from_millis(left_ms).min(LOOKS_AGAIN);
    tokio::select! {
        () = told(events, tells) => {}
        () = tokio::time::sleep(look_again) => {}
    }
}

async fn told(
    events: &mut (impl Stream<Item = FromOwner> + Unpin),
    tells: impl Fn(&Record) -> bool,
) {
    loop {
        match events.next().await {
            Some(FromOwner::Event(Event { update: Update::Saved { record }, .. }))
                if tells(&record) =>
            {
                return;
            }
            Some(FromOwner::Resync { .. }) => return,
            Some(_) => {}
            // The workspace closes, and the turn with it.
            None => return std::future::pending().await,
        }
    }
}
