//! Ids, names and arguments in the forms that servers take: some come from
//! another server, and some were made up by a model. None of them may make a
//! server refuse the whole history.

use serde_json::{Map, Value, json};
use std::borrow::Cow;
use uuid::Uuid;

/// Which ids of calls a server takes. They may come from another server, when
/// the model was changed in the middle of a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdForm {
    /// Any; some servers keep things of their own in theirs.
    AsGiven,
    /// At most so many letters, digits, `_` and `-`.
    Word(usize),
    /// Nine letters and digits.
    Nine,
}

/// An id in the form that the server takes, the same each time.
pub(crate) fn id(id: &str, form: IdForm) -> Cow<'_, str> {
    const NINE: usize = 9;
    let hash = || Uuid::new_v5(&Uuid::NAMESPACE_OID, id.as_bytes());
    let takes = match form {
        IdForm::AsGiven => true,
        IdForm::Word(longest) => is_word(id, longest),
        IdForm::Nine => id.len() == NINE && id.bytes().all(|byte| byte.is_ascii_alphanumeric()),
    };
    match form {
        _ if takes => Cow::Borrowed(id),
        IdForm::AsGiven | IdForm::Word(_) => Cow::Owned(format!("call_{}", hash().simple())),
        IdForm::Nine => {
            let digits = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
            let mut rest = hash().as_u128();
            let mut next = || {
                let digit = digits[(rest % 62) as usize];
                rest /= 62;
                char::from(digit)
            };
            Cow::Owned((0..NINE).map(|_| next()).collect())
        }
    }
}

/// An id for a call that came without one.
pub(crate) fn minted() -> String {
    format!("call_{}", Uuid::now_v7().simple())
}

/// A name that no tool can have was made up by the model.
pub(crate) fn name(name: &str) -> Cow<'_, str> {
    const LONGEST: usize = 64;
    if is_word(name, LONGEST) {
        return Cow::Borrowed(name);
    }
    let plain = |char: char| if char.is_ascii_alphanumeric() || char == '-' { char } else { '_' };
    let plain: String = name.chars().take(LONGEST).map(plain).collect();
    Cow::Owned(if plain.is_empty() { "unnamed".into() } else { plain })
}

/// The text of an object, for servers that read it again and fail on what is
/// none.
pub(crate) fn arguments(text: &str) -> Cow<'_, str> {
    match serde_json::from_str(text) {
        Ok(Value::Object(_)) => Cow::Borrowed(text),
        _ if text.trim().is_empty() => Cow::Borrowed("{}"),
        _ => Cow::Owned(not_an_object(text).to_string()),
    }
}

/// The same as an object.
pub(crate) fn arguments_object(text: &str) -> Value {
    match serde_json::from_str(text) {
        Ok(object @ Value::Object(_)) => object,
        _ if text.trim().is_empty() => Value::Object(Map::new()),
        _ => not_an_object(text),
    }
}

/// What a tool is said to do that was called before and is not there any more.
pub(crate) const GONE: &str = "Not available any more.";

/// Asks for an answer that fits a schema where nobody holds the model to it.
pub(crate) fn told(schema: &Value) -> String {
    format!(
        "Answer with one JSON document and nothing else: no words before or after it, no code \
         fence. It must fit this JSON Schema:\n{schema}"
    )
}

fn not_an_object(text: &str) -> Value {
    json!({"not_an_object": text})
}

fn is_word(text: &str, longest: usize) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=longest).contains(&text.len()) && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_changed_only_where_the_server_would_refuse_it() {
        let check = |given: &str, form: IdForm, expected: &str| {
            assert_eq!(id(given, form), expected, "{given} {form:?}");
        };
        check("functions.look:0", IdForm::AsGiven, "functions.look:0");
        check("call_a-1", IdForm::Word(40), "call_a-1");
        check("functions.look:0", IdForm::Word(40), "call_db70920ce33b5e34802f962dda5e6495");
        let longest = "x".repeat(40);
        check(&longest, IdForm::Word(40), &longest);
        check(&format!("{longest}x"), IdForm::Word(40), "call_82af8f13defc5dc586b198a821c138c1");
        check("aB3dE6gH9", IdForm::Nine, "aB3dE6gH9");
        check("call_a", IdForm::Nine, "t0PimZjDW");
    }

    #[test]
    fn what_a_model_made_up_does_not_spoil_the_history() {
        let check = |given: &str, expected: &str| assert_eq!(name(given), expected);
        check("read_file", "read_file");
        check("read file.v2", "read_file_v2");
        check("读", "_");
        check("", "unnamed");
        check(&"x".repeat(70), &"x".repeat(64));
        let check = |given: &str, expected: &str| {
            assert_eq!(arguments(given), expected);
            assert_eq!(arguments_object(given).to_string(), expected);
        };
        check(r#"{"a":1}"#, r#"{"a":1}"#);
        check(" ", "{}");
        check(r#"{"a":"#, r#"{"not_an_object":"{\"a\":"}"#);
        check("[1]", r#"{"not_an_object":"[1]"}"#);
    }
}
