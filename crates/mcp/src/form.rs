//! Values beside the schemas they are to fit, and forms as a person sees them.

use domain::{Choice, Field, Takes, TextFormat};
use serde_json::Value;
use std::collections::HashSet;
use tools::effort;

/// Fields of one form, and choices of one field.
const MOST_FIELDS: usize = 40;
const MOST_CHOICES: usize = 300;
/// Of anything that a person is to read.
const MOST_CHARACTERS: usize = 1_000;

/// The fields of a form. An error says what no person can be asked.
pub fn fields(schema: &Value) -> Result<Vec<Field>, String> {
    let properties = schema.get("properties").and_then(Value::as_object);
    let properties = properties.ok_or("its form has no fields")?;
    if properties.len() > MOST_FIELDS {
        return Err(format!("its form has more than {MOST_FIELDS} fields"));
    }
    let required: Vec<&str> = strings(schema.get("required"));
    properties.iter().map(|(name, property)| field(name, property, &required)).collect()
}

fn field(name: &str, property: &Value, required: &[&str]) -> Result<Field, String> {
    let said = |what: &str| text_of(property.get(what));
    let takes = takes(property).ok_or(format!("its field {name} takes what cannot be entered"))?;
    if name.chars().count() > MOST_CHARACTERS {
        return Err("one of its fields has no name that anybody would read".to_owned());
    }
    let default = match property.get("default") {
        None | Some(Value::Null) => None,
        // As it is written: the numbers of whoever shows it may be less exact.
        Some(Value::Number(number)) => Some(number.to_string().into()),
        Some(value) => Some(value.clone()),
    };
    Ok(Field {
        name: name.to_owned(),
        title: said("title"),
        about: said("description"),
        required: required.contains(&name),
        takes,
        default,
        sounds_secret: false,
    })
}

fn takes(property: &Value) -> Option<Takes> {
    let number = |what: &str| property.get(what).and_then(Value::as_f64);
    let count = |what: &str| property.get(what).and_then(Value::as_u64)?.try_into().ok();
    match property.get("type")?.as_str()? {
        "boolean" => Some(Takes::YesNo),
        kind @ ("integer" | "number") => Some(Takes::Number {
            whole: kind == "integer",
            least: number("minimum"),
            most: number("maximum"),
        }),
        "array" => {
            let options = options(property.get("items")?)?;
            let (least, most) = (count("minItems"), count("maxItems"));
            Some(Takes::Choice { options, several: true, least, most })
        }
        "string" => match options(property) {
            Some(options) => {
                Some(Takes::Choice { options, several: false, least: None, most: None })
            }
            None => Some(Takes::Text {
                format: match property.get("format").and_then(Value::as_str) {
                    Some("email") => Some(TextFormat::Email),
                    Some("uri") => Some(TextFormat::Uri),
                    Some("date") => Some(TextFormat::Date),
                    Some("date-time") => Some(TextFormat::DateTime),
                    Some(_) | None => None,
                },
                least: count("minLength"),
                most: count("maxLength"),
            }),
        },
        _ => None,
    }
}

/// `enum`, with or without `enumNames`, or `const`s with titles.
fn options(of: &Value) -> Option<Vec<Choice>> {
    let options: Vec<Choice> = match of.get("oneOf").or(of.get("anyOf")) {
        Some(titled) => {
            let choice = |one: &Value| {
                let value = one.get("const")?.as_str()?.to_owned();
                Some(Choice { value, title: text_of(one.get("title")) })
            };
            titled.as_array()?.iter().map(choice).collect::<Option<_>>()?
        }
        None => {
            let values = of.get("enum")?.as_array()?;
            let titles = strings(of.get("enumNames"));
            let choice = |(at, value): (usize, &Value)| {
                let title = titles.get(at).map(|title| clipped(title));
                Some(Choice { value: value.as_str()?.to_owned(), title })
            };
            values.iter().enumerate().map(choice).collect::<Option<_>>()?
        }
    };
    let mut seen = HashSet::new();
    let options: Vec<Choice> =
        options.into_iter().filter(|one| seen.insert(one.value.clone())).collect();
    (1..=MOST_CHOICES).contains(&options.len()).then_some(options)
}

fn strings(list: Option<&Value>) -> Vec<&str> {
    list.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn text_of(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty()).map(clipped)
}

fn clipped(text: &str) -> String {
    text.chars().take(MOST_CHARACTERS).collect()
}

/// How a value differs from a schema; nothing when it fits. What the schema
/// refers to elsewhere is not fetched: then it can't be said, and it is a
/// difference.
pub fn misfit(schema: &Value, value: &Value) -> Option<String> {
    if let Err(why) = effort::check(schema) {
        return Some(format!("its schema can't be used: {why}"));
    }
    if !effort::fits(schema, value) {
        return Some("it takes too many steps to check".to_owned());
    }
    let options = jsonschema::options().with_pattern_options(tools::patterns());
    let options = options.should_validate_formats(true);
    let validator = match options.build(schema) {
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
    fn a_form_is_read_as_what_a_person_can_enter() {
        let schema = json!({"type": "object", "required": ["name"], "properties": {
            "name": {"type": "string", "title": "Name", "minLength": 2, "maxLength": 9},
            "mail": {"type": "string", "format": "email", "description": " Yours. "},
            "n": {"type": "integer", "minimum": 1, "maximum": 100, "default": 42},
            "share": {"type": "number"},
            "ok": {"type": "boolean", "default": false},
            "plain": {"type": "string", "enum": ["a", "b", "a"], "enumNames": ["A", "B", "C"]},
            "titled": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
            "many": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["a"]}},
            "some": {"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}},
        }});
        let said = |field: &Field| {
            let star = if field.required { "*" } else { "" };
            let default = field.default.as_ref().map(|value| format!(" = {value}"));
            format!("{}{star}: {}{}", field.name, field.takes, default.unwrap_or_default())
        };
        let all: Vec<String> = fields(&schema).unwrap().iter().map(said).collect();
        assert_eq!(
            all,
            [
                "mail: an e-mail address",
                "many: some of these, 1 or more: a",
                "n: a whole number, 1 to 100 = \"42\"",
                "name*: text of 2 to 9 characters",
                "ok: yes or no = false",
                "plain: one of these: a (A), b (B)",
                "share: a number",
                "some: some of these: a (A)",
                "titled: one of these: a (A)",
            ]
        );
        let mail = &fields(&schema).unwrap()[0];
        assert_eq!(mail.about.as_deref(), Some("Yours."));
        for unfit in [json!({}), json!({"properties": {"x": {"type": "object"}}})] {
            assert!(fields(&unfit).is_err(), "{unfit}");
        }
        let choices: Vec<_> = (0..=MOST_CHOICES).map(|nth| json!(nth.to_string())).collect();
        let long = json!({"properties": {"x": {"type": "array", "items": {"enum": choices}}}});
        assert!(fields(&long).is_err());
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
