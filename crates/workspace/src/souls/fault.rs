//! What can go wrong with the souls folder, and what to tell the person.

use super::name::BadName;
use domain::{Fault, FaultCode, FaultKind};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum SoulsError {
    #[error("save soul {stem}: {}", .why.said())]
    BadName { stem: String, why: BadName },
    #[error("save soul {stem}: the text has {bytes} bytes, and a soul has at most {} KiB", super::MAX_BYTES / 1024)]
    TooLarge { stem: String, bytes: usize },
    #[error(
        "save soul {stem}: souls/{stem}.md is a link or a folder, and only plain files are souls"
    )]
    NotPlain { stem: String },
    #[error("save soul {}: {}", .0.stem, .0.reason())]
    Conflict(Box<Conflict>),
    #[error("{} is a file, where the folder of the souls has to be", .folder.display())]
    NoFolder { folder: PathBuf },
    #[error("{doing}: {}", words(.source))]
    Storage { doing: String, source: io::Error },
}

/// Two texts for one file. Neither is lost: `theirs` is in the file, `yours`
/// is here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    pub stem: String,
    pub yours: String,
    /// What is in the file now (lossy if it is not UTF-8); `None` when the
    /// file is gone.
    pub theirs: Option<String>,
    pub theirs_hash: Option<String>,
}

impl Conflict {
    fn reason(&self) -> &'static str {
        match self.theirs {
            Some(_) => "the file changed after this edit began",
            None => "the file was deleted after this edit began",
        }
    }
}

/// A system error in words that do not need the system's.
pub(super) fn words(error: &io::Error) -> String {
    match error.kind() {
        ErrorKind::PermissionDenied => "this account may not do that".to_owned(),
        ErrorKind::ReadOnlyFilesystem => "the disk is read-only".to_owned(),
        ErrorKind::StorageFull => "the disk is full".to_owned(),
        ErrorKind::QuotaExceeded => "the disk quota is used up".to_owned(),
        _ => error.to_string(),
    }
}

impl From<SoulsError> for Fault {
    fn from(error: SoulsError) -> Fault {
        let (code, fix) = match &error {
            SoulsError::BadName { why, .. } => {
                (FaultCode::BadInput, format!("choose another name, for example {}", why.better))
            }
            SoulsError::TooLarge { .. } => (FaultCode::BadInput, "shorten the text".to_owned()),
            SoulsError::NotPlain { .. } => {
                (FaultCode::BadInput, "put a plain file in its place".to_owned())
            }
            SoulsError::Conflict(_) => {
                (FaultCode::Conflict, "compare the two texts, then save again".to_owned())
            }
            SoulsError::NoFolder { .. } => (
                FaultCode::Storage,
                "move the file away and start Coterie again: it makes the folder".to_owned(),
            ),
            SoulsError::Storage { source, .. } => (FaultCode::Storage, fix(source).to_owned()),
        };
        Fault::new(code, error.to_string(), fix).of(error.kind())
    }
}

impl SoulsError {
    fn kind(self) -> FaultKind {
        match self {
            SoulsError::BadName { stem, why } => {
                FaultKind::SoulNameUnfit { name: stem, better: why.better }
            }
            SoulsError::TooLarge { stem, .. } => {
                FaultKind::SoulTooLarge { name: stem, most_kib: (super::MAX_BYTES / 1024) as u32 }
            }
            SoulsError::NotPlain { stem } => FaultKind::SoulNotPlain { name: stem },
            SoulsError::Conflict(conflict) => match conflict.theirs {
                Some(_) => FaultKind::SoulChanged { name: conflict.stem },
                None => FaultKind::SoulDeleted { name: conflict.stem },
            },
            SoulsError::NoFolder { folder } => {
                FaultKind::SoulsNoFolder { path: folder.display().to_string() }
            }
            SoulsError::Storage { source, .. } => match source.kind() {
                ErrorKind::PermissionDenied => FaultKind::SoulsForbidden,
                ErrorKind::ReadOnlyFilesystem => FaultKind::SoulsReadOnly,
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded => FaultKind::DiskFull,
                _ => FaultKind::SoulsFail { detail: words(&source) },
            },
        }
    }
}

fn fix(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::PermissionDenied => {
            "make the souls folder and its files writable for this account"
        }
        ErrorKind::ReadOnlyFilesystem => "choose a data directory on a disk that can be written to",
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => "free some space, then save again",
        _ => "check the data directory, then try again",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_names_its_cause_and_the_way_out() {
        let check = |error: SoulsError, code: FaultCode, message: &str, fix: &str| {
            let fault = Fault::from(error);
            assert!(fault.kind.is_some(), "{fault}");
            assert_eq!(Fault { kind: None, ..fault }, Fault::new(code, message, fix));
        };
        let storage = |kind: ErrorKind| SoulsError::Storage {
            doing: "save soul ada".into(),
            source: kind.into(),
        };
        check(
            storage(ErrorKind::StorageFull),
            FaultCode::Storage,
            "save soul ada: the disk is full",
            "free some space, then save again",
        );
        check(
            storage(ErrorKind::PermissionDenied),
            FaultCode::Storage,
            "save soul ada: this account may not do that",
            "make the souls folder and its files writable for this account",
        );
        check(
            storage(ErrorKind::ReadOnlyFilesystem),
            FaultCode::Storage,
            "save soul ada: the disk is read-only",
            "choose a data directory on a disk that can be written to",
        );
        let conflict =
            Conflict { stem: "ada".into(), yours: "a".into(), theirs: None, theirs_hash: None };
        check(
            SoulsError::Conflict(Box::new(conflict)),
            FaultCode::Conflict,
            "save soul ada: the file was deleted after this edit began",
            "compare the two texts, then save again",
        );
        check(
            SoulsError::BadName {
                stem: "my soul".into(),
                why: crate::souls::name::wrong_with("my soul").unwrap(),
            },
            FaultCode::BadInput,
            "save soul my soul: a soul's file name is made of letters, digits, - and _, and this one has a space",
            "choose another name, for example my-soul",
        );
    }
}
