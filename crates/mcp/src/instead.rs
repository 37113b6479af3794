//! What came instead of an answer.
//!
//! Whoever asked would wait for the answer until nobody has any patience left. So it is told
//! as an answer of our own what the server did, and knows that at once.

use rmcp::ErrorData;
use rmcp::model::{ErrorCode, RequestId, ServerJsonRpcMessage};

/// No server says so.
const CODE: ErrorCode = ErrorCode(i32::MIN + 202);

pub(crate) fn instead(id: RequestId, what: impl Into<String>) -> ServerJsonRpcMessage {
    ServerJsonRpcMessage::error(ErrorData::new(CODE, what.into(), None), Some(id))
}

/// What the server did, where this is no word of its own.
pub(crate) fn what_came(error: &ErrorData) -> Option<String> {
    if error.message == FORGOTTEN {
        return Some("it was started anew before it had answered".to_owned());
    }
    (error.code == CODE).then(|| error.message.to_string())
}

/// The SDK's word to whoever waits for an answer in a session that the server knows no more.
const FORGOTTEN: &str = "streamable HTTP session was re-initialized before the response arrived";

pub(crate) fn too_long(most_bytes: usize) -> String {
    let most = match most_bytes >> 20 {
        0 => format!("{} kB", most_bytes / 1000),
        mebibytes => format!("{mebibytes} MiB"),
    };
    format!("its answer is longer than {most}, which is the most that is read of one")
}
