//! What is wrong with a key, in words for a person: the fix names commands, and
//! the window has one of its own for each kind.

use super::Safe;
use domain::{Fault, FaultCode, FaultKind, Provider};
use secrets::{Error, Place};

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
        | Error::ListDamaged { .. }
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
    Fault { kind: kind(error).map(Box::new), ..Fault::new(code, error.to_string(), fix(error)) }
}

/// Why a provider cannot be asked: what it is to be asked with cannot be had.
pub(crate) fn without_key(provider: &str, error: &Error) -> Fault {
    let (message, fix) = match error {
        Error::NotFound { name } => (
            format!("provider {provider} has no key: {name} is not kept anywhere"),
            format!("enter it in Settings under Keys, or with coterie key set {name}"),
        ),
        Error::NotSet { variable } => (
            format!("provider {provider} {}", not_set(variable)),
            format!(
                "keep it with coterie key set {provider}, or set {variable} and start Coterie again"
            ),
        ),
        error => (format!("{}{error}", cannot_read(provider)), fix(error)),
    };
    Fault { kind: kind(error).map(Box::new), ..Fault::new(FaultCode::Key, message, fix) }
}

/// How a key is corrected that the provider refused, where it is kept by us.
pub(crate) fn fix_of_refused(safe: &Safe, provider: &Provider) -> Option<String> {
    let name = provider.key.as_ref()?;
    match safe.place_of(name)? {
        Place::Keyring | Place::SealedFile => Some(format!(
            "enter another one in Settings under Keys, or with coterie key set {name}"
        )),
        Place::Environment { .. } => None,
    }
}

/// Whether the turn stopped because of the place of the key, not of the key.
pub(super) fn is_about_place(provider: &str, fault: &Fault) -> bool {
    fault.message.contains(&cannot_read(provider))
}

/// Whether it stopped because this variable was not set.
pub(super) fn is_about_variable(variable: &str, fault: &Fault) -> bool {
    fault.message.contains(&not_set(variable))
}

fn not_set(variable: &str) -> String {
    format!("wants its key in ${variable}, which is not set")
}

fn cannot_read(provider: &str) -> String {
    format!("the key of provider {provider} cannot be read: ")
}

fn fix(error: &Error) -> String {
    let fix = error.fix();
    match error {
        Error::NotFound { name } | Error::Gone { name, .. } => {
            format!("enter it again: coterie key set {name}")
        }
        Error::Absent { .. } | Error::Keyring { .. } => format!("{fix}: coterie key move sealed"),
        Error::SealedLocked => format!("{fix}: coterie key unlock"),
        _ => fix,
    }
}

/// What the window says in words of its own.
fn kind(error: &Error) -> Option<FaultKind> {
    let seconds = |seconds: u64| u32::try_from(seconds).unwrap_or(u32::MAX);
    Some(match error {
        Error::NotFound { name } => FaultKind::KeyMissing { name: name.clone() },
        Error::Gone { name, .. } => FaultKind::KeyGone { name: name.clone() },
        Error::Locked => FaultKind::KeyringLocked,
        Error::Absent { why } => FaultKind::KeyringAbsent { detail: why.clone() },
        Error::Denied { why } => FaultKind::KeyringDenied { detail: why.clone() },
        Error::TimedOut { seconds: after } => FaultKind::KeyringSilent { seconds: seconds(*after) },
        Error::Interrupted { why } => FaultKind::KeyringLost { detail: why.clone() },
        Error::Keyring { why } => FaultKind::KeyringFails { detail: why.clone() },
        Error::SealedLocked => FaultKind::SealedLocked,
        Error::NoSealedFile { path } => {
            FaultKind::SealedMissing { path: path.display().to_string() }
        }
        Error::SealedFileExists { path } => {
            FaultKind::SealedExists { path: path.display().to_string() }
        }
        Error::WrongPassphrase => FaultKind::PassphraseWrong,
        Error::WeakPassphrase { least } => {
            FaultKind::PassphraseShort { least: u32::try_from(*least).unwrap_or(u32::MAX) }
        }
        Error::ListDamaged { path, why } => {
            FaultKind::KeyListDamaged { path: path.display().to_string(), detail: why.clone() }
        }
        Error::Damaged { .. } => FaultKind::KeyDamaged { detail: error.to_string() },
        Error::Newer { .. } => FaultKind::SealedNewer { detail: error.to_string() },
        Error::NotSet { variable } => FaultKind::VariableUnset { variable: variable.clone() },
        Error::Unverified { .. }
        | Error::BadName { .. }
        | Error::BadValue { .. }
        | Error::File { .. } => return None,
    })
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
