//! `memory_save`: remembers a statement.
//!
//! Each thing that it says of the person is kept by itself. It is the agent's word and no more; where a tool or a file has shown the agent something
//! in this turn, or it repeats what one brought earlier or told another agent, not even
//! that: then it waits for a person to say that it is right.

use super::{Act, Ground};
use crate::memory::{self, Origin, each_by_itself, id_of};
use crate::shared::Shared;
use ::memory::Writer;
use domain::{
    Effects, Fault, Memory, MemoryId, MemoryKind, MemoryScope, MemoryState, Message, NewMemory,
    Source, Trust,
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
    let kept = shared
        .store
        .write(Durability::Process, move |write| {
            let read = runs::get(write, run)?;
            let group = read.group;
            let heard = memory::heard_by(write, &read)?;
            let heard: Vec<&Message> = heard.iter().collect();
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
            let mut all: Vec<Memory> = Vec::new();
            let mut is_forgotten = false;
            for (nth, one) in each_by_itself(write, new, Writer::Agent)?.into_iter().enumerate() {
                if memory::was_forgotten(write, &one.text, one.statement.as_ref(), &heard)? {
                    is_forgotten = true;
                    continue;
                }
                let id = part_of(id, nth);
                all.push(memory::remember(write, id, one, trust, origin.clone(), now)?);
            }
            let ids: Vec<MemoryId> = (0..=all.len()).map(|nth| part_of(id, nth)).collect();
            let is_new = all.iter().any(|one| ids.contains(&one.id));
            let contested = all.iter().find_map(|one| match one.state {
                MemoryState::Contested(other) => Some(other),
                _ => None,
            });
            let beside = contested.map(|other| memories::find(write, other)).transpose()?.flatten();
            Ok::<_, Fault>(Kept {
                is_new,
                waits: contested.is_some(),
                is_denied: beside.is_some_and(|other| !memory::holds(&other, now)),
                is_forgotten,
                is_untrusted: all.iter().any(|one| one.trust == Trust::Untrusted),
            })
        })
        .await?;
    shared.finder.ring();
    Ok(Returned::ok(kept.told()))
}

/// The first thing that is said has the id of the whole.
fn part_of(whole: MemoryId, nth: usize) -> MemoryId {
    match nth {
        0 => whole,
        _ => id_of(&[whole.0.as_bytes(), b"saved", &nth.to_be_bytes()]),
    }
}

/// What became of what was to be remembered.
struct Kept {
    is_new: bool,
    /// Something of it says otherwise than what is remembered.
    waits: bool,
    /// The person has said that it is not so.
    is_denied: bool,
    is_untrusted: bool,
    /// The person has had something of it forgotten, and has not said it since.
    is_forgotten: bool,
}

impl Kept {
    fn told(&self) -> &'static str {
        match self {
            Kept { is_forgotten: true, .. } => {
                "not kept, because the person has had it forgotten and has not said it again since"
            }
            Kept { waits: true, is_denied: true, .. } => {
                "not taken for true, because the person has said that it is not so; they decide"
            }
            Kept { waits: true, .. } => {
                "kept beside one that says otherwise, until the person says which holds"
            }
            Kept { is_untrusted: true, .. } => {
                "kept, and used only when the person says that it is right, because a tool brought it"
            }
            Kept { is_new: false, .. } => "remembered already",
            Kept { .. } => "remembered",
        }
    }
}
