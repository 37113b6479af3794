//! What was typed, as what the fields of a question take. Whether it is right, the
//! workspace says.

use crate::visible::line;
use domain::{Choice, Fault, Field, Takes};
use serde_json::Value;
use std::collections::BTreeMap;

/// `FIELD=ANSWER`, as often as a field takes several, and `FIELD=` for one that is to stay
/// empty; where there is one field, the answer alone will do.
pub(super) fn values(
    fields: &[Field],
    typed: Vec<String>,
) -> Result<BTreeMap<String, Value>, Fault> {
    let mut by_field: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    match fields {
        [only] if !typed.iter().all(|one| names(only, one)) => {
            drop(by_field.insert(&only.name, typed));
        }
        _ => {
            for pair in typed {
                let (name, value) = pair.split_once('=').ok_or_else(|| unnamed(&pair, fields))?;
                let field = fields.iter().find(|field| is_called(field, name.trim()));
                let field = field.ok_or_else(|| unnamed(&pair, fields))?;
                by_field.entry(&field.name).or_default().push(value.to_owned());
            }
        }
    }
    let value = |field: &Field| {
        let typed = by_field.remove(field.name.as_str()).filter(|typed| !typed.is_empty())?;
        Some((field.name.clone(), value(&field.takes, typed)))
    };
    Ok(fields.iter().filter_map(value).collect())
}

fn names(field: &Field, typed: &str) -> bool {
    typed.split_once('=').is_some_and(|(name, _)| is_called(field, name.trim()))
}

fn is_called(field: &Field, name: &str) -> bool {
    let title = field.title.as_deref().unwrap_or(&field.name);
    field.name == name || title.eq_ignore_ascii_case(name)
}

fn unnamed(pair: &str, fields: &[Field]) -> Fault {
    let names: Vec<String> = fields.iter().map(|field| line(&field.name)).collect();
    Fault::bad_input(
        format!("{pair:?} does not say which field it is for"),
        format!("give FIELD=ANSWER; the fields are: {}", names.join(", ")),
    )
}

fn value(takes: &Takes, typed: Vec<String>) -> Value {
    if typed.iter().all(|one| one.trim().is_empty()) {
        return Value::Null;
    }
    match takes {
        Takes::Choice { options, several: true, .. } => {
            typed.iter().map(|one| Value::from(chosen(options, one))).collect()
        }
        Takes::Choice { options, several: false, .. } => chosen(options, &typed.join(" ")).into(),
        Takes::Text { .. } => typed.join(" ").into(),
        // As it was typed, sign by sign.
        Takes::Number { .. } => typed.join("").into(),
        Takes::YesNo => match typed.join("").to_lowercase().as_str() {
            "yes" | "y" | "true" => true.into(),
            "no" | "n" | "false" => false.into(),
            other => other.into(),
        },
    }
}

/// Its value or its title.
fn chosen(options: &[Choice], typed: &str) -> String {
    let is_meant = |one: &&Choice| {
        one.value == typed || one.title.as_ref().is_some_and(|title| title == typed)
    };
    options.iter().find(is_meant).map_or(typed.to_owned(), |one| one.value.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn field(name: &str, takes: Takes) -> Field {
        Field {
            name: name.into(),
            title: Some(name.to_uppercase()),
            about: None,
            required: false,
            takes,
            default: None,
            sounds_secret: false,
        }
    }

    fn choice(several: bool) -> Takes {
        let option = |(value, title): (&str, &str)| Choice {
            value: value.into(),
            title: Some(title.into()),
        };
        let options = [("a", "Ant"), ("b", "Bee")].map(option).to_vec();
        Takes::Choice { options, several, least: None, most: None }
    }

    #[test]
    fn what_was_typed_is_what_the_fields_take() {
        let text = Takes::Text { format: None, least: None, most: None };
        let number = Takes::Number { whole: false, least: None, most: None };
        let check = |fields: &[Field], typed: &[&str], expected: Value| {
            let typed = typed.iter().map(|one| (*one).to_owned()).collect();
            assert_eq!(json!(values(fields, typed).expect("it is understood")), expected);
        };
        let one = |takes: &Takes| [field("x", takes.clone())];
        check(&one(&text), &["green", "tea"], json!({"x": "green tea"}));
        check(&one(&text), &["a=b"], json!({"x": "a=b"}));
        check(&one(&text), &[], json!({}));
        check(&one(&number), &["x=3"], json!({"x": "3"}));
        check(&one(&choice(true)), &["X=a", "x=b"], json!({"x": ["a", "b"]}));
        check(&one(&number), &["x="], json!({"x": null}));
        check(&one(&number), &["2.5"], json!({"x": "2.5"}));
        check(&one(&Takes::YesNo), &["Yes"], json!({"x": true}));
        check(&one(&choice(false)), &["Bee"], json!({"x": "b"}));
        check(&one(&choice(true)), &["a", "Bee", "c"], json!({"x": ["a", "b", "c"]}));
        let two = [field("name", text), field("many", choice(true))];
        check(
            &two,
            &["NAME=Ada", "many=a", "many=Bee"],
            json!({"name": "Ada", "many": ["a", "b"]}),
        );
        check(&two, &["name=", "many="], json!({"name": null, "many": null}));
        let unnamed = values(&two, vec!["Ada".into()]).expect_err("which of them");
        assert!(unnamed.fix.contains("name, many"), "{unnamed}");
    }
}
