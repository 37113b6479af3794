//! Faults: what went wrong, in words for a person, with what to do about it.

mod kind;
mod model;
mod no_file;
pub(crate) mod record;
mod soul;

pub use kind::FaultKind;
pub use model::{ModelFileWrong, ModelTrouble};
pub use no_file::NoFile;
pub use soul::SoulKept;

use serde::{Deserialize, Serialize};
use std::fmt;
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Fault {
    pub code: FaultCode,
    /// One sentence: what was tried and what is wrong with it.
    pub message: String,
    /// One sentence: the next step. Empty when there is none.
    pub fix: String,
    /// Which fault it is, where the window has words of its own for it.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "record")]
    #[ts(as = "Option<FaultKind>", optional)]
    pub kind: Option<Box<FaultKind>>,
}

/// A code exists where the window or the exit status depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FaultCode {
    BadInput,
    NotFound,
    /// A policy, a cap or a budget said no.
    Refused,
    /// A budget is used up.
    Budget,
    TimedOut,
    /// Somebody else changed it first.
    Conflict,
    /// No model is chosen, or its provider is not set up.
    NoModel,
    /// The provider wants a key and there is none, or refused it.
    Key,
    /// The provider cannot be reached, or answered with an error.
    Provider,
    /// The local engine or its model file.
    Engine,
    /// The data directory: read-only, full, corrupt, owned by another process.
    Storage,
    Internal,
}

impl Fault {
    pub fn new(code: FaultCode, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Fault { code, message: message.into(), fix: fix.into(), kind: None }
    }

    /// The same fault, of a kind that the window has words for.
    #[must_use]
    pub fn of(self, kind: FaultKind) -> Self {
        Fault { kind: Some(Box::new(kind)), ..self }
    }

    pub fn bad_input(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Fault::new(FaultCode::BadInput, message, fix)
    }

    pub fn not_found(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Fault::new(FaultCode::NotFound, message, fix)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.fix.is_empty() {
            write!(f, "; {}", self.fix)?;
        }
        Ok(())
    }
}

impl std::error::Error for Fault {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_that_only_a_later_coterie_knows_takes_nothing_from_the_sentences() {
        let fault = Fault::new(FaultCode::Storage, "the moon is full", "wait for it");
        let text = serde_json::to_string(&fault).unwrap();
        assert!(!text.contains("kind"), "{text}");
        let later = text.replace('}', ",\"kind\":{\"is\":\"moon_full\",\"night\":3}}");
        assert_eq!(serde_json::from_str::<Fault>(&later).unwrap(), fault);
        let known = fault.of(FaultKind::PassphraseShort { least: 8 });
        let text = serde_json::to_string(&known).unwrap();
        assert_eq!(serde_json::from_str::<Fault>(&text).unwrap(), known);
    }
}
