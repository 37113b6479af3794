//! What the child writes in the feed.

use domain::RequestId;
use uuid::Uuid;

/// Posts, of which each is known by its number.
pub(crate) const POSTS: usize = 50;
/// What one agent may be given: fewer than there is to give.
pub(crate) const PER_HOUR: u32 = 30;

/// The same in every life, so that what is sent again is known.
pub(crate) fn request(n: usize) -> RequestId {
    RequestId(Uuid::from_u128(0xfeed_0000 + n as u128))
}

/// The community's.
pub(crate) fn community() -> RequestId {
    RequestId(Uuid::from_u128(0xc0ffee))
}

/// Now and then it concerns somebody.
pub(crate) fn text(n: usize) -> String {
    let about = ["plans", "numbers", "deadlines", "claims", "the weather", "the moon"];
    format!("Post {n} about {}", about[n % about.len()])
}
