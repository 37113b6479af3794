//! What can go wrong with the database, told apart by what helps.

use domain::{Fault, FaultCode, FaultKind, NoFile};
use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the database {path} is damaged: {detail}")]
    Corrupt { path: PathBuf, detail: String },
    #[error(
        "the database {path} was written by a newer Coterie (schema {found}, this one knows {known})"
    )]
    FromTheFuture { path: PathBuf, found: usize, known: usize },
    #[error("the disk is full")]
    DiskFull,
    #[error("the disk does not take the data: {0}")]
    Disk(String),
    #[error("the database cannot be written: {0}")]
    ReadOnly(String),
    #[error("the database file {path} cannot be opened: {detail}")]
    Unopenable { path: PathBuf, detail: String },
    #[error("{path}, where the database has to be, is {}", words(.found))]
    NoFile { path: PathBuf, found: NoFile },
    #[error("this account may not read and write the database {path}")]
    Forbidden { path: PathBuf },
    #[error("the database {path} is empty, and {beside} beside it says that it was in use")]
    Emptied { path: PathBuf, beside: String },
    #[error("what was written last to the database {path} cannot be read: {log} is damaged")]
    LogDamaged { path: PathBuf, log: PathBuf, kept: PathBuf },
    #[error("{0} does not exist")]
    NotFound(String),
    #[error("{0} exists already")]
    Exists(String),
    #[error("the writer of the database has stopped")]
    Stopped,
    #[error("the database's log could not be emptied: somebody read it all the while")]
    InUse,
    #[error("back up the database to {path}: {detail}")]
    Backup { path: PathBuf, detail: String },
    #[error("database: {0}")]
    Sqlite(rusqlite::Error),
    #[error("a value in the database cannot be read: {0}")]
    Value(#[from] serde_json::Error),
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Code;
        let text = error.to_string();
        match error.sqlite_error_code() {
            Some(Code::DiskFull) => StoreError::DiskFull,
            Some(Code::SystemIoFailure) => StoreError::Disk(text),
            Some(Code::ReadOnly) => StoreError::ReadOnly(text),
            Some(Code::DatabaseCorrupt | Code::NotADatabase) => {
                StoreError::Corrupt { path: PathBuf::from("coterie.db"), detail: text }
            }
            _ => StoreError::Sqlite(error),
        }
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        let fix = match &error {
            StoreError::NotFound(_) => "look at the list and use a name or id from it",
            StoreError::Exists(_) => "choose another name",
            StoreError::Corrupt { .. } => {
                "move coterie.db and the files beside it that begin with its name away; then put a copy of coterie.db in its place (backups/ holds those made before updates), or start anew without one"
            }
            StoreError::Emptied { .. } => {
                "move coterie.db and the files beside it that begin with its name away; then put a copy of coterie.db in its place (backups/ holds those made before updates), or start anew without one"
            }
            StoreError::LogDamaged { log, kept, .. } => {
                let fix = without_log(log, kept);
                return error.told(&fix);
            }
            StoreError::FromTheFuture { .. } => "install the newer Coterie again",
            StoreError::DiskFull => "free some space; nothing that was saved is lost",
            StoreError::Disk(_) => {
                "free some space, or check the disk; nothing that was saved is lost"
            }
            StoreError::ReadOnly(_) => {
                "make the data directory and coterie.db in it writable, or choose another one with --data DIR"
            }
            StoreError::Unopenable { .. } => {
                "see that this account may read and write it and the files beside it that begin with its name, or choose another data directory with --data DIR"
            }
            StoreError::NoFile { .. } => {
                "move it away and start Coterie again: it makes a new database, or put your own coterie.db there"
            }
            StoreError::Forbidden { .. } => {
                "give this account the right to read and write it, or choose another data directory with --data DIR"
            }
            StoreError::Backup { .. } => "check the free space and the rights of the folder",
            StoreError::Stopped
            | StoreError::InUse
            | StoreError::Sqlite(_)
            | StoreError::Value(_) => "start Coterie again; if it stays, run coterie doctor",
        };
        error.told(fix)
    }
}

impl StoreError {
    fn told(self, fix: &str) -> Fault {
        let fault = Fault::new(self.code(), self.to_string(), fix);
        match self.kind() {
            Some(kind) => fault.of(kind),
            None => fault,
        }
    }

    fn code(&self) -> FaultCode {
        match self {
            StoreError::NotFound(_) => FaultCode::NotFound,
            StoreError::Exists(_) => FaultCode::Conflict,
            StoreError::Corrupt { .. }
            | StoreError::FromTheFuture { .. }
            | StoreError::DiskFull
            | StoreError::Disk(_)
            | StoreError::ReadOnly(_)
            | StoreError::Unopenable { .. }
            | StoreError::NoFile { .. }
            | StoreError::Forbidden { .. }
            | StoreError::Emptied { .. }
            | StoreError::LogDamaged { .. }
            | StoreError::Backup { .. } => FaultCode::Storage,
            StoreError::Stopped
            | StoreError::InUse
            | StoreError::Sqlite(_)
            | StoreError::Value(_) => FaultCode::Internal,
        }
    }

    fn kind(self) -> Option<FaultKind> {
        let shown = |path: &Path| path.display().to_string();
        let number = |schema: usize| u32::try_from(schema).unwrap_or(u32::MAX);
        Some(match self {
            StoreError::NotFound(_) | StoreError::Exists(_) => return None,
            StoreError::Corrupt { path, detail } => {
                FaultKind::DatabaseDamaged { path: shown(&path), detail }
            }
            StoreError::FromTheFuture { path, found, known } => FaultKind::DatabaseNewer {
                path: shown(&path),
                found: number(found),
                known: number(known),
            },
            StoreError::DiskFull => FaultKind::DiskFull,
            StoreError::Disk(detail) => FaultKind::DiskFails { detail },
            StoreError::ReadOnly(detail) => FaultKind::DatabaseReadOnly { detail },
            StoreError::Unopenable { path, detail } => {
                FaultKind::DatabaseUnopenable { path: shown(&path), detail }
            }
            StoreError::NoFile { path, found } => {
                FaultKind::DatabaseNoFile { path: shown(&path), found }
            }
            StoreError::Forbidden { path } => FaultKind::DatabaseForbidden { path: shown(&path) },
            StoreError::Emptied { path, beside } => {
                FaultKind::DatabaseEmptied { path: shown(&path), beside }
            }
            StoreError::LogDamaged { path, log, kept } => {
                FaultKind::LogDamaged { path: shown(&path), log: shown(&log), kept: shown(&kept) }
            }
            StoreError::Backup { path, detail } => {
                FaultKind::BackupFails { path: shown(&path), detail }
            }
            error @ (StoreError::Stopped
            | StoreError::InUse
            | StoreError::Sqlite(_)
            | StoreError::Value(_)) => FaultKind::DatabaseFails { detail: error.to_string() },
        })
    }
}

fn without_log(log: &Path, kept: &Path) -> String {
    let copy = match kept == log {
        true => "copy it first".to_owned(),
        false => format!("it is kept as {}", kept.display()),
    };
    format!(
        "put a copy of coterie.db in its place (backups/ holds those made before updates) and delete {log}, \
         or only delete that to go on without what was written last; {copy}",
        log = log.display()
    )
}

fn words(found: &NoFile) -> &'static str {
    match found {
        NoFile::Folder => "a folder",
        NoFile::Pipe => "a pipe",
        NoFile::Socket => "a socket",
        NoFile::Device => "a device",
        NoFile::Other => "no plain file",
    }
}
