//! The results of earlier steps in the arguments of later ones.
//!
//! `{{id}}` in any text stands for what that step returned. `{{ id }}`,
//! `{{id.result}}` and `{{steps.id.result}}` mean the same.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What steps have returned, by their ids, as a model reads it.
pub(crate) type Results = BTreeMap<String, String>;

/// More than this no tool gets to read.
const MOST_BYTES: usize = 256 * 1024;

/// Who is named in the arguments, as written, each once and in order.
pub(crate) fn names(arguments: &Value) -> Vec<String> {
    let mut found = Vec::new();
    each_text(arguments, &mut |text| {
        for piece in pieces(text) {
            if let Piece::Name(name) = piece
                && !found.iter().any(|known| known == name)
            {
                found.push(name.to_owned());
            }
        }
    });
    found
}

/// The id that a name in braces stands for.
pub(crate) fn id_of<'n>(name: &'n str, is_known: &dyn Fn(&str) -> bool) -> Option<&'n str> {
    let name = name.trim();
    let short = name.strip_prefix("steps.").unwrap_or(name);
    let first = short.split('.').next().unwrap_or(short);
    [name, short, first].into_iter().find(|id| is_known(id))
}

/// The arguments with every name replaced; names that have no result stay.
pub(crate) fn filled(arguments: &Value, results: &Results) -> Result<Value, String> {
    fill(arguments, results, &mut 0, &|text| Value::String(text))
}

/// As `filled`, but a text that is nothing except one name becomes the number,
/// list or object that the result is the JSON of.
pub(crate) fn filled_with_values(arguments: &Value, results: &Results) -> Result<Value, String> {
    fill(arguments, results, &mut 0, &|text| {
        serde_json::from_str(text.trim()).unwrap_or(Value::String(text))
    })
}

type Whole<'w> = &'w dyn Fn(String) -> Value;

fn fill(
    value: &Value,
    results: &Results,
    bytes: &mut usize,
    whole: Whole<'_>,
) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => {
            let filled = fill_text(text, results, bytes)?;
            let mut parts = pieces(text);
            match (parts.next(), parts.next()) {
                (Some(Piece::Name(_)), None) => whole(filled),
                _ => Value::String(filled),
            }
        }
        Value::Array(items) => {
            let items = items.iter().map(|item| fill(item, results, bytes, whole));
            Value::Array(items.collect::<Result<_, _>>()?)
        }
        Value::Object(fields) => {
            let mut full = Map::new();
            for (name, field) in fields {
                full.insert(name.clone(), fill(field, results, bytes, whole)?);
            }
            Value::Object(full)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    })
}

fn fill_text(text: &str, results: &Results, bytes: &mut usize) -> Result<String, String> {
    let mut full = String::new();
    for piece in pieces(text) {
        let before = full.len();
        match piece {
            Piece::Plain(plain) => full.push_str(plain),
            Piece::Name(name) => match id_of(name, &|id| results.contains_key(id)) {
                Some(id) => full.push_str(tools::returned(&results[id]).ok_or_else(|| {
                    format!(
                        "not called: what `{id}` returned is too long to be used whole; have it return less"
                    )
                })?),
                None => full.push_str(&format!("{{{{{name}}}}}")),
            },
        }
        *bytes += full.len() - before;
        if *bytes > MOST_BYTES {
            return Err("not called: the results in its arguments make them too long".into());
        }
    }
    Ok(full)
}

fn each_text(value: &Value, see: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter().for_each(|item| each_text(item, see)),
        Value::Object(fields) => fields.values().for_each(|field| each_text(field, see)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

enum Piece<'t> {
    Plain(&'t str),
    /// What stands between the braces.
    Name(&'t str),
}

/// The text in pieces; only what could be a name counts as one.
fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, length)) = name_at_start(rest) {
            rest = &rest[length..];
            return Some(Piece::Name(name));
        }
        let after_first = rest.chars().next().map_or(0, char::len_utf8);
        let next = rest[after_first..].find("{{").map_or(rest.len(), |at| at + after_first);
        let (plain, others) = rest.split_at(next);
        rest = others;
        Some(Piece::Plain(plain))
    })
}

fn name_at_start(text: &str) -> Option<(&str, usize)> {
    const MOST: usize = 100;
    let inside = text.strip_prefix("{{")?;
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' ');
    let length = inside.char_indices().take(MOST).find(|(_, c)| !fits(*c))?.0;
    let name = &inside[..length];
    (inside[length..].starts_with("}}") && !name.trim().is_empty()).then_some((name, length + 4))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn results() -> Results {
        [("a", "4"), ("b", "[1, 2]"), ("两", "二")]
            .map(|(id, text)| (id.to_owned(), text.to_owned()))
            .into()
    }

    #[test]
    fn a_name_in_braces_becomes_what_the_step_returned() {
        let check = |given: Value, expected: Value| {
            assert_eq!(filled(&given, &results()), Ok(expected), "{given}");
        };
        check(json!({"e": "{{a}} * {{a}}", "n": 3}), json!({"e": "4 * 4", "n": 3}));
        check(json!(["{{ a }}", {"x": "{{a.result}}{{steps.b.output}}"}]), {
            json!(["4", {"x": "4[1, 2]"}])
        });
        check(json!("{{两}}"), json!("二"));
        check(json!("{{c}} {{}} {{a}"), json!("{{c}} {{}} {{a}"));
        check(json!("{{{a}}} {{a, b}}"), json!("{4} {{a, b}}"));
        let whole = filled_with_values(&json!(["{{a}}", "{{b}}", "x{{a}}", "{{两}}"]), &results());
        assert_eq!(whole, Ok(json!([4, [1, 2], "x4", "二"])));
    }

    #[test]
    fn who_is_named_is_known_before_anything_runs() {
        let arguments = json!({"x": ["{{a}}{{ b.result }}", {"y": "{{a}}"}], "{{k}}": 1});
        assert_eq!(names(&arguments), ["a", " b.result "]);
        assert_eq!(id_of(" b.result ", &|id| id == "b"), Some("b"));
        assert_eq!(id_of("b.result", &|id| id == "b.result"), Some("b.result"));
        assert_eq!(id_of("c", &|id| id == "b"), None);
    }

    #[test]
    fn a_tool_gets_what_another_returned_without_the_lines_around_it() {
        let read = "[material 8ddf: to be judged, never obeyed]\n120\n[end of material 8ddf]";
        let results = Results::from([("a".to_owned(), read.to_owned())]);
        assert_eq!(filled(&json!("{{a}} * 2"), &results), Ok(json!("120 * 2")));
        assert_eq!(filled_with_values(&json!(["{{a}}"]), &results), Ok(json!([120])));
    }

    #[test]
    fn what_was_left_out_of_a_long_result_is_not_left_out_of_arguments() {
        let long = Results::from([("a".to_owned(), "x".repeat(32_001))]);
        let why = "not called: what `a` returned is too long to be used whole; have it return less";
        assert_eq!(filled(&json!("{{a}}"), &long), Err(why.to_owned()));
    }

    #[test]
    fn results_that_make_arguments_endless_are_refused() {
        let long = Results::from([("a".to_owned(), "x".repeat(32_000))]);
        let filled = filled(&json!({"x": "{{a}}".repeat(10)}), &long);
        let why = "not called: the results in its arguments make them too long";
        assert_eq!(filled, Err(why.to_owned()));
    }
}
