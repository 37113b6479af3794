//! What a turn is asked: the words of the messages that it answers.

use crate::turns;
use domain::{Author, Message, Run};
use store::table::messages;
use store::{Read, StoreError};

/// More than this nobody says before one turn.
const MOST_MESSAGES: u32 = 1_000;

/// Everything that others said since the agent's last turn there, up to this
/// message, and what woke it. What earlier turns left unanswered is not asked
/// again. It stands on the record alone, so that a replay finds the same.
pub(crate) fn asked(read: &Read<'_>, run: &Run, upto: i64) -> Result<String, StoreError> {
    let is_of_others = |message: &Message| match message.author {
        Author::User | Author::Outside(_) | Author::Source(_) => true,
        Author::Agent(agent) => agent != run.agent,
        // Only what a schedule tells has words.
        Author::System => true,
    };
    // A turn that is tried again answers what was read before.
    let woken_by = messages::find(read, run.cause.message)?;
    let mut said: Vec<Message> =
        woken_by.into_iter().filter(|message| message.seq <= run.reads_after).collect();
    let before = Some(upto.saturating_add(1));
    for message in messages::page(read, run.group, run.reads_after, before, MOST_MESSAGES)? {
        if !turns::was_an_answer(read, run.agent, &message)? {
            said.push(message);
        }
    }
    let texts: Vec<&str> =
        said.iter().filter(|message| is_of_others(message)).filter_map(Message::text).collect();
    Ok(texts.join("\n\n"))
}
