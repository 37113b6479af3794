//! Notices what a person says about themselves, without asking a model.
//!
//! Behind the turns: after each that has settled, the messages since the last
//! look are read. How far it has read is kept with what it noticed, so that a
//! kill in between neither loses nor doubles anything.

use super::across::is_for_all;
use super::asked_to_forget::{answer, answer_of, tell};
use super::change::judge;
use super::filled::Known;
use super::forget::was_forgotten;
use super::over::{meant, meant_elsewhere};
use super::remember::{Origin, keep_rest, remember};
use super::replaced::puts_otherwise;
use crate::shared::Shared;
use ::memory::{
    Ending, Noticed, ToForget, asks_to_forget, asks_to_keep_a_secret, endings, keeps_off, notice,
    put_right, puts_right, taken_back,
};
use domain::{
    Fault, GroupKind, Judgement, MemoryId, MemoryScope, Message, NewMemory, Notice, Source, Trust,
};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use store::table::{groups, memory_versions, messages, settings};
use store::{Durability, Read, StoreError, Write};
use tokio::sync::Notify;

/// Where the last look ended, as a fact in the database.
const READ_TO: &str = "memory.noticed_to";
/// Messages of one look.
const AT_ONCE: u32 = 200;
/// After how long what failed is tried again.
const AGAIN: Duration = Duration::from_secs(30);

/// Rung when somebody may have said something.
#[derive(Default)]
pub(crate) struct Learning {
    said: Notify,
}

impl Learning {
    pub(crate) fn ring(&self) {
        self.said.notify_one();
    }
}

/// Reads what is said while the workspace is open.
pub(crate) async fn learn(shared: Arc<Shared>) {
    // In memory it goes further than on the disk: a look that notices nothing
    // is not worth a commit.
    let mut read_to = None;
    loop {
        let pause = async {
            match read_on(&shared, &mut read_to).await {
                Ok(()) => shared.learning.said.notified().await,
                Err(fault) => {
                    tracing::warn!(%fault, "what was said could not be looked at");
                    tokio::time::sleep(AGAIN).await;
                }
            }
        };
        tokio::select! {
            () = shared.closing.cancelled() => break,
            () = pause => {}
        }
    }
    // A command that says something ends as soon as that is answered.
    if let Err(fault) = read_on(&shared, &mut read_to).await {
        tracing::warn!(%fault, "what was said last is looked at with the next start");
    }
}

async fn read_on(shared: &Arc<Shared>, read_to: &mut Option<i64>) -> Result<(), Fault> {
    loop {
        let from = match *read_to {
            Some(from) => from,
            None => shared.store.read(kept)?,
        };
        let look = shared.store.read(|read| look(read, from))?;
        let noticed: Vec<Heard> = look.said.into_iter().filter_map(Said::heard).collect();
        if !noticed.is_empty() {
            let now = shared.now_ms();
            shared
                .store
                .write(Durability::Process, move |write| keep(write, &noticed, look.upto, now))
                .await?;
            shared.finder.ring();
        }
        *read_to = Some(look.upto);
        if look.is_last {
            return Ok(());
        }
    }
}

/// What a person's message says of them.
struct Heard {
    message: Message,
    noticed: Vec<Noticed>,
    /// What is so no longer.
    ended: Vec<Ending>,
    unwanted: Option<Unwanted>,
}

/// What the person does not want remembered.
enum Unwanted {
    /// Something that may be.
    What(ToForget),
    /// What they said before it.
    WhatWasSaid,
    /// Nothing that they do not want, but what has its place with the keys.
    Secret,
}

/// What a person said.
struct Said {
    message: Message,
    /// What they said there before it, where it may put that right.
    before: Option<String>,
}

impl Said {
    fn of(read: &Read<'_>, message: Message) -> Result<Said, StoreError> {
        let before = match puts_right(message.text().unwrap_or_default()) {
            true => messages::by_user_before(read, message.group, message.seq)?,
            false => None,
        };
        let before = before.and_then(|before| before.text().map(str::to_owned));
        Ok(Said { message, before })
    }

    /// `None` where it says nothing of them.
    fn heard(self) -> Option<Heard> {
        let Said { message, before } = self;
        let text = message.text().unwrap_or_default();
        let unwanted = match (asks_to_forget(text), keeps_off(text)) {
            (Some(what), _) => Some(Unwanted::What(what)),
            (None, Some(true)) => Some(Unwanted::WhatWasSaid),
            (None, Some(false)) => return None,
            (None, None) => asks_to_keep_a_secret(text).then_some(Unwanted::Secret),
        };
        if matches!(unwanted, Some(Unwanted::What(_) | Unwanted::WhatWasSaid)) {
            return Some(Heard { message, noticed: Vec::new(), ended: Vec::new(), unwanted });
        }
        let (mut noticed, mut ended) = (notice(text), endings(text));
        if let Some(before) = before {
            ended.extend(taken_back(&before, text));
            if noticed.is_empty() {
                noticed.extend(put_right(&before, text));
            }
        }
        let says_something = !noticed.is_empty() || !ended.is_empty() || unwanted.is_some();
        says_something.then_some(Heard { message, noticed, ended, unwanted })
    }
}

