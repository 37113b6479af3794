//! The grammar of a call: one of the offered tools, with arguments after its
//! JSON Schema. An answer ends with them.

use domain::engine::{CallForm, Tool};
use serde_json::{Map, Value, json};
use std::fmt::Write;

/// What of a schema no grammar can hold a model to without great cost; whoever
/// runs the tool checks it.
const LEFT_OUT: &[&str] =
    &["maxLength", "minLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"];

/// In llama.cpp's notation, for what follows the trigger. `written` is what of
/// it stands there already. Nothing where that begins no call.
pub(crate) fn grammar(form: &CallForm, tools: &[Tool], written: &str) -> Option<String> {
    let (rest, begun) = match loosely(written, &form.rest) {
        Loosely::Begins { missing } => (missing, ""),
        Loosely::Whole { after } => ("", after),
        Loosely::Differs => return None,
    };
    let mut rules = String::new();
    let mut calls = Vec::new();
    for (number, tool) in tools.iter().enumerate() {
        let Some(name) = tool.name.strip_prefix(begun) else { continue };
        let prefix = format!("t{number}-");
        let (name, between) = (literal(name), literal(&form.between));
        let _ = writeln!(rules, "t{number} ::= {name} {between} {prefix}root");
        rules.push_str(&under(&prefix, &arguments(&tool.input)));
        calls.push(format!("t{number}"));
    }
    let rest = literal(rest);
    (!calls.is_empty()).then(|| format!("root ::= {rest} ({})\n{rules}", calls.join(" | ")))
}

/// How two texts compare whose blanks may differ.
pub(crate) enum Loosely<'a> {
    /// The text is the beginning of the pattern.
    Begins {
        missing: &'a str,
    },
    /// The whole pattern stands at the beginning of the text.
    Whole {
        after: &'a str,
    },
    Differs,
}

pub(crate) fn loosely<'a>(text: &'a str, pattern: &'a str) -> Loosely<'a> {
    let (mut text, mut pattern) = (text, pattern);
    loop {
        if text.is_empty() {
            return Loosely::Begins { missing: pattern };
        }
        pattern = pattern.trim_start();
        let Some(wanted) = pattern.chars().next() else { return Loosely::Whole { after: text } };
        text = text.trim_start();
        let Some(found) = text.chars().next() else { return Loosely::Begins { missing: pattern } };
        if found != wanted {
            return Loosely::Differs;
        }
        text = &text[found.len_utf8()..];
        pattern = &pattern[wanted.len_utf8()..];
    }
}

/// The grammar of an object after the schema, as far as that can be said.
fn arguments(schema: &Value) -> String {
    let converted = llama_cpp_2::json_schema_to_grammar(&simpler(schema).to_string());
    let whole = converted.ok().filter(|rules| rules.contains("root ::="));
    whole.unwrap_or_else(any_object)
}

fn any_object() -> String {
    llama_cpp_2::json_schema_to_grammar(&json!({ "type": "object" }).to_string())
        .expect("it is the simplest schema of an object")
}

/// Every tool with any object, for grammars that llama.cpp does not take.
pub(crate) fn without_schemas(tools: &[Tool]) -> Vec<Tool> {
    let simple = |tool: &Tool| Tool { input: json!({ "type": "object" }), ..tool.clone() };
    tools.iter().map(simple).collect()
}

fn simpler(schema: &Value) -> Value {
    match schema {
        Value::Object(all) => Value::Object(simpler_object(all)),
        Value::Array(all) => all.iter().map(simpler).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
    }
}

fn simpler_object(all: &Map<String, Value>) -> Map<String, Value> {
    let mut simple = Map::new();
    for (key, value) in all {
        match (key.as_str(), value) {
            // The names in here are the tool's, whatever they are.
            ("properties" | "$defs" | "definitions", Value::Object(named)) => {
                let named = named.iter().map(|(name, value)| (name.clone(), simpler(value)));
                simple.insert(key.clone(), Value::Object(named.collect()));
            }
            ("enum" | "const" | "default" | "examples", _) => {
                simple.insert(key.clone(), value.clone());
            }
            (left_out, _) if LEFT_OUT.contains(&left_out) => {}
            _ => {
                simple.insert(key.clone(), simpler(value));
            }
        }
    }
    simple
}

