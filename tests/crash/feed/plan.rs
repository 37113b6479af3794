//! What the child writes in the feed.

use domain::RequestId;
use uuid::Uuid;

/// Posts, of which each is known by its number.
pub(crate) const POSTS: usize = 50;
/// What one agent may be given: fewer than there is to give.
pub(crate) const PER_HOUR: u32 = 30;

/// What the feed may use at first: any answer, as far as an estimate tells, and none with
/// the words that are asked with.
pub(crate) const FIRST_TOKENS: i64 = 12_000;

/// In front of every question to a model, which no estimate reckons with.
pub(crate) fn many_words() -> String {
    "Weigh every word that you write. ".repeat(1_000) + "Answer {{ item }}."
}

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
