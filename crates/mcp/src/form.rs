//! Values beside the schemas they are to fit.

use serde_json::{Map, Value};

/// What a form holds before anybody filled it in.
pub fn defaults(schema: &Value) -> Map<String, Value> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let with_default = properties.into_iter().flatten().filter_map(|(name, property)| {
        Some((name.clone(), property.get("default").filter(|value| !value.is_null())?.clone()))
    });
    with_default.collect()
}

/// How a value differs from a schema; nothing when it fits. What the schema
/// refers to elsewhere is not fetched: then it can't be said, and it is a
/// difference.
pub fn misfit(schema: &Value, value: &Value) -> Option<String> {
    let validator = match jsonschema::validator_for(schema) {
        Ok(validator) => validator,
        Err(error) => return Some(format!("its schema can't be used: {error}")),
    };
    let error = validator.iter_errors(value).next()?;
    let place = error.instance_path().to_string();
    let place = if place.is_empty() { "it".to_owned() } else { place };
    Some(format!("{place}: {error}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_begins_with_its_defaults() {
        let schema = json!({"type": "object", "properties": {
            "name": {"type": "string", "default": "Ada"},
            "age": {"type": "integer"},
            "colours": {"type": "array", "default": ["red"], "items": {"enum": ["red", "blue"]}},
            "none": {"type": "string", "default": null},
        }});
        assert_eq!(Value::Object(defaults(&schema)), json!({"name": "Ada", "colours": ["red"]}));
        assert!(defaults(&json!(true)).is_empty());
    }

    #[test]
    fn a_misfit_names_the_place_and_a_schema_elsewhere_is_not_fetched() {
        let schema = json!({"type": "object", "properties": {"age": {"type": "integer"}}});
        assert_eq!(misfit(&schema, &json!({"age": 3})), None);
        let said = misfit(&schema, &json!({"age": "old"})).unwrap();
        assert_eq!(said, "/age: \"old\" is not of type \"integer\"");
        let elsewhere = json!({"$ref": "http://127.0.0.1:1/schema.json"});
        assert!(misfit(&elsewhere, &json!({})).unwrap().starts_with("its schema can't be used"));
    }
}
