//! Souls: the Markdown files that say who the agents are.
//!
//! ```text
//! watch ── "look again" ──> Folder::read ── Found ──> look(shelf, files) ── Change ──> store, markers
//!                           Folder::save <── editor, CLI                        └────> Shelf::apply
//! ```
//! The folder belongs to the person: any editor may write there at any time.
//! So an event only means that it is worth reading again, the hash decides
//! whether anything is new, and a text that is wrong never replaces one that
//! was right. Nothing here knows the database or the groups: `look` says what
//! changed, its caller stores it and tells people.

mod card;
mod effective;
mod fault;
mod files;
pub(crate) mod front;
mod hash;
mod heartbeat;
mod mistake;
mod name;
mod nearest;
pub(crate) mod parse;
pub(crate) mod place;
pub(crate) mod policy;
mod rivals;
pub(crate) mod sections;
mod shelf;
mod sweep;
mod watch;
mod watched;
pub(crate) mod yaml;

pub(crate) use card::{name_of, one_line, read as read_card, soul_text};
pub use effective::{CacheUse, Effective, Fallback, effective};
pub use fault::{Conflict, SoulsError};
pub use files::{Folder, Found, FoundFile, Saved};
pub use front::Front;
pub use hash::hash;
pub(crate) use heartbeat::{Heartbeat, read as heartbeat};
pub use name::{BadName, is_stem};
pub(crate) use nearest::nearest;
pub use parse::{Checked, MAX_BYTES, SoulFile, check, check_bytes, parse};
pub use policy::{Asks, Policy};
pub use shelf::{Change, OnDisk, Shelf, Shelved, SoulInForce, look};
pub use watch::Watch;
pub use watched::Watched;
