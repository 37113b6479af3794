//! A JSON Schema in the part of OpenAPI 3.0 that Gemini takes; it refuses the
//! whole question for a keyword that it does not know.
//!
//! References are put in place, and what cannot be said stands in the
//! description, where the model may heed it. Whoever reads the answer checks it
//! anyway.

use serde_json::{Map, Value, json};

/// Deeper schemas go round in circles.
const DEEPEST: usize = 12;

/// Taken as they are.
const PLAIN: &[&str] = &[
    "title",
    "description",
    "nullable",
    "minItems",
    "maxItems",
    "minLength",
    "maxLength",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "pattern",
];

/// Mean nothing to a model.
const SILENT: &[&str] =
    &["$schema", "$id", "$anchor", "$comment", "$defs", "definitions", "additionalProperties"];

const FORMATS: &[(&str, &[&str])] = &[
    ("NUMBER", &["float", "double"]),
    ("INTEGER", &["int32", "int64"]),
    ("STRING", &["date-time"]),
];

pub(super) fn taken(schema: &Value) -> Value {
    Taking { root: schema }.taken(schema, DEEPEST)
}

struct Taking<'a> {
    root: &'a Value,
}

impl Taking<'_> {
    fn taken(&self, schema: &Value, depth: usize) -> Value {
        let Some(depth) = depth.checked_sub(1) else { return json!({"type": "OBJECT"}) };
        let Value::Object(given) = schema else { return anything() };
        let given = self.whole(given, depth);
        if let Some(Value::Array(types)) = given.get("type") {
            return self.one_of_types(&given, types, depth);
        }
        let mut taken = Map::new();
        let mut left_out = Vec::new();
        for (keyword, value) in &given {
            match (keyword.as_str(), value) {
                (plain, _) if PLAIN.contains(&plain) => {
                    taken.insert(keyword.clone(), value.clone());
                }
                ("type", Value::String(kind)) => {
                    taken.insert("type".into(), kind.to_uppercase().into());
                }
                ("enum", Value::Array(values)) => choose(&mut taken, values, &mut left_out),
                ("const", value) => choose(&mut taken, std::slice::from_ref(value), &mut left_out),
                ("anyOf" | "oneOf", Value::Array(variants)) => {
                    self.any_of(&mut taken, variants, depth);
                }
                ("items", items) => {
                    taken.insert("items".into(), self.taken(items, depth));
                }
                ("properties", Value::Object(properties)) if !properties.is_empty() => {
                    let each = properties.iter();
                    let each = each.map(|(name, schema)| (name.clone(), self.taken(schema, depth)));
                    taken.insert("properties".into(), Value::Object(each.collect()));
                }
                // Looked at below, when it is known what it is about.
                ("format" | "required" | "properties", _) => {}
                (silent, _) if SILENT.contains(&silent) => {}
                _ => left_out.push(format!("{keyword}: {value}")),
            }
        }
        fill_in_type(&mut taken);
        if let Some(Value::String(format)) = given.get("format") {
            let kind = taken.get("type").and_then(Value::as_str).unwrap_or_default();
            let known = FORMATS.iter().find(|(of, _)| *of == kind);
            if known.is_some_and(|(_, formats)| formats.contains(&format.as_str())) {
                taken.insert("format".into(), format.as_str().into());
            } else {
                left_out.push(format!("format: {format}"));
            }
        }
        require(&mut taken, given.get("required"));
        describe(&mut taken, &left_out);
        Value::Object(taken)
    }

    /// With what its references stand for, and its parts put together.
    fn whole(&self, given: &Map<String, Value>, depth: usize) -> Map<String, Value> {
        let mut whole = given.clone();
        for _ in 0..depth {
            let reference = whole.remove("$ref");
            let parts = whole.remove("allOf");
            let meant = reference.as_ref().and_then(Value::as_str);
            let meant = meant.and_then(|to| self.root.pointer(to.strip_prefix('#')?));
            let parts = parts.as_ref().and_then(Value::as_array);
            let more: Vec<&Value> = meant.into_iter().chain(parts.into_iter().flatten()).collect();
            if more.is_empty() {
                break;
            }
            for part in more.into_iter().filter_map(Value::as_object) {
                together(&mut whole, part);
            }
        }
        whole.remove("$ref");
        whole.remove("allOf");
        whole
    }

    fn one_of_types(&self, given: &Map<String, Value>, types: &[Value], depth: usize) -> Value {
        let one = |kind: &Value| {
            let mut one = given.clone();
            one.insert("type".into(), kind.clone());
            Value::Object(one)
        };
        let kinds: Vec<&Value> = types.iter().filter(|kind| *kind != "null").collect();
        let nullable = kinds.len() < types.len();
        let mut taken = match kinds[..] {
            [] => anything(),
            [only] => self.taken(&one(only), depth),
            _ => {
                let each = kinds.iter().map(|kind| self.taken(&one(kind), depth));
                json!({"anyOf": each.collect::<Vec<_>>()})
            }
        };
        if nullable {
            taken["nullable"] = true.into();
        }
        taken
    }

    fn any_of(&self, taken: &mut Map<String, Value>, variants: &[Value], depth: usize) {
        let said: Vec<&Value> = variants.iter().filter(|it| it["type"] != "null").collect();
        if said.len() < variants.len() {
            taken.insert("nullable".into(), true.into());
        }
        match said[..] {
            [] => {}
            [only] => {
                if let Value::Object(only) = self.taken(only, depth) {
                    only.into_iter().for_each(|(keyword, value)| {
                        taken.entry(keyword).or_insert(value);
                    });
                }
            }
            _ => {
                let each = said.iter().map(|variant| self.taken(variant, depth));
                taken.insert("anyOf".into(), each.collect());
            }
        }
    }
}

