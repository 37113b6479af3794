//! What both processes know: how much is posted, and under which ids.

use domain::{CallId, RequestId};
use uuid::Uuid;

/// Messages posted into each folder.
pub(crate) const MESSAGES: usize = 30;

/// The id of the nth thing of a kind, the same in every life.
pub(crate) fn request(kind: &str, n: usize) -> RequestId {
    RequestId(Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{kind} {n}").as_bytes()))
}

/// Whether the person denies this use, whenever they are asked about it.
pub(crate) fn says_no(call: CallId) -> bool {
    call.0.as_bytes()[15].is_multiple_of(4)
}
