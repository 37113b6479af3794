//! The part of JSON Schema that servers with OpenAI's rules hold an answer to.
//!
//! They refuse the whole question unless every object is closed and requires
//! all that it has, and for most other keywords. So what may be missing may be
//! null instead, which whoever reads the answer takes for missing, and what
//! cannot be held to stands in the description. A schema with a part that
//! cannot be said at all, such as an object of any fields, is no strict one.

use serde_json::{Map, Value, json};

/// The rules end here too.
const DEEPEST: usize = 10;

/// Said to nobody: they mean nothing to a model.
const SILENT: &[&str] = &["$schema", "$id", "$anchor", "$comment", "$defs", "definitions"];

/// None where it cannot be said strictly.
pub(super) fn strict(schema: &Value) -> Option<Value> {
    let mut strict = narrowed(schema, DEEPEST)?;
    let is_object = strict["type"] == "object";
    for place in ["$defs", "definitions"] {
        if let Some(Value::Object(definitions)) = schema.get(place) {
            strict[place] = each(definitions, DEEPEST)?;
        }
    }
    is_object.then_some(strict)
}

fn narrowed(schema: &Value, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let given = schema.as_object()?;
    if let Some(reference) = given.get("$ref") {
        return Some(json!({"$ref": reference}));
    }
    let mut strict = Map::new();
    match kind(given)? {
        Kind::Variants(variants) => {
            let variants: Option<Vec<Value>> =
                variants.iter().map(|variant| narrowed(variant, depth)).collect();
            strict.insert("anyOf".into(), variants?.into());
        }
        Kind::Types(types) => {
            let one = |kind: &Value| {
                let mut one = given.clone();
                one.insert("type".into(), kind.clone());
                narrowed(&Value::Object(one), depth)
            };
            let types: Option<Vec<Value>> = types.iter().map(one).collect();
            return Some(json!({"anyOf": types?}));
        }
        Kind::One(kind) => {
            strict.insert("type".into(), kind);
        }
    }
    let mut left_out = Vec::new();
    for (keyword, value) in given {
        match (keyword.as_str(), value) {
            ("type" | "anyOf" | "oneOf" | "required" | "additionalProperties", _) => {}
            ("title" | "description" | "enum" | "const", _) => {
                strict.insert(keyword.clone(), value.clone());
            }
            ("items", items) => {
                strict.insert("items".into(), narrowed(items, depth)?);
            }
            // Looked at below, when it is known what has to be there.
            ("properties", _) => {}
            // Fields of any name, and parts that stand together.
            ("patternProperties" | "prefixItems" | "allOf", _) => return None,
            (silent, _) if SILENT.contains(&silent) => {}
            _ => left_out.push(format!("{keyword}: {value}")),
        }
    }
    if strict.get("type").is_some_and(|kind| kind == "object") {
        close(&mut strict, given, depth)?;
    }
    if strict.get("type").is_some_and(|kind| kind == "array") && !strict.contains_key("items") {
        return None;
    }
    if !left_out.is_empty() {
        let before = strict.get("description").and_then(Value::as_str).unwrap_or_default();
        let described = format!("{before} ({})", left_out.join(", "));
        strict.insert("description".into(), described.trim_start().into());
    }
    Some(Value::Object(strict))
}

enum Kind<'a> {
    One(Value),
    /// Not all of them are said in one word.
    Types(&'a [Value]),
    Variants(&'a [Value]),
}

/// A schema without a type is refused.
fn kind(given: &Map<String, Value>) -> Option<Kind<'_>> {
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(variants)) = given.get(keyword) {
            return Some(Kind::Variants(variants));
        }
    }
    let chosen = given.get("enum").and_then(Value::as_array).map(Vec::as_slice);
    let chosen = chosen.or_else(|| given.get("const").map(std::slice::from_ref));
    match (given.get("type"), chosen) {
        (Some(Value::Array(types)), _) if types.iter().all(is_plain) => {
            Some(Kind::One(types.clone().into()))
        }
        (Some(Value::Array(types)), _) => Some(Kind::Types(types)),
        (Some(kind), _) => Some(Kind::One(kind.clone())),
        (None, Some(values)) => types_of(values).map(Kind::One),
        (None, None) if given.contains_key("properties") => Some(Kind::One("object".into())),
        (None, None) if given.contains_key("items") => Some(Kind::One("array".into())),
        (None, None) => None,
    }
}

fn is_plain(kind: &Value) -> bool {
    ["string", "number", "integer", "boolean", "null"].iter().any(|plain| kind == plain)
}

fn types_of(values: &[Value]) -> Option<Value> {
    let mut types: Vec<&str> = Vec::new();
    for value in values {
        let kind = match value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Number(number) if number.is_f64() => "number",
            Value::Number(_) => "integer",
            Value::String(_) => "string",
            Value::Array(_) | Value::Object(_) => return None,
        };
        if !types.contains(&kind) {
            types.push(kind);
        }
    }
    match types[..] {
        [] => None,
        [only] => Some(only.into()),
        _ => Some(types.into()),
    }
}

