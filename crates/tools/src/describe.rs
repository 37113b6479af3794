//! A tool as the model is told about it, made from the struct of its input.

use crate::Returned;
use domain::{Effects, Risk, ToolSpec};
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The doc comment of `Input` becomes the tool's description, those of its
/// fields the descriptions of its arguments.
pub fn describe<Input: JsonSchema>(name: &str, effects: Effects, risk: Risk) -> ToolSpec {
    let plain = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
        settings.transforms.push(Box::new(RecursiveTransform(say_plainly)));
    });
    let mut schema = plain.into_generator().into_root_schema_for::<Input>();
    schema.remove("title");
    let description = schema.remove("description");
    ToolSpec {
        name: name.to_owned(),
        description: description
            .and_then(|text| Some(text.as_str()?.to_owned()))
            .unwrap_or_default(),
        input: schema.to_value(),
        effects,
        risk,
    }
}

/// The arguments as the tool's own struct. They match the schema; what that
/// cannot say, such as a number's size, is refused here.
pub fn input<Input: DeserializeOwned>(mut arguments: Value) -> Result<Input, Returned> {
    write_whole_numbers_plainly(&mut arguments);
    serde_json::from_value(arguments)
        .map_err(|error| Returned::failed(format!("the arguments cannot be used: {error}")))
}

/// To a schema `5.0` is a whole number, and some models write one so.
fn write_whole_numbers_plainly(value: &mut Value) {
    // What lies between these a float holds exactly.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) => {
            let whole = number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() <= EXACT);
            if let Some(whole) = whole.filter(|_| number.is_f64()) {
                *value = Value::from(whole as i64);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(write_whole_numbers_plainly),
        Value::Object(map) => map.values_mut().for_each(write_whole_numbers_plainly),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Some servers refuse number formats that they do not know, and the line
/// breaks of a doc comment mean nothing.
fn say_plainly(schema: &mut Schema) {
    schema.remove("format");
    if let Some(Value::String(text)) = schema.get_mut("description") {
        let paragraphs = text.split("\n\n").map(|lines| lines.replace('\n', " "));
        *text = paragraphs.collect::<Vec<_>>().join("\n\n");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    /// Sends a parcel
    /// to a town.
    ///
    /// Takes a day.
    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(deny_unknown_fields)]
    struct Parcel {
        /// Where it goes,
        /// in plain words.
        town: String,
        /// How heavy it is.
        grams: Option<u16>,
        kind: Kind,
    }

    #[derive(Debug, PartialEq, Deserialize, JsonSchema)]
    #[serde(rename_all = "snake_case")]
    enum Kind {
        Letter,
        Box,
    }

    #[test]
    fn doc_comments_are_what_the_model_reads() {
        let spec = describe::<Parcel>("send", Effects::Once, Risk::High);
        let expected = ToolSpec {
            name: "send".into(),
            description: "Sends a parcel to a town.\n\nTakes a day.".into(),
            input: json!({
                "type": "object",
                "properties": {
                    "town": {"type": "string", "description": "Where it goes, in plain words."},
                    "grams": {
                        "type": ["integer", "null"], "minimum": 0, "maximum": 65535,
                        "description": "How heavy it is."
                    },
                    "kind": {"type": "string", "enum": ["letter", "box"]},
                },
                "required": ["town", "kind"],
                "additionalProperties": false,
            }),
            effects: Effects::Once,
            risk: Risk::High,
        };
        assert_eq!(spec, expected);
    }

    #[test]
    fn arguments_become_the_tools_own_struct_or_a_refusal() {
        let parcel = Parcel { town: "北京".into(), grams: None, kind: Kind::Box };
        assert_eq!(input(json!({"town": "北京", "grams": null, "kind": "box"})), Ok(parcel));
        let parcel = Parcel { town: "Oslo".into(), grams: Some(5), kind: Kind::Box };
        assert_eq!(input(json!({"town": "Oslo", "grams": 5.0, "kind": "box"})), Ok(parcel));
        let refusal = "the arguments cannot be used: invalid value: integer `70000`, expected u16";
        assert_eq!(
            input::<Parcel>(json!({"town": "Oslo", "grams": 70000, "kind": "box"})),
            Err(Returned::failed(refusal))
        );
    }
}
