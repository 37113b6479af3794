//! Groups: made, changed and read.

mod between;
mod bring_back;
mod export;
mod find;
mod members;
mod names;
mod speak_now;
mod templates;
mod view;

pub(crate) use between::{between, find_between, is_between};
pub(crate) use bring_back::bring_back;
pub(crate) use export::export;
pub(crate) use find::find;
pub(crate) use members::{add_member, edit_member, leave, must_be_member, remove_member, seat};
pub(crate) use names::is_taken as is_name_taken;
pub(crate) use speak_now::speak_now;
pub(crate) use templates::{create_from, templates};
pub(crate) use view::{owed, view};

use crate::lifecycle::{self, Ended};
use crate::shared::{Shared, Why};
use crate::{kept, limits, post, recover, turns};
use domain::{
    AgentId, AgentState, Caps, Fault, FaultCode, FaultKind, Group, GroupId, GroupKind, GroupPatch,
    GroupView, Notice, Participant, Reason, RequestId, TurnPolicy,
};
use names::{checked_name, free_like, free_name};
use std::sync::Arc;
use store::table::{agents, communities, groups, members as member_table, messages, posts, wakes};
use store::{Durability, Read, StoreError, Write};
use uuid::Uuid;

/// The conversation that a person has with an agent alone.
pub(crate) fn direct_of(agent: AgentId) -> GroupId {
    GroupId(Uuid::new_v5(&agent.0, b"direct"))
}

/// Makes a group of the person and these agents. It takes the request's id.
pub(crate) async fn create(
    shared: &Arc<Shared>,
    request: RequestId,
    name: Option<String>,
    agents: Vec<AgentId>,
    policy: Option<TurnPolicy>,
) -> Result<GroupView, Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Process, move |write| {
            let id = GroupId(request.0);
            if let Some(group) = groups::find(write, id)? {
                return Ok(view(write, group)?);
            }
            let names = names_of_living(write, &agents)?;
            let name = name_for(write, name, &names.join(", "), id)?;
            let group = Group {
                id,
                name,
                kind: GroupKind::Group,
                policy: policy.unwrap_or(TurnPolicy::DefaultResponder),
                default_agent: agents.first().copied(),
                supervisor: None,
                caps: Caps::default(),
                archived: false,
                created_ms: now,
                problem: None,
            };
            groups::put(write, &group)?;
            seat(write, id, Participant::User, 0, 0)?;
            for (at, agent) in (1..).zip(agents) {
                seat(write, id, Participant::Agent(agent), at, 0)?;
            }
            Ok::<_, Fault>(view(write, group)?)
        })
        .await
}

pub(crate) async fn edit(
    shared: &Arc<Shared>,
    group: GroupId,
    patch: GroupPatch,
) -> Result<GroupView, Fault> {
    let now = shared.now_ms();
    let (view, ended) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut group = groups::get(write, group)?;
            let goes = !group.archived && patch.archived == Some(true);
            let comes_back = group.archived && patch.archived == Some(false);
            if comes_back && let Some(ended) = post::ended_in(write, &group)? {
                return Err(gone(&ended));
            }
            let renamed = patch.name.is_some();
            if let Some(name) = patch.name {
                group.name = checked_name(name)?;
            }
            if let Some(agent) = patch.default_agent {
                must_be_member(write, &group, agent)?;
                group.default_agent = Some(agent);
            }
            if let Some(agent) = patch.supervisor {
                must_be_member(write, &group, agent)?;
                group.supervisor = Some(agent);
            }
            if let Some(caps) = patch.caps {
                group.caps = limits::checked(caps)?;
            }
            group.archived = patch.archived.unwrap_or(group.archived);
            // What waited there does not any more.
            group.problem = group.problem.filter(|_| !goes);
            if (renamed || comes_back) && !group.archived && group.kind == GroupKind::Group {
                group.name = free_name(write, group.name, group.id)?;
            }
            if let Some(policy) = patch.policy.filter(|policy| *policy != group.policy) {
                group.policy = policy;
                if messages::last(write, group.id)?.is_some() {
                    post::notice(write, group.id, Notice::PolicyChanged { policy }, now)?;
                }
            }
            groups::put(write, &group)?;
            let ended = match goes {
                true => put_away(write, group.id, now)?,
                false => Ended::default(),
            };
            Ok::<_, Fault>((view(write, group)?, ended))
        })
        .await?;
    if view.group.archived {
        shared.going_on.stop(Why::Archived, |_, going| going.group == group);
    }
    lifecycle::let_go(shared, &ended);
    Ok(view)
}