/// Exactly this text, but for its blanks.
fn literal(text: &str) -> String {
    const BLANKS: &str = "[ \\t\\n]{0,4}";
    let mut out = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        if word > 0 {
            out.push(quoted(&rest[..word]));
        }
        let after = rest[word..].trim_start();
        if after.len() < rest.len() - word {
            out.push(BLANKS.to_owned());
        }
        rest = after;
    }
    if out.is_empty() { "\"\"".to_owned() } else { out.join(" ") }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The rules under names of their own, so that many grammars stand in one.
fn under(prefix: &str, rules: &str) -> String {
    let mut out = String::with_capacity(rules.len() * 2);
    let mut chars = rules.chars().peekable();
    while let Some(char) = chars.next() {
        let end = match char {
            '"' => Some('"'),
            '[' => Some(']'),
            '{' => Some('}'),
            _ => None,
        };
        if let Some(end) = end {
            out.push(char);
            while let Some(inside) = chars.next() {
                out.push(inside);
                match inside {
                    '\\' => out.extend(chars.next()),
                    _ if inside == end => break,
                    _ => {}
                }
            }
        } else if is_name(char) {
            out.push_str(prefix);
            out.push(char);
            while let Some(more) = chars.next_if(|next| is_name(*next)) {
                out.push(more);
            }
        } else {
            out.push(char);
        }
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    out
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || matches!(char, '-' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, input: Value) -> Tool {
        Tool { name: name.into(), description: String::new(), input }
    }

    #[test]
    fn rules_get_names_of_their_own_and_texts_stay() {
        let rules = "root ::= \"{\\\"a\\\"\" ws [a-z\\]\"]{1,8} x-y? # \n";
        let expected = "t0-root ::= \"{\\\"a\\\"\" t0-ws [a-z\\]\"]{1,8} t0-x-y? # \n";
        assert_eq!(under("t0-", rules), expected);
        assert_eq!(under("t0-", "a ::= b"), "t0-a ::= t0-b\n");
    }

    #[test]
    fn what_is_written_of_a_call_is_not_asked_for_again() {
        let form = CallForm::default();
        let tools = [tool("add", json!({"type": "object"})), tool("look", json!({}))];
        let root = |written: &str| {
            let grammar = grammar(&form, &tools, written)?;
            grammar.lines().next().map(str::to_owned)
        };
        let blanks = "[ \\t\\n]{0,4}";
        let whole = format!("root ::= {blanks} \"{{\\\"name\\\":\" {blanks} \"\\\"\" (t0 | t1)");
        assert_eq!(root("").as_deref(), Some(&*whole));
        assert_eq!(
            root("\n{ \"name").as_deref(),
            Some(&*format!("root ::= \"\\\":\" {blanks} \"\\\"\" (t0 | t1)"))
        );
        assert_eq!(root("{\"name\": \"lo").as_deref(), Some("root ::= \"\" (t1)"));
        assert_eq!(root("{\"name\": \"x"), None);
        assert_eq!(root(" is how they begin"), None);
    }

    #[test]
    fn what_costs_a_grammar_dear_is_left_out_of_schemas() {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string", "maxLength": 100_000, "pattern": "^a" },
                "kind": { "enum": [{ "format": 1 }] },
            },
            "required": ["pattern"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "pattern": { "type": "string" },
                "kind": { "enum": [{ "format": 1 }] },
            },
            "required": ["pattern"],
        });
        assert_eq!(simpler(&schema), expected);
        let odd = json!({ "type": "object", "properties": { "a": { "$ref": "#/$defs/none" } } });
        assert!(arguments(&odd).contains("root ::="), "a schema that cannot be said is any object");
    }
}
