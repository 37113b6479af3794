//! Who is in a group: they join, leave and change places.

use super::names_of_living;
use super::view::view;
use crate::lifecycle::Ended;
use crate::post::{self, open_group};
use crate::shared::{Shared, Why};
use crate::turn_policy::is_a_task;
use crate::{begin, kept, lifecycle, recover, turns};
use domain::{
    AgentId, Fault, FaultCode, FaultKind, Group, GroupId, GroupKind, GroupView, History, Member,
    MemberPatch, Notice, Participant, Reason,
};
use std::sync::Arc;
use store::table::{agents, groups, members, messages, wakes};
use store::{Durability, Read, StoreError, Write};

/// Puts somebody into a group who has never been there.
pub(crate) fn seat(
    write: &mut Write<'_>,
    group: GroupId,
    who: Participant,
    position: i64,
    joined_after: i64,
) -> Result<(), StoreError> {
    let member = Member {
        group,
        who,
        position,
        muted: false,
        talkativeness: None,
        cursor: joined_after,
        joined_after,
    };
    members::put(write, &member)
}

pub(crate) async fn add_member(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
    sees: History,
) -> Result<GroupView, Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Process, move |write| {
            let group = open_group(write, group)?;
            if group.kind == GroupKind::Direct {
                return Err(Fault::new(
                    FaultCode::Refused,
                    format!("{} is a direct chat of two", group.name),
                    "make a group with both agents",
                )
                .of(FaultKind::GroupDirect { group: group.name }));
            }
            names_of_living(write, &[agent])?;
            let who = Participant::Agent(agent);
            if members::find(write, group.id, who)?.is_some() {
                return Ok(view(write, group)?);
            }
            join(write, &group, who, sees)?;
            let seen = match sees {
                History::All => None,
                History::Last { messages } => Some(messages),
                History::Nothing => Some(0),
            };
            post::notice(write, group.id, Notice::Joined { agent, sees: seen }, now)?;
            Ok::<_, Fault>(view(write, group)?)
        })
        .await
}

fn join(
    write: &mut Write<'_>,
    group: &Group,
    who: Participant,
    sees: History,
) -> Result<(), StoreError> {
    let position =
        members::of_group(write, group.id)?.iter().map(|member| member.position).max().unwrap_or(0)
            + 1;
    let joined_after = match sees {
        History::All => 0,
        History::Nothing => messages::last(write, group.id)?.map_or(0, |message| message.seq),
        History::Last { messages } => {
            let page = messages::page(write, group.id, 0, None, messages)?;
            page.first().map_or(0, |message| message.seq - 1)
        }
    };
    // Whoever comes back has read what it had read.
    let cursor = members::former(write, group.id, who)?.map_or(0, |member| member.cursor);
    let cursor = cursor.max(joined_after);
    members::put(
        write,
        &Member {
            group: group.id,
            who,
            position,
            muted: false,
            talkativeness: None,
            cursor,
            joined_after,
        },
    )
}

pub(crate) async fn remove_member(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
) -> Result<GroupView, Fault> {
    let now = shared.now_ms();
    let (view, woken, ended) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut group = groups::get(write, group)?;
            if group.kind == GroupKind::Direct {
                return Err(Fault::new(
                    FaultCode::Refused,
                    format!("{} is a direct chat", group.name),
                    "archive it, or terminate the agent",
                )
                .of(FaultKind::GroupDirectLeave { group: group.name }));
            }
            must_be_member(write, &group, agent)?;
            must_not_be_alone(write, &group, agent)?;
            let ended = recover::drop_all_in(write, agent, group.id, now)?;
            let open = wakes::open_in_group(write, agent, group.id)?;
            let owed: Vec<i64> = open.iter().map(|wake| wake.seq).collect();
            let waiting: Vec<_> =
                open.into_iter().filter(|wake| wake.claimed_by.is_none()).collect();
            kept::words_for(write, &waiting, now)?;
            turns::dismiss(write, &waiting, &Reason::LeftTheGroup)?;
            leave(write, &mut group, agent, now)?;
            members::put_owed(write, group.id, Participant::Agent(agent), &owed)?;
            let woken = turns::go_on_without(write, &waiting)?;
            Ok::<_, Fault>((view(write, group)?, woken, ended))
        })
        .await?;
    shared
        .going_on
        .stop(Why::LeftTheGroup, |_, going| going.agent == agent && going.group == group);
    shared.wake(&woken);
    lifecycle::let_go(shared, &ended);
    Ok(view)
}