fn kept(read: &Read<'_>) -> Result<i64, StoreError> {
    Ok(settings::fact(read, READ_TO)?.and_then(|text| text.parse().ok()).unwrap_or(0))
}

/// What a look at what the person said found.
struct Look {
    /// Where agents hear it; nothing where the person wants nothing noticed.
    said: Vec<Said>,
    upto: i64,
    /// Nothing was said after it yet.
    is_last: bool,
}

fn look(read: &Read<'_>, from: i64) -> Result<Look, StoreError> {
    let said = messages::of_user_since(read, from, AT_ONCE)?;
    let upto = said.last().map_or(from, |last| last.seq);
    let is_last = said.len() < AT_ONCE as usize;
    let wants = !said.is_empty() && settings::get(read)?.memory.notices;
    let said = if wants { heard_by_agents(read, said)? } else { Vec::new() };
    Ok(Look { said, upto, is_last })
}

fn heard_by_agents(read: &Read<'_>, said: Vec<Message>) -> Result<Vec<Said>, StoreError> {
    let filled = Known::look(read)?;
    let mut kinds = HashMap::new();
    let mut heard = Vec::new();
    for message in said {
        let kind = match kinds.get(&message.group) {
            Some(kind) => *kind,
            None => {
                let kind = groups::get(read, message.group)?.kind;
                kinds.insert(message.group, kind);
                kind
            }
        };
        // In a task's group the words of a person are an agent's.
        if kind != GroupKind::Task && filled.server_of(&message).is_none() {
            heard.push(Said::of(read, message)?);
        }
    }
    Ok(heard)
}

fn keep(write: &mut Write<'_>, heard: &[Heard], last: i64, now: i64) -> Result<(), Fault> {
    // Somebody may have said since that nothing up to here is to be noticed.
    let done = kept(write)?;
    for one in heard.iter().filter(|one| one.message.seq > done) {
        let Heard { message, noticed, ended, unwanted } = one;
        match unwanted {
            Some(Unwanted::What(what)) => answer(write, message, what, now)?,
            Some(Unwanted::WhatWasSaid) => answer_of(write, message, now)?,
            Some(Unwanted::Secret) => tell(write, message, Notice::SecretNotKept, now)?,
            None => {}
        }
        for ending in ended {
            end_in(write, MemoryScope::User, ending, message.at_ms)?;
        }
        let mut said = Vec::new();
        for (nth, one) in noticed.iter().enumerate() {
            // It may have been since this was said, by another message.
            if was_forgotten(write, &one.text, one.statement.as_ref(), &[message])? {
                continue;
            }
            let new = NewMemory {
                kind: one.kind,
                scope: MemoryScope::User,
                text: one.text.clone(),
                statement: one.statement.clone(),
                tags: Vec::new(),
                importance: Some(one.importance),
                valid_from_ms: None,
                valid_to_ms: None,
            };
            let source = Source { message: Some(message.id), ..Source::default() };
            let origin = Origin { source, by: None };
            let id = id_of(&[message.id.0.as_bytes(), b"noticed", &nth.to_be_bytes()]);
            said.push(remember(write, id, new, Trust::Person, origin, message.at_ms)?);
        }
        puts_otherwise(write, message, &said)?;
    }
    Ok(settings::put_fact(write, READ_TO, &last.max(done).to_string())?)
}

/// The person has said that it is so no longer: it ends, and nothing takes its place.
pub(super) fn end_in(
    write: &mut Write<'_>,
    scope: MemoryScope,
    ending: &Ending,
    said_ms: i64,
) -> Result<(), Fault> {
    let mut over = meant(write, scope, ending, said_ms)?;
    if is_for_all(scope) {
        over.extend(meant_elsewhere(write, scope, ending, said_ms)?);
    }
    for memory in over {
        // Whoever has said it again since counts.
        let said = memory_versions::last_said(write, memory.id)?;
        if memory.created_at_ms <= said_ms && said.is_none_or(|last| last <= said_ms) {
            judge(write, memory.id, Judgement::Outdated, said_ms)?;
            keep_rest(write, &memory, said_ms)?;
        }
    }
    Ok(())
}

/// What was said before this moment is never noticed: the person did not want
/// it then.
pub(crate) fn begin_to_notice(write: &mut Write<'_>) -> Result<(), StoreError> {
    let last = messages::newest(write)?;
    settings::put_fact(write, READ_TO, &last.to_string())
}

/// The id of what is made of something else: the same each time.
pub(crate) fn id_of(parts: &[&[u8]]) -> MemoryId {
    let mut hash = blake3::Hasher::new();
    for part in parts {
        hash.update(&(part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finalize().as_bytes()[..16]);
    MemoryId(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}
