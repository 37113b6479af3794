//! Whether what was entered is what the fields of a question take. Pure.

use domain::{Fault, FaultKind, Field, Takes};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// With what a field holds by itself put in where nothing was said of it. Who leaves it
/// empty does not want that.
pub(crate) fn fits(
    fields: &[Field],
    mut entered: BTreeMap<String, Value>,
) -> Result<BTreeMap<String, Value>, Fault> {
    let mut all = BTreeMap::new();
    for field in fields {
        let value = match entered.remove(&field.name) {
            Some(entered) => Some(entered).filter(is_something),
            None => field.default.clone(),
        };
        let value = value.map(|value| as_taken(&field.takes, value));
        match value {
            Some(value) if takes(&field.takes, &value) => {
                all.insert(field.name.clone(), value);
            }
            Some(_) => return Err(misfit(field, "does not take that")),
            None if field.required => return Err(misfit(field, "is not filled in")),
            None => {}
        }
    }
    match entered.into_keys().next() {
        None => Ok(all),
        Some(name) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
            let fix = format!("these are asked for: {}", names.join(", "));
            Err(Fault::bad_input(format!("{name} is not asked for"), fix)
                .of(FaultKind::AnswerMisfit { field: name }))
        }
    }
}

fn is_something(value: &Value) -> bool {
    !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty())
}

/// A number that was typed, as the number that it is and no other; what is none stays as
/// it was typed.
fn as_taken(takes: &Takes, value: Value) -> Value {
    let (Takes::Number { whole, .. }, Value::String(typed)) = (takes, &value) else { return value };
    let typed = typed.trim();
    if let Ok(number) = typed.parse::<i64>() {
        return number.into();
    }
    if let Ok(number) = typed.parse::<u64>() {
        return number.into();
    }
    let is_digits = |c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | 'e' | 'E');
    match typed.parse::<f64>() {
        Ok(number) if *whole && number.fract() == 0.0 && number.abs() < EXACT => {
            (number as i64).into()
        }
        Ok(number) if !whole && number.is_finite() && typed.chars().all(is_digits) => number.into(),
        Ok(_) | Err(_) => value,
    }
}

/// 2⁵³, from which on not every whole number can be held with a point in it.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn misfit(field: &Field, how: &str) -> Fault {
    let name = field.title.clone().unwrap_or_else(|| field.name.clone());
    Fault::bad_input(format!("{name} {how}"), format!("it takes {}", field.takes))
        .of(FaultKind::AnswerMisfit { field: name })
}

