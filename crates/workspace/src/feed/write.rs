//! What people and agents write in the feed: posts, comments, reactions.

use super::{answer, communities, look};
use crate::shared::Shared;
use crate::{groups as group_rules, post, turns};
use domain::{
    Agent, AgentId, AgentState, Author, Body, Caps, CommunityId, Fault, FaultCode, FaultKind,
    Group, GroupId, GroupKind, Message, MessageId, Notice, Participant, Post, PostView, Reaction,
    Reason, RequestId, Run, TurnPolicy,
};
use std::sync::Arc;
use store::table::{
    agents, groups, members, messages, moderations, posts, reactions, runs, settings,
};
use store::{Durability, Read, StoreError, Write};
use uuid::Uuid;

/// How a thread is called where it needs a name.
const LONGEST_NAME: usize = 60;

/// Writes a post. Its group and its message take the request's id, so that writing
/// it twice is writing it once.
pub(crate) async fn write_post(
    shared: &Arc<Shared>,
    request: RequestId,
    community: CommunityId,
    text: String,
) -> Result<PostView, Fault> {
    let (with, at_ms) = (shared.clone(), shared.now_ms());
    let put = move |write: &mut Write<'_>| {
        let (id, message) = (GroupId(request.0), MessageId(request.0));
        if let Some(post) = posts::find(write, id)? {
            return Ok((look::view(write, post)?, Vec::new()));
        }
        let community = communities::open(write, community)?.id;
        post::check_text(&text, settings::get(write)?.limits.message_characters)?;
        let group = open_thread(write, id, name_of(&text), at_ms)?;
        let new = posts::New { group: id, community, message: Some(message), at_ms };
        let post = posts::add(write, &new)?;
        let message = messages::add(
            write,
            messages::New {
                id: message,
                group: id,
                parent: None,
                author: Author::User,
                body: Body::Text { text, cut_short: false },
                attachments: Vec::new(),
                chain_depth: 0,
                root: message,
                run: None,
                at_ms,
            },
        )?;
        members::move_cursor(write, id, Participant::User, message.seq)?;
        let woken = turns::give(write, &with, &group, &message)?;
        Ok::<_, Fault>((look::view(write, post)?, woken))
    };
    let (view, woken) = shared.store.write(shared.posts, put).await?;
    fail::fail_point!("feed.written");
    shared.wake(&woken);
    Ok(view)
}

/// Asks an agent for a post. The thread begins with the question, which nobody is
/// shown; what the agent writes is the post.
pub(crate) async fn ask_for_post(
    shared: &Arc<Shared>,
    request: RequestId,
    community: CommunityId,
    agent: AgentId,
) -> Result<PostView, Fault> {
    let at_ms = shared.now_ms();
    let put = move |write: &mut Write<'_>| {
        let id = GroupId(request.0);
        if let Some(post) = posts::find(write, id)? {
            return Ok(look::view(write, post)?);
        }
        let agent = able(write, agent)?;
        let asked = Notice::AskedToPost { agent: agent.id };
        let message = MessageId(Uuid::now_v7());
        let question = Question { message, notice: asked, at_ms };
        let (post, _) = put_question(write, id, community, &agent, question)?;
        Ok::<_, Fault>(look::view(write, post)?)
    };
    let view = shared.store.write(Durability::Process, put).await?;
    shared.wake(&[agent]);
    Ok(view)
}

/// The same by a schedule, which may say what it is to be about.
pub(crate) fn ask_for_scheduled_post(
    write: &mut Write<'_>,
    message: MessageId,
    community: CommunityId,
    agent: AgentId,
    notice: Notice,
    at_ms: i64,
) -> Result<Message, Fault> {
    let agent = agents::get(write, agent)?;
    let question = Question { message, notice, at_ms };
    let (_, asked) = put_question(write, GroupId(message.0), community, &agent, question)?;
    Ok(asked)
}

/// What a thread begins with, where an agent is to write the post.
struct Question {
    message: MessageId,
    notice: Notice,
    at_ms: i64,
}

