//! What can go wrong with the database, told apart by what helps.

use domain::{Fault, FaultCode};
use std::path::PathBuf;

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
    #[error("{0} does not exist")]
    NotFound(String),
    #[error("{0} exists already")]
    Exists(String),
    #[error("the writer of the database has stopped")]
    Stopped,
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
        let message = error.to_string();
        let (code, fix) = match error {
            StoreError::NotFound(_) => {
                (FaultCode::NotFound, "look at the list and use a name or id from it")
            }
            StoreError::Exists(_) => (FaultCode::Conflict, "choose another name"),
            StoreError::Corrupt { .. } => (
                FaultCode::Storage,
                "put a copy of coterie.db in its place (backups/ holds those made before updates), or move coterie.db and the files beside it that begin with its name away to start anew",
            ),
            StoreError::FromTheFuture { .. } => {
                (FaultCode::Storage, "install the newer Coterie again")
            }
            StoreError::DiskFull => {
                (FaultCode::Storage, "free some space; nothing that was saved is lost")
            }
            StoreError::Disk(_) => (
                FaultCode::Storage,
                "free some space, or check the disk; nothing that was saved is lost",
            ),
            StoreError::ReadOnly(_) | StoreError::Unopenable { .. } => (
                FaultCode::Storage,
                "make the data directory writable, or choose another one with --data",
            ),
            StoreError::Backup { .. } => {
                (FaultCode::Storage, "check the free space and the rights of the folder")
            }
            StoreError::Stopped | StoreError::Sqlite(_) | StoreError::Value(_) => {
                (FaultCode::Internal, "start Coterie again; if it stays, run coterie doctor")
            }
        };
        Fault::new(code, message, fix)
    }
}
