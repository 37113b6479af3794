//! What is wrong with a key, in words for a person.

use domain::{Fault, FaultCode};
use secrets::Error;

const IN_SETTINGS: &str = "in Settings under Keys";

/// What a person's own order met.
pub(crate) fn of(error: &Error) -> Fault {
    let code = match error {
        Error::NotFound { .. } => FaultCode::NotFound,
        Error::Locked
        | Error::Absent { .. }
        | Error::Denied { .. }
        | Error::TimedOut { .. }
        | Error::Interrupted { .. }
        | Error::Keyring { .. }
        | Error::SealedLocked
        | Error::NoSealedFile { .. }
        | Error::Gone { .. }
        | Error::NotSet { .. } => FaultCode::Key,
        Error::SealedFileExists { .. } => FaultCode::Conflict,
        Error::WrongPassphrase
        | Error::WeakPassphrase { .. }
        | Error::BadName { .. }
        | Error::BadValue { .. } => FaultCode::BadInput,
        Error::Damaged { .. }
        | Error::Newer { .. }
        | Error::Unverified { .. }
        | Error::File { .. } => FaultCode::Storage,
    };
    Fault::new(code, error.to_string(), fix(error))
}

/// Why a provider cannot be asked: what it is to be asked with cannot be had.
pub(crate) fn without_key(provider: &str, error: &Error) -> Fault {
    let (message, fix) = match error {
        Error::NotFound { name } => (
            format!("provider {provider} has no key: {name} is not kept anywhere"),
            format!("enter it {IN_SETTINGS}, or with coterie key set {name}"),
        ),
        Error::NotSet { variable } => (
            format!("provider {provider} wants its key in ${variable}, which is not set"),
            format!("set {variable} and start Coterie again"),
        ),
        error => (format!("{}{error}", cannot_read(provider)), fix(error)),
    };
    Fault::new(FaultCode::Key, message, fix)
}

/// Whether the turn stopped because of the place of the key, not of the key.
pub(super) fn is_about_place(provider: &str, fault: &Fault) -> bool {
    fault.message.starts_with(&cannot_read(provider))
}

fn cannot_read(provider: &str) -> String {
    format!("the key of provider {provider} cannot be read: ")
}

fn fix(error: &Error) -> String {
    match error {
        Error::SealedLocked => {
            format!("enter its passphrase {IN_SETTINGS}, or with coterie key unlock")
        }
        Error::Absent { .. } => format!("{} (coterie key move sealed)", error.fix()),
        error => error.fix(),
    }
}

pub(super) fn is_about_keyring(error: &Error) -> bool {
    matches!(
        error,
        Error::Locked
            | Error::Absent { .. }
            | Error::Denied { .. }
            | Error::TimedOut { .. }
            | Error::Interrupted { .. }
            | Error::Keyring { .. }
    )
}
