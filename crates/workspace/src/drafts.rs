//! What a person has written and not said yet: kept here, so that no window
//! takes it along when it ends.

use crate::post::{self, Said};
use crate::shared::Shared;
use domain::{Draft, Fault, FaultCode, GroupId, Message, MessageId, RequestId, Unsent, Written};
use std::sync::Arc;
use store::Durability;
use store::table::{drafts, groups, messages};

/// As much as a message can be at most, whatever the settings say.
const MOST_CHARACTERS: usize = 1_000_000;

/// What a window knows that is to be kept.
pub(crate) struct Change {
    pub group: GroupId,
    pub written: Option<Written>,
    pub keep: Vec<Unsent>,
    pub drop: Vec<RequestId>,
}

/// Keeps it, and gives all that is kept of the group then. What is being written is
/// what anybody wrote last; of the messages that wait, each window names those
/// that it means.
pub(crate) async fn save(shared: &Arc<Shared>, change: Change) -> Result<Draft, Fault> {
    let Change { group, written, keep, drop } = change;
    let all = keep.iter().map(|unsent| &unsent.written).chain(&written);
    if let Some(length) = all.map(|one| one.text.chars().count()).find(|n| *n > MOST_CHARACTERS) {
        return Err(Fault::bad_input(
            format!(
                "what you are writing has {length} characters; {MOST_CHARACTERS} is the most that is kept"
            ),
            "send it in parts",
        ));
    }
    shared
        .store
        .write(Durability::Process, move |write| {
            groups::get(write, group)?;
            let mut draft = drafts::get(write, group)?;
            draft.written = written.unwrap_or(draft.written);
            for unsent in keep {
                // The window may not have heard yet that it was posted.
                if messages::find(write, MessageId(unsent.id.0))?.is_none() {
                    draft.keep(unsent);
                }
            }
            draft.unsent.retain(|unsent| !drop.contains(&unsent.id));
            drafts::put(write, &draft)?;
            Ok::<_, Fault>(draft)
        })
        .await
}

/// Posts a message that waits, as it is kept. Whoever comes second gets the
/// message too.
pub(crate) async fn post(
    shared: &Arc<Shared>,
    group: GroupId,
    unsent: RequestId,
) -> Result<Message, Fault> {
    let (posted, kept) = shared.store.read(|read| {
        let kept = drafts::get(read, group)?.unsent.into_iter().find(|one| one.id == unsent);
        Ok::<_, Fault>((messages::find(read, MessageId(unsent.0))?, kept))
    })?;
    if let Some(message) = posted {
        return Ok(message);
    }
    let Some(Unsent { id, written: Written { text, reply_to, attachments }, .. }) = kept else {
        return Err(Fault::new(
            FaultCode::NotFound,
            "this message waits no longer: it was taken back in another window",
            "write it again if it is still to be said",
        ));
    };
    post::post(shared, id, Said { group, text, reply_to, attachments }).await
}
