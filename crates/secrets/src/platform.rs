//! Which keyring this system has, how its refusals read, and what people call it.
//!
//! Only the Secret Service of Linux and the BSDs is tried by the tests. What is
//! here for Keychain and Credential Manager compiles, and nobody has run it.

use crate::Error;
use keyring_core::CredentialStore;
use std::sync::Arc;

#[cfg(windows)]
pub(crate) use credential_manager::*;
#[cfg(all(unix, not(target_os = "macos")))]
pub(crate) use freedesktop::*;
#[cfg(target_os = "macos")]
pub(crate) use keychain::*;

/// What went wrong in words of ours. Values never get into them: the errors
/// that carry bytes are told by their kind alone.
pub(crate) fn plain(error: keyring_core::Error) -> Error {
    use keyring_core::Error as Theirs;
    match error {
        Theirs::NoStorageAccess(cause) => no_access(cause.as_ref()),
        Theirs::PlatformFailure(cause) => failure(cause.as_ref()),
        Theirs::BadEncoding(_) => damaged("it is not text"),
        Theirs::BadDataFormat(_, _) => damaged("it is not in the form that was written"),
        Theirs::BadStoreFormat(_) => damaged("the keyring itself is not in order"),
        Theirs::Ambiguous(_) => damaged("there are two of the same name"),
        Theirs::NoEntry => Error::Keyring { why: "it has no such entry".into() },
        other => Error::Keyring { why: other.to_string() },
    }
}

fn damaged(why: &str) -> Error {
    Error::Damaged { what: format!("an entry in {KEYRING}"), why: why.into() }
}

#[cfg(all(unix, not(target_os = "macos")))]
mod freedesktop {
    use super::*;
    use secret_service::blocking::SecretService;
    use secret_service::{EncryptionType, Error as Service};
    use std::collections::HashMap;
    use std::error::Error as Cause;

    pub(crate) const KEYRING: &str = "the system keyring (Secret Service)";
    pub(crate) const KEYRING_APP: &str = "Passwords and Keys or KWallet Manager";
    pub(crate) const GET_A_KEYRING: &str =
        "install and start GNOME Keyring or KWallet, log in again";

    /// Whether the collection that we write into is, which asks nobody for anything.
    pub(crate) fn is_unlocked() -> bool {
        let look = || -> Result<bool, Service> {
            let service = SecretService::connect(EncryptionType::Plain)?;
            let collection = service.get_default_collection()?;
            Ok(!collection.is_locked()?)
        };
        look().unwrap_or(false)
    }

    pub(crate) fn open() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(zbus_secret_service_keyring_store::Store::new()?)
    }

    /// What a person finds in their keyring.
    pub(crate) fn modifiers(label: &str) -> HashMap<&str, &str> {
        HashMap::from([("label", label)])
    }

    /// A prompt that was dismissed, or no collection that could be opened.
    pub(super) fn no_access(_: &(dyn Cause + Send + Sync + 'static)) -> Error {
        Error::Locked
    }

    pub(super) fn failure(cause: &(dyn Cause + Send + Sync + 'static)) -> Error {
        let why = cause.to_string();
        match cause.downcast_ref::<Service>() {
            Some(Service::Locked | Service::Prompt | Service::NoResult) => Error::Locked,
            Some(Service::Unavailable) => Error::Absent { why },
            Some(Service::PromptDisconnected) => Error::Interrupted { why },
            Some(Service::Zbus(error)) => bus(error, why),
            Some(Service::ZbusFdo(zbus::fdo::Error::ZBus(error))) => bus(error, why),
            _ => Error::Keyring { why },
        }
    }

    fn bus(error: &zbus::Error, why: String) -> Error {
        match error {
            zbus::Error::Address(_) | zbus::Error::Connection(..) => {
                Error::Absent { why: "no session bus answers".into() }
            }
            zbus::Error::Handshake(_) => Error::Absent { why },
            zbus::Error::InputOutput(_) => Error::Interrupted { why },
            zbus::Error::FDO(error) => named(&error.to_string(), why),
            zbus::Error::MethodError(name, _, _) => named(name, why),
            _ => Error::Keyring { why },
        }
    }

    /// By the error's name on the bus.
    fn named(name: &str, why: String) -> Error {
        let is = |ending: &str| name.contains(ending);
        if is("ServiceUnknown") || is("NameHasNoOwner") || is("Error.Spawn") {
            Error::Absent { why: "no Secret Service answers".into() }
        } else if is("IsLocked") {
            Error::Locked
        } else if is("AccessDenied") || is("AuthFailed") {
            Error::Denied { why }
        } else if is("NoReply") || is("Disconnected") || is("NoSession") {
            Error::Interrupted { why: "it stopped before it answered".into() }
        } else {
            Error::Keyring { why }
        }
    }
}

#[cfg(target_os = "macos")]
mod keychain {
    use super::*;
    use std::collections::HashMap;
    use std::error::Error as Cause;

    pub(crate) const KEYRING: &str = "the Keychain";
    pub(crate) const KEYRING_APP: &str = "Keychain Access";
    pub(crate) const GET_A_KEYRING: &str = "log in to a session with a keychain";

    /// It is opened with the session of its person.
    pub(crate) fn is_unlocked() -> bool {
        true
    }

    pub(crate) fn open() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(apple_native_keyring_store::keychain::Store::new()?)
    }

    pub(crate) fn modifiers(_: &str) -> HashMap<&str, &str> {
        HashMap::new()
    }

    pub(super) fn no_access(cause: &(dyn Cause + Send + Sync + 'static)) -> Error {
        Error::Absent { why: cause.to_string() }
    }

    /// errSecUserCanceled, errSecAuthFailed, errSecInteractionNotAllowed.
    pub(super) fn failure(cause: &(dyn Cause + Send + Sync + 'static)) -> Error {
        let why = cause.to_string();
        let code = cause.downcast_ref::<security_framework::base::Error>().map(|e| e.code());
        match code {
            Some(-128 | -25293) => Error::Denied { why },
            Some(-25308) => Error::Locked,
            _ => Error::Keyring { why },
        }
    }
}

#[cfg(windows)]
mod credential_manager {
    use super::*;
    use std::collections::HashMap;
    use std::error::Error as Cause;

    pub(crate) const KEYRING: &str = "Credential Manager";
    pub(crate) const KEYRING_APP: &str = "Credential Manager";
    pub(crate) const GET_A_KEYRING: &str = "log in to a session that has one";

    /// It is opened with the session of its person.
    pub(crate) fn is_unlocked() -> bool {
        true
    }

    pub(crate) fn open() -> keyring_core::Result<Arc<CredentialStore>> {
        Ok(windows_native_keyring_store::Store::new()?)
    }

    pub(crate) fn modifiers(_: &str) -> HashMap<&str, &str> {
        HashMap::new()
    }

    /// ERROR_NO_SUCH_LOGON_SESSION: a service or an ssh session.
    pub(super) fn no_access(cause: &(dyn Cause + Send + Sync + 'static)) -> Error {
        Error::Absent { why: cause.to_string() }
    }

    pub(super) fn failure(cause: &(dyn Cause + Send + Sync + 'static)) -> Error {
        Error::Keyring { why: cause.to_string() }
    }
}
