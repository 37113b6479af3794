//! Keys and other secrets: where they are kept, and that they show nowhere else.
//!
//! A [`Vault`] stands on one data directory. A secret lives in the keyring of
//! the operating system or, after a person chose it, in one file sealed with a
//! passphrase; never in plain text. What is listed about it (its name, its
//! place, when it was used) stands in `secrets.json`, which holds no value.
//! A [`Redactor`] takes out of any text what the vault has handed out.
//!
//! Everything here blocks: up to five seconds where a keyring hangs, and
//! about a second where a passphrase is tried. Call it from a thread that may wait.
//! Whoever opens a vault is the only one who does: the workspace's lock sees to it.

mod crash;
mod error;
mod files;
mod folder;
mod keyring;
mod ledger;
mod limited;
mod platform;
mod redactor;
mod sealed;
mod secret;
mod shelf;
mod vault;

pub use crash::leave_no_image;
pub use error::Error;
pub use keyring::Keyring;
pub use redactor::{Redactor, Stream, Writer};
pub use sealed::Cost;
pub use secret::Secret;
pub use shelf::{Home, Place};
pub use vault::{
    Clock, Environment, LEDGER_FILE, Listed, Moved, Opening, SEALED_FILE, Sealed, Vault,
};
