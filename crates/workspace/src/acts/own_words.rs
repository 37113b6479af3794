//! What an agent says by a tool is its own, as its answers are.
//!
//! An answer is cut where a model begins to write another's lines. Here the model can be
//! told instead, and says it again.

use crate::stand::name_of_person;
use agent::in_anothers_name;
use domain::Agent;
use store::table::{agents, settings};
use store::{Read, StoreError};

/// Why the text is not said, where a part of it stands in another's name.
pub(super) fn refusal(
    read: &Read<'_>,
    from: &Agent,
    text: &str,
) -> Result<Option<String>, StoreError> {
    const SHOWN: usize = 60;
    let mut others = vec![name_of_person(&*settings::get(read)?).to_owned()];
    // Also who has ended: their words still stand in conversations.
    let names = agents::all(read)?.into_iter().map(|agent| agent.name);
    others.extend(names.filter(|name| *name != from.name));
    let Some(theirs) = in_anothers_name(&from.name, &others, text) else { return Ok(None) };
    let begins: String = theirs.chars().take(SHOWN).collect();
    Ok(Some(format!(
        "not said: from {begins:?} on it is written in another's name, and you speak only for \
         yourself; leave that out, or tell of it in a sentence of your own"
    )))
}
