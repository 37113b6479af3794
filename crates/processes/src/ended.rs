//! How a process ended.

use std::fmt;

/// How a process ended, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// Its keeper was killed before it could say.
    Unknown,
}

impl Ended {
    pub fn well(self) -> bool {
        self == Ended::Exited(0)
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Exited(code) => write!(to, "exit code {code}"),
            Ended::Signalled(signal) => write!(to, "signal {signal}"),
            Ended::Unknown => write!(to, "nobody knows how"),
        }
    }
}
