//! A program's message, and the wakes it causes, in one transaction.

use super::{open_to, used};
use crate::post::{check_text, open_group};
use crate::shared::Shared;
use crate::{budget, turns};
use domain::{Author, Body, Fault, FaultCode, Message, MessageId, Pass, RequestId};
use std::sync::Arc;
use store::table::{messages, passes, settings};
use store::{Read, Write};

const HOUR_MS: i64 = 60 * 60 * 1000;

/// Stores the message and wakes whoever is to answer. It takes the request's id, so
/// saying twice is saying once.
///
/// What a person's message does besides, it does not: it answers no question, ends no
/// round, and moves nobody's place in the group.
pub(super) async fn say(
    shared: &Arc<Shared>,
    request: RequestId,
    program: String,
    group: String,
    text: String,
) -> Result<Message, Fault> {
    shared.finder.want();
    let text = shared.safe.redactor().redact_known(&text).into_owned();
    let (with, at_ms) = (shared.clone(), shared.now_ms());
    let (message, woken) = shared
        .store
        .write(shared.posts, move |write| {
            let id = MessageId(request.0);
            if let Some(message) = messages::find(write, id)? {
                return Ok((message, Vec::new()));
            }
            let pass = used(write, &program, at_ms)?;
            let group = open_to(write, &pass, &pass.rights.says, &group, "say something in")?;
            let group = open_group(write, group.id)?;
            check_text(&text, settings::get(write)?.limits.message_characters)?;
            check_quota(write, &pass, at_ms)?;
            let message = messages::add(write, new(id, group.id, &pass, text, at_ms))?;
            let mut woken = budget::resume_members_on_a_new_day(write, &with, group.id)?;
            woken.extend(turns::give(write, &with, &group, &message)?);
            Ok::<_, Fault>((message, woken))
        })
        .await?;
    shared.wake(&woken);
    Ok(message)
}

fn new(
    id: MessageId,
    group: domain::GroupId,
    pass: &Pass,
    text: String,
    at_ms: i64,
) -> messages::New {
    messages::New {
        id,
        group,
        parent: None,
        author: Author::Outside(pass.id),
        body: Body::Text { text, cut_short: false },
        attachments: Vec::new(),
        chain_depth: 0,
        root: id,
        run: None,
        at_ms,
    }
}

/// Each message of a program begins a chain of its own, so this is what ends two
/// programs that answer each other through agents.
fn check_quota(write: &Write<'_>, pass: &Pass, now: i64) -> Result<(), Fault> {
    let read: &Read<'_> = write;
    let most = pass.rights.says_per_hour;
    if passes::said_since(read, pass.id, now - HOUR_MS)? < most {
        return Ok(());
    }
    let name = &pass.rights.name;
    Err(Fault::new(
        FaultCode::Refused,
        format!("{name} has said {most} messages within an hour, which is the most that it may"),
        "wait; the person can let it say more: coterie mcp grant add --per-hour",
    ))
}
