//! Taking back that an agent was taken out of a group.

use super::members::reorder;
use super::names_of_living;
use super::view::view;
use crate::post::{self, open_group};
use crate::shared::Shared;
use crate::turn_policy::{Ruling, is_handed_on};
use crate::{stop, turns};
use domain::{
    AgentId, Fault, FaultKind, GroupId, GroupView, Notice, Outcome, Participant, Reason, RunState,
    Target, Verdict,
};
use std::sync::Arc;
use store::table::{members, messages, runs, wakes};
use store::{Durability, Read, StoreError, Write};

/// Puts the agent back where it sat, with what it saw; what it was woken for
/// and left without an answer when it went is owed again.
pub(crate) async fn bring_back(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
) -> Result<GroupView, Fault> {
    // Only then is it known whether that turn was answered after all.
    for run in shared.store.read(|read| running(read, group, agent))? {
        stop::stop(shared, Target::Run(run)).await?;
    }
    let now = shared.now_ms();
    let view = shared
        .store
        .write(Durability::Process, move |write| {
            let group = open_group(write, group)?;
            names_of_living(write, &[agent])?;
            let who = Participant::Agent(agent);
            if members::find(write, group.id, who)?.is_some() {
                return Ok(view(write, group)?);
            }
            let Some(mut member) = members::former(write, group.id, who)? else {
                return Err(Fault::not_found(
                    format!("that agent was never in the group {}", group.name),
                    "add it to the group",
                )
                .of(FaultKind::NotInGroup { group: group.name }));
            };
            let owed = members::owed(write, group.id, who)?;
            let position = member.position;
            reorder(write, &mut member, position)?;
            let sees = match member.joined_after {
                0 => None,
                after => {
                    let seen = messages::page(write, group.id, after, None, u32::MAX)?;
                    Some(u32::try_from(seen.len()).unwrap_or(u32::MAX))
                }
            };
            post::notice(write, group.id, Notice::Joined { agent, sees }, now)?;
            for seq in owed {
                owe_again(write, seq)?;
            }
            Ok::<_, Fault>(view(write, group)?)
        })
        .await?;
    shared.wake(&[agent]);
    Ok(view)
}

fn running(
    read: &Read<'_>,
    group: GroupId,
    agent: AgentId,
) -> Result<Vec<domain::RunId>, StoreError> {
    let mut open = runs::open(read)?;
    open.retain(|run| run.state == RunState::Running && run.group == group && run.agent == agent);
    Ok(open.into_iter().map(|run| run.id).collect())
}

/// Wakes it again for what it left, unless that was answered, or is over.
fn owe_again(write: &mut Write<'_>, seq: i64) -> Result<(), StoreError> {
    let Some(fate) = wakes::fate(write, seq)? else { return Ok(()) };
    let left_behind = match fate.done_by {
        None => fate.done,
        Some(run) => {
            let run = runs::get(write, run)?;
            match run.outcome {
                Some(Outcome::Silent { reason }) => reason == Reason::LeftTheGroup,
                // What it had said by then stands.
                Some(Outcome::Replied { .. }) => run.state == RunState::Stopped,
                Some(Outcome::Failed { .. }) | None => false,
            }
        }
    };
    let Some(message) = messages::find(write, fate.wake.message)?.filter(|_| left_behind) else {
        return Ok(());
    };
    let reason = match fate.wake.reason {
        // Whoever speaks in its place was chosen when it left.
        Reason::Supervising { .. } => return Ok(()),
        // The turn was handed on when it left, and is not to be handed on twice.
        reason if is_handed_on(&reason) => {
            let newest = messages::last_by_user(write, fate.wake.group)?;
            if newest.is_some_and(|newest| newest.id != fate.wake.root) {
                return Ok(());
            }
            Reason::AskedByUser
        }
        reason => reason,
    };
    let depth = fate.wake.depth;
    let agent = fate.wake.agent;
    turns::owe(
        write,
        &message,
        Ruling { agent, verdict: Verdict::Speak, reason, hindrance: None, depth },
    )
}