/// Has what it names and nothing else, all of it. Fails for one that may have
/// fields of other names.
fn close(strict: &mut Map<String, Value>, given: &Map<String, Value>, depth: usize) -> Option<()> {
    let is_closed = matches!(given.get("additionalProperties"), Some(Value::Bool(false)));
    let nothing = Map::new();
    let properties = match (given.get("properties"), given.get("additionalProperties")) {
        (_, Some(Value::Object(_) | Value::Bool(true))) => return None,
        (Some(Value::Object(properties)), _) => properties,
        (_, _) if is_closed => &nothing,
        (_, _) => return None,
    };
    let required = given.get("required").and_then(Value::as_array);
    let is_required =
        |name: &String| required.is_some_and(|names| names.iter().any(|other| other == name));
    let mut all = Map::new();
    for (name, schema) in properties {
        let schema = narrowed(schema, depth)?;
        all.insert(name.clone(), if is_required(name) { schema } else { or_null(schema) });
    }
    strict.insert("required".into(), all.keys().map(|name| Value::from(name.as_str())).collect());
    strict.insert("properties".into(), Value::Object(all));
    strict.insert("additionalProperties".into(), false.into());
    Some(())
}

fn or_null(mut schema: Value) -> Value {
    if takes_null(&schema) {
        return schema;
    }
    let is_plain = is_plain(&schema["type"]) && schema.get("const").is_none();
    if is_plain {
        schema["type"] = json!([schema["type"], "null"]);
        if let Some(Value::Array(values)) = schema.get_mut("enum") {
            values.push(Value::Null);
        }
        return schema;
    }
    match schema.get_mut("anyOf").and_then(Value::as_array_mut) {
        Some(variants) => {
            variants.push(json!({"type": "null"}));
            schema
        }
        None => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}

fn takes_null(schema: &Value) -> bool {
    let has = |place: &str| {
        let values = schema.get(place).and_then(Value::as_array);
        values.is_some_and(|values| values.iter().any(|value| value == "null" || value.is_null()))
    };
    let variants = schema.get("anyOf").and_then(Value::as_array);
    schema["type"] == "null"
        || (has("type") && (schema.get("enum").is_none() || has("enum")))
        || variants.is_some_and(|variants| variants.iter().any(takes_null))
}

fn each(schemas: &Map<String, Value>, depth: usize) -> Option<Value> {
    let each = schemas.iter().map(|(name, schema)| Some((name.clone(), narrowed(schema, depth)?)));
    each.collect::<Option<Map<String, Value>>>().map(Value::Object)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(fields: &Value, required: &[&str]) -> Value {
        json!({
            "type": "object", "properties": fields, "required": required,
            "additionalProperties": false})
    }

    fn check(schema: &Value, expected: Option<&Value>) {
        assert_eq!(strict(schema).as_ref(), expected, "{schema}");
    }

    #[test]
    fn what_may_be_missing_may_be_null_and_every_part_has_a_type() {
        check(
            &json!({
                "type": "object", "required": ["next"],
                "properties": {"next": {"enum": ["Ada", null]}, "why": {"type": "string"}}}),
            Some(&object(
                &json!({
                    "next": {"type": ["string", "null"], "enum": ["Ada", null]},
                    "why": {"type": ["string", "null"]}}),
                &["next", "why"],
            )),
        );
        check(
            &json!({
                "type": "object", "required": [], "properties": {
                    "unit": {"type": "string", "enum": ["c", "f"]},
                    "one": {"const": 1},
                    "list": {"type": "array", "items": {"type": "integer"}},
                    "either": {"oneOf": [{"type": "string"}, {"type": "boolean"}]},
                    "same": {"type": ["number", "null"]}}}),
            Some(&object(
                &json!({
                    "unit": {"type": ["string", "null"], "enum": ["c", "f", null]},
                    "one": {"anyOf": [{"type": "integer", "const": 1}, {"type": "null"}]},
                    "list": {"anyOf": [
                        {"type": "array", "items": {"type": "integer"}}, {"type": "null"}]},
                    "either": {"anyOf": [
                        {"type": "string"}, {"type": "boolean"}, {"type": "null"}]},
                    "same": {"type": ["number", "null"]}}),
                &["either", "list", "one", "same", "unit"],
            )),
        );
    }

    #[test]
    fn what_cannot_be_held_to_is_described_instead() {
        check(
            &json!({
                "$schema": "x", "type": "object", "required": ["about", "n"],
                "properties": {
                    "about": {"type": "string", "maxLength": 120},
                    "n": {"type": "integer", "minimum": 1, "description": "How many."}}}),
            Some(&object(
                &json!({
                    "about": {"type": "string", "description": "(maxLength: 120)"},
                    "n": {"type": "integer", "description": "How many. (minimum: 1)"}}),
                &["about", "n"],
            )),
        );
    }

    #[test]
    fn what_cannot_be_said_strictly_is_not() {
        for any in [
            json!({"type": "object"}),
            json!({"type": "object", "properties": {}, "additionalProperties": true}),
            json!({"type": "object", "properties": {"a": {}}}),
            json!({"type": "object", "properties": {"a": true}}),
            json!({"type": "object", "properties": {"a": {"type": "array"}}}),
            json!({"type": "object", "properties": {
                "a": {"type": "object", "additionalProperties": {"type": "string"}}}}),
            json!({"type": "string"}),
            json!({"anyOf": [{"type": "object", "properties": {}}]}),
        ] {
            check(&any, None);
        }
        check(&json!({"type": "object", "properties": {}}), Some(&object(&json!({}), &[])));
    }

    #[test]
    fn definitions_are_closed_as_well() {
        let point = json!({"type": "object", "properties": {"x": {"type": "number"}}});
        let strict = strict(&json!({
            "type": "object", "required": ["at"], "properties": {"at": {"$ref": "#/$defs/point"}},
            "$defs": {"point": point}}));
        let closed = object(&json!({"x": {"type": ["number", "null"]}}), &["x"]);
        let mut expected = object(&json!({"at": {"$ref": "#/$defs/point"}}), &["at"]);
        expected["$defs"] = json!({"point": closed});
        assert_eq!(strict, Some(expected));
    }
}