fn put_question(
    write: &mut Write<'_>,
    id: GroupId,
    community: CommunityId,
    agent: &Agent,
    question: Question,
) -> Result<(Post, Message), Fault> {
    let Question { message, notice, at_ms } = question;
    let community = communities::open(write, community)?.id;
    let group = open_thread(write, id, agent.name.clone(), at_ms)?;
    let post = posts::add(write, &posts::New { group: id, community, message: None, at_ms })?;
    group_rules::seat(write, id, Participant::Agent(agent.id), 1, 0)?;
    let asked = post::notice_as(write, message, id, notice, at_ms)?;
    turns::give_to(write, &group, &asked, agent.id, Reason::AskedToPost)?;
    Ok((post, asked))
}

/// Answers a post or a comment, by the way that every message of a person goes.
pub(crate) async fn comment(
    shared: &Arc<Shared>,
    request: RequestId,
    to: MessageId,
    text: String,
) -> Result<Message, Fault> {
    let (group, _) = shared.store.read(|read| {
        must_be_there(read, to)?;
        item(read, to)
    })?;
    let attachments = Vec::new();
    let said = post::Said { group: group.id, text, reply_to: Some(to), attachments };
    post::post(shared, request, said).await
}

pub(crate) async fn react(
    shared: &Arc<Shared>,
    to: MessageId,
    sign: String,
    on: bool,
) -> Result<(), Fault> {
    let sign = answer::checked_sign(&sign)?;
    let at_ms = shared.now_ms();
    let put = move |write: &mut Write<'_>| {
        let (_, post) = item(write, to)?;
        communities::open(write, post.community)?;
        let reaction = Reaction { item: to, who: Participant::User, sign };
        if !on {
            reactions::remove(write, &reaction)?;
            return told(write, to);
        }
        must_be_there(write, to)?;
        add_reaction(write, &reaction, at_ms)
    };
    shared.store.write(Durability::Process, put).await
}

/// What an agent's turn in a thread leaves beside its words.
pub(crate) fn settled(
    write: &mut Write<'_>,
    run: &Run,
    message: &Message,
) -> Result<(), StoreError> {
    let post = posts::get(write, run.group)?;
    if post.message.is_some() {
        return Ok(());
    }
    let mut group = groups::get(write, run.group)?;
    group.name = name_of(message.text().unwrap_or_default());
    groups::put(write, &group)?;
    posts::update(write, &Post { message: Some(message.id), ..post })
}

/// Why nothing is to be written in the thread any more, although a turn has begun;
/// else stores the sign that the agent gives to what it answers.
pub(crate) fn why_not_written(
    write: &mut Write<'_>,
    run: &Run,
    sign: Option<String>,
    at_ms: i64,
) -> Result<Option<Reason>, Fault> {
    let post = posts::get(write, run.group)?;
    if group_rules::is_put_away(write, &groups::get(write, run.group)?)? {
        return Ok(Some(Reason::Archived));
    }
    if post.locked {
        return Ok(Some(Reason::ThreadLocked));
    }
    if post.message.is_some() && is_out_of_sight(write, run.group, run.cause.message)? {
        return Ok(Some(Reason::OutOfSight));
    }
    if let Some(sign) = sign.filter(|_| post.message.is_some()) {
        let who = Participant::Agent(run.agent);
        add_reaction(write, &Reaction { item: run.cause.message, who, sign }, at_ms)?;
    }
    Ok(None)
}

/// Hidden or removed.
pub(super) fn is_out_of_sight(
    read: &Read<'_>,
    group: GroupId,
    item: MessageId,
) -> Result<bool, StoreError> {
    Ok(is_removed(read, item)? || moderations::hidden(read, group)?.contains(&item))
}

/// Its words are gone.
pub(super) fn is_removed(read: &Read<'_>, item: MessageId) -> Result<bool, StoreError> {
    Ok(messages::find(read, item)?.is_none_or(|message| message.text().is_none()))
}

/// Nobody comments in a thread that is locked, or in a community that is put away.
pub(crate) fn must_be_open(read: &Read<'_>, thread: GroupId) -> Result<(), Fault> {
    let post = posts::get(read, thread)?;
    communities::open(read, post.community)?;
    match post.locked {
        true => Err(Fault::new(
            FaultCode::Refused,
            "that post is locked: nobody comments on it any more",
            "unlock it first, with coterie feed unlock",
        )
        .of(FaultKind::ThreadLocked)),
        false => Ok(()),
    }
}

