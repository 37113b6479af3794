//! The feed as it is read.

use super::by_itself::comes_by_itself;
use super::{no_room, write};
use crate::shared::Shared;
use crate::{acts, groups};
use domain::{
    AgentId, AgentState, Author, Community, Fault, FeedEventState, FeedFilter, FeedItem, FeedQueue,
    FeedQuota, GroupId, HeldAnswers, LeftOf, Message, MessageId, Participant, Post, PostView, Run,
    RunState, Thread,
};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use store::table::{
    admissions, agents, communities, feed_events, groups as group_table, members, messages,
    moderations, posts, reactions, runs, settings, wakes,
};
use store::{Read, StoreError};

/// More comments a thread does not show at once.
const MOST_COMMENTS: u32 = 2_000;
const HOUR_MS: i64 = 60 * 60 * 1000;

/// The newest `limit` that fit, the newest first; fewer only where there are no more. A post
/// that was asked for and never written is none.
pub(crate) fn page(
    shared: &Shared,
    filter: &FeedFilter,
    mut before: Option<i64>,
    limit: u32,
) -> Result<Vec<PostView>, Fault> {
    let wanted = limit as usize;
    // What is hidden, and what was never written, only a look at the post tells.
    let fits = |view: &PostView| {
        (view.item.is_some() || view.answers_to_come > 0) && (!filter.unread || view.unread > 0)
    };
    shared.store.read(|read| {
        let mut found = Vec::new();
        while found.len() < wanted {
            let page = posts::page(read, filter, before, limit)?;
            let is_last = page.len() < wanted;
            before = page.last().map(|post| post.seq);
            for post in page {
                let view = view(read, post)?;
                if found.len() < wanted && fits(&view) {
                    found.push(view);
                }
            }
            if is_last {
                break;
            }
        }
        Ok(found)
    })
}

pub(crate) fn thread(shared: &Shared, post: GroupId) -> Result<Thread, Fault> {
    shared.store.read(|read| {
        let post = posts::get(read, post)?;
        let moderated = moderations::of_group(read, post.group)?;
        let hidden = moderations::hidden(read, post.group)?;
        let mut comments = Vec::new();
        for message in messages::page(read, post.group, 0, None, MOST_COMMENTS)? {
            if message.author != Author::System && Some(message.id) != post.message {
                comments.push(item(read, message, &hidden)?);
            }
        }
        let answers = answers_in(read, &post)?;
        Ok(Thread { view: view(read, post)?, comments, answers, moderated })
    })
}

/// Whether the agent reads the thread, as a member of its community; one whose post is
/// out of sight nobody reads, nor what is put away.
pub(crate) fn is_read_by(
    read: &Read<'_>,
    agent: AgentId,
    post: GroupId,
) -> Result<bool, StoreError> {
    let post = posts::get(read, post)?;
    let Some(first) = post.message else { return Ok(false) };
    let Community { members, archived, .. } = communities::get(read, post.community)?;
    let may = !archived && (members.is_empty() || members.contains(&agent));
    Ok(may && !write::is_out_of_sight(read, post.group, first)?)
}

/// A post or a comment by its number.
pub(crate) fn by_number(shared: &Shared, seq: i64) -> Result<Message, Fault> {
    shared.store.read(|read| {
        let found = messages::by_seq(read, seq)?;
        let is_of_feed = |message: &Message| posts::find(read, message.group);
        match found {
            Some(message) if is_of_feed(&message)?.is_some() => Ok(message),
            Some(_) | None => Err(Fault::not_found(
                format!("#{seq} is no post or comment of the feed"),
                "coterie feed list and coterie feed show POST show their numbers",
            )),
        }
    })
}

pub(super) fn view(read: &Read<'_>, post: Post) -> Result<PostView, StoreError> {
    let hidden = moderations::hidden(read, post.group)?;
    let said = messages::page(read, post.group, 0, None, MOST_COMMENTS)?;
    let user = members::find(read, post.group, Participant::User)?;
    let seen = user.map_or(0, |user| user.cursor);
    let (mut comments, mut unread) = (0, 0);
    for message in said.iter().filter(|message| message.author != Author::System) {
        comments += u32::from(Some(message.id) != post.message);
        let is_news = message.seq > seen && message.author != Author::User;
        unread += u32::from(is_news && !hidden.contains(&message.id));
    }
    let owed = groups::owed(read, wakes::open_of_group(read, post.group)?)?;
    let last_ms = said.last().map_or(post.at_ms, |last| last.at_ms);
    let first = said.into_iter().find(|message| Some(message.id) == post.message);
    let item = first.map(|first| item(read, first, &hidden)).transpose()?;
    let answers_to_come = owed.coming;
    let answers_held = owed.interrupted + owed.held.values().sum::<u32>();
    Ok(PostView { post, item, comments, unread, answers_to_come, answers_held, last_ms })
}

