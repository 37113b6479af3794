//! Reactions to messages of conversations: a sign from everybody who gives one. It is no
//! message: it wakes nobody, and no agent reads it. Those to posts are `feed`'s.

use crate::feed;
use crate::shared::Shared;
use crate::{branches, echo};
use domain::{Fault, FaultCode, GroupKind, MessageId, Participant, Reaction, Run};
use std::sync::Arc;
use store::table::{groups, messages, reactions};
use store::{Durability, StoreError, Write};

/// What stands for words that only agree.
const AGREES: &str = "👍";

/// Puts the person's reaction, or takes it back.
pub(crate) async fn react(
    shared: &Arc<Shared>,
    to: MessageId,
    sign: String,
    on: bool,
) -> Result<(), Fault> {
    let message = branches::find(shared, to)?;
    let group = shared.store.read(|read| groups::get(read, message.group))?;
    if group.kind == GroupKind::Post {
        return feed::react(shared, to, sign, on).await;
    }
    if message.text().is_none() {
        return Err(Fault::new(
            FaultCode::Refused,
            "only to what somebody said is there a reaction",
            "choose a message that has words or a file",
        ));
    }
    let sign = feed::checked_sign(&sign)?;
    let at_ms = shared.now_ms();
    let put = move |write: &mut Write<'_>| {
        let reaction = Reaction { item: to, who: Participant::User, sign };
        match on {
            true => reactions::add(write, &reaction, at_ms)?,
            false => reactions::remove(write, &reaction)?,
        }
        Ok::<_, Fault>(reactions::publish(write, &message)?)
    };
    shared.store.write(Durability::Process, put).await
}

/// An agent that only agrees says so by a sign: its words would keep a conversation
/// going that has nothing left to say.
pub(crate) fn agrees(
    write: &mut Write<'_>,
    run: &Run,
    words: &str,
    at_ms: i64,
) -> Result<(), StoreError> {
    let Some(message) = messages::find(write, run.cause.message)? else { return Ok(()) };
    if message.text().is_none() {
        return Ok(());
    }
    let sign = echo::sign_in(words).and_then(feed::sign).unwrap_or_else(|| AGREES.to_owned());
    let who = Participant::Agent(run.agent);
    reactions::add(write, &Reaction { item: message.id, who, sign }, at_ms)?;
    reactions::publish(write, &message)
}
