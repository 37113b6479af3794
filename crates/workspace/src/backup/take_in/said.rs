//! Writes down what was said elsewhere: with its author, its time and its place in the
//! order, and no run. Who looks for what it came of finds that where it was said.

mod order;
mod shown;

use super::chosen::Chosen;
use crate::attachments;
use crate::shared::Shared;
use domain::{Body, Fault, GroupId, Member, Message, MessageId, Notice, Post};
use std::collections::{HashMap, HashSet};
use store::table::{look_backs, members, messages, posts, reactions};
use store::{Read, StoreError, Write};

const READ_AT_ONCE: u32 = 500;

pub(super) fn enter(
    write: &mut Write<'_>,
    from: &Read<'_>,
    shared: &Shared,
    chosen: &Chosen,
) -> Result<(), Fault> {
    let forgotten = forgotten(write, from)?;
    let mut places: HashMap<GroupId, Places> =
        chosen.groups.iter().map(|group| (group.id, Places::default())).collect();
    for group in &chosen.go_on {
        places.insert(*group, Places::of_known(write, from, *group)?);
    }
    let mut after = 0;
    // All together, so that what was said in several groups keeps its order.
    loop {
        let page = messages::since(from, after, READ_AT_ONCE)?;
        let Some(last) = page.last() else { break };
        after = last.seq;
        for message in page {
            let Some(places) = places.get_mut(&message.group) else { continue };
            if messages::find(write, message.id)?.is_none() {
                let there = message.seq;
                let message = match forgotten.contains(&message.id) {
                    true => without_words(message),
                    false => message,
                };
                let here = messages::add(write, as_new(shared, message))?.seq;
                places.all.push((there, here));
            }
        }
    }
    for group in &chosen.groups {
        let places = places.remove(&group.id).unwrap_or_default();
        enter_members(write, from, group.id, &places)?;
        if let Some(post) = chosen.posts.get(&group.id) {
            let Post { group, community, message, at_ms, .. } = *post;
            posts::add(write, &posts::New { group, community, message, at_ms })?;
        }
        enter_rest(write, from, group.id, &places)?;
    }
    for group in &chosen.go_on {
        let places = places.remove(group).unwrap_or_default();
        for member in members::of_group(write, *group)? {
            members::move_cursor(write, *group, member.who, places.last())?;
        }
        enter_rest(write, from, *group, &places)?;
    }
    Ok(())
}

/// Fails where a message cannot be read.
pub(super) fn read_through(from: &Read<'_>) -> Result<(), StoreError> {
    let mut after = 0;
    while let Some(last) = messages::since(from, after, READ_AT_ONCE)?.last() {
        after = last.seq;
    }
    Ok(())
}

fn as_new(shared: &Shared, message: Message) -> messages::New {
    messages::New {
        id: message.id,
        group: message.group,
        parent: message.parent,
        author: message.author,
        body: as_here(message.body),
        attachments: attachments::as_they_lie(shared, message.attachments),
        chain_depth: message.chain_depth,
        root: message.root,
        run: None,
        at_ms: message.at_ms,
    }
}

/// What was forgotten here comes back in no copy that was made of it there.
fn forgotten(here: &Read<'_>, from: &Read<'_>) -> Result<HashSet<MessageId>, StoreError> {
    let mut copies = HashSet::new();
    for gone in messages::removed(here)? {
        let there = messages::find(from, gone.id)?.filter(|there| there.text().is_some());
        if let Some(there) = there {
            copies.extend(messages::copies(from, &there)?.into_iter().map(|copy| copy.id));
        }
    }
    Ok(copies)
}

fn without_words(message: Message) -> Message {
    let body = Body::Notice { notice: Notice::Removed };
    Message { body, attachments: Vec::new(), ..message }
}

/// Which version of a soul it was is known only where it was.
fn as_here(body: Body) -> Body {
    match body {
        Body::Notice { notice: Notice::SoulChanged { agent, .. } } => {
            Body::Notice { notice: Notice::SoulChanged { agent, version: 0 } }
        }
        body @ (Body::Text { .. } | Body::Notice { .. }) => body,
    }
}

/// Where each message of a group stood, and where it stands, in their order.
#[derive(Default)]
struct Places {
    all: Vec<(i64, i64)>,
    /// How many were here before.
    known: usize,
}

impl Places {
    /// Of a group whose messages here are the first of those there.
    fn of_known(here: &Read<'_>, from: &Read<'_>, group: GroupId) -> Result<Places, StoreError> {
        let (here, there) = (messages::in_order(here, group)?, messages::in_order(from, group)?);
        let by_id: HashMap<_, _> = here.into_iter().map(|(seq, id)| (id, seq)).collect();
        let known = there.into_iter().filter_map(|(seq, id)| Some((seq, *by_id.get(&id)?)));
        let all: Vec<_> = known.collect();
        Ok(Places { known: all.len(), all })
    }

    /// What stood at or before this place there; 0 where nothing did.
    fn upto(&self, there: i64) -> i64 {
        let before = self.all.partition_point(|(seq, _)| *seq <= there);
        before.checked_sub(1).map_or(0, |at| self.all[at].1)
    }

    fn last(&self) -> i64 {
        self.upto(i64::MAX)
    }

    /// Those that came, in their order.
    fn unknown(&self) -> &[(i64, i64)] {
        &self.all[self.known..]
    }

    fn came(&self, there: i64) -> Option<i64> {
        let new = self.unknown();
        let at = new.binary_search_by_key(&there, |(seq, _)| *seq).ok()?;
        Some(new[at].1)
    }
}

/// All of it counts as read.
fn enter_members(
    write: &mut Write<'_>,
    from: &Read<'_>,
    group: GroupId,
    places: &Places,
) -> Result<(), StoreError> {
    for (member, left_ms) in members::ever_of_group(from, group)? {
        let joined_after = places.upto(member.joined_after);
        let member = Member { cursor: places.last(), joined_after, ..member };
        members::put(write, &member)?;
        if let Some(left_ms) = left_ms {
            members::leave(write, group, member.who, left_ms)?;
        }
    }
    Ok(())
}

/// What belongs to what came. All of it counts as learned of.
fn enter_rest(
    write: &mut Write<'_>,
    from: &Read<'_>,
    group: GroupId,
    places: &Places,
) -> Result<(), Fault> {
    let Some((_, first)) = places.unknown().first() else { return Ok(()) };
    shown::enter(write, from, group, places, *first)?;
    let came: HashSet<i64> = places.unknown().iter().map(|(_, here)| *here).collect();
    for (nth, reaction) in (0..).zip(reactions::of_group(from, group)?) {
        let item = messages::find(write, reaction.item)?;
        if item.is_some_and(|item| came.contains(&item.seq) && item.text().is_some()) {
            // They are shown in the order in which they came.
            reactions::add(write, &reaction, nth)?;
        }
    }
    if let Some(post) = posts::find(write, group)? {
        order::enter(write, from, post, &came)?;
    }
    Ok(look_backs::put(write, group, places.last())?)
}
