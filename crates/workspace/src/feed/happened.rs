//! What a source posts: by the way that every post goes.

use super::{communities, write};
use crate::shared::Shared;
use crate::turns;
use domain::{AgentId, Author, Body, Fault, FeedSource, GroupId, MessageId};
use store::Write;
use store::table::{messages, posts};
use uuid::Uuid;

/// Writes a post by a source; gives whom it wakes at once. It begins a chain of its own,
/// as deep as what it tells of happened.
pub(crate) fn post_of_source(
    write: &mut Write<'_>,
    shared: &Shared,
    source: &FeedSource,
    text: String,
    chain_depth: u32,
) -> Result<Vec<AgentId>, Fault> {
    let at_ms = shared.now_ms();
    let community = communities::open(write, source.plan.community)?.id;
    let message = MessageId(Uuid::now_v7());
    let name = write::name_of(&text);
    let group = write::open_thread(write, GroupId(message.0), name, at_ms)?;
    let new = posts::New { group: group.id, community, message: Some(message), at_ms };
    posts::add(write, &new)?;
    let new = messages::New {
        id: message,
        group: group.id,
        parent: None,
        author: Author::Source(source.id),
        body: Body::Text { text, cut_short: false },
        attachments: Vec::new(),
        chain_depth,
        root: message,
        run: None,
        at_ms,
    };
    let message = messages::add(write, new)?;
    turns::give(write, shared, &group, &message)
}
