//! `memory_save`: remembers a statement.
//!
//! It is the agent's word and no more; where a tool or a file has shown the agent something
//! in this turn, or it repeats what one brought earlier or told another agent, not even
//! that: then it waits for a person to say that it is right.

use super::{Act, Ground};
use crate::memory::{self, Origin};
use crate::shared::Shared;
use domain::{
    Effects, Fault, MemoryId, MemoryKind, MemoryScope, MemoryState, NewMemory, Source, Trust,
};
use futures::FutureExt;
use schemars::JsonSchema;
use serde::Deserialize;
use std::sync::Arc;
use store::Durability;
use store::table::{memories, runs};
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// Remembers one statement beyond this conversation. Say it so that it can be
/// understood alone, without what was said around it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// What to remember, in one sentence.
    text: String,
    /// Who is to remember it: only you, or everybody in this conversation. You
    /// alone when left out.
    r#for: Option<Whom>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Whom {
    Me,
    Conversation,
}

pub(crate) fn tool(ground: Ground) -> impl Tool {
    // With the same key it is the same memory.
    Act::new("memory_save", Effects::Repeatable, ground, |shared, input, with| {
        save(shared, input, with).boxed()
    })
}

async fn save(shared: Arc<Shared>, input: Input, with: CallContext) -> Result<Returned, Fault> {
    let (agent, run, now) = (with.agent, with.run, shared.now_ms());
    let id = MemoryId(Uuid::new_v5(&with.key.0, b"memory"));
    let (remembered, is_denied) = shared
        .store
        .write(Durability::Process, move |write| {
            let group = runs::get(write, run)?.group;
            let scope = match input.r#for.unwrap_or(Whom::Me) {
                Whom::Me => MemoryScope::Agent(agent),
                Whom::Conversation => MemoryScope::Group(group),
            };
            let tool = match memory::shown_in(write, run)? {
                Some(tool) => Some(tool),
                // What came in the meantime may have been read too.
                None => memory::repeated_in(write, &input.text, group, i64::MAX)?,
            };
            let trust = if tool.is_some() { Trust::Untrusted } else { Trust::Agent };
            let new = NewMemory {
                kind: MemoryKind::Fact,
                scope,
                text: input.text,
                statement: None,
                tags: Vec::new(),
                importance: None,
                valid_from_ms: None,
                valid_to_ms: None,
            };
            let source = Source { run: Some(run), tool, ..Source::default() };
            let origin = Origin { source, by: Some(agent) };
            let remembered = memory::remember(write, id, new, trust, origin, now)?;
            let beside = match remembered.state {
                MemoryState::Contested(other) => memories::find(write, other)?,
                _ => None,
            };
            let is_denied = beside.is_some_and(|other| !memory::holds(&other, now));
            Ok::<_, Fault>((remembered, is_denied))
        })
        .await?;
    shared.finder.ring();
    Ok(Returned::ok(match (remembered.state, remembered.trust) {
        (MemoryState::Contested(_), _) if is_denied => {
            "not taken for true, because the person has said that it is not so; they decide"
        }
        (MemoryState::Contested(_), _) => {
            "kept beside one that says otherwise, until the person says which holds"
        }
        (_, Trust::Untrusted) => {
            "kept, and used only when the person says that it is right, because a tool brought it"
        }
        _ if remembered.id != id => "remembered already",
        _ => "remembered",
    }))
}
