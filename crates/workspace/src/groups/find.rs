//! Finding words in a conversation.
//!
//! They are looked for as they stand, letter by letter, in all that is shown of the
//! group: what a person remembers of a message is often half a word, a number or a
//! sign, which an index of words does not know. Ten thousand messages are read in
//! some hundredths of a second.

use crate::shared::Shared;
use domain::{Fault, GroupId, Occurrence};
use store::table::{groups, messages};

/// What is read from the database at a time.
const READ_AT_ONCE: u32 = 500;
/// The most that is given, whatever is asked for.
const MOST: u32 = 1_000;

/// The messages in which they stand, the newest first. Blocks.
pub(crate) fn find(
    shared: &Shared,
    group: GroupId,
    text: &str,
    limit: u32,
) -> Result<Vec<Occurrence>, Fault> {
    let wanted = text.trim().to_lowercase();
    let most = limit.min(MOST) as usize;
    shared.store.read(|read| {
        groups::get(read, group)?;
        let mut found = Vec::new();
        let mut before = None;
        while !wanted.is_empty() && found.len() < most {
            let page = messages::page(read, group, 0, before, READ_AT_ONCE)?;
            let Some(first) = page.first() else { break };
            before = Some(first.seq);
            let has = |text: &str| text.to_lowercase().contains(&wanted);
            let fits = page.iter().rev().filter(|message| message.text().is_some_and(has));
            let fits = fits.map(|message| Occurrence { message: message.id, seq: message.seq });
            found.extend(fits.take(most - found.len()));
        }
        Ok(found)
    })
}
