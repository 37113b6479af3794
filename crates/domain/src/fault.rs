//! Faults: what went wrong, in words for a person, with what to do about it.

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
        Fault { code, message: message.into(), fix: fix.into() }
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
