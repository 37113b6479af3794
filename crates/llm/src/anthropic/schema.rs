//! The part of JSON Schema that an answer is held to: what is left out stands
//! in the description, where the model may heed it, and whoever reads the
//! answer checks it anyway.

use serde_json::{Map, Value, json};

/// Deeper schemas go round in circles.
const DEEPEST: usize = 32;

const FORMATS: &[&str] =
    &["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

pub(super) fn strict(schema: &Value) -> Value {
    narrowed(schema, DEEPEST)
}

fn narrowed(schema: &Value, depth: usize) -> Value {
    let (Value::Object(given), Some(depth)) = (schema, depth.checked_sub(1)) else {
        return schema.clone();
    };
    let mut strict = Map::new();
    if let Some(Value::Object(definitions)) = given.get("$defs") {
        strict.insert("$defs".into(), each(definitions, depth));
    }
    if let Some(reference) = given.get("$ref") {
        strict.insert("$ref".into(), reference.clone());
        return Value::Object(strict);
    }
    if let Some(Value::Array(types)) = given.get("type") {
        let one = |r#type: &Value| {
            let mut one = given.clone();
            one.remove("$defs");
            one.insert("type".into(), r#type.clone());
            narrowed(&Value::Object(one), depth)
        };
        strict.insert("anyOf".into(), types.iter().map(one).collect());
        return Value::Object(strict);
    }
    let mut left_out = Vec::new();
    for (keyword, value) in given {
        match (keyword.as_str(), value) {
            ("$defs" | "$schema" | "$id" | "additionalProperties", _) => {}
            ("type" | "enum" | "const" | "title" | "description" | "required", _) => {
                strict.insert(keyword.clone(), value.clone());
            }
            ("anyOf" | "oneOf", Value::Array(variants)) => {
                let variants = variants.iter().map(|variant| narrowed(variant, depth)).collect();
                strict.insert("anyOf".into(), variants);
            }
            ("allOf", Value::Array(parts)) => {
                let parts = parts.iter().map(|part| narrowed(part, depth)).collect();
                strict.insert("allOf".into(), parts);
            }
            ("items", items) => {
                strict.insert("items".into(), narrowed(items, depth));
            }
            ("properties", Value::Object(properties)) => {
                strict.insert("properties".into(), each(properties, depth));
            }
            ("minItems", least) if least.as_u64().is_some_and(|least| least <= 1) => {
                strict.insert("minItems".into(), least.clone());
            }
            ("format", Value::String(format)) if FORMATS.contains(&format.as_str()) => {
                strict.insert("format".into(), value.clone());
            }
            _ => left_out.push(format!("{keyword}: {value}")),
        }
    }
    if strict.get("type").is_some_and(|kind| kind == "object") {
        strict.entry("properties").or_insert_with(|| json!({}));
        strict.insert("additionalProperties".into(), false.into());
    }
    if !left_out.is_empty() {
        let before = strict.get("description").and_then(Value::as_str).unwrap_or_default();
        let described = format!("{before} ({})", left_out.join(", "));
        strict.insert("description".into(), described.trim_start().into());
    }
    Value::Object(strict)
}

fn each(schemas: &Map<String, Value>, depth: usize) -> Value {
    let each = schemas.iter().map(|(name, schema)| (name.clone(), narrowed(schema, depth)));
    Value::Object(each.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_held_to_is_described_instead() {
        let check = |schema: Value, expected: Value| assert_eq!(strict(&schema), expected);
        check(
            json!({"$schema": "x", "type": "object", "properties": {
                "n": {"type": "integer", "minimum": 1, "description": "How many."},
                "when": {"type": "string", "format": "date"},
                "code": {"type": "string", "pattern": "^a", "format": "colour"}}}),
            json!({"type": "object", "additionalProperties": false, "properties": {
                "n": {"type": "integer", "description": "How many. (minimum: 1)"},
                "when": {"type": "string", "format": "date"},
                "code": {"type": "string", "description": "(format: \"colour\", pattern: \"^a\")"}}}),
        );
        check(
            json!({"type": ["string", "null"], "maxLength": 3}),
            json!({"anyOf": [
                {"type": "string", "description": "(maxLength: 3)"},
                {"type": "null", "description": "(maxLength: 3)"}]}),
        );
        check(
            json!({"oneOf": [{"type": "object"}, {"const": 1}], "$defs": {"a": {"type": "object"}}}),
            json!({
                "anyOf": [
                    {"type": "object", "properties": {}, "additionalProperties": false},
                    {"const": 1}],
                "$defs": {"a": {"type": "object", "properties": {}, "additionalProperties": false}}}),
        );
        check(
            json!({"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/a"}}),
            json!({"type": "array", "description": "(minItems: 2)", "items": {"$ref": "#/$defs/a"}}),
        );
        check(json!(true), json!(true));
    }
}
