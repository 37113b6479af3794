//! Communities: made, changed and put away.

use crate::groups;
use crate::lifecycle::{self, Ended};
use crate::shared::{Shared, Why};
use domain::{
    AgentId, AgentState, Community, CommunityId, CommunityPatch, Fault, FaultCode, FaultKind,
    GroupId, RequestId,
};
use std::collections::BTreeSet;
use std::sync::Arc;
use store::table::{agents, communities, posts, runs, wakes};
use store::{Durability, Read, StoreError, Write};

const LONGEST_NAME: usize = 64;
const LONGEST_RULES: usize = 4_000;

/// It takes the request's id, so that making it twice is making it once.
pub(crate) async fn new_community(
    shared: &Arc<Shared>,
    request: RequestId,
    name: String,
    rules: String,
    members: Vec<AgentId>,
) -> Result<Community, Fault> {
    let created_ms = shared.now_ms();
    let make = move |write: &mut Write<'_>| {
        let id = CommunityId(request.0);
        if let Some(community) = communities::find(write, id)? {
            return Ok(community);
        }
        let archived = false;
        let community = Community { id, name, rules, members, archived, created_ms };
        put(write, community, &[])
    };
    shared.store.write(Durability::Process, make).await
}

pub(crate) async fn edit_community(
    shared: &Arc<Shared>,
    community: CommunityId,
    patch: CommunityPatch,
) -> Result<Community, Fault> {
    let now = shared.now_ms();
    let edit = move |write: &mut Write<'_>| {
        let stands = communities::get(write, community)?;
        let before = stands.members.clone();
        let goes = !stands.archived && patch.archived == Some(true);
        let community = Community {
            name: patch.name.unwrap_or(stands.name),
            rules: patch.rules.unwrap_or(stands.rules),
            members: patch.members.unwrap_or(stands.members),
            archived: patch.archived.unwrap_or(stands.archived),
            ..stands
        };
        let community = put(write, community, &before)?;
        let (threads, mut ended) = match goes {
            true => (at_work_in(write, community.id)?, Ended::default()),
            false => Default::default(),
        };
        for thread in &threads {
            ended.add(groups::put_away(write, *thread, now)?);
        }
        Ok::<_, Fault>((community, threads, ended))
    };
    let (community, threads, ended) = shared.store.write(Durability::Process, edit).await?;
    shared.going_on.stop(Why::Archived, |_, going| threads.contains(&going.group));
    lifecycle::let_go(shared, &ended);
    Ok(community)
}

/// The threads of a community in which somebody answers, or is to answer.
fn at_work_in(read: &Read<'_>, community: CommunityId) -> Result<BTreeSet<GroupId>, StoreError> {
    let owed = wakes::open_in_posts(read)?.into_iter().map(|wake| wake.group);
    let busy = runs::open(read)?.into_iter().map(|run| run.group);
    let mut threads = BTreeSet::new();
    for group in owed.chain(busy) {
        if posts::find(read, group)?.is_some_and(|post| post.community == community) {
            threads.insert(group);
        }
    }
    Ok(threads)
}

/// The community, unless it is archived: then nothing is written in it.
pub(crate) fn open(read: &Read<'_>, id: CommunityId) -> Result<Community, Fault> {
    let community = communities::get(read, id)?;
    if community.archived {
        let name = community.name;
        return Err(Fault::new(
            FaultCode::Refused,
            format!("the community {name} is archived: nothing is written there any more"),
            format!("bring it back first: coterie feed community edit {name:?} --restore"),
        )
        .of(FaultKind::CommunityArchived { name }));
    }
    Ok(community)
}

/// Those who were there before may stay, also where they have ended.
fn put(
    write: &mut Write<'_>,
    community: Community,
    before: &[AgentId],
) -> Result<Community, Fault> {
    let name = community.name.trim().to_owned();
    let length = name.chars().count();
    if length == 0 || length > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(Fault::bad_input(
            format!("a community's name is one line of 1 to {LONGEST_NAME} characters"),
            "give it another name",
        ));
    }
    let length = community.rules.chars().count();
    if length > LONGEST_RULES {
        return Err(Fault::bad_input(
            format!("the rules have {length} characters; {LONGEST_RULES} is the most"),
            "every agent reads them before it writes: shorten them",
        ));
    }
    let mut members: Vec<AgentId> = Vec::new();
    for member in community.members {
        let agent = agents::get(write, member)?;
        if agent.state == AgentState::Terminated && !before.contains(&member) {
            return Err(groups::gone(&agent.name));
        }
        if !members.contains(&member) {
            members.push(member);
        }
    }
    let community = Community { name, members, ..community };
    match communities::put(write, &community) {
        Ok(()) => Ok(community),
        Err(StoreError::Exists(_)) => Err(Fault::new(
            FaultCode::BadInput,
            format!("there is a community called {} already", community.name),
            "give it another name",
        )
        .of(FaultKind::CommunityNameTaken { name: community.name })),
        Err(other) => Err(other.into()),
    }
}
