//! `coterie why`: who spoke, who stayed silent, and why.

use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::padded;
use crate::{transcript, words};
use clap::Args;
use domain::{
    Agent, AgentState, Author, Community, Decision, Fault, FeedEventState, GroupId, Message,
    MessageId, Query,
};
use unicode_width::UnicodeWidthStr;

#[derive(Args)]
pub(crate) struct Why {
    /// A group by name or id, or an agent's direct one by the agent's name
    group: String,
    /// A message by its number or id [default: your last one and all that followed]
    message: Option<String>,
}

pub(crate) async fn run(session: &Session, why: Why) -> Result<(), Failure> {
    let names = session.names().await?;
    let group = names.group(&why.group)?.group.id;
    let about = match &why.message {
        Some(wanted) => Some(message(session, group, wanted).await?.id),
        None => None,
    };
    let query = Query::Decisions { group, message: about, limit: 500 };
    let mut decisions = answered!(session.ask(query).await?, Decisions)?;
    let mut messages = Vec::new();
    if about.is_none() {
        let last = last_post(session, group).await?;
        let decided_last = decisions.last().map(|decision| decision.root);
        let root = last.as_ref().map(|message| message.id).or(decided_last);
        decisions.retain(|decision| Some(decision.root) == root);
        // Where nobody was there to decide, that is what there is to say.
        messages.extend(last.filter(|_| decisions.is_empty()));
    }
    messages.extend(decided_upon(session, &decisions).await?);
    session.screen.many(&decisions, |paint| explain(paint, &names, &messages, &decisions));
    Ok(())
}

/// What was decided about one post or comment of the feed.
pub(crate) async fn about(session: &Session, message: Message) -> Result<(), Failure> {
    let query = Query::Decisions { group: message.group, message: Some(message.id), limit: 500 };
    let decisions = answered!(session.ask(query).await?, Decisions)?;
    let thread = answered!(session.ask(Query::Thread { post: message.group }).await?, Thread)?;
    let communities = answered!(session.ask(Query::Communities).await?, Communities)?;
    let agents = answered!(session.ask(Query::Agents).await?, Agents)?;
    let names = session.names().await?;
    let all = thread.view.item.iter().chain(&thread.comments);
    let event = all.into_iter().find(|item| item.message.id == message.id);
    let event = event.and_then(|item| item.event);
    let here = communities.iter().find(|one| one.id == thread.view.post.community);
    let outside = here.map_or(0, |here| outsiders(here, &agents, &message, &decisions));
    session.screen.many(&decisions, |paint| {
        let mut text = match decisions.is_empty() {
            true => String::new(),
            false => explain(paint, &names, &[message], &decisions),
        };
        text += how_far(event, decisions.is_empty());
        match outside {
            0 => {}
            1 => text += "1 more agent is not in this community\n",
            n => text += &format!("{n} more agents are not in this community\n"),
        }
        text
    });
    Ok(())
}

/// How far it is with deciding; empty where that is done.
fn how_far(event: Option<FeedEventState>, nothing_yet: bool) -> &'static str {
    match event {
        Some(FeedEventState::Waiting | FeedEventState::Taken) if nothing_yet => {
            "nothing is decided about it yet: the next tick does that\n"
        }
        Some(FeedEventState::Waiting | FeedEventState::Taken) => {
            "about the others the next tick decides\n"
        }
        Some(FeedEventState::Dead) => {
            "it failed too often to decide about it: coterie feed queue says why\n"
        }
        Some(FeedEventState::Done) | None if nothing_yet => "no other agent reads this community\n",
        Some(FeedEventState::Done) | None => "",
    }
}

/// How many do not read it of whom nothing is said.
fn outsiders(
    community: &Community,
    agents: &[Agent],
    message: &Message,
    decisions: &[Decision],
) -> usize {
    if community.members.is_empty() {
        return 0;
    }
    let is_told = |agent: &Agent| {
        community.members.contains(&agent.id)
            || message.author == Author::Agent(agent.id)
            || decisions.iter().any(|decision| decision.agent == agent.id)
    };
    let is_one = |agent: &&Agent| agent.state != AgentState::Terminated && agent.parent.is_none();
    agents.iter().filter(is_one).filter(|agent| !is_told(agent)).count()
}

/// The newest message of a person.
async fn last_post(session: &Session, group: GroupId) -> Result<Option<Message>, Fault> {
    let query = Query::Messages { group, before: None, limit: 200 };
    let page = answered!(session.ask(query).await?, Messages)?;
    Ok(page.into_iter().rfind(|message| message.author == Author::User))
}

/// To follow the agent's name.
pub(crate) fn decision(decision: &Decision, names: &Names) -> String {
    let reason = words::reason(&decision.reason, |agent| names.agent_name(agent));
    format!("{}: {reason}", words::verdict(decision.verdict))
}

/// The messages that the decisions are about, in order.
async fn decided_upon(session: &Session, decisions: &[Decision]) -> Result<Vec<Message>, Fault> {
    let mut ids: Vec<MessageId> = decisions.iter().map(|decision| decision.message).collect();
    ids.dedup();
    let mut messages: Vec<Message> = Vec::new();
    for message in ids {
        if !messages.iter().any(|known| known.id == message) {
            messages.push(answered!(session.ask(Query::Message { message }).await?, Message)?);
        }
    }
    messages.sort_by_key(|message| message.seq);
    Ok(messages)
}

fn explain(paint: Paint, names: &Names, messages: &[Message], decisions: &[Decision]) -> String {
    if messages.is_empty() {
        return "nothing was decided here yet\n".to_owned();
    }
    let agents = decisions.iter().map(|decision| names.agent_name(decision.agent));
    let width = agents.map(|name| name.width()).max().unwrap_or(0);
    let mut text = String::new();
    for message in messages {
        text += &transcript::headline(paint, names, message);
        if decisions.is_empty() {
            text += "  no agent was there to answer it\n";
        }
        for decision in decisions.iter().filter(|decision| decision.message == message.id) {
            let name = padded(&names.agent_name(decision.agent), width);
            text += &format!("  {name}  {}\n", self::decision(decision, names));
        }
    }
    text
}

/// A message of a group by its number, with or without `#`, or by its id.
pub(crate) async fn message(
    session: &Session,
    group: GroupId,
    wanted: &str,
) -> Result<Message, Fault> {
    let found = if let Ok(message) = wanted.parse() {
        Some(answered!(session.ask(Query::Message { message }).await?, Message)?)
    } else {
        let seq: i64 = wanted.trim_start_matches('#').parse().map_err(|_| {
            Fault::bad_input(
                format!("{wanted:?} is no message"),
                "give the number that coterie group log shows",
            )
        })?;
        let query = Query::Messages { group, before: Some(seq.saturating_add(1)), limit: 1 };
        let page = answered!(session.ask(query).await?, Messages)?;
        page.into_iter().find(|message| message.seq == seq)
    };
    found.filter(|message| message.group == group).ok_or_else(|| {
        Fault::not_found(
            format!("message {wanted} is not in this group"),
            "coterie group log shows its messages",
        )
    })
}
