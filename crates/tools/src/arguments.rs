//! What a tool takes, and what a model is told when it gave something else.

use crate::effort;
use domain::ToolSpec;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{FancyRegex, PatternOptions, ValidationError, Validator};
use serde_json::Value;

/// A tool's schema, compiled once.
pub(crate) struct Arguments {
    validator: Validator,
    /// The names of its arguments, for whoever gave another one.
    names: Vec<String>,
}

/// Why no tool can take this, if so.
pub fn check_input(schema: &Value) -> Result<(), String> {
    Arguments::new(schema).map(drop)
}

/// What is wrong with arguments of a tool, for whoever gave them to read.
pub fn check_arguments(tool: &ToolSpec, arguments: &Value) -> Result<(), String> {
    Arguments::new(&tool.input)?.check(&tool.name, &tool.input, arguments)
}

/// The model gets so many mistakes to mend at once.
const MOST_MISTAKES: usize = 8;

impl Arguments {
    /// Refuses what is no schema of an object. References to other documents
    /// are never followed.
    pub(crate) fn new(schema: &Value) -> Result<Self, String> {
        if schema.get("type") != Some(&Value::from("object")) {
            return Err("its input is not the schema of an object".into());
        }
        effort::check(schema)
            .map_err(|why| format!("its input is no schema to check by: {}", clipped(&why)))?;
        let options = jsonschema::options().with_pattern_options(patterns()).offline();
        let validator = options.build(schema).map_err(|error| {
            format!("its input is no valid schema: {}", clipped(&error.to_string()))
        })?;
        let names = schema["properties"].as_object().into_iter().flat_map(|all| all.keys());
        let mut names: Vec<String> = names.cloned().collect();
        names.sort();
        Ok(Arguments { validator, names })
    }

    /// Everything that is wrong, for the model to read.
    pub(crate) fn check(
        &self,
        tool: &str,
        schema: &Value,
        arguments: &Value,
    ) -> Result<(), String> {
        if !effort::fits(schema, arguments) {
            return Err(format!(
                "`{tool}` was not called: its arguments take too many steps to check; give it less at a time"
            ));
        }
        let mut mistakes: Vec<String> = self
            .validator
            .iter_errors(arguments)
            .map(|error| self.mistake(schema, &error))
            .collect();
        mistakes.sort();
        if mistakes.is_empty() {
            return Ok(());
        }
        let mut text = format!("`{tool}` was not called, its arguments are wrong:");
        for mistake in mistakes.iter().take(MOST_MISTAKES) {
            text.push_str("\n- ");
            text.push_str(mistake);
        }
        if mistakes.len() > MOST_MISTAKES {
            text.push_str(&format!("\n- and {} more", mistakes.len() - MOST_MISTAKES));
        }
        Err(text)
    }

    fn mistake(&self, schema: &Value, error: &ValidationError) -> String {
        let place = place(error);
        let expected = range(schema, error).unwrap_or_else(|| expected(error));
        match error.kind() {
            ValidationErrorKind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                format!("`{}` is missing", below(&place, name))
            }
            ValidationErrorKind::AdditionalProperties { unexpected }
            | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
                let names: Vec<String> = unexpected
                    .iter()
                    .map(|name| format!("`{}`", clipped(&below(&place, name))))
                    .collect();
                let known = if place.is_empty() { self.known() } else { String::new() };
                format!("there is no {}{known}", names.join(", "))
            }
            // What a schema without any properties says of every property.
            ValidationErrorKind::FalseSchema if place.is_empty() => "it takes no arguments".into(),
            _ if place.is_empty() => format!("{expected}, given {}", given(error)),
            _ => format!("`{place}`: {expected}, given {}", given(error)),
        }
    }

    fn known(&self) -> String {
        match &self.names[..] {
            [] => String::new(),
            names => format!("; it takes {}", names.join(", ")),
        }
    }
}

/// What should have been there, of a number that has two ends.
fn range(schema: &Value, error: &ValidationError) -> Option<String> {
    let is_end = matches!(
        error.kind(),
        ValidationErrorKind::Minimum { .. } | ValidationErrorKind::Maximum { .. }
    );
    let (of, _) = error.schema_path().as_str().rsplit_once('/').filter(|_| is_end)?;
    let of = schema.pointer(of)?;
    let (least, most) = (of.get("minimum")?, of.get("maximum")?);
    Some(format!("expected {least} to {most}"))
}

