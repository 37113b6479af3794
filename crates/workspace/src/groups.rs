//! Groups and who is in them.

use crate::post::{self, open_group};
use crate::shared::{Shared, Why};
use crate::turns;
use domain::{
    AgentId, AgentState, Author, Caps, Fault, FaultCode, Group, GroupId, GroupKind, GroupPatch,
    GroupView, History, Member, MemberPatch, Notice, Participant, Reason, RequestId, RunState,
    TurnPolicy, Verdict,
};
use std::collections::HashSet;
use std::sync::Arc;
use store::table::{agents, decisions, groups, members, messages, runs, wakes};
use store::{Durability, Read, StoreError, Write};
use uuid::Uuid;

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
            let name = match name {
                Some(name) => free_name(write, checked_name(name)?, id)?,
                None => after_members(write, &names.join(", "))?,
            };
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

/// Puts somebody into a group who was not there before.
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

/// The names, each agent once, none of them terminated.
fn names_of_living(read: &Read<'_>, ids: &[AgentId]) -> Result<Vec<String>, Fault> {
    if ids.is_empty() {
        return Err(Fault::bad_input("a group needs at least one agent", "name its members"));
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
            ));
        }
        names.push(agent.name);
    }
    Ok(names)
}

fn gone(name: &str) -> Fault {
    Fault::new(
        FaultCode::Refused,
        format!("{name} has been terminated"),
        "make a new agent from the same soul",
    )
}

fn checked_name(name: String) -> Result<String, Fault> {
    let name = name.trim().to_owned();
    if name.is_empty() || name.chars().count() > 80 || name.chars().any(char::is_control) {
        return Err(Fault::bad_input(
            format!("{name:?} cannot be a group's name"),
            "use 1 to 80 characters on one line",
        ));
    }
    Ok(name)
}

/// The name, if no other live group has it: people say it to mean one group.
fn free_name(read: &Read<'_>, name: String, group: GroupId) -> Result<String, Fault> {
    let lowered = name.to_lowercase();
    match live_names(read, group)?.contains(&lowered) {
        false => Ok(name),
        true => Err(Fault::new(
            FaultCode::Conflict,
            format!("there is a group called {name:?} already"),
            "choose another name, or first rename or archive that group",
        )),
    }
}

/// The names of the members, with a number where another group is called after
/// the same ones.
fn after_members(read: &Read<'_>, names: &str) -> Result<String, StoreError> {
    let taken = live_names(read, GroupId(Uuid::nil()))?;
    let numbered = (2..).map(|n| format!("{names} ({n})"));
    let mut candidates = std::iter::once(names.to_owned()).chain(numbered);
    let free = candidates.find(|name| !taken.contains(&name.to_lowercase()));
    Ok(free.expect("the numbers never end"))
}

/// In lower case, since a name is matched without regard to case. A direct
/// chat is called after its agent, which groups may be called after too.
fn live_names(read: &Read<'_>, but: GroupId) -> Result<HashSet<String>, StoreError> {
    let live = groups::all(read)?
        .into_iter()
        .filter(|group| group.kind == GroupKind::Group && !group.archived && group.id != but);
    Ok(live.map(|group| group.name.to_lowercase()).collect())
}

pub(crate) async fn edit(
    shared: &Arc<Shared>,
    group: GroupId,
    patch: GroupPatch,
) -> Result<GroupView, Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Process, move |write| {
            let mut group = groups::get(write, group)?;
            let comes_back = group.archived && patch.archived == Some(false);
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
                group.caps = checked_caps(caps)?;
            }
            group.archived = patch.archived.unwrap_or(group.archived);
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
            Ok::<_, Fault>(view(write, group)?)
        })
        .await
}

/// Every cap is at least 1, so that a group can speak, and at most so high
/// that it still ends.
fn checked_caps(caps: Caps) -> Result<Caps, Fault> {
    let ranges = [
        ("messages per post", caps.messages_per_post, 1000),
        ("chain depth", caps.chain_depth, 100),
        ("hops between a pair", caps.pair_hops, 1000),
        ("runs per hour", caps.runs_per_hour, 1_000_000),
    ];
    for (name, value, most) in ranges {
        if value == 0 || value > most {
            return Err(Fault::bad_input(
                format!("{name} goes from 1 to {most}, not {value}"),
                "choose one of these",
            ));
        }
    }
    Ok(caps)
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
                ));
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
    let (view, woken) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut group = groups::get(write, group)?;
            if group.kind == GroupKind::Direct {
                return Err(Fault::new(
                    FaultCode::Refused,
                    format!("{} is a direct chat", group.name),
                    "archive it, or terminate the agent",
                ));
            }
            must_be_member(write, &group, agent)?;
            let open = wakes::open_in_group(write, agent, group.id)?;
            let waiting: Vec<_> =
                open.into_iter().filter(|wake| wake.claimed_by.is_none()).collect();
            turns::dismiss(write, &waiting, &Reason::LeftTheGroup)?;
            members::leave(write, group.id, Participant::Agent(agent), now)?;
            if group.default_agent == Some(agent) || group.supervisor == Some(agent) {
                group.default_agent = group.default_agent.filter(|default| *default != agent);
                group.supervisor = group.supervisor.filter(|supervisor| *supervisor != agent);
                groups::put(write, &group)?;
            }
            post::notice(write, group.id, Notice::Left { agent }, now)?;
            let mut woken = Vec::new();
            for wake in &waiting {
                woken.extend(turns::go_on(write, &group, wake.root, agent, &wake.reason)?);
            }
            Ok::<_, Fault>((view(write, group)?, woken))
        })
        .await?;
    shared
        .going_on
        .stop(Why::LeftTheGroup, |_, going| going.agent == agent && going.group == group);
    shared.wake(&woken);
    Ok(view)
}

