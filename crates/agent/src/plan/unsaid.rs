//! What is null in a plan where the tool takes no null is what was not said.
//!
//! Servers that hold a model to a schema strictly let nothing be missing: what a
//! tool can do without is null there instead.

use domain::{Plan, PlanAction, ToolSpec};
use serde_json::Value;

/// Takes such nulls out of the arguments.
pub(crate) fn leave_unsaid(plan: &mut Plan, specs: &[ToolSpec]) {
    for step in &mut plan.steps {
        let PlanAction::Tool { tool, arguments } = &mut step.action else { continue };
        if let Some(spec) = specs.iter().find(|spec| spec.name == *tool) {
            without_nulls(arguments, &spec.input);
        }
    }
}

fn without_nulls(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(fields) => {
            let is_required = |name: &str| {
                let required = schema["required"].as_array();
                required.is_some_and(|names| names.iter().any(|other| other == name))
            };
            let Some(known) = schema["properties"].as_object() else { return };
            fields.retain(|name, field| {
                let unsaid = field.is_null() && !is_required(name);
                !(unsaid && known.get(name).is_some_and(|schema| !takes_null(schema)))
            });
            for (name, field) in fields {
                if let Some(schema) = known.get(name) {
                    without_nulls(field, schema);
                }
            }
        }
        Value::Array(items) => {
            items.iter_mut().for_each(|item| without_nulls(item, &schema["items"]));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Also one that says nothing of what it takes.
fn takes_null(schema: &Value) -> bool {
    let says = |place: &str| schema.get(place).is_some();
    let lists = |place: &str| schema[place].as_array().into_iter().flatten();
    let is_open =
        !["type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref"].iter().any(|it| says(it));
    is_open
        || schema["type"] == "null"
        || lists("type").any(|kind| kind == "null")
        || lists("enum").any(Value::is_null)
        || lists("anyOf").chain(lists("oneOf")).any(takes_null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_null_that_stands_for_nothing_is_left_out() {
        let schema = json!({"type": "object", "required": ["must"], "properties": {
            "must": {"type": "string"},
            "unit": {"type": "string"},
            "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "any": {},
            "places": {"type": "array", "items": {
                "type": "object", "properties": {"x": {"type": "number"}}}}}});
        let mut value = json!({
            "must": null, "unit": null, "either": null, "any": null, "unknown": null,
            "places": [{"x": null}, {"x": 1}, null]});
        without_nulls(&mut value, &schema);
        let expected = json!({
            "must": null, "either": null, "any": null, "unknown": null,
            "places": [{}, {"x": 1}, null]});
        assert_eq!(value, expected);
    }
}
