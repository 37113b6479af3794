//! The feed as it is read.

use crate::groups;
use crate::shared::Shared;
use domain::{
    Author, CommunityId, Fault, FeedEventState, FeedItem, FeedQueue, GroupId, Message, MessageId,
    Participant, Post, PostView, Thread,
};
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use store::table::{
    feed_events, groups as group_table, members, messages, moderations, posts, reactions, settings,
    wakes,
};
use store::{Read, StoreError};

/// More comments a thread does not show at once.
const MOST_COMMENTS: u32 = 2_000;

/// The newest first; a post that was asked for and never written is none.
pub(crate) fn page(
    shared: &Shared,
    community: Option<CommunityId>,
    before: Option<i64>,
    limit: u32,
) -> Result<Vec<PostView>, Fault> {
    shared.store.read(|read| {
        let page = posts::page(read, community, before, limit)?.into_iter();
        let views = page.map(|post| view(read, post)).collect::<Result<Vec<_>, _>>()?;
        let is_there = |view: &PostView| view.item.is_some() || view.answers_to_come > 0;
        Ok(views.into_iter().filter(is_there).collect())
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
        Ok(Thread { view: view(read, post)?, comments, moderated })
    })
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
    let comments = said
        .iter()
        .filter(|message| message.author != Author::System && Some(message.id) != post.message);
    let (mut count, mut unread) = (0, 0);
    for comment in comments {
        count += 1;
        let is_news = comment.seq > seen && comment.author != Author::User;
        unread += u32::from(is_news && !hidden.contains(&comment.id));
    }
    let answers_to_come = groups::view(read, group_table::get(read, post.group)?)?.answers_to_come;
    let last_ms = said.last().map_or(post.at_ms, |last| last.at_ms);
    let first = said.into_iter().find(|message| Some(message.id) == post.message);
    let item = first.map(|first| item(read, first, &hidden)).transpose()?;
    Ok(PostView { post, item, comments: count, unread, answers_to_come, last_ms })
}

fn item(
    read: &Read<'_>,
    message: Message,
    hidden: &HashSet<MessageId>,
) -> Result<FeedItem, StoreError> {
    let (hidden, reactions) = (hidden.contains(&message.id), reactions::of_item(read, message.id)?);
    Ok(FeedItem { message, hidden, reactions })
}

/// How the queue stands, and what is still to be answered.
pub(crate) fn queue(shared: &Shared) -> Result<FeedQueue, Fault> {
    shared.store.read(|read| {
        let next = shared.feed.next_tick_ms.load(Ordering::Relaxed);
        let is_on = settings::get(read)?.feed.on;
        Ok(FeedQueue {
            waiting: feed_events::count(read, FeedEventState::Waiting)?,
            taken: feed_events::count(read, FeedEventState::Taken)?,
            done: feed_events::count(read, FeedEventState::Done)?,
            dead: feed_events::dead(read)?,
            answers_to_come: groups::on_their_way(read, wakes::open_in_posts(read)?)?,
            problems: shared.prompts.problems(),
            next_tick_ms: (is_on && next > 0).then_some(next),
        })
    })
}