/// What is gone is neither answered nor reacted to.
fn must_be_there(read: &Read<'_>, item: MessageId) -> Result<(), Fault> {
    match is_removed(read, item)? {
        true => Err(Fault::new(
            FaultCode::Refused,
            "its words were removed: nobody answers or reacts to them any more",
            "choose another post or comment",
        )
        .of(FaultKind::FeedItemRemoved)),
        false => Ok(()),
    }
}

fn add_reaction(write: &mut Write<'_>, reaction: &Reaction, at_ms: i64) -> Result<(), Fault> {
    reactions::add(write, reaction, at_ms)?;
    told(write, reaction.item)
}

/// Everybody looks at the post again.
fn told(write: &mut Write<'_>, item: MessageId) -> Result<(), Fault> {
    let (_, post) = self::item(write, item)?;
    Ok(posts::update(write, &post)?)
}

/// The thread that a post or a comment is in.
pub(super) fn item(read: &Read<'_>, item: MessageId) -> Result<(Group, Post), Fault> {
    let message = messages::find(read, item)?.ok_or_else(|| unknown(item))?;
    let post = posts::find(read, message.group)?.ok_or_else(|| unknown(item))?;
    Ok((groups::get(read, message.group)?, post))
}

pub(super) fn unknown(item: MessageId) -> Fault {
    Fault::not_found(
        format!("there is no post or comment {item}"),
        "coterie feed list shows the posts, coterie feed show POST the comments",
    )
}

fn able(read: &Read<'_>, agent: AgentId) -> Result<Agent, Fault> {
    let agent = agents::get(read, agent)?;
    match agent.state {
        AgentState::Terminated => Err(group_rules::gone(&agent.name)),
        AgentState::Paused | AgentState::Error => Err(Fault::new(
            FaultCode::Refused,
            format!("{} does not work at the moment", agent.name),
            format!("coterie agent resume {} brings it back", agent.name),
        )),
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => Ok(agent),
    }
}

pub(super) fn open_thread(
    write: &mut Write<'_>,
    id: GroupId,
    name: String,
    created_ms: i64,
) -> Result<Group, StoreError> {
    let group = new_thread(write, id, name, created_ms)?;
    groups::put(write, &group)?;
    group_rules::seat(write, id, Participant::User, 0, 0)?;
    Ok(group)
}

/// The thread of a new post; nothing is stored of it.
pub(super) fn new_thread(
    read: &Read<'_>,
    id: GroupId,
    name: String,
    created_ms: i64,
) -> Result<Group, StoreError> {
    let usual = Caps::default();
    let per_hour = settings::get(read)?.feed.per_hour;
    // Whoever lets agents read more lets them answer it.
    let caps = Caps { runs_per_hour: usual.runs_per_hour.max(per_hour), ..usual };
    Ok(Group {
        id,
        name,
        kind: GroupKind::Post,
        // Who answers is decided by the feed.
        policy: TurnPolicy::Manual,
        default_agent: None,
        supervisor: None,
        caps,
        archived: false,
        created_ms,
        problem: None,
    })
}

/// Puts other words where those of a post or a comment stood, and calls the thread after
/// them where it was called after those.
pub(crate) fn put_other_words(
    write: &mut Write<'_>,
    message: &Message,
    text: String,
) -> Result<(), StoreError> {
    let was = message.text().map(name_of);
    let name = name_of(&text);
    messages::replace_body(write, message, Body::Text { text, cut_short: false })?;
    let Some(post) = posts::find(write, message.group)? else { return Ok(()) };
    let mut group = groups::get(write, message.group)?;
    if post.message == Some(message.id) && was.as_ref() == Some(&group.name) {
        runs::rename_group(write, group.id, &name)?;
        group.name = name;
        groups::put(write, &group)?;
    }
    posts::update(write, &post)
}

/// The first line that says something.
pub(crate) fn name_of(text: &str) -> String {
    let line = text.lines().map(|line| line.trim_matches(|c: char| "#*_ \t".contains(c)));
    let line = line.filter(|line| !line.is_empty()).map(str::to_owned).next().unwrap_or_default();
    match line.chars().count() > LONGEST_NAME {
        true => line.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
        false => line,
    }
}
