//! What an agent can do here and now, told to whoever plans with it: the tools
//! that it is offered, and nothing else.

use crate::plan::MOST_STEPS;
use domain::ToolSpec;
use serde_json::{Map, Value, json};

/// For the model to read: each tool with what it takes.
pub(crate) fn described(specs: &[ToolSpec]) -> String {
    let tool = |spec: &ToolSpec| {
        format!("- `{}`: {}\n  arguments: {}", spec.name, spec.description.trim(), spec.input)
    };
    specs.iter().map(tool).collect::<Vec<_>>().join("\n")
}

/// What every plan with these tools looks like, for models that can be held to
/// a schema and have so many tokens for their answer.
///
/// A model writes the parts in the order of the alphabet, since that is how
/// they get to it. Their names are such that it says what to use before what
/// for; small models otherwise begin with something that they do not know yet.
pub(crate) fn schema(specs: &[ToolSpec], answer_tokens: u32) -> Value {
    let room = Room::of(answer_tokens);
    let id = json!({"type": "string", "enum": IDS});
    let step = |action: &str, arguments: Value| {
        let action = json!({"type": "string", "enum": [action]});
        let mut parts = Map::from_iter([
            ("action".to_owned(), action),
            ("arguments".to_owned(), arguments),
            ("id".to_owned(), id.clone()),
        ]);
        if room == Room::Ample {
            let ids = json!({"type": "array", "items": id, "maxItems": MOST_NAMED});
            parts.insert("depends_on".to_owned(), ids);
            parts.insert("required".to_owned(), json!({"type": "boolean"}));
        }
        let mut names: Vec<&String> = parts.keys().collect();
        names.sort();
        json!({
            "type": "object",
            "required": names,
            "properties": parts,
            "additionalProperties": false,
        })
    };
    let reply = json!({
        "type": "object",
        "properties": {"about": {"type": "string", "maxLength": 120}},
        "required": ["about"],
        "additionalProperties": false,
    });
    let uses = specs.iter().map(|spec| {
        let mut arguments = arguments(&spec.input);
        if room == Room::Little {
            shorten_texts(&mut arguments);
        }
        step(&spec.name, arguments)
    });
    let steps: Vec<Value> = uses.chain([step("reply", reply)]).collect();
    let most = match room {
        Room::Little => 2,
        Room::Ample => MOST_STEPS,
    };
    json!({
        "type": "object",
        "properties": {
            "steps": {"type": "array", "items": {"anyOf": steps}, "maxItems": most},
        },
        "required": ["steps"],
        "additionalProperties": false,
    })
}

/// A model that may not say much says the least that makes a plan: two steps in
/// few words, which wait for whose results they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    Little,
    Ample,
}

impl Room {
    fn of(answer_tokens: u32) -> Self {
        if answer_tokens < 500 { Room::Little } else { Room::Ample }
    }
}

/// Small models do not stop by themselves in the middle of a text.
fn shorten_texts(schema: &mut Value) {
    const MOST: u64 = 60;
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(shorten_texts);
            let is_text = fields.get("type").is_some_and(|kind| kind == "string");
            let is_long = fields.get("maxLength").is_none_or(|most| most.as_u64() > Some(MOST));
            if is_text && is_long && !fields.contains_key("enum") {
                fields.insert("maxLength".to_owned(), json!(MOST));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_texts),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// One for each step that there may be.
const IDS: [&str; MOST_STEPS] = [
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p", "q", "r", "s",
    "t",
];
/// What a step waits for beyond these it names in its arguments.
const MOST_NAMED: usize = 8;

/// References inside of a schema start at its root, and here it has another.
fn arguments(input: &Value) -> Value {
    if refers(input) { json!({"type": "object"}) } else { input.clone() }
}

fn refers(schema: &Value) -> bool {
    match schema {
        Value::Object(fields) => {
            fields.iter().any(|(name, field)| name.starts_with('$') || refers(field))
        }
        Value::Array(items) => items.iter().any(refers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Effects, Risk};

    fn spec(name: &str, input: Value) -> ToolSpec {
        let description = format!("Does {name}.");
        ToolSpec { name: name.into(), description, input, effects: Effects::None, risk: Risk::Low }
    }

    #[test]
    fn whoever_plans_is_told_each_tool_and_what_it_takes() {
        let input = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
        let told =
            described(&[spec("add", input.clone()), spec("look", json!({"type": "object"}))]);
        let expected = format!(
            "- `add`: Does add.\n  arguments: {input}\n- `look`: Does look.\n  arguments: {{\"type\":\"object\"}}"
        );
        assert_eq!(told, expected);
    }

    #[test]
    fn a_schema_of_plans_allows_the_offered_tools_and_a_reply() {
        let own = json!({"type": "object", "properties": {"x": {"type": "integer"}}});
        let referring = json!({"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}}});
        let schema = schema(&[spec("add", own.clone()), spec("tree", referring)], 4096);
        let steps = &schema["properties"]["steps"]["items"]["anyOf"];
        assert_eq!(schema["properties"]["steps"]["maxItems"], 20);
        assert_eq!(steps[0]["properties"]["action"]["enum"], json!(["add"]));
        assert_eq!(steps[0]["properties"]["arguments"], own);
        assert_eq!(steps[1]["properties"]["arguments"], json!({"type": "object"}));
        assert_eq!(steps[2]["properties"]["action"]["enum"], json!(["reply"]));
        let order = ["action", "arguments", "depends_on", "id", "required"];
        assert_eq!(steps[2]["required"], json!(order));
        assert!(order.is_sorted());
        assert_eq!(steps.as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn a_model_with_little_room_is_held_to_short_plans() {
        let text = |most: u64| json!({"type": "string", "maxLength": most});
        let input = json!({"type": "object", "properties": {"long": text(1000), "short": text(9)}});
        let schema = schema(&[spec("say", input)], 200);
        assert_eq!(schema["properties"]["steps"]["maxItems"], 2);
        let step = &schema["properties"]["steps"]["items"]["anyOf"][0];
        assert_eq!(step["required"], json!(["action", "arguments", "id"]));
        let arguments = &step["properties"]["arguments"]["properties"];
        assert_eq!(*arguments, json!({"long": text(60), "short": text(9)}));
    }
}
