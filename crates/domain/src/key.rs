//! Keys: what may be known of them, and the one form in which one comes in.

use crate::Fault;
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser};
use std::cell::Cell;
use std::fmt;
use ts_rs::TS;
use zeroize::Zeroizing;

/// A key or a passphrase on its way in. It has no debug text, its memory is
/// wiped, and it is written out only on its way to the owner of the workspace.
#[derive(Clone, PartialEq, Eq, TS)]
pub struct Secret(#[ts(type = "string")] Zeroizing<String>);

thread_local! {
    static ON_THE_WIRE: Cell<bool> = const { Cell::new(false) };
}

impl Secret {
    pub fn new(value: impl Into<String>) -> Self {
        Secret(Zeroizing::new(value.into()))
    }

    /// The value itself, for the one call that needs it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Secrets that are written on this thread before this returns go out as they
    /// are. Only for the line that takes a command to the workspace's owner.
    pub fn on_the_wire<T>(write: impl FnOnce() -> T) -> T {
        struct Before(bool);
        impl Drop for Before {
            fn drop(&mut self) {
                ON_THE_WIRE.set(self.0);
            }
        }
        let _before = Before(ON_THE_WIRE.replace(true));
        write()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if ON_THE_WIRE.get() {
            serializer.serialize_str(&self.0)
        } else {
            Err(ser::Error::custom("a secret is not written down"))
        }
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Secret::new)
    }
}

/// What may be shown of a key that is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Key {
    /// A provider's own is called `provider/NAME`.
    pub name: String,
    pub place: KeyPlace,
    /// Its last four characters, where it is long enough to show them.
    pub ends_with: Option<String>,
    pub set_ms: i64,
    /// To the minute.
    pub used_ms: Option<i64>,
    /// The providers that are asked with it.
    pub used_by: Vec<String>,
    /// The server that it was entered for, as `https://host:port`, where no provider is
    /// asked with it any more.
    #[serde(default)]
    pub only_for: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum KeyPlace {
    /// The keyring of the operating system.
    Keyring,
    /// The file in the data directory that a passphrase seals.
    Sealed,
    /// A variable of the process that owns the workspace; it can only be read.
    Variable { variable: String },
}

/// Where new keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum KeyHome {
    Keyring,
    Sealed,
}

/// How the file that a passphrase seals stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SealedFile {
    Absent,
    Locked,
    Open,
}

/// Every key, and how the places stand that they lie in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Keys {
    pub keys: Vec<Key>,
    /// Why nobody knows which keys there are; none when that is known.
    pub list: Option<Fault>,
    pub home: KeyHome,
    /// Why the keyring cannot be used, as far as that is known; none when it can.
    pub keyring: Option<Fault>,
    /// What people call the keyring on this system.
    pub keyring_name: String,
    pub sealed: SealedFile,
    /// How many lie in the other place than at home.
    pub to_be_moved: u32,
    /// How many still lie where the data directory keeps them that this one is a copy of.
    /// Each gets a place of its own when it is read.
    pub lent: u32,
    /// Values that were removed or replaced while their place could not be reached, and
    /// are erased when it can.
    #[serde(default)]
    pub to_be_erased: u32,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Call, Command};

    fn order() -> Call {
        let (name, value) = ("provider/acme".to_owned(), Secret::new("sk-planted"));
        Call::Command(Command::SetKey { name, value })
    }

    #[test]
    fn a_secret_is_written_on_the_wire_only() {
        assert!(serde_json::to_string(&order()).is_err());
        let line = Secret::on_the_wire(|| serde_json::to_string(&order())).unwrap();
        assert_eq!(serde_json::from_str::<Call>(&line).unwrap(), order());
        assert!(serde_json::to_string(&order()).is_err());
    }

    #[test]
    fn the_wire_ends_where_writing_panics_and_is_no_other_threads() {
        let panicked = std::panic::catch_unwind(|| Secret::on_the_wire(|| panic!("on purpose")));
        assert!(panicked.is_err());
        assert!(serde_json::to_string(&order()).is_err());
        let elsewhere = || std::thread::spawn(|| serde_json::to_string(&order())).join();
        assert!(Secret::on_the_wire(elsewhere).unwrap().is_err());
    }

    #[test]
    fn a_command_with_a_secret_has_no_debug_text_of_it() {
        let text = format!("{:?}", order());
        assert!(text.contains("provider/acme") && !text.contains("planted"), "{text}");
    }
}
