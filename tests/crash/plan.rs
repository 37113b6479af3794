//! What both processes know: how much is posted, and under which ids.

use domain::RequestId;
use uuid::Uuid;

/// Messages posted into each folder.
pub(crate) const MESSAGES: usize = 30;

/// The id of the nth thing of a kind, the same in every life.
pub(crate) fn request(kind: &str, n: usize) -> RequestId {
    RequestId(Uuid::new_v5(&Uuid::NAMESPACE_OID, format!("{kind} {n}").as_bytes()))
}
