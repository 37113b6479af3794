//! Posting: a person's message, and the wakes it causes, in one transaction.

use crate::shared::Shared;
use crate::{attachments, feed, questions, restarts, seen, turns};
use domain::{
    AgentId, AgentState, Attachment, Author, Body, Fault, FaultCode, FaultKind, Group, GroupId,
    GroupKind, Message, MessageId, Notice, Participant, RequestId,
};
use std::sync::Arc;
use store::table::{agents, drafts, groups, members, messages, settings};
use store::{Read, StoreError, Write};
use uuid::Uuid;

/// What a person says to a group.
pub(crate) struct Said {
    pub group: GroupId,
    pub text: String,
    pub reply_to: Option<MessageId>,
    pub attachments: Vec<Attachment>,
}

/// Stores a person's message and wakes whoever is to answer. The message takes
/// the request's id, so posting twice is posting once.
pub(crate) async fn post(
    shared: &Arc<Shared>,
    request: RequestId,
    said: Said,
) -> Result<Message, Fault> {
    let (said, with) = (checked(shared, said).await?, shared.clone());
    let posted = move |write: &mut Write<'_>| say(write, &with, request, said);
    let (message, woken) = shared.store.write(shared.posts, posted).await?;
    fail::fail_point!("post.committed");
    shared.wake(&woken);
    Ok(message)
}

/// With what it shows as it was kept.
pub(crate) async fn checked(shared: &Arc<Shared>, said: Said) -> Result<Said, Fault> {
    let attachments = attachments::confirmed(shared, said.attachments).await?;
    Ok(Said { attachments, ..said })
}

/// The same within a transaction. Also gives who is to be woken.
pub(crate) fn say(
    write: &mut Write<'_>,
    shared: &Shared,
    request: RequestId,
    said: Said,
) -> Result<(Message, Vec<AgentId>), Fault> {
    let (id, at_ms) = (MessageId(request.0), shared.now_ms());
    if let Some(message) = messages::find(write, id)? {
        return Ok((message, Vec::new()));
    }
    let group = can_be_said(write, &said)?;
    let Said { text, reply_to, attachments, .. } = said;
    turns::supersede(write, &group)?;
    let message = messages::add(
        write,
        messages::New {
            id,
            group: group.id,
            parent: reply_to,
            author: Author::User,
            body: Body::Text { text, cut_short: false },
            attachments,
            chain_depth: 0,
            root: id,
            run: None,
            at_ms,
        },
    )?;
    drafts::said(write, &message)?;
    members::move_cursor(write, group.id, Participant::User, message.seq)?;
    let mut woken = restarts::when_asked(write, shared, &group, at_ms)?;
    let given = turns::give(write, shared, &group, &message)?;
    woken.extend(questions::answer_with(write, &message, &given, at_ms)?);
    woken.extend(given);
    Ok((message, woken))
}

/// Something that happened in a group. It wakes nobody.
pub(crate) fn notice(
    write: &mut Write<'_>,
    group: GroupId,
    notice: Notice,
    at_ms: i64,
) -> Result<Message, StoreError> {
    notice_as(write, MessageId(Uuid::now_v7()), group, notice, at_ms)
}

/// The same, under an id of its own.
pub(crate) fn notice_as(
    write: &mut Write<'_>,
    id: MessageId,
    group: GroupId,
    notice: Notice,
    at_ms: i64,
) -> Result<Message, StoreError> {
    messages::add(
        write,
        messages::New {
            id,
            group,
            parent: None,
            author: Author::System,
            body: Body::Notice { notice },
            attachments: Vec::new(),
            chain_depth: 0,
            root: id,
            run: None,
            at_ms,
        },
    )
}

/// The agent that a direct chat was with, if it has been ended: bringing the chat back
/// would bring nobody back.
pub(crate) fn ended_in(read: &Read<'_>, group: &Group) -> Result<Option<String>, StoreError> {
    if group.kind != GroupKind::Direct {
        return Ok(None);
    }
    for member in members::of_group(read, group.id)? {
        if let Participant::Agent(agent) = member.who {
            let agent = agents::get(read, agent)?;
            return Ok((agent.state == AgentState::Terminated).then_some(agent.name));
        }
    }
    Ok(None)
}

/// The group, unless it is archived.
/// Where this can be said.
pub(crate) fn can_be_said(read: &Read<'_>, said: &Said) -> Result<Group, Fault> {
    let group = open_group(read, said.group)?;
    // A picture may say it all.
    if said.attachments.is_empty() || !seen::is_blank(&said.text) {
        check_text(&said.text, settings::get(read)?.limits.message_characters)?;
    }
    check_parent(read, &group, said.reply_to)?;
    Ok(group)
}

pub(crate) fn open_group(read: &Read<'_>, id: GroupId) -> Result<Group, Fault> {
    let group = groups::get(read, id)?;
    if group.archived {
        if let Some(ended) = ended_in(read, &group)? {
            return Err(crate::groups::gone(&ended));
        }
        return Err(Fault::new(
            FaultCode::Refused,
            format!("the group {} is archived", group.name),
            "bring it back first",
        )
        .of(FaultKind::GroupArchived { group: group.name }));
    }
    if group.kind == GroupKind::Post {
        feed::must_be_open(read, group.id)?;
    }
    Ok(group)
}

pub(crate) fn check_text(text: &str, most: u32) -> Result<(), Fault> {
    if seen::is_blank(text) {
        return Err(
            Fault::bad_input("the message is empty", "write something").of(FaultKind::MessageEmpty)
        );
    }
    let length = text.chars().count();
    if length > most as usize {
        return Err(Fault::bad_input(
            format!("the message has {length} characters; {most} is the most"),
            "shorten it, or send it in parts",
        )
        .of(FaultKind::MessageLong { length: u32::try_from(length).unwrap_or(u32::MAX), most }));
    }
    Ok(())
}

fn check_parent(read: &Read<'_>, group: &Group, parent: Option<MessageId>) -> Result<(), Fault> {
    let Some(parent) = parent else { return Ok(()) };
    match messages::find(read, parent)? {
        Some(message) if message.group == group.id => Ok(()),
        Some(_) | None => Err(Fault::not_found(
            format!("the message {parent} is not in the group {}", group.name),
            "answer a message of this group",
        )),
    }
}