/// What should have been there.
fn expected(error: &ValidationError) -> String {
    use ValidationErrorKind as Kind;
    match error.kind() {
        Kind::Type { kind: TypeKind::Single(single) } => {
            format!("expected {}", with_article(&single.to_string()))
        }
        Kind::Type { kind: TypeKind::Multiple(several) } => {
            let mut names: Vec<String> =
                several.iter().map(|one| with_article(&one.to_string())).collect();
            names.sort_by_key(|name| name == "null");
            format!("expected {}", names.join(" or "))
        }
        Kind::Enum { options } => {
            let options = options.as_array().into_iter().flatten();
            let all: Vec<String> = options.map(ToString::to_string).collect();
            format!("expected one of {}", clipped(&all.join(", ")))
        }
        Kind::Constant { expected_value } => {
            format!("expected {}", clipped(&expected_value.to_string()))
        }
        Kind::Minimum { limit } => format!("expected at least {limit}"),
        Kind::Maximum { limit } => format!("expected at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("expected more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("expected less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("expected a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("expected at least {limit} characters"),
        Kind::MaxLength { limit } => format!("expected at most {limit} characters"),
        Kind::MinItems { limit } => format!("expected at least {limit} items"),
        Kind::MaxItems { limit } => format!("expected at most {limit} items"),
        Kind::UniqueItems => "expected no item twice".into(),
        Kind::Pattern { pattern } => format!("expected text that matches {}", clipped(pattern)),
        Kind::Format { format } => format!("expected text in the format {format}"),
        Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
            let forms: Vec<String> =
                context.iter().filter_map(|errors| errors.first()).map(expected).collect();
            format!("fits none of the allowed forms ({})", clipped(&forms.join("; ")))
        }
        Kind::FalseSchema => "expected nothing here".into(),
        _ => clipped(&error.masked_with("it").to_string()),
    }
}

/// What was there instead, as short as it can be recognised by.
fn given(error: &ValidationError) -> String {
    let value = error.instance();
    match value.as_ref() {
        Value::Object(fields) if fields.is_empty() => "{}".into(),
        Value::Object(_) => "an object".into(),
        Value::Array(items) if items.is_empty() => "[]".into(),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::String(text) if text.chars().count() > MOST_SHOWN => {
            format!("text of {} characters", text.chars().count())
        }
        Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Null => value.to_string(),
    }
}

fn with_article(name: &str) -> String {
    match name {
        "null" => "null".into(),
        name if name.starts_with(['a', 'e', 'i', 'o', 'u']) => format!("an {name}"),
        name => format!("a {name}"),
    }
}

/// `a.0.b` for what stands at `/a/0/b`.
fn place(error: &ValidationError) -> String {
    let pointer = error.instance_path().as_str();
    let steps = pointer.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
    clipped(&steps.collect::<Vec<_>>().join("."))
}

fn below(place: &str, name: &str) -> String {
    if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") }
}

/// How somebody else's patterns are read: with looking around, which many have, and not
/// without an end.
pub fn patterns() -> PatternOptions<FancyRegex> {
    const MOST_TIMES_BACK: usize = 10_000;
    const MOST_BYTES: usize = 1 << 20;
    PatternOptions::fancy_regex().backtrack_limit(MOST_TIMES_BACK).size_limit(MOST_BYTES)
}

const MOST_SHOWN: usize = 80;

fn clipped(text: &str) -> String {
    const MOST: usize = 300;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(schema: &Value, arguments: Value, expected: &[&str]) {
        let checked = Arguments::new(schema).expect("a schema").check("send", schema, &arguments);
        let expected = match expected {
            [] => Ok(()),
            lines => Err(format!(
                "`send` was not called, its arguments are wrong:\n- {}",
                lines.join("\n- ")
            )),
        };
        assert_eq!(checked, expected, "{arguments}");
    }

    #[test]
    fn a_model_is_told_every_mistake_in_words_it_can_act_on() {
        let schema = json!({
            "type": "object",
            "properties": {
                "town": {"type": "string", "minLength": 2, "maxLength": 10},
                "grams": {"type": ["integer", "null"], "minimum": 1, "maximum": 65535},
                "kind": {"enum": ["letter", "box"]},
                "stamps": {
                    "type": "array", "maxItems": 3, "uniqueItems": true,
                    "items": {"type": "object", "properties": {"cents": {"type": "number"}}, "required": ["cents"]}
                },
                "to": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                "zip": {"type": "string", "pattern": "^[0-9]{5}$"},
            },
            "required": ["town", "kind"],
            "additionalProperties": false,
        });
        let good = |more: Value| {
            let mut arguments = json!({"town": "Oslo", "kind": "box"});
            for (name, value) in more.as_object().expect("an object") {
                arguments[name] = value.clone();
            }
            arguments
        };
        check(&schema, good(json!({})), &[]);
        check(&schema, good(json!({"grams": null, "to": 7, "zip": "01234"})), &[]);
        check(&schema, json!({}), &["`kind` is missing", "`town` is missing"]);
        check(&schema, json!("Oslo"), &["expected an object, given \"Oslo\""]);
        check(&schema, Value::Null, &["expected an object, given null"]);
        check(&schema, good(json!({"town": 3})), &["`town`: expected a string, given 3"]);
        check(
            &schema,
            good(json!({"town": "京"})),
            &["`town`: expected at least 2 characters, given \"京\""],
        );
        check(
            &schema,
            good(json!({"town": "x".repeat(100)})),
            &["`town`: expected at most 10 characters, given text of 100 characters"],
        );
        check(
            &schema,
            good(json!({"grams": "ten"})),
            &["`grams`: expected an integer or null, given \"ten\""],
        );
        check(&schema, good(json!({"grams": 0})), &["`grams`: expected 1 to 65535, given 0"]);
        check(
            &schema,
            good(json!({"grams": 70000})),
            &["`grams`: expected 1 to 65535, given 70000"],
        );
        check(
            &schema,
            good(json!({"kind": "ship"})),
            &["`kind`: expected one of \"letter\", \"box\", given \"ship\""],
        );
        check(
            &schema,
            good(json!({"stamps": {"cents": 1}})),
            &["`stamps`: expected an array, given an object"],
        );
        check(
            &schema,
            good(json!({"stamps": [{"cents": 1}, {}, {"cents": "5"}]})),
            &["`stamps.1.cents` is missing", "`stamps.2.cents`: expected a number, given \"5\""],
        );
        check(
            &schema,
            good(json!({"zip": "123"})),
            &["`zip`: expected text that matches ^[0-9]{5}$, given \"123\""],
        );
        check(
            &schema,
            good(json!({"to": []})),
            &[
                "`to`: fits none of the allowed forms (expected a string; expected an integer), given []",
            ],
        );
        check(
            &schema,
            good(json!({"city": 1, "weight": 2})),
            &["there is no `city`, `weight`; it takes grams, kind, stamps, to, town, zip"],
        );
        check(
            &schema,
            json!({"town": 1, "grams": 0, "city": 1}),
            &[
                "`grams`: expected 1 to 65535, given 0",
                "`kind` is missing",
                "`town`: expected a string, given 1",
                "there is no `city`; it takes grams, kind, stamps, to, town, zip",
            ],
        );
    }

    #[test]
    fn a_tool_without_arguments_takes_the_empty_object() {
        let schema = json!({"type": "object", "additionalProperties": false});
        check(&schema, json!({}), &[]);
        check(&schema, json!({"a": 1}), &["it takes no arguments"]);
    }

    #[test]
    fn only_so_many_mistakes_are_told() {
        let schema = json!({"type": "object", "additionalProperties": {"type": "string"}});
        let wrong: Value = (0..20)
            .map(|n| (format!("{n:02}"), json!(n)))
            .collect::<serde_json::Map<_, _>>()
            .into();
        let mut lines: Vec<String> =
            (0..8).map(|n| format!("`{n:02}`: expected a string, given {n}")).collect();
        lines.push("and 12 more".into());
        check(&schema, wrong, &lines.iter().map(String::as_str).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_schema_of_an_object_is_refused() {
        let check = |schema: Value, expected: &str| {
            let refused = Arguments::new(&schema).err().expect("no good schema");
            assert!(refused.starts_with(expected), "{schema}: {refused}");
        };
        check(json!(true), "its input is not the schema of an object");
        check(json!({}), "its input is not the schema of an object");
        check(json!({"type": "string"}), "its input is not the schema of an object");
        check(json!({"type": ["object", "null"]}), "its input is not the schema of an object");
        check(json!({"type": "object", "properties": []}), "its input is no valid schema: ");
        check(
            json!({"type": "object", "properties": {"a": {"type": "txt"}}}),
            "its input is no valid schema: ",
        );
        check(json!({"type": "object", "required": "a"}), "its input is no valid schema: ");
        check(
            json!({"type": "object", "properties": {"a": {"pattern": "("}}}),
            "its input is no valid schema: ",
        );
    }

    #[test]
    fn no_schema_makes_us_fetch_anything() {
        for elsewhere in [
            "http://127.0.0.1:1/a.json",
            "https://example.com/a.json",
            "file:///etc/passwd",
            "json-schema:///other",
            "other.json",
        ] {
            let schema = json!({"type": "object", "properties": {"a": {"$ref": elsewhere}}});
            let refused = Arguments::new(&schema).err().expect("refused");
            assert!(
                refused.starts_with("its input is no schema to check by: it refers to"),
                "{elsewhere}: {refused}"
            );
        }
        let inside = json!({
            "type": "object",
            "properties": {"a": {"$ref": "#/$defs/word"}},
            "$defs": {"word": {"type": "string"}},
        });
        check(&inside, json!({"a": 1}), &["`a`: expected a string, given 1"]);
    }
}