/// A group of nobody answers nobody, which nobody wants by mistake.
fn must_not_be_alone(read: &Read<'_>, group: &Group, agent: AgentId) -> Result<(), Fault> {
    let others = members::of_group(read, group.id)?;
    let is_other = |who| matches!(who, Participant::Agent(other) if other != agent);
    if others.into_iter().any(|member| is_other(member.who)) {
        return Ok(());
    }
    let (name, group) = (agents::get(read, agent)?.name, group.name.clone());
    Err(Fault::new(
        FaultCode::Refused,
        format!("{name} is the only agent in {group}"),
        "add another one first, or archive the group",
    )
    .of(FaultKind::GroupLastAgent { name, group }))
}

/// Takes an agent out of a group; what it said stays.
pub(crate) fn leave(
    write: &mut Write<'_>,
    group: &mut Group,
    agent: AgentId,
    now: i64,
) -> Result<(), StoreError> {
    members::leave(write, group.id, Participant::Agent(agent), now)?;
    if group.default_agent == Some(agent) || group.supervisor == Some(agent) {
        group.default_agent = group.default_agent.filter(|default| *default != agent);
        group.supervisor = group.supervisor.filter(|supervisor| *supervisor != agent);
        groups::put(write, group)?;
    }
    post::notice(write, group.id, Notice::Left { agent }, now).map(drop)
}

pub(crate) async fn edit_member(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
    patch: MemberPatch,
) -> Result<GroupView, Fault> {
    let now = shared.now_ms();
    let (view, ended) = shared
        .store
        .write(Durability::Process, move |write| {
            let group = groups::get(write, group)?;
            let mut member = must_be_member(write, &group, agent)?;
            let falls_silent = !member.muted && patch.muted == Some(true);
            member.muted = patch.muted.unwrap_or(member.muted);
            if let Some(share) = patch.talkativeness {
                member.talkativeness = Some(checked_share(share)?);
            }
            if let Some(position) = patch.position {
                reorder(write, &mut member, position)?;
            } else {
                members::put(write, &member)?;
            }
            let ended = match falls_silent {
                true => give_up_what_the_policy_gave(write, group.id, agent, now)?,
                false => Ended::default(),
            };
            Ok::<_, Fault>((view(write, group)?, ended))
        })
        .await?;
    lifecycle::let_go(shared, &ended);
    Ok(view)
}

/// Turns that it has not taken up yet. What it was given whatever the policy says, a
/// muted member has too, and what a supervisor writes is never posted.
fn give_up_what_the_policy_gave(
    write: &mut Write<'_>,
    group: GroupId,
    agent: AgentId,
    now: i64,
) -> Result<Ended, Fault> {
    let mut open = wakes::open_in_group(write, agent, group)?;
    let stays = |reason: &Reason| {
        matches!(
            reason,
            Reason::AskedByUser | Reason::Supervising { .. } | Reason::Delegated { .. }
        ) || is_a_task(reason)
    };
    open.retain(|wake| wake.claimed_by.is_none() && !stays(&wake.reason));
    begin::give_up(write, &open, &Reason::Muted, now)
}

fn checked_share(talkativeness: u8) -> Result<u8, Fault> {
    if talkativeness > 100 {
        return Err(Fault::bad_input(
            format!("talkativeness goes from 0 to 100, not {talkativeness}"),
            "choose one of these; 0 speaks only when mentioned",
        )
        .of(FaultKind::TalkativenessRange { found: talkativeness.into() }));
    }
    Ok(talkativeness)
}

/// Moves a member to a place among the agents, counted from 1; the others
/// close up.
pub(super) fn reorder(
    write: &mut Write<'_>,
    moved: &mut Member,
    to: i64,
) -> Result<(), StoreError> {
    let mut all = members::of_group(write, moved.group)?;
    all.retain(|member| member.who != moved.who);
    let at = usize::try_from(to).unwrap_or(0).clamp(1.min(all.len()), all.len());
    all.insert(at, moved.clone());
    for (position, mut member) in (0..).zip(all) {
        if member.position != position || member.who == moved.who {
            member.position = position;
            members::put(write, &member)?;
        }
    }
    Ok(())
}

pub(crate) fn must_be_member(
    read: &Read<'_>,
    group: &Group,
    agent: AgentId,
) -> Result<Member, Fault> {
    let member = members::find(read, group.id, Participant::Agent(agent))?;
    member.ok_or_else(|| {
        Fault::not_found(
            format!("that agent is not in the group {}", group.name),
            "add it to the group first",
        )
        .of(FaultKind::NotInGroup { group: group.name.clone() })
    })
}
