//! What is started, and by whom.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

/// A program with everything that it is given. It sees no other variable of
/// the environment than these, and no open file but its stdin, stdout and
/// stderr.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// A path, or a name that is looked for in the `PATH` among `environment`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(OsString, OsString)>,
    /// Where it starts.
    pub folder: PathBuf,
}

/// Starts programs: the file `coterie-keeper`. On Windows nobody is needed and
/// the file is not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keeper(pub PathBuf);

#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such program, or it must not be run.
    #[error("start {program}: {error}")]
    Program { program: String, error: io::Error },
    /// The installation lacks its keeper, or the machine is out of something.
    #[error("start the keeper {}: {error}", keeper.display())]
    Keeper { keeper: PathBuf, error: io::Error },
    #[error("confine {program}: {error}")]
    Confinement { program: String, error: io::Error },
    #[error(transparent)]
    Unconfined(#[from] Unconfined),
}

/// Why no program can be confined here.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unconfined {
    #[error("this kernel cannot confine programs: {0}; Linux 6.12 or newer with Landlock can")]
    Kernel(String),
    #[error("sandbox-exec was tried on this Mac and does not confine programs: {0}")]
    Seatbelt(String),
    #[error("programs can be confined on Linux and macOS only")]
    Platform,
}

/// What confines programs on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walls {
    /// Landlock and seccomp of Linux. What all that is started takes together
    /// is held too, and nobody of it is left.
    Landlock,
    /// `sandbox-exec` of macOS, for files and the network. Limits and the end hold
    /// for those who stay in the program's group.
    Seatbelt,
}

/// Whether programs can be confined on this machine, and by what.
pub fn confines() -> Result<Walls, Unconfined> {
    #[cfg(target_os = "linux")]
    return match crate::walls::closed(crate::Network::None) {
        Ok(_) => Ok(Walls::Landlock),
        Err(error) => Err(Unconfined::Kernel(error.to_string())),
    };
    #[cfg(target_os = "macos")]
    return crate::tried::tried().map(|()| Walls::Seatbelt).map_err(Unconfined::Seatbelt);
    #[cfg(not(any(target_os = "linux", target_os = "macos")))]
    Err(Unconfined::Platform)
}

/// The variables that programs commonly need and that tell no secrets.
pub const INHERITED: &[&str] = &[
    // Everywhere.
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "TMPDIR",
    // Unix.
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "XDG_RUNTIME_DIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    // Windows.
    "APPDATA",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROCESSOR_ARCHITECTURE",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
];

/// Those of our own variables that a program may be given unasked.
pub fn inherited(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    let known = |name: &OsString| INHERITED.iter().any(|known| name.eq_ignore_ascii_case(known));
    ours.into_iter().filter(move |(name, _)| known(name))
}
