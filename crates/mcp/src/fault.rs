//! What goes wrong with servers.

use std::time::Duration;

use rmcp::model::ErrorCode;
use rmcp::service::ClientInitializeError;
use rmcp::transport::DynamicTransportError;
use rmcp::{ErrorData, ServiceError};

use crate::Era;
use crate::instead::what_came;
use crate::refused;
use crate::sign_in::why_challenged;
use crate::web::{Failed, found_nobody};

/// Why a server did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The program can't be started at all.
    #[error("{0}")]
    NotStarted(String),
    /// The program ended without being asked to. With the last lines of its log.
    #[error("the server ended ({how}){}", last_words(said))]
    Ended { how: String, said: String },
    /// Nobody answers there, or not as such a server does.
    #[error("{0}")]
    Unreachable(String),
    /// The server wants to know who we are, or to have leave for more.
    #[error("the server asks to sign in{}", because(why))]
    SignIn {
        why: String,
        /// What it said when it did not let us in, for whoever asks to be let in.
        challenge: Option<String>,
    },
    /// Whether somebody has signed in cannot be read, as the keys are locked. Nobody has to
    /// sign in anew for that.
    #[error("what lets us in cannot be read: {0}")]
    Locked(String),
    /// The server's own words.
    #[error("the server refused: {message} (code {code})")]
    Refused { code: i32, message: String },
    #[error("the server said nothing for {} s", .0.as_secs())]
    Silent(Duration),
    /// By us.
    #[error("stopped before it was done")]
    Stopped,
    /// The connection closed, or what came is nothing of the protocol.
    #[error("{0}")]
    Broken(String),
    /// It is not there yet, or not at present.
    #[error("{0}")]
    Away(String),
    /// By its answer it speaks this protocol, but by then it had been asked in the
    /// older one.
    #[error("the server took too long to say which protocol it speaks")]
    Late(Era),
    /// In the middle of a use it wanted to ask, as only servers of the older protocol can.
    #[error(
        "the server asks as only the older form of the protocol has it, and is spoken to in that \
         from now on: use it again"
    )]
    Older,
}

impl Fault {
    /// With what is to be done about it, where only a person can.
    pub fn told(&self, server: &str) -> String {
        match self {
            Fault::SignIn { .. } => format!(
                "{self}; only the person can, in Settings under MCP or with \
                 coterie mcp reload {server} --sign-in"
            ),
            fault => fault.to_string(),
        }
    }

    pub(crate) fn sign_in(why: impl Into<String>) -> Self {
        Fault::SignIn { why: why.into(), challenge: None }
    }

    /// Whether what was asked may have been done all the same.
    pub fn may_have_happened(&self) -> bool {
        match self {
            Fault::Ended { .. } | Fault::Silent(_) | Fault::Stopped | Fault::Broken(_) => true,
            // Any other is what a server says whose own code broke in the middle.
            Fault::Refused { code, .. } => !BEFORE_IT_BEGAN.contains(&ErrorCode(*code)),
            Fault::NotStarted(_)
            | Fault::Unreachable(_)
            | Fault::SignIn { .. }
            | Fault::Locked(_)
            | Fault::Away(_)
            | Fault::Late(_)
            | Fault::Older => false,
        }
    }

    pub(crate) fn asked(error: ServiceError) -> Self {
        let challenge = error.auth_challenge();
        if error.is_authorization_required() || challenge.is_some() {
            return challenged(challenge);
        }
        match error {
            ServiceError::McpError(error) => refusal(error, Fault::Broken),
            ServiceError::Timeout { timeout } => Fault::Silent(timeout),
            ServiceError::Cancelled { .. } => Fault::Stopped,
            ServiceError::TransportSend(error) => {
                match error.error.downcast_ref().and_then(found_nobody) {
                    Some(why) => Fault::Unreachable(why),
                    None => Fault::Broken(unsent(&error)),
                }
            }
            ServiceError::TransportClosed => Fault::Broken(CLOSED.to_owned()),
            ServiceError::UnexpectedResponse => {
                Fault::Broken("it answered something else than what it was asked".to_owned())
            }
            error => Fault::Broken(chain(&error)),
        }
    }

    pub(crate) fn connecting(error: ClientInitializeError) -> Self {
        let challenge = error.auth_challenge();
        if error.is_authorization_required() || challenge.is_some() {
            return challenged(challenge);
        }
        match error {
            ClientInitializeError::JsonRpcError(error) => refusal(error, Fault::Unreachable),
            // Both answer the question whether it knows the newer era: yes, and no.
            ClientInitializeError::ConflictInitResponseId(..) => Fault::Late(Era::Modern),
            ClientInitializeError::UncorrelatedErrorResponse { .. } => Fault::Late(Era::Legacy),
            ClientInitializeError::TransportError { error, .. } => {
                Fault::Unreachable(unsent(&error))
            }
            ClientInitializeError::ConnectionClosed(_) => Fault::Unreachable(
                "it closed the connection before it had said which protocol it speaks".to_owned(),
            ),
            ClientInitializeError::ExpectedInitResponse(_)
            | ClientInitializeError::ExpectedInitResult(_) => {
                Fault::Unreachable("what it answered first is not of the protocol".to_owned())
            }
            ClientInitializeError::LegacyFallbackFailed { fallback, .. } => {
                Fault::connecting(*fallback)
            }
            error => Fault::Unreachable(chain(&error)),
        }
    }
}

/// By these a server says that it did not understand what it was asked, or does not have it.
const BEFORE_IT_BEGAN: [ErrorCode; 7] = [
    ErrorCode::UNSUPPORTED_PROTOCOL_VERSION,
    ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY,
    ErrorCode::HEADER_MISMATCH,
    ErrorCode::PARSE_ERROR,
    ErrorCode::INVALID_REQUEST,
    ErrorCode::METHOD_NOT_FOUND,
    ErrorCode::INVALID_PARAMS,
];

const CLOSED: &str = "its connection was closed before it had answered";

fn challenged(challenge: Option<&str>) -> Fault {
    let why = challenge.and_then(why_challenged).unwrap_or_default();
    Fault::SignIn { why, challenge: challenge.map(str::to_owned) }
}

/// The server's own words, or what it did instead of saying any.
fn refusal(error: ErrorData, instead: fn(String) -> Fault) -> Fault {
    match what_came(&error) {
        Some(what) => instead(what),
        None => Fault::Refused { code: error.code.0, message: error.message.into_owned() },
    }
}

/// Without the names that the transport has in the code.
fn unsent(error: &DynamicTransportError) -> String {
    match error.error.downcast_ref::<Failed>() {
        Some(failed) => refused::plainly(failed),
        None => chain(&*error.error),
    }
}

/// What went wrong, down to its cause.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(deeper) = cause {
        let said = deeper.to_string();
        if !text.contains(&said) {
            text = format!("{text}: {said}");
        }
        cause = deeper.source();
    }
    text
}

fn last_words(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it last said: {said}") }
}

fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(": {why}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_did_not_understand_what_was_asked_has_surely_not_done_it() {
        let may_have = |code| Fault::Refused { code, message: String::new() }.may_have_happened();
        for code in [-32700, -32600, -32601, -32602] {
            assert!(!may_have(code), "{code}");
        }
        // What a handler comes out as that broke, as each SDK has it.
        for code in [-32603, -32000, -32001, 0, 1] {
            assert!(may_have(code), "{code}");
        }
    }
}
