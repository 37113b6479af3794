//! A turn that a person gives to one agent.

use super::members::must_be_member;
use crate::post::open_group;
use crate::shared::Shared;
use crate::{budget, restarts, turn_policy};
use domain::{AgentId, Author, Fault, FaultCode, FaultKind, GroupId, Reason};
use std::sync::Arc;
use store::Durability;
use store::table::{agents, decisions, messages, wakes};

/// Gives one agent a turn now, outside the policy and the caps of a post; its
/// hourly quota still holds. One that rests has it when it is back.
pub(crate) async fn speak_now(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
) -> Result<(), Fault> {
    let (now, with) = (shared.now_ms(), shared.clone());
    let woken = shared
        .store
        .write(Durability::Process, move |write| {
            let group = open_group(write, group)?;
            must_be_member(write, &group, agent)?;
            let mut woken = restarts::when_asked(write, &with, &group, now)?;
            let Some(newest) = messages::page(write, group.id, 0, None, 50)?
                .into_iter()
                .rev()
                .find(|message| message.author != Author::System)
            else {
                return Err(Fault::new(
                    FaultCode::Refused,
                    format!("nothing has been said in {} yet", group.name),
                    "say something first",
                )
                .of(FaultKind::GroupSilent { group: group.name }));
            };
            let state = agents::get(write, agent)?.state;
            let ruling = turn_policy::given(agent, state, Reason::AskedByUser, 1);
            let wake = wakes::New {
                agent,
                group: group.id,
                message: newest.id,
                message_seq: newest.seq,
                author: Author::User,
                root: newest.root,
                depth: ruling.depth,
                reason: ruling.reason.clone(),
            };
            wakes::add(write, &wake)?;
            let decision = decisions::New {
                group: group.id,
                agent,
                message: newest.id,
                root: newest.root,
                verdict: ruling.verdict,
                reason: ruling.recorded(),
                run: None,
                at_ms: now,
            };
            decisions::add(write, decision)?;
            if group.problem.is_some() {
                budget::go_on(write, &with, group)?;
            }
            woken.push(agent);
            Ok::<_, Fault>(woken)
        })
        .await?;
    shared.wake(&woken);
    Ok(())
}