/// Fits anything that can be said in one word.
fn anything() -> Value {
    json!({"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}, {"type": "BOOLEAN"}]})
}

/// Only texts can be chosen from.
fn choose(taken: &mut Map<String, Value>, values: &[Value], left_out: &mut Vec<String>) {
    let texts: Vec<&Value> = values.iter().filter(|value| value.is_string()).collect();
    let nulls = values.iter().filter(|value| value.is_null()).count();
    if nulls > 0 {
        taken.insert("nullable".into(), true.into());
    }
    if !texts.is_empty() && texts.len() + nulls == values.len() {
        taken.insert("type".into(), "STRING".into());
        taken.insert("enum".into(), json!(texts));
    } else {
        left_out.push(format!("one of: {}", Value::from(values)));
    }
}

fn fill_in_type(taken: &mut Map<String, Value>) {
    let has = |keyword| taken.contains_key(keyword);
    if has("type") && taken["type"] == "ARRAY" && !has("items") {
        taken.insert("items".into(), anything());
    } else if !has("type") && has("properties") {
        taken.insert("type".into(), "OBJECT".into());
    } else if !has("type") && has("items") {
        taken.insert("type".into(), "ARRAY".into());
    } else if !has("type") && !has("anyOf") {
        taken.insert("anyOf".into(), anything()["anyOf"].take());
    }
}

/// A field that is required and not described is refused.
fn require(taken: &mut Map<String, Value>, required: Option<&Value>) {
    let known = taken.get("properties").and_then(Value::as_object);
    let is_known = |name: &&Value| {
        name.as_str().is_some_and(|name| known.is_some_and(|known| known.contains_key(name)))
    };
    let names = required.and_then(Value::as_array).into_iter().flatten();
    let names: Vec<Value> = names.filter(is_known).cloned().collect();
    if !names.is_empty() {
        taken.insert("required".into(), names.into());
    }
}

fn describe(taken: &mut Map<String, Value>, left_out: &[String]) {
    if !left_out.is_empty() {
        let before = taken.get("description").and_then(Value::as_str).unwrap_or_default();
        let described = format!("{before} ({})", left_out.join(", "));
        taken.insert("description".into(), described.trim_start().into());
    }
}

/// Fields and demands of both; of anything else what was there first.
fn together(whole: &mut Map<String, Value>, part: &Map<String, Value>) {
    for (keyword, value) in part {
        match (whole.get_mut(keyword), value) {
            (None, value) => {
                whole.insert(keyword.clone(), value.clone());
            }
            (Some(Value::Object(known)), Value::Object(more)) if keyword == "properties" => {
                for (name, schema) in more {
                    known.entry(name.as_str()).or_insert_with(|| schema.clone());
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if keyword == "required" => {
                known.extend(more.iter().cloned());
            }
            (Some(_), _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(schema: Value, expected: Value) {
        assert_eq!(taken(&schema), expected, "{schema}");
    }

    #[test]
    fn what_cannot_be_said_is_described_instead() {
        check(
            json!({"$schema": "x", "type": "object", "additionalProperties": false,
                "required": ["n", "gone"], "properties": {
                    "n": {"type": "integer", "exclusiveMinimum": 0, "format": "uint8",
                        "description": "How many."},
                    "at": {"type": "string", "format": "date-time"},
                    "to": {"type": "string", "format": "uri", "minLength": 1}}}),
            json!({"type": "OBJECT", "required": ["n"], "properties": {
                "n": {"type": "INTEGER",
                    "description": "How many. (exclusiveMinimum: 0, format: uint8)"},
                "at": {"type": "STRING", "format": "date-time"},
                "to": {"type": "STRING", "minLength": 1, "description": "(format: uri)"}}}),
        );
    }

    #[test]
    fn references_and_parts_are_put_in_place() {
        check(
            json!({"$ref": "#/$defs/a", "$defs": {
                "a": {"type": "object", "properties": {"b": {"$ref": "#/$defs/b"}}},
                "b": {"type": "string"}}}),
            json!({"type": "OBJECT", "properties": {"b": {"type": "STRING"}}}),
        );
        check(
            json!({"allOf": [
                {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
                {"properties": {"b": {"type": "number"}}, "required": ["b"]}]}),
            json!({"type": "OBJECT", "required": ["a", "b"],
                "properties": {"a": {"type": "STRING"}, "b": {"type": "NUMBER"}}}),
        );
    }

    #[test]
    fn a_schema_that_goes_round_in_circles_comes_to_an_end() {
        let round = json!({"$ref": "#/$defs/a", "$defs": {
            "a": {"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}}}});
        assert!(taken(&round).to_string().len() < 2_000);
        assert_eq!(taken(&json!({"$ref": "#"})), anything());
    }

    #[test]
    fn choices_and_nothing_are_said_in_openapis_words() {
        check(
            json!({"enum": ["a", "b", null]}),
            json!({"type": "STRING", "enum": ["a", "b"], "nullable": true}),
        );
        check(json!({"const": "a"}), json!({"type": "STRING", "enum": ["a"]}));
        check(
            json!({"type": "integer", "enum": [1, 2]}),
            json!({"type": "INTEGER", "description": "(one of: [1,2])"}),
        );
        check(json!({"type": ["string", "null"]}), json!({"type": "STRING", "nullable": true}));
        check(
            json!({"type": ["string", "number"]}),
            json!({"anyOf": [{"type": "STRING"}, {"type": "NUMBER"}]}),
        );
        check(
            json!({"oneOf": [{"type": "string"}, {"type": "null"}], "description": "Who."}),
            json!({"type": "STRING", "nullable": true, "description": "Who."}),
        );
        check(json!({"type": "array"}), json!({"type": "ARRAY", "items": anything()}));
        check(json!(true), anything());
        check(json!({"type": "object", "properties": {}}), json!({"type": "OBJECT"}));
    }

    fn any_schema() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(json!(true)),
            Just(json!({})),
            Just(json!({"type": "string", "pattern": "a", "contentEncoding": "x"})),
            Just(json!({"type": ["integer", "null"], "multipleOf": 2})),
            Just(json!({"enum": [1, "a", null]})),
            Just(json!({"$ref": "#/properties/a"})),
            Just(json!({"$ref": "#"})),
        ];
        leaf.prop_recursive(4, 24, 3, |inner| {
            let several = proptest::collection::vec(inner.clone(), 0..3);
            prop_oneof![
                (several.clone(), "anyOf|oneOf|allOf|prefixItems")
                    .prop_map(|(all, keyword)| json!({keyword: all})),
                inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
                (inner.clone(), inner).prop_map(|(a, b)| json!({
                    "type": "object", "properties": {"a": a, "b": b}, "required": ["a", "c"]})),
            ]
        })
    }

    /// What the server checks.
    fn is_accepted(schema: &Value) -> bool {
        const MORE: &[&str] =
            &["type", "enum", "anyOf", "items", "properties", "required", "format"];
        let Value::Object(schema) = schema else { return false };
        let knows = |keyword: &str| PLAIN.contains(&keyword) || MORE.contains(&keyword);
        let each = |keyword: &str| match schema.get(keyword) {
            Some(Value::Object(all)) if keyword == "properties" => all.values().collect(),
            Some(Value::Array(all)) => all.iter().collect(),
            Some(one) => vec![one],
            None => vec![],
        };
        let inner = ["anyOf", "items", "properties"].into_iter().flat_map(each);
        let is_typed = schema.contains_key("type") || schema.contains_key("anyOf");
        schema.keys().all(|keyword| knows(keyword))
            && is_typed
            && inner.into_iter().all(is_accepted)
    }

    proptest! {
        #[test]
        fn every_schema_becomes_one_that_is_taken(schema in any_schema()) {
            let taken = taken(&schema);
            prop_assert!(is_accepted(&taken), "{}", taken);
        }
    }
}
