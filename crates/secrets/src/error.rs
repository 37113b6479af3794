//! What can go wrong with a secret, in words for a person. No message holds a value.

use crate::platform::KEYRING;
use crate::shelf::Place;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("there is no secret named {name}")]
    NotFound { name: String },
    /// Somebody took it out of its place by other means.
    #[error("{name} is listed, but {place} no longer holds it")]
    Gone { name: String, place: Place },

    #[error("{KEYRING} is locked")]
    Locked,
    #[error("there is no keyring on this system: {why}")]
    Absent { why: String },
    #[error("{KEYRING} did not allow it: {why}")]
    Denied { why: String },
    /// What was asked for may still be on its way; its answer will be thrown away.
    #[error("{KEYRING} did not answer within {seconds} s")]
    TimedOut { seconds: u64 },
    #[error("{KEYRING} went away while it was asked: {why}")]
    Interrupted { why: String },
    #[error("{KEYRING} failed: {why}")]
    Keyring { why: String },

    #[error("the sealed file is locked")]
    SealedLocked,
    #[error("there is no sealed file at {}", path.display())]
    NoSealedFile { path: PathBuf },
    #[error("there already is a sealed file at {}", path.display())]
    SealedFileExists { path: PathBuf },
    #[error("that is not the passphrase of the sealed file")]
    WrongPassphrase,
    #[error("a passphrase has at least {least} characters")]
    WeakPassphrase { least: usize },

    #[error("the list of keys, {}, is damaged: {why}", path.display())]
    ListDamaged { path: PathBuf, why: String },
    #[error("{what} is damaged: {why}")]
    Damaged { what: String, why: String },
    #[error("{what} was written by a newer Coterie")]
    Newer { what: String },
    #[error("{place} gave back something else for {name} than was put in")]
    Unverified { name: String, place: Place },

    #[error("the environment variable {variable} is not set")]
    NotSet { variable: String },
    #[error("{name:?} can not be the name of a secret")]
    BadName { name: String },
    #[error("{name} can not be stored: {why}")]
    BadValue { name: String, why: &'static str },

    #[error("{what} {}: {source}", path.display())]
    File { what: &'static str, path: PathBuf, source: io::Error },
}

impl Error {
    /// The next step, as one sentence.
    #[must_use]
    pub fn fix(&self) -> String {
        match self {
            Error::NotFound { .. } | Error::Gone { .. } => {
                "enter it again in the settings under Keys".into()
            }
            Error::Locked => format!(
                "unlock it (log in with your password, or open it in {}) and try again",
                crate::platform::KEYRING_APP
            ),
            Error::Absent { .. } => format!(
                "{}, or choose to keep keys in a file sealed with a passphrase",
                crate::platform::GET_A_KEYRING
            ),
            Error::Denied { .. } => {
                format!("allow Coterie in {}, then try again", crate::platform::KEYRING_APP)
            }
            Error::TimedOut { .. } => {
                "look for a window that asks for your password, answer it, and try again".into()
            }
            Error::Interrupted { .. } => "try again; if it stays away, log out and in".into(),
            Error::Keyring { .. } => {
                "try again; if it stays so, choose a file sealed with a passphrase".into()
            }
            Error::SealedLocked => "enter its passphrase".into(),
            Error::NoSealedFile { .. } => {
                "put it back, or choose a passphrase for a new one and enter the keys again".into()
            }
            Error::SealedFileExists { .. } => {
                "enter its passphrase, or move it away before you make a new one".into()
            }
            Error::WrongPassphrase => "enter the passphrase that it was sealed with".into(),
            Error::WeakPassphrase { .. } => "choose a longer one; several words are best".into(),
            Error::Damaged { .. } => {
                "put a copy from a backup in its place, or move it away and enter the keys again"
                    .into()
            }
            Error::ListDamaged { .. } => "put a copy from a backup in its place and start Coterie \
                 again, or enter the keys again: the damaged file is kept beside the new one"
                .into(),
            Error::Newer { .. } => "open it with that version".into(),
            Error::Unverified { .. } => {
                "try again, or choose another place; what was there before is unchanged".into()
            }
            Error::NotSet { variable } => {
                format!("set {variable} where Coterie is started, and start it again")
            }
            Error::BadName { .. } => {
                "use up to 200 letters, digits and any of . _ : / - + # ? = & % ~".into()
            }
            Error::BadValue { .. } => "copy it again from where you got it".into(),
            Error::File { path, .. } => {
                let folder = path.parent().unwrap_or(path);
                format!("see that {} can be written and has room", folder.display())
            }
        }
    }

    /// Whether the very first thing that was asked of the place was refused.
    pub(crate) fn is_at_the_door(&self) -> bool {
        matches!(
            self,
            Error::Absent { .. } | Error::Locked | Error::SealedLocked | Error::NoSealedFile { .. }
        )
    }

    /// Whether trying another secret in the same place would end the same way.
    pub(crate) fn is_about_the_place(&self) -> bool {
        match self {
            Error::Locked
            | Error::Absent { .. }
            | Error::Denied { .. }
            | Error::TimedOut { .. }
            | Error::Interrupted { .. }
            | Error::Keyring { .. }
            | Error::SealedLocked
            | Error::NoSealedFile { .. }
            | Error::SealedFileExists { .. }
            | Error::WrongPassphrase
            | Error::WeakPassphrase { .. }
            | Error::ListDamaged { .. }
            | Error::Newer { .. }
            | Error::File { .. } => true,
            Error::NotFound { .. }
            | Error::Gone { .. }
            | Error::Damaged { .. }
            | Error::Unverified { .. }
            | Error::NotSet { .. }
            | Error::BadName { .. }
            | Error::BadValue { .. } => false,
        }
    }
}
