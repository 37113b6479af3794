//! What can go wrong at the door, in words for a person.

use domain::{Fault, FaultCode, FaultKind};
use std::io::{self, ErrorKind};
use std::path::Path;

const ELSEWHERE: &str = "choose another folder with --data DIR";

/// The data folder cannot be made, opened or written.
pub(crate) fn folder(data: &Path, error: &io::Error) -> Fault {
    let path = data.display().to_string();
    let (message, fix, kind) = match error.kind() {
        ErrorKind::NotADirectory | ErrorKind::AlreadyExists => (
            format!("{path} is not a folder"),
            ELSEWHERE.to_owned(),
            FaultKind::FolderIsFile { path },
        ),
        ErrorKind::PermissionDenied => (
            format!("no permission to write in {path}"),
            format!("change its permissions, or {ELSEWHERE}"),
            FaultKind::FolderForbidden { path },
        ),
        ErrorKind::ReadOnlyFilesystem => (
            format!("{path} is read-only"),
            ELSEWHERE.to_owned(),
            FaultKind::FolderReadOnly { path },
        ),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => (
            format!("the disk that holds {path} is full"),
            "free some space and try again".to_owned(),
            FaultKind::FolderFull { path },
        ),
        _ => (
            format!("open the workspace in {path}: {error}"),
            ELSEWHERE.to_owned(),
            FaultKind::FolderUnusable { path, detail: error.to_string() },
        ),
    };
    Fault::new(FaultCode::Storage, message, fix).of(kind)
}

/// The owner's socket cannot be made.
#[cfg(unix)]
pub(crate) fn socket(path: &Path, error: &io::Error) -> Fault {
    let path = path.display().to_string();
    let (message, fix, kind) = match error.kind() {
        ErrorKind::AlreadyExists => (
            format!("something that is no socket stands at {path}, where this workspace listens"),
            "move it away and try again",
            FaultKind::SocketTaken { path },
        ),
        _ => (
            format!("listen on {path}: {error}"),
            "check the folder's permissions and try again",
            FaultKind::SocketFails { path, detail: error.to_string() },
        ),
    };
    Fault::new(FaultCode::Storage, message, fix).of(kind)
}

/// Somebody holds the lock and nobody speaks for them: the process starts, is
/// stopped, or hangs.
pub(crate) fn silent_owner(data: &Path) -> Fault {
    let pid = crate::lock::read(data).map(|owner| owner.pid);
    let who =
        pid.map_or("another process".to_owned(), |pid| format!("another process (pid {pid})"));
    Fault::new(
        FaultCode::TimedOut,
        format!("{who} has the workspace in {} open and does not answer", data.display()),
        "wait until it goes on, or end it and try again",
    )
    .of(FaultKind::OwnerSilent { path: data.display().to_string(), pid })
}

/// This process has given the workspace up.
pub(crate) fn closed() -> Fault {
    Fault::new(FaultCode::Storage, "this workspace has been closed", "open Coterie again")
        .of(FaultKind::WorkspaceClosed)
}

pub(crate) fn no_owner(data: &Path) -> Fault {
    Fault::not_found(
        format!("no process has the workspace in {} open", data.display()),
        "start Coterie, or run coterie serve",
    )
}

pub(crate) fn foreign_owner(data: &Path) -> Fault {
    Fault::new(
        FaultCode::Storage,
        format!("another user's process has the workspace in {} open", data.display()),
        ELSEWHERE,
    )
    .of(FaultKind::OwnerForeign { path: data.display().to_string() })
}

/// The owner ended and no other one came in its place.
pub(crate) fn owner_gone() -> Fault {
    Fault::new(
        FaultCode::Storage,
        "the process that had this workspace open has ended",
        "run the command again, or open Coterie again",
    )
    .of(FaultKind::OwnerGone)
}

pub(crate) fn no_answer(seconds: u64) -> Fault {
    Fault::new(
        FaultCode::TimedOut,
        format!("the process that has this workspace open did not answer within {seconds} s"),
        "try again; if it hangs, close it",
    )
    .of(FaultKind::OwnerSlow { seconds: u32::try_from(seconds).unwrap_or(u32::MAX) })
}

/// A line that is no request, or one of another version of Coterie.
pub(crate) fn unreadable(why: impl std::fmt::Display) -> Fault {
    Fault::bad_input(
        format!("read a request: {why}"),
        "use the same version of Coterie for the command line and the window",
    )
    .of(FaultKind::OtherVersion { detail: why.to_string() })
}

/// An answer of another version of Coterie.
pub(crate) fn unreadable_answer(why: impl std::fmt::Display) -> Fault {
    Fault::new(
        FaultCode::Internal,
        format!("read the answer of the process that has this workspace open: {why}"),
        "use the same version of Coterie for the command line and the window",
    )
    .of(FaultKind::OtherVersion { detail: why.to_string() })
}

pub(crate) fn too_long() -> Fault {
    Fault::bad_input(
        format!("a line may hold {} MiB at the most", crate::framing::LINE_LIMIT / (1024 * 1024)),
        "send or ask for less at a time",
    )
    .of(FaultKind::LineTooLong)
}

pub(crate) fn panicked() -> Fault {
    Fault::new(
        FaultCode::Internal,
        "the workspace failed while it answered",
        "run coterie doctor, then try again",
    )
}

#[cfg(not(unix))]
pub(crate) fn not_on_this_system() -> io::Error {
    io::Error::new(
        ErrorKind::Unsupported,
        "sharing a workspace between two processes works on Linux and macOS only so far",
    )
}
