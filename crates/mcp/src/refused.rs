//! What a server at an address did instead of speaking the protocol, in plain words.

use crate::fault::chain;
use crate::web::Failed;

/// What to look for where nobody is let in, and nothing says how to sign in.
pub(crate) const LACKS_A_KEY: &str =
    "a header with a key may be missing, such as Authorization: Bearer KEY";

/// Without the names that the transport has in its code.
pub(crate) fn plainly(failed: &Failed) -> String {
    match failed {
        // The SDK does not say that it has a cause.
        Failed::Client(error) => chain(error),
        Failed::UnexpectedContentType(kind) => other_kind(kind.as_deref().unwrap_or_default()),
        Failed::UnexpectedServerResponse(said) => unexpected(said),
        Failed::HttpStatus(error) => by_status(error.status, &format!("HTTP {}", error.status), ""),
        failed => chain(failed),
    }
}

fn other_kind(kind: &str) -> String {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind {
        "" => "it answered without saying what kind of thing that is; the address may be wrong"
            .to_owned(),
        "text/html" => {
            "it answered with a web page, as to a browser: the address may be wrong, or \
                        a page to sign in stands before it"
                .to_owned()
        }
        kind => format!(
            "it answered with {kind}, which is not of the protocol; the address may be wrong"
        ),
    }
}

/// The SDK has it in one text: `HTTP 401 Unauthorized: what came with it`.
fn unexpected(said: &str) -> String {
    let status = said.strip_prefix("HTTP ").and_then(|rest| {
        let (status, came) = rest.split_once(':').unwrap_or((rest, ""));
        let code = status.split(' ').next()?.parse().ok()?;
        Some(by_status(code, &format!("HTTP {status}"), came.trim()))
    });
    let unread = || match said.strip_prefix(UNREAD) {
        Some(why) => format!("what it answered is no message of the protocol: {why}"),
        None => said.to_owned(),
    };
    status.unwrap_or_else(unread)
}

const UNREAD: &str = "could not parse JSON response as ServerJsonRpcMessage: ";

fn by_status(code: u16, status: &str, came: &str) -> String {
    let why = match code {
        401 | 403 => format!("it lets nobody in so ({status}): {LACKS_A_KEY}"),
        404 | 405 | 410 => {
            format!("no such server is at this address ({status}); most have one that ends in /mcp")
        }
        429 => format!("it is asked too often ({status})"),
        500.. => format!("something is wrong there ({status})"),
        _ => format!("it refused what it was asked ({status})"),
    };
    // A page is for eyes.
    match came.is_empty() || came.starts_with('<') {
        true => why,
        false => format!("{why}; it said: {}", came.chars().take(MOST_SAID).collect::<String>()),
    }
}

const MOST_SAID: usize = 300;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_did_instead_is_told_without_names_of_code() {
        let check = |failed: Failed, expected: &str| {
            let told = plainly(&failed);
            assert!(told.contains(expected), "{told}");
            assert!(!told.contains("Some(") && !told.contains("nexpected"), "{told}");
        };
        let kind = |kind: &str| Failed::UnexpectedContentType(Some(kind.to_owned()));
        check(kind("text/html; charset=utf-8"), "it answered with a web page");
        check(kind("text/plain"), "it answered with text/plain");
        check(Failed::UnexpectedContentType(None), "without saying what kind");
        let said = |said: &'static str| Failed::UnexpectedServerResponse(said.into());
        let no_key = "it lets nobody in so (HTTP 401 Unauthorized): a header with a key may be missing, \
                      such as Authorization: Bearer KEY; it said: no key";
        check(said("HTTP 401 Unauthorized: no key"), no_key);
        check(said("HTTP 403 Forbidden: "), "(HTTP 403 Forbidden): a header with a key");
        check(said("HTTP 404 Not Found: <html>"), "(HTTP 404 Not Found); most have one");
        check(said("HTTP 400 Bad Request: {}"), "(HTTP 400 Bad Request); it said: {}");
        check(
            said("could not parse JSON response as ServerJsonRpcMessage: EOF: <empty>"),
            "no message of the protocol: EOF",
        );
        check(said("something else"), "something else");
    }
}