/// Nobody answers any more where a conversation is put away: what is owed there is
/// over, and bringing it back brings none of it back.
pub(crate) fn put_away(write: &mut Write<'_>, group: GroupId, now: i64) -> Result<Ended, Fault> {
    let mut ended = Ended::default();
    for member in member_table::of_group(write, group)? {
        if let Participant::Agent(agent) = member.who {
            ended.add(recover::drop_all_in(write, agent, group, now)?);
        }
    }
    let mut open = wakes::open_of_group(write, group)?;
    open.retain(|wake| wake.claimed_by.is_none());
    kept::words_for(write, &open, now)?;
    turns::dismiss(write, &open, &Reason::Archived)?;
    Ok(ended)
}

/// Whether nobody answers there any more: it is put away, or the community is that it is
/// in.
pub(crate) fn is_put_away(read: &Read<'_>, group: &Group) -> Result<bool, StoreError> {
    Ok(group.archived
        || match group.kind {
            GroupKind::Post => {
                communities::get(read, posts::get(read, group.id)?.community)?.archived
            }
            GroupKind::Direct | GroupKind::Group | GroupKind::Task => false,
        })
}

pub(crate) async fn mark_read(shared: &Arc<Shared>, group: GroupId, seq: i64) -> Result<(), Fault> {
    shared
        .store
        .write(Durability::Process, move |write| {
            groups::get(write, group)?;
            let newest = messages::last(write, group)?.map_or(0, |message| message.seq);
            member_table::move_cursor(write, group, Participant::User, seq.min(newest))?;
            Ok::<_, Fault>(())
        })
        .await
}

/// What a person calls a group, or else this with a number where it is taken.
pub(crate) fn name_for(
    read: &Read<'_>,
    name: Option<String>,
    or_else: &str,
    group: GroupId,
) -> Result<String, Fault> {
    match name {
        Some(name) => free_name(read, checked_name(name)?, group),
        None => Ok(free_like(read, or_else)?),
    }
}

/// What a group of another workspace is called here: the same, where no other is and it
/// can be a name.
pub(crate) fn name_here(read: &Read<'_>, name: &str) -> Result<String, StoreError> {
    free_like(read, &checked_name(name.to_owned()).unwrap_or_else(|_| "Group".to_owned()))
}

/// The names, each agent once, none of them terminated.
fn names_of_living(read: &Read<'_>, ids: &[AgentId]) -> Result<Vec<String>, Fault> {
    if ids.is_empty() {
        return Err(Fault::bad_input("a group needs at least one agent", "name its members")
            .of(FaultKind::GroupWithoutAgents));
    }
    let mut names = Vec::new();
    for (at, id) in ids.iter().enumerate() {
        let agent = agents::get(read, *id)?;
        if agent.state == AgentState::Terminated {
            return Err(gone(&agent.name));
        }
        if ids[..at].contains(id) {
            return Err(Fault::bad_input(
                format!("{} is named twice", agent.name),
                "name each member once",
            )
            .of(FaultKind::MemberTwice { name: agent.name }));
        }
        names.push(agent.name);
    }
    Ok(names)
}

pub(crate) fn gone(name: &str) -> Fault {
    Fault::new(
        FaultCode::Refused,
        format!("{name} has been terminated"),
        "make a new agent from the same soul",
    )
    .of(FaultKind::AgentEnded { name: name.to_owned() })
}
