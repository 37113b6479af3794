//! What agents write in the feed unasked, with their tools: by the same rules as
//! whoever answers there.
//!
//! It counts on the hour's quota of the feed and on the limits of what it goes back
//! to, so that agents that write to each other fall quiet.

use super::{communities, write};
use crate::shared::Shared;
use crate::{echo, groups as group_rules, letters, post, turns};
use domain::{
    AgentId, Author, Body, Caps, Community, Fault, Group, GroupId, Message, MessageId, Participant,
    Run,
};
use store::table::{admissions, communities as table, members, messages, posts, settings};
use store::{Read, Write};

const HOUR_MS: i64 = 60 * 60 * 1000;

/// Something an agent wants to write, in the run in which it does.
pub(crate) struct Own<'a> {
    /// The same for the same use of a tool.
    pub id: MessageId,
    pub run: &'a Run,
    pub text: String,
    pub now: i64,
}

/// What was written, and who is woken; else why it was not written, for the model.
pub(crate) type Unasked = Result<(Message, Vec<AgentId>), String>;

/// Writes a post in the community of that name.
pub(crate) fn post_unasked(
    write: &mut Write<'_>,
    shared: &Shared,
    own: Own<'_>,
    community: &str,
) -> Result<Unasked, Fault> {
    if let Some(message) = messages::find(write, own.id)? {
        return Ok(Ok((message, Vec::new())));
    }
    let community = match of_name(write, own.run.agent, community)? {
        Ok(community) => community,
        Err(refusal) => return Ok(Err(refusal)),
    };
    if let Some(refusal) = refusal(write, &own)? {
        return Ok(Err(refusal));
    }
    let id = GroupId(own.id.0);
    let group = write::open_thread(write, id, write::name_of(&own.text), own.now)?;
    let new =
        posts::New { group: id, community: community.id, message: Some(own.id), at_ms: own.now };
    posts::add(write, &new)?;
    let depth = own.run.depth;
    put(write, shared, own, &group, None, depth).map(Ok)
}

/// Answers the post or comment of that number.
pub(crate) fn comment_unasked(
    write: &mut Write<'_>,
    shared: &Shared,
    own: Own<'_>,
    to: i64,
) -> Result<Unasked, Fault> {
    if let Some(message) = messages::find(write, own.id)? {
        return Ok(Ok((message, Vec::new())));
    }
    let none = || format!("there is no post or comment #{to} that you can read");
    let Some(item) = messages::by_seq(write, to)? else { return Ok(Err(none())) };
    let Some(post) = posts::find(write, item.group)? else { return Ok(Err(none())) };
    let community = table::get(write, post.community)?;
    if !reads(&community, own.run.agent) || write::is_out_of_sight(write, item.group, item.id)? {
        return Ok(Err(none()));
    }
    if let Some(refusal) = refusal(write, &own)? {
        return Ok(Err(refusal));
    }
    let group = post::open_group(write, item.group)?;
    let depth = own.run.depth.max(item.chain_depth + 1);
    if depth > group.caps.chain_depth {
        let most = group.caps.chain_depth;
        return Ok(Err(format!("not written: answers are {most} deep there, the most")));
    }
    put(write, shared, own, &group, Some(item.id), depth).map(Ok)
}

/// The one that the agent means, or those that it reads, for it to choose from.
fn of_name(
    read: &Read<'_>,
    agent: AgentId,
    name: &str,
) -> Result<Result<Community, String>, Fault> {
    let mut all = table::all(read)?;
    all.retain(|community| reads(community, agent));
    let is_named = |community: &&Community| letters::same(&community.name, name.trim());
    let (archived, open): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| one.archived);
    if let Some(community) = open.iter().find(is_named) {
        return Ok(Ok(community.clone()));
    }
    if let Some(community) = archived.iter().find(is_named) {
        return communities::open(read, community.id).map(Ok);
    }
    if open.is_empty() {
        return Ok(
            Err("you read no community of the feed, so there is none to post in".to_owned()),
        );
    }
    let names: Vec<&str> = open.iter().map(|community| community.name.as_str()).collect();
    Ok(Err(format!("there is no community {name} that you read; there are: {}", names.join(", "))))
}

fn reads(community: &Community, agent: AgentId) -> bool {
    community.members.is_empty() || community.members.contains(&agent)
}

/// Why the agent writes nothing now.
fn refusal(read: &Read<'_>, own: &Own<'_>) -> Result<Option<String>, Fault> {
    let settings = settings::get(read)?;
    post::check_text(&own.text, settings.limits.message_characters)?;
    let most = settings.feed.per_hour;
    if admissions::since(read, own.run.agent, own.now - HOUR_MS, most)? >= most {
        return Ok(Some(format!("not written: {most} things an hour are the most in the feed")));
    }
    // It may go back to words of another conversation.
    let said = messages::of_agents_since(read, own.run.root)?;
    if turns::said_and_promised(read, own.run.root)? >= Caps::default().messages_per_post {
        return Ok(Some(
            "not written: as much was said as may be before the person speaks again".to_owned(),
        ));
    }
    let is_same = |earlier: &str| {
        earlier.trim() == own.text.trim() || echo::is_near_duplicate(earlier, &own.text)
    };
    if said.iter().any(|said| said.is_shown && is_same(&said.text)) {
        return Ok(Some("not written: that has been said already".to_owned()));
    }
    Ok(None)
}

fn put(
    write: &mut Write<'_>,
    shared: &Shared,
    own: Own<'_>,
    group: &Group,
    parent: Option<MessageId>,
    chain_depth: u32,
) -> Result<(Message, Vec<AgentId>), Fault> {
    let Own { id, run, text, now } = own;
    let who = Participant::Agent(run.agent);
    if members::find(write, group.id, who)?.is_none() {
        group_rules::seat(write, group.id, who, 1, 0)?;
    }
    let new = messages::New {
        id,
        group: group.id,
        parent,
        author: Author::Agent(run.agent),
        body: Body::Text { text, cut_short: false },
        attachments: Vec::new(),
        chain_depth,
        root: run.root,
        run: Some(run.id),
        at_ms: now,
    };
    let message = messages::add(write, new)?;
    admissions::add(write, message.id, run.agent, group.id, now)?;
    let woken = turns::give(write, shared, group, &message)?;
    Ok((message, woken))
}
