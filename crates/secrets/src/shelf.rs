//! Where a value can lie: the two shelves, and the slots on them.

use crate::{Error, Secret};
use serde::{Deserialize, Serialize};
use std::fmt;

/// A place that Coterie writes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Home {
    /// The keyring of the operating system.
    Keyring,
    /// One file in the data directory, sealed with a passphrase.
    SealedFile,
}

/// Where a secret is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    Keyring,
    SealedFile,
    /// A variable of the owning process; it can only be read.
    Environment {
        variable: String,
    },
}

impl From<Home> for Place {
    fn from(home: Home) -> Self {
        match home {
            Home::Keyring => Place::Keyring,
            Home::SealedFile => Place::SealedFile,
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Keyring => f.write_str(crate::platform::KEYRING),
            Place::SealedFile => f.write_str("the sealed file"),
            Place::Environment { variable } => write!(f, "the environment variable {variable}"),
        }
    }
}

/// What one value lies in. A slot is written once: a new value gets a new slot,
/// and the ledger says which one counts.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Slot {
    pub(crate) name: String,
    pub(crate) number: u64,
    /// Into how many pieces the value is cut; 1 is whole.
    pub(crate) pieces: u32,
    /// The scope of the data directory that this one was copied from, where the slot is
    /// still that one's: it is read here, and never filled or cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) lent_by: Option<String>,
}

pub(crate) trait Shelf {
    /// Into how many pieces this shelf would cut the value.
    fn pieces(&self, value: &Secret) -> u32;
    fn put(&self, slot: &Slot, value: &Secret) -> Result<(), Error>;
    /// `Gone` when the slot or a piece of it is not there.
    fn get(&self, slot: &Slot) -> Result<Secret, Error>;
    /// Fine when there is nothing in it.
    fn clear(&self, slot: &Slot) -> Result<(), Error>;
    /// Whether a `put` that was given up may still arrive.
    fn is_quiet(&self) -> bool;
}
