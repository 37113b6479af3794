//! How an entry says beside its headers what lets us in: `"auth"`, in the forms of LobeHub,
//! Cursor and FastMCP.

use serde_json::{Map, Value};

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Auth {
    /// Nothing, or to sign in, which a server asks for by itself.
    Nothing,
    /// What stands behind `Bearer` in the header.
    Bearer(String),
    /// What we have no place for, by the names of its fields.
    Other(String),
}

impl Auth {
    pub(super) fn of(entry: &Map<String, Value>) -> Auth {
        match entry.get("auth") {
            None | Some(Value::Null) => Auth::Nothing,
            Some(Value::String(text)) => match text.trim() {
                "" | "none" | "oauth" => Auth::Nothing,
                token => Auth::Bearer(bare(token)),
            },
            Some(Value::Object(fields)) => Auth::of_fields(fields),
            Some(Value::Bool(_) | Value::Number(_) | Value::Array(_)) => {
                Auth::Other("in a form of its own".to_owned())
            }
        }
    }

    fn of_fields(fields: &Map<String, Value>) -> Auth {
        const TOKENS: [&str; 4] = ["token", "bearer", "bearerToken", "access_token"];
        let text = |name: &str| {
            fields.get(name).and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty())
        };
        let kind = text("type").unwrap_or("bearer").to_ascii_lowercase();
        let others = || fields.keys().filter(|name| *name != "type").cloned().collect::<Vec<_>>();
        match (kind.as_str(), TOKENS.iter().find_map(|name| text(name))) {
            ("none", _) => Auth::Nothing,
            ("bearer", Some(token)) => Auth::Bearer(bare(token)),
            _ if others().is_empty() => Auth::Nothing,
            _ => Auth::Other(others().join(", ")),
        }
    }
}

/// Some write the whole of the header.
fn bare(token: &str) -> String {
    let scheme = token.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("bearer "));
    scheme.map_or(token, |scheme| &token[scheme.len()..]).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_token_is_told_from_what_cannot_be_taken_over() {
        let check = |auth: Value, expected: Auth| {
            let entry = json!({ "url": "https://a.example/mcp", "auth": auth });
            assert_eq!(Auth::of(entry.as_object().unwrap()), expected, "{entry}");
        };
        let bearer = |token: &str| Auth::Bearer(token.to_owned());
        let other = |fields: &str| Auth::Other(fields.to_owned());
        check(json!({"type": "bearer", "token": "abc-123"}), bearer("abc-123"));
        check(json!({"token": "Bearer abc-123"}), bearer("abc-123"));
        check(json!("abc-123"), bearer("abc-123"));
        for nothing in [json!(null), json!(""), json!("oauth"), json!({}), json!({"type": "none"})]
        {
            check(nothing, Auth::Nothing);
        }
        check(json!({"type": "oauth2"}), Auth::Nothing);
        check(json!({"CLIENT_ID": "a", "CLIENT_SECRET": "b"}), other("CLIENT_ID, CLIENT_SECRET"));
        check(json!({"type": "oauth2", "token": "abc"}), other("token"));
        check(json!(3), other("in a form of its own"));
    }
}