fn item(
    read: &Read<'_>,
    message: Message,
    hidden: &HashSet<MessageId>,
) -> Result<FeedItem, StoreError> {
    let (hidden, reactions) = (hidden.contains(&message.id), reactions::of_item(read, message.id)?);
    let mut given = admissions::of_item(read, message.id)?;
    given.retain(|agent| message.author != Author::Agent(*agent));
    let answers = left_of(settings::get(read)?.feed.answers_per_item, given.len());
    let event = feed_events::state_of(read, message.id)?;
    Ok(FeedItem { message, hidden, reactions, answers, event })
}

/// What agents may still write in a thread before a person speaks.
fn answers_in(read: &Read<'_>, post: &Post) -> Result<LeftOf, StoreError> {
    let most = group_table::get(read, post.group)?.caps.messages_per_post;
    let said = messages::page(read, post.group, 0, None, MOST_COMMENTS)?;
    let last = said.iter().rfind(|message| message.author == Author::User);
    let Some(root) = last.or(said.first()).map(|message| message.root) else {
        return Ok(left_of(most, 0));
    };
    // What a thread goes back to may stand in another conversation.
    let of_agents = |message: &&Message| matches!(message.author, Author::Agent(_));
    let used = said.iter().filter(|message| message.root == root).filter(of_agents).count();
    Ok(left_of(most, used))
}

fn left_of(of: u32, used: usize) -> LeftOf {
    LeftOf { left: of.saturating_sub(u32::try_from(used).unwrap_or(u32::MAX)), of }
}

/// Of those whom a tick could give something.
fn quotas(read: &Read<'_>, now: i64) -> Result<Vec<FeedQuota>, StoreError> {
    let of = settings::get(read)?.feed.per_hour;
    let mut quotas = Vec::new();
    let mut living = agents::living(read)?;
    acts::without_those_at_a_task(read, &mut living)?;
    for agent in living {
        if agent.state == AgentState::Terminated {
            continue;
        }
        let given = admissions::since(read, agent.id, now - HOUR_MS, of)?;
        let answers = LeftOf { left: of.saturating_sub(given), of };
        quotas.push(FeedQuota { agent: agent.id, answers });
    }
    Ok(quotas)
}

/// Those in the feed that do not go on by themselves: they keep what they were to answer.
fn interrupted(read: &Read<'_>) -> Result<Vec<Run>, StoreError> {
    let mut interrupted = runs::open(read)?;
    interrupted.retain(|run| run.state == RunState::Interrupted);
    let mut of_feed = Vec::new();
    for run in interrupted {
        let keeps = !wakes::claimed_by(read, run.id)?.is_empty();
        if keeps && posts::find(read, run.group)?.is_some() {
            of_feed.push(run);
        }
    }
    Ok(of_feed)
}

/// How the queue stands, and what is still to be answered.
pub(crate) fn queue(shared: &Shared) -> Result<FeedQueue, Fault> {
    shared.store.read(|read| {
        let next = shared.feed.next_tick_ms.load(Ordering::Relaxed);
        let owed = groups::owed(read, wakes::open_in_posts(read)?)?;
        let held = owed.held.into_iter().map(|(agent, answers)| HeldAnswers { agent, answers });
        let (is_on, comes) = (settings::get(read)?.feed.on, comes_by_itself(read)?);
        Ok(FeedQueue {
            waiting: feed_events::count(read, FeedEventState::Waiting)?,
            taken: feed_events::count(read, FeedEventState::Taken)?,
            done: feed_events::count(read, FeedEventState::Done)?,
            failed: feed_events::failed(read)?,
            interrupted: interrupted(read)?,
            quotas: quotas(read, shared.now_ms())?,
            answers_to_come: owed.coming,
            held: held.collect(),
            no_room: no_room::is_full(read, shared)?,
            problems: shared.prompts.problems(),
            without_cap: is_on && !comes,
            next_tick_ms: (comes && next > 0).then_some(next),
        })
    })
}
