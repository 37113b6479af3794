//! Answers a person who tells an agent to forget something: what says it stays until they
//! forget it themselves, and under their message stands how much there is.
//!
//! No model decides what is taken away for ever, and none says that it was.

use super::foreign::words_of_matter;
use super::learn::id_of;
use super::{holds, person};
use crate::post;
use ::memory::{ToForget, Writer, fingerprint, same_key, same_value, stated};
use domain::{
    Fault, GroupKind, Memory, MemoryFilter, MemoryId, MemoryScope, Message, MessageId, Notice,
    Standing,
};
use store::table::{groups, memories, messages};
use store::{Read, StoreError, Write};

/// What is looked through.
const MOST: u32 = 5_000;
/// Those that are named.
const NAMED: usize = 10;

/// Says below the message what there is, unless it may be about something else.
pub(super) fn answer(
    write: &mut Write<'_>,
    message: &Message,
    what: &ToForget,
    now: i64,
) -> Result<(), Fault> {
    let found = saying(write, what, now)?;
    let is_plain = match what {
        ToForget::Everything => true,
        ToForget::What { is_plain, .. } => *is_plain,
    };
    if is_plain || !found.is_empty() {
        tell(write, message, asked_to_forget(found), now)?;
    }
    Ok(())
}

/// The same of what was noticed in a message that is to be remembered as little as the next says.
pub(super) fn answer_of(write: &mut Write<'_>, message: &Message, now: i64) -> Result<(), Fault> {
    let Some(before) = messages::by_user_before(write, message.group, message.seq)? else {
        return Ok(());
    };
    let mut noticed = memories::of_message(write, before.id)?;
    noticed.retain(|memory| memory.scope == MemoryScope::User && holds(memory, now));
    if !noticed.is_empty() {
        tell(write, message, asked_to_forget(noticed), now)?;
    }
    Ok(())
}

/// Says it below the message, once.
pub(super) fn tell(
    write: &mut Write<'_>,
    message: &Message,
    notice: Notice,
    now: i64,
) -> Result<(), Fault> {
    let is_talk = match groups::get(write, message.group)?.kind {
        GroupKind::Direct | GroupKind::Group => true,
        GroupKind::Task | GroupKind::Post => false,
    };
    let MemoryId(id) = id_of(&[message.id.0.as_bytes(), b"told below"]);
    if is_talk && messages::find(write, MessageId(id))?.is_none() {
        post::notice_as(write, MessageId(id), message.group, notice, now)?;
    }
    Ok(())
}

fn asked_to_forget(found: Vec<Memory>) -> Notice {
    let many = u32::try_from(found.len()).unwrap_or(u32::MAX);
    let memories = found.into_iter().take(NAMED).map(|memory| memory.id).collect();
    Notice::AskedToForget { found: many, memories }
}

/// What holds of the person and says it: the same, whatever the value is, or all of its words.
fn saying(read: &Read<'_>, what: &ToForget, now: i64) -> Result<Vec<Memory>, StoreError> {
    let filter = MemoryFilter {
        scopes: vec![MemoryScope::User],
        standing: Standing::Holding,
        ..MemoryFilter::default()
    };
    let all = memories::page(read, &filter, now, None, MOST)?;
    let all = all.into_iter().map(|one| one.memory);
    let ToForget::What { said, .. } = what else { return Ok(all.collect()) };
    let statement = stated(said, Writer::Person, &person::name(read)?);
    let (words, print) = (words_of_matter(said), fingerprint(said));
    let says = |memory: &Memory| {
        let both = memory.statement.as_ref().zip(statement.as_ref());
        let is_stated = both.is_some_and(|(one, asked)| {
            same_key(one, asked) && same_value(&one.value, &asked.value)
        });
        let is_about = memory.statement.as_ref().is_some_and(|one| what.is_about(one));
        let in_words = !words.is_empty() && words.is_subset(&words_of_matter(&memory.text));
        is_stated || is_about || in_words || fingerprint(&memory.text) == print
    };
    Ok(all.filter(says).collect())
}
