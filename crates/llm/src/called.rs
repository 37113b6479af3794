//! Tool calls, put together from their pieces.

use crate::ToolCallDelta;
use serde_json::Value;

/// A tool call as the model wrote it. Nobody has judged it yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// What the provider calls it, or what we made up where it gave none.
    pub id: String,
    pub name: String,
    /// JSON text of an object, if the model did well; see [`Called::parsed`].
    pub arguments: String,
}

impl Called {
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Called { id: id.into(), name: name.into(), arguments: arguments.into() }
    }

    /// The arguments, or what to tell the model about them: what is not the
    /// JSON of an object must never be executed.
    pub fn parsed(&self) -> Result<Value, String> {
        let text = self.arguments.trim();
        // Nothing is what many write for no arguments.
        let parsed = if text.is_empty() { "{}" } else { text };
        let wrong = |why: String| {
            format!("`{}` was not called, its arguments are not a JSON object: {why}", self.name)
        };
        match serde_json::from_str(parsed) {
            Ok(object @ Value::Object(_)) => Ok(object),
            Ok(Value::Null | Value::Bool(_) | Value::Number(_)) => {
                Err(wrong("a single value".into()))
            }
            Ok(Value::String(_)) => Err(wrong("a text, perhaps an object in quotes".into())),
            Ok(Value::Array(_)) => Err(wrong("an array".into())),
            Err(error) if error.is_eof() => Err(wrong(format!("it is cut off ({error})"))),
            Err(error) => Err(wrong(error.to_string())),
        }
    }
}

/// Collects the pieces of an answer's calls, each under its id.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Calls {
    calls: Vec<Called>,
}

impl Calls {
    pub fn take(&mut self, piece: ToolCallDelta) {
        let ToolCallDelta { id, name, arguments } = piece;
        match self.calls.iter_mut().rfind(|call| call.id == id) {
            Some(call) => {
                // Some write an empty object first, and then the arguments.
                if call.arguments == "{}" && arguments.trim_start().starts_with('{') {
                    call.arguments.clear();
                }
                call.arguments.push_str(&arguments);
                if call.name.is_empty() {
                    call.name = name.unwrap_or_default();
                }
            }
            None => self.calls.push(Called { id, name: name.unwrap_or_default(), arguments }),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.calls.is_empty()
    }

    /// The calls in the order in which the model began them.
    pub fn finish(self) -> Vec<Called> {
        self.calls
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pieces_become_the_calls_they_belong_to() {
        let piece = |id: &str, name: Option<&str>, arguments: &str| ToolCallDelta {
            id: id.into(),
            name: name.map(str::to_owned),
            arguments: arguments.into(),
        };
        let mut calls = Calls::default();
        assert!(calls.is_empty());
        calls.take(piece("a", Some("add"), r#"{"x""#));
        calls.take(piece("b", Some("now"), ""));
        calls.take(piece("a", None, ": 1"));
        calls.take(piece("a", None, "}"));
        calls.take(piece("b", None, "{}"));
        assert!(!calls.is_empty());
        let expected = [Called::new("a", "add", r#"{"x": 1}"#), Called::new("b", "now", "{}")];
        assert_eq!(calls.finish(), expected);
    }

    #[test]
    fn an_empty_object_before_the_arguments_is_none_of_them() {
        let piece = |arguments: &str| ToolCallDelta {
            id: "a".into(),
            name: Some("add".into()),
            arguments: arguments.into(),
        };
        let mut calls = Calls::default();
        calls.take(piece("{}"));
        calls.take(piece(r#"{"x": "#));
        calls.take(piece("1}"));
        assert_eq!(calls.finish(), [Called::new("a", "add", r#"{"x": 1}"#)]);
    }

    #[test]
    fn only_the_json_of_an_object_counts_as_arguments() {
        let check = |arguments: &str, expected: Result<Value, &str>| {
            let parsed = Called::new("a", "add", arguments).parsed();
            let prefix = "`add` was not called, its arguments are not a JSON object: ";
            assert_eq!(parsed, expected.map_err(|why| format!("{prefix}{why}")), "{arguments}");
        };
        check("", Ok(json!({})));
        check(" \n", Ok(json!({})));
        check(r#" {"a": "字"} "#, Ok(json!({"a": "字"})));
        check("null", Err("a single value"));
        check("3", Err("a single value"));
        check(r#""{}""#, Err("a text, perhaps an object in quotes"));
        check("[{}]", Err("an array"));
        check(r#"{"a": 1"#, Err("it is cut off (EOF while parsing an object at line 1 column 7)"));
        check("{a: 1}", Err("key must be a string at line 1 column 2"));
        check(r#"{"a": 1}{"b": 2}"#, Err("trailing characters at line 1 column 9"));
        let deep = format!("{}{}", r#"{"a":"#.repeat(200), "}".repeat(200));
        check(&deep, Err("recursion limit exceeded at line 1 column 636"));
    }
}