pub(crate) async fn edit_member(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
    patch: MemberPatch,
) -> Result<GroupView, Fault> {
    shared
        .store
        .write(Durability::Process, move |write| {
            let group = groups::get(write, group)?;
            let mut member = must_be_member(write, &group, agent)?;
            member.muted = patch.muted.unwrap_or(member.muted);
            if let Some(share) = patch.talkativeness {
                member.talkativeness = Some(checked_share(share)?);
            }
            if let Some(position) = patch.position {
                reorder(write, &mut member, position)?;
            } else {
                members::put(write, &member)?;
            }
            Ok::<_, Fault>(view(write, group)?)
        })
        .await
}

fn checked_share(talkativeness: u8) -> Result<u8, Fault> {
    if talkativeness > 100 {
        return Err(Fault::bad_input(
            format!("talkativeness goes from 0 to 100, not {talkativeness}"),
            "choose one of these; 0 speaks only when mentioned",
        ));
    }
    Ok(talkativeness)
}

/// Moves a member to a place among the agents, counted from 1; the others
/// close up.
fn reorder(write: &mut Write<'_>, moved: &mut Member, to: i64) -> Result<(), StoreError> {
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

fn must_be_member(read: &Read<'_>, group: &Group, agent: AgentId) -> Result<Member, Fault> {
    let member = members::find(read, group.id, Participant::Agent(agent))?;
    member.ok_or_else(|| {
        Fault::not_found(
            format!("that agent is not in the group {}", group.name),
            "add it to the group first",
        )
    })
}

pub(crate) async fn mark_read(shared: &Arc<Shared>, group: GroupId, seq: i64) -> Result<(), Fault> {
    shared
        .store
        .write(Durability::Process, move |write| {
            groups::get(write, group)?;
            let newest = messages::last(write, group)?.map_or(0, |message| message.seq);
            members::move_cursor(write, group, Participant::User, seq.min(newest))?;
            Ok::<_, Fault>(())
        })
        .await
}

/// Gives one agent a turn now, outside the policy and the caps of a post; its
/// hourly quota still holds.
pub(crate) async fn speak_now(
    shared: &Arc<Shared>,
    group: GroupId,
    agent: AgentId,
) -> Result<(), Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Process, move |write| {
            let group = open_group(write, group)?;
            must_be_member(write, &group, agent)?;
            let Some(newest) = messages::page(write, group.id, 0, None, 50)?
                .into_iter()
                .rev()
                .find(|message| message.author != Author::System)
            else {
                return Err(Fault::new(
                    FaultCode::Refused,
                    format!("nothing has been said in {} yet", group.name),
                    "say something first",
                ));
            };
            let reason = Reason::AskedByUser;
            let wake = wakes::New {
                agent,
                group: group.id,
                message: newest.id,
                message_seq: newest.seq,
                author: Author::User,
                root: newest.root,
                depth: 1,
                reason: reason.clone(),
            };
            wakes::add(write, &wake)?;
            let decision = decisions::New {
                group: group.id,
                agent,
                message: newest.id,
                root: newest.root,
                verdict: Verdict::Speak,
                reason,
                run: None,
                at_ms: now,
            };
            decisions::add(write, decision)?;
            Ok::<_, Fault>(())
        })
        .await?;
    shared.wake(&[agent]);
    Ok(())
}

/// A group as its row in the roster shows it.
pub(crate) fn view(read: &Read<'_>, group: Group) -> Result<GroupView, StoreError> {
    let members = members::of_group(read, group.id)?;
    let last = messages::last(read, group.id)?;
    let messages_since_post = match messages::last_by_user(read, group.id)? {
        Some(post) => messages::by_agents_since(read, post.id)?,
        None => 0,
    };
    let answers_to_come = answers_to_come(read, group.id)?;
    Ok(GroupView { group, members, last, messages_since_post, answers_to_come })
}

/// Wakes that a loop has taken up or will take up by itself: not those of
/// agents that rest, nor those of a run that was interrupted for good.
fn answers_to_come(read: &Read<'_>, group: GroupId) -> Result<u32, StoreError> {
    let mut owed = 0;
    for wake in wakes::open_of_group(read, group)? {
        let awake =
            matches!(agents::get(read, wake.agent)?.state, AgentState::Idle | AgentState::Running);
        let going_on = match wake.claimed_by {
            Some(run) => runs::get(read, run)?.state == RunState::Running,
            None => true,
        };
        owed += u32::from(awake && going_on);
    }
    Ok(owed)
}
