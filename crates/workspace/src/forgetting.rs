//! Takes a message's words away for ever: from the conversation and its forks, the
//! index, summaries that told them, what was remembered of them, what agents did with
//! them, and what models were sent. That somebody said something stays.
//!
//! What others said of it is theirs, and stays too. Whoever works in the conversation is
//! stopped before, so that nobody answers what is gone.

mod records;
mod said;

use crate::attachments;
use crate::branches::{self, alone, owe_nothing};
use crate::brief::TEXT_CHARACTERS;
use crate::derived::blocking;
use crate::lifecycle::Ended;
use crate::memory;
use crate::shared::Shared;
use domain::{
    Attachment, AttachmentKind, Body, Fault, FaultCode, Forgetting, Group, Message, MessageId,
    Notice, Reason,
};
use records::out_of_records;
use said::Said;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use store::table::{groups, memories, messages, reactions, summaries};
use store::{Read, StoreError, Write};

/// What would go with it.
pub(crate) fn look(shared: &Shared, message: MessageId) -> Result<Forgetting, Fault> {
    let message = branches::find(shared, message)?;
    shared.store.read(|read| {
        let copies = messages::copies(read, &message)?;
        let mut memories = Vec::new();
        for one in copies.iter().chain([&message]) {
            memories.extend(memories::of_message(read, one.id)?);
        }
        Ok(Forgetting { message, copies, memories })
    })
}

pub(crate) async fn forget(shared: &Arc<Shared>, message: MessageId) -> Result<Message, Fault> {
    let message = branches::find(shared, message)?;
    match &message.body {
        Body::Notice { notice: Notice::Removed } => return Ok(message),
        Body::Text { .. } => {}
        Body::Notice { .. } => {
            return Err(Fault::new(
                FaultCode::Refused,
                "only what somebody said can be forgotten",
                "choose a message of yours, of an agent or of a program",
            ));
        }
    }
    let (words, with) = (words(shared, &message).await?, shared.clone());
    let shown = message.attachments.clone();
    let groups = shared.store.read(|read| with_forks(read, &message))?;
    let forgotten = alone(shared, groups, move |write, ended| {
        take_out(write, &message, &words, ended, with.now_ms())
    });
    let forgotten = forgotten.await?;
    out_of_files(shared, shown).await?;
    Ok(forgotten)
}

/// The groups in which it stands.
fn with_forks(read: &Read<'_>, message: &Message) -> Result<Vec<Group>, StoreError> {
    let copies = messages::copies(read, message)?;
    let all: BTreeSet<_> = copies.iter().chain([message]).map(|one| one.group).collect();
    all.into_iter().map(|group| groups::get(read, group)).collect()
}

/// All that it says and shows, as far as models read it.
pub(crate) async fn words(shared: &Arc<Shared>, message: &Message) -> Result<Vec<String>, Fault> {
    let mut words: Vec<String> = message.text().map(str::to_owned).into_iter().collect();
    let shown: Vec<String> = message
        .attachments
        .iter()
        .filter(|one| one.kind == AttachmentKind::Text)
        .map(|one| one.hash.clone())
        .collect();
    if !shown.is_empty() {
        let texts = blocking(shared, move |shared| {
            let texts = shown.iter().filter_map(|hash| shared.attachments.text(hash));
            Ok(texts.map(|text| text.chars().take(TEXT_CHARACTERS).collect()).collect::<Vec<_>>())
        });
        words.extend(texts.await?);
    }
    Ok(words)
}

/// Takes the words of a message and its copies out of all that is stored; `words` are
/// all that it says and shows. Gives what stands in its place.
pub(crate) fn take_out(
    write: &mut Write<'_>,
    message: &Message,
    words: &[String],
    ended: &mut Ended,
    now: i64,
) -> Result<Message, Fault> {
    let all: Vec<Message> =
        messages::copies(write, message)?.into_iter().chain([message.clone()]).collect();
    let mut texts = words.to_vec();
    for one in &all {
        for memory in memories::of_message(write, one.id)? {
            memory::forget(write, memory.id, now)?;
        }
        memory::unsay(write, one, now)?;
        texts.extend(summaries::that_tell(write, one.group, one.seq)?);
        summaries::void_from(write, one.group, one.seq)?;
        let gone = HashSet::from([one.seq]);
        owe_nothing(write, one.group, &gone, &Reason::OutOfSight, ended, now)?;
    }
    out_of_records(write, &all, &Said::new(&texts))?;
    let mut put = HashMap::new();
    for one in &all {
        reactions::clear(write, one.id)?;
        let gone = Body::Notice { notice: Notice::Removed };
        put.insert(one.id, messages::replace_body(write, one, gone)?);
    }
    Ok(put.remove(&message.id).unwrap_or_else(|| message.clone()))
}

/// Also what it showed, where nothing else shows it.
pub(crate) async fn out_of_files(
    shared: &Arc<Shared>,
    shown: Vec<Attachment>,
) -> Result<(), Fault> {
    attachments::let_go(shared, shown).await?;
    memory::out_of_files(shared).await
}
