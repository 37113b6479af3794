//! What a person has put otherwise by saying something else in the place of a message.
//!
//! The message that stood there stays, and can be shown again. What was noticed in it gives way
//! where the words in its place say the same of something else: `I am allergic to nuts`, for
//! eggs. Whoever only asks for something else takes nothing back.

use super::remember::stand_back;
use ::memory::{is_one_sort, says_again};
use domain::{Fault, Memory, MemoryState, Message, MessageId, Trust};
use store::table::{branches, memories};
use store::{Read, StoreError, Write};

/// `said` is what is remembered of the message.
pub(super) fn puts_otherwise(
    write: &mut Write<'_>,
    message: &Message,
    said: &[Memory],
) -> Result<(), Fault> {
    if said.is_empty() {
        return Ok(());
    }
    for earlier in in_its_place(write, message)? {
        for old in memories::of_message(write, earlier)? {
            let is_said_again = said.iter().any(|new| new.id == old.id || says_again(new, &old));
            let newer = said.iter().find(|new| is_put_otherwise(&old, new));
            if let Some(newer) = newer.filter(|_| is_only_word(&old) && !is_said_again) {
                stand_back(write, old, newer, message.at_ms)?;
            }
        }
    }
    Ok(())
}

fn is_put_otherwise(old: &Memory, new: &Memory) -> bool {
    let both = old.statement.as_ref().zip(new.statement.as_ref());
    new.state == MemoryState::Current
        && new.scope == old.scope
        && both.is_some_and(|(old, new)| is_one_sort(&old.attribute, &new.attribute))
}

/// Whether the person has said it there and nowhere else.
fn is_only_word(memory: &Memory) -> bool {
    memory.state == MemoryState::Current
        && memory.trust == Trust::Person
        && memory.source.run.is_none()
        && memory.evidence == 1
        && !memory.pinned
}

/// The messages that stood where this one stands.
fn in_its_place(read: &Read<'_>, message: &Message) -> Result<Vec<MessageId>, StoreError> {
    let places = branches::tree(read, message.group)?;
    let Some(own) = places.iter().find(|place| place.id == message.id) else {
        return Ok(Vec::new());
    };
    let earlier = places.iter().filter(|place| place.follows == own.follows && place.seq < own.seq);
    Ok(earlier.map(|place| place.id).collect())
}
