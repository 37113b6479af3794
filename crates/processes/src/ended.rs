//! How a process ended.

use std::fmt;

use crate::Resource;

/// How a process ended, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It was killed because it and all that it started took too much of this.
    TookTooMuch(Resource),
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
            Ended::TookTooMuch(resource) => {
                write!(to, "killed: it took more {resource} than it may")
            }
            Ended::Unknown => write!(to, "nobody knows how"),
        }
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(match self {
            Resource::Memory => "memory",
            Resource::Cpu => "processor time",
            Resource::Tasks => "processes and threads",
            Resource::Disk => "space on the disk",
        })
    }
}
