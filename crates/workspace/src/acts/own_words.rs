//! What an agent says by a tool is its own, as its answers are.
//!
//! An answer is cut where a model begins to write another's lines. Here the model can be
//! told instead, and says it again.

use crate::stand::everybody_else;
use agent::in_anothers_name;
use domain::{Agent, GroupId};
use store::{Read, StoreError};

/// Why the text is not said, where a part of it stands in another's name. The group is where
/// its author has the turn.
pub(super) fn refusal(
    read: &Read<'_>,
    from: &Agent,
    group: GroupId,
    text: &str,
) -> Result<Option<String>, StoreError> {
    const SHOWN: usize = 60;
    let others = everybody_else(read, group, from)?;
    let Some(theirs) = in_anothers_name(&from.name, &others, text) else { return Ok(None) };
    let begins: String = theirs.chars().take(SHOWN).collect();
    Ok(Some(format!(
        "not said: from {begins:?} on it is written in another's name, and you speak only for \
         yourself; leave that out, tell of it in a sentence of your own, or put a line that ends \
         with a colon above a list about others"
    )))
}
