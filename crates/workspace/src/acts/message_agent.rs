//! `message_agent`: says something to another agent.
//!
//! It stands in a conversation of the two that the person reads like any other, and
//! begins with the other's name, who is woken by the rules that hold everywhere,
//! charged to the message of the person that all of this goes back to.

use super::{Act, Ground, children, own_words};
use crate::shared::Shared;
use crate::{groups, letters, limits, post, turns};
use domain::{
    Agent, AgentId, AgentState, Author, Body, Effects, Fault, GroupId, MessageId, Run, TurnPolicy,
};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::table::{agents, messages, runs, settings};
use store::{Durability, Read, Write};
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// Says something to another agent, in a conversation of the two of you that the
/// person can read. You do not wait for the answer: it comes there, and you read it
/// when it mentions you.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The name of the agent.
    to: String,
    /// What to say. It knows nothing of this conversation.
    text: String,
}

pub(crate) fn tool(ground: Ground) -> impl Tool {
    // With the same key it is the same message.
    Act::new("message_agent", Effects::Repeatable, ground, |shared, input, with| {
        say(shared, input, with).boxed()
    })
}

async fn say(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    let (now, beside) = (shared.now_ms(), shared.clone());
    let put = move |write: &mut Write<'_>| put(write, &beside, input, &with, now);
    Ok(match shared.store.write(Durability::Process, put).await? {
        Ok((name, woken)) => {
            shared.wake(&woken);
            Returned::ok(format!("said to {name} in the conversation of the two of you"))
        }
        Err(refusal) => Returned::failed(refusal),
    })
}

/// Gives who it was said to, and who is woken by it; else why it was not said.
fn put(
    write: &mut Write<'_>,
    shared: &Shared,
    input: Input,
    with: &CallContext,
    now: i64,
) -> Result<Result<(String, Vec<AgentId>), String>, Fault> {
    let from = agents::get(write, with.agent)?;
    let to = match addressee(write, &from, &input.to)? {
        Ok(to) => to,
        Err(refusal) => return Ok(Err(refusal)),
    };
    let id = MessageId(Uuid::new_v5(&with.key.0, b"message"));
    if messages::find(write, id)?.is_some() {
        return Ok(Ok((to.name, Vec::new())));
    }
    // To begin with whom it is for is no speech of theirs.
    let text = input.text.trim_start();
    let addressed = text.strip_prefix(to.name.as_str()).and_then(|rest| rest.strip_prefix(':'));
    let text = addressed.unwrap_or(text).trim_start().to_owned();
    let run = runs::get(write, with.run)?;
    if let Some(refusal) = own_words::refusal(write, &from, run.group, &text)? {
        return Ok(Err(refusal));
    }
    post::check_text(&text, settings::get(write)?.limits.message_characters)?;
    let known = groups::find_between(write, &from, &to)?;
    if known.as_ref().is_some_and(|group| group.archived) {
        return Ok(Err(format!("the person has put away your conversation with {}", to.name)));
    }
    let caps = known.map(|group| group.caps).unwrap_or_default();
    let most = limits::messages_per_post(&caps, TurnPolicy::Broadcast, 2);
    if turns::said_and_promised(write, run.root)? >= most {
        return Ok(Err(format!(
            "not said: {most} things that agents say are the most before the person speaks again"
        )));
    }
    // Only now, so that there is none in which nothing was said.
    let group = groups::between(write, &from, &to, now)?;
    let text = format!("@{} {text}", to.name);
    let message = messages::add(write, new(id, group.id, &run, text, now))?;
    let woken = turns::give(write, shared, &group, &message)?;
    Ok(Ok((to.name, woken)))
}

/// The agent of that name, or why it can be told nothing.
fn addressee(read: &Read<'_>, from: &Agent, name: &str) -> Result<Result<Agent, String>, Fault> {
    let mut others = agents::living(read)?;
    others.retain(|agent| agent.id != from.id && agent.state != AgentState::Terminated);
    // Who has a task for now is spoken to by whoever gave it.
    children::without_those_at_a_task(read, &mut others)?;
    if let Some(to) = others.iter().find(|agent| letters::same(&agent.name, name.trim())) {
        return Ok(Ok(to.clone()));
    }
    if others.is_empty() {
        return Ok(Err("there is no other agent to talk to".to_owned()));
    }
    let names: Vec<&str> = others.iter().map(|agent| agent.name.as_str()).collect();
    Ok(Err(format!("there is no agent {name} to talk to; there are: {}", names.join(", "))))
}

fn new(id: MessageId, group: GroupId, run: &Run, text: String, at_ms: i64) -> messages::New {
    messages::New {
        id,
        group,
        parent: None,
        author: Author::Agent(run.agent),
        body: Body::Text { text, cut_short: false },
        attachments: Vec::new(),
        chain_depth: run.depth,
        root: run.root,
        run: Some(run.id),
        at_ms,
    }
}
