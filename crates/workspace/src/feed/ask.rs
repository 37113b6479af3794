//! Tells an agent what it is to write in the feed.
//!
//! It stands behind the thread, so that the prefix of the prompt stays the same
//! from turn to turn.

use crate::served::Served;
use crate::shared::Shared;
use crate::stand::name_of;
use agent::Brief;
use domain::{Agent, Community, Fault, Group, Message, MessageId};
use llm::{Role, Turn};
use serde::Serialize;
use store::Read;
use store::table::{communities, messages, moderations, posts};

/// What a template may speak of.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub(crate) struct Task {
    /// The agent's name.
    pub name: String,
    pub community: String,
    pub rules: String,
    /// Who wrote what is answered, and its words.
    pub author: String,
    pub item: String,
    /// The same as a quotation.
    pub quoted: String,
    /// The words of the post that it is about.
    pub post: String,
}

/// Which template says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    CreatePost,
    ReplyToPost,
    ReplyToComment,
}

impl Kind {
    pub(crate) const fn template(self) -> &'static str {
        match self {
            Kind::CreatePost => "create-post",
            Kind::ReplyToPost => "reply-to-post",
            Kind::ReplyToComment => "reply-to-comment",
        }
    }
}

/// Makes of a brief the task to answer this message, or to write a post where that
/// only asks for one.
pub(crate) fn ask(
    read: &Read<'_>,
    shared: &Shared,
    brief: &mut Brief,
    agent: &Agent,
    group: &Group,
    message: MessageId,
) -> Result<(), Fault> {
    let post = posts::get(read, group.id)?;
    let Community { name: community, rules, .. } = communities::get(read, post.community)?;
    let item = messages::find(read, message)?;
    let text_of = |message: &Option<Message>| {
        message.as_ref().and_then(Message::text).unwrap_or_default().to_owned()
    };
    let first = post.message.map(|id| messages::find(read, id)).transpose()?.flatten();
    let hidden = moderations::hidden(read, group.id)?;
    let first = first.filter(|first| !hidden.contains(&first.id));
    let task = Task {
        name: agent.name.clone(),
        community,
        rules,
        author: item
            .as_ref()
            .map(|item| name_of(read, item.author))
            .transpose()?
            .unwrap_or_default(),
        quoted: quoted(&text_of(&item)),
        item: text_of(&item),
        post: text_of(&first),
    };
    let kind = match post.message {
        None => Kind::CreatePost,
        Some(first) if first == message => Kind::ReplyToPost,
        Some(_) => Kind::ReplyToComment,
    };
    let turns = &mut brief.request.turns;
    if Served::find(read, &brief.model).is_ok_and(|served| served.is_demo()) {
        // It follows no orders, and answers what it is told last.
        turns.truncate(1);
        turns.push(Turn::new(Role::User, plainly(kind, &task)));
        return Ok(());
    }
    let words = shared.prompts.feed_task(kind, &task)?;
    put_task(turns, &words);
    Ok(())
}

/// Each line is marked, so that none of it is what the agent is told to do.
fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST_QUOTE).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    // Whatever ends a line somewhere.
    let ends = ['\n', '\r', '\u{B}', '\u{C}', '\u{85}', '\u{2028}', '\u{2029}'];
    let lines = shown.split(ends).map(|line| format!("> {line}"));
    lines.collect::<Vec<_>>().join("\n")
}

/// All of it stands in the thread.
const LONGEST_QUOTE: usize = 600;

/// Behind everything that was said.
pub(crate) fn put_task(turns: &mut Vec<Turn>, words: &str) {
    match turns.last_mut() {
        // Providers want the roles to take turns.
        Some(last) if last.role == Role::User => {
            last.content = format!("{}\n\n{}", last.content, words.trim());
        }
        Some(_) | None => turns.push(Turn::new(Role::User, words.trim())),
    }
}

fn plainly(kind: Kind, task: &Task) -> String {
    match kind {
        Kind::CreatePost if task.item.is_empty() => {
            format!("What would you like to say about {}?", task.community)
        }
        Kind::CreatePost => task.item.clone(),
        Kind::ReplyToPost | Kind::ReplyToComment => task.item.clone(),
    }
}
