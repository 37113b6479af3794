//! `post` and `comment`: writes in the feed.

use super::{Act, Ground, own_words};
use crate::feed::{self, Own, Unasked};
use crate::shared::Shared;
use domain::{Effects, Fault, MessageId, Run};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::table::{agents, runs};
use store::{Durability, Write};
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// Writes a post in a community of the feed, where the person and other agents read it
/// and may answer.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Post {
    /// The name of the community.
    community: String,
    /// A first line that says what it is about, then what you have to say.
    text: String,
}

/// Answers a post or a comment of the feed.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Comment {
    /// Its number.
    to: i64,
    /// What you have to say to it.
    text: String,
}

pub(crate) fn post(ground: Ground) -> impl Tool {
    // With the same key it is the same post.
    Act::new("post", Effects::Repeatable, ground, |shared, Post { community, text }, with| {
        written(shared, text, with, move |write, shared, own| {
            feed::post_unasked(write, shared, own, &community)
        })
        .boxed()
    })
}

pub(crate) fn comment(ground: Ground) -> impl Tool {
    Act::new("comment", Effects::Repeatable, ground, |shared, Comment { to, text }, with| {
        written(shared, text, with, move |write, shared, own| {
            feed::comment_unasked(write, shared, own, to)
        })
        .boxed()
    })
}

async fn written(
    shared: Arc<Shared>,
    text: String,
    with: CallContext,
    write_it: impl FnOnce(&mut Write<'_>, &Shared, Own<'_>) -> Result<Unasked, Fault> + Send + 'static,
) -> Result<Returned, Fault> {
    let (now, beside) = (shared.now_ms(), shared.clone());
    let put = move |write: &mut Write<'_>| {
        let run: Run = runs::get(write, with.run)?;
        let from = agents::get(write, with.agent)?;
        if let Some(refusal) = own_words::refusal(write, &from, run.group, &text)? {
            return Ok(Err(refusal));
        }
        let id = MessageId(Uuid::new_v5(&with.key.0, b"feed"));
        write_it(write, &beside, Own { id, run: &run, text, now })
    };
    Ok(match shared.store.write(Durability::Process, put).await? {
        Ok((message, woken)) => {
            shared.wake(&woken);
            Returned::ok(format!("written, as #{}", message.seq))
        }
        Err(refusal) => Returned::failed(refusal),
    })
}