/// The schema's own checker decides, as it does for what servers are sent.
fn takes(takes: &Takes, value: &Value) -> bool {
    let mut schema = match takes {
        Takes::Text { format, least, most } => {
            json!({"type": "string", "format": format, "minLength": least, "maxLength": most})
        }
        Takes::Number { whole, least, most } => {
            let kind = if *whole { "integer" } else { "number" };
            json!({"type": kind, "minimum": least, "maximum": most})
        }
        Takes::YesNo => json!({"type": "boolean"}),
        Takes::Choice { options, several, least, most } => {
            let values: Vec<&str> = options.iter().map(|one| one.value.as_str()).collect();
            match several {
                false => json!({"enum": values}),
                true => json!({
                    "type": "array", "items": {"enum": values}, "uniqueItems": true,
                    "minItems": least, "maxItems": most,
                }),
            }
        }
    };
    if let Some(rules) = schema.as_object_mut() {
        rules.retain(|_, rule| !rule.is_null());
        // The names of formats have a dash in schemas.
        if let Some(Value::String(format)) = rules.get_mut("format") {
            *format = format.replace('_', "-");
        }
    }
    mcp::misfit(&schema, value).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Choice, TextFormat};

    fn field(name: &str, takes: Takes) -> Field {
        Field {
            name: name.to_owned(),
            title: None,
            about: None,
            required: false,
            takes,
            default: None,
            sounds_secret: false,
        }
    }

    fn text(format: Option<TextFormat>) -> Takes {
        Takes::Text { format, least: None, most: None }
    }

    #[test]
    fn a_field_takes_what_it_says_and_nothing_else() {
        let check = |takes: Takes, good: &[Value], bad: &[Value]| {
            let field = field("x", takes);
            let entered = |value: &Value| BTreeMap::from([("x".to_owned(), value.clone())]);
            for value in good {
                let fit = fits(std::slice::from_ref(&field), entered(value));
                assert_eq!(fit.expect("it fits"), entered(value), "{value}");
            }
            for value in bad {
                let misfit = fits(std::slice::from_ref(&field), entered(value)).expect_err("bad");
                let kind = FaultKind::AnswerMisfit { field: "x".into() };
                assert_eq!(misfit.kind, Some(Box::new(kind)), "{value}");
            }
        };
        check(text(None), &[json!("tea"), json!("茶")], &[json!(3), json!(true), json!(["a"])]);
        let short = Takes::Text { format: None, least: Some(2), most: Some(3) };
        check(short, &[json!("茶茶")], &[json!("a"), json!("abcd")]);
        check(text(Some(TextFormat::Email)), &[json!("a@b.org")], &[json!("a"), json!("@b")]);
        check(text(Some(TextFormat::Uri)), &[json!("https://b.org/x")], &[json!("b org")]);
        check(text(Some(TextFormat::Date)), &[json!("2026-02-28")], &[json!("2026-02-30")]);
        let moment = text(Some(TextFormat::DateTime));
        check(moment, &[json!("2026-02-28T12:00:00Z")], &[json!("2026-02-28"), json!("noon")]);
        let whole = Takes::Number { whole: true, least: Some(1.0), most: Some(9.0) };
        check(whole, &[json!(1), json!(9)], &[json!(0), json!(10), json!(1.5), json!("10")]);
        let number = Takes::Number { whole: false, least: None, most: None };
        check(number, &[json!(-1.5)], &[json!("many"), json!("NaN"), json!("1e999"), json!(false)]);
        check(Takes::YesNo, &[json!(true), json!(false)], &[json!("yes"), json!(1)]);
        let choice = |several| Takes::Choice {
            options: ["a", "b", "c"]
                .map(|value| Choice { value: value.into(), title: Some("A".into()) })
                .to_vec(),
            several,
            least: Some(1).filter(|_| several),
            most: Some(2).filter(|_| several),
        };
        check(choice(false), &[json!("a")], &[json!("A"), json!(["a"])]);
        let bad = [json!("a"), json!([]), json!(["a", "b", "c"]), json!(["a", "a"]), json!(["d"])];
        check(choice(true), &[json!(["a"]), json!(["b", "a"])], &bad);
    }

    #[test]
    fn a_number_that_was_typed_is_sent_as_it_was_typed() {
        let fit = |whole, typed: &str| {
            let field = field("n", Takes::Number { whole, least: None, most: None });
            let entered = BTreeMap::from([("n".to_owned(), json!(typed))]);
            fits(&[field], entered).map(|mut fit| fit.remove("n"))
        };
        let check = |whole, typed, expected: Value| {
            assert_eq!(fit(whole, typed), Ok(Some(expected)), "{typed}");
        };
        check(true, "1234567890123456789", json!(1_234_567_890_123_456_789_i64));
        check(true, "18446744073709551615", json!(u64::MAX));
        check(true, " -3 ", json!(-3));
        check(true, "3.0", json!(3));
        check(true, "1e2", json!(100));
        check(false, "2.5", json!(2.5));
        for (whole, typed) in [
            (true, "12345678901234567890123"),
            (true, "2.5"),
            (true, "inf"),
            (false, "inf"),
            (false, "1e999"),
        ] {
            assert!(fit(whole, typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn what_is_left_out_is_what_the_field_holds_by_itself_and_some_have_to_be_filled_in() {
        let with = Field { default: Some(json!(42)), ..field("n", Takes::YesNo) };
        let number = Takes::Number { whole: true, least: None, most: None };
        let fields = [
            Field { takes: number, ..with },
            Field { required: true, ..field("name", text(None)) },
            field("more", text(None)),
        ];
        let name = |name: &str| BTreeMap::from([("name".to_owned(), json!(name))]);
        let filled = fits(&fields, name("Ada")).expect("it fits");
        assert_eq!(json!(filled), json!({"n": 42, "name": "Ada"}));
        for nothing in [json!(null), json!("")] {
            let emptied = BTreeMap::from([("n".into(), nothing), ("name".into(), json!("Ada"))]);
            assert_eq!(json!(fits(&fields, emptied).expect("it fits")), json!({"name": "Ada"}));
        }
        for empty in [BTreeMap::new(), name(" ")] {
            let misfit = fits(&fields, empty).expect_err("a name is asked for");
            assert_eq!(misfit.to_string(), "name is not filled in; it takes text");
        }
        let other = BTreeMap::from([("name".into(), json!("A")), ("age".into(), json!(3))]);
        let misfit = fits(&fields, other).expect_err("nobody asks for it");
        assert_eq!(misfit.to_string(), "age is not asked for; these are asked for: n, name, more");
    }
}
