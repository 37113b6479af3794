//! Character cards: version 1 is flat, versions 2 and 3 hold the same under `data`.

use super::{Somebody, is_in_chinese};
use domain::{CardForm, CardLoss, CardUse};
use serde_json::{Map, Value};

/// What becomes the persona, under which heading in English and in Chinese.
const TOLD: [(&str, Option<[&str; 2]>, CardUse); 6] = [
    ("description", None, CardUse::Persona),
    ("personality", Some(["Personality", "性格"]), CardUse::Persona),
    ("scenario", Some(["Where you are", "你所在之处"]), CardUse::Persona),
    ("system_prompt", Some(["What matters", "要紧的事"]), CardUse::Persona),
    ("first_mes", Some(["How you begin", "你怎样开场"]), CardUse::Example),
    ("mes_example", Some(["How you speak", "你怎样说话"]), CardUse::Example),
];

/// What would steer programs, or every answer from behind.
const NOT_ITS_TO_SAY: [&str; 2] = ["extensions", "post_history_instructions"];

pub(super) fn add(somebody: &mut Somebody, card: &Value) -> Result<(), String> {
    let (form, data) = fields(card)?;
    let text = |field: &str| data.get(field).and_then(Value::as_str).unwrap_or_default().trim();
    if text("name").is_empty() {
        return Err("it names nobody (`name` is empty)".to_owned());
    }
    somebody.forms.push(form);
    somebody.call("name", text("name"));
    // A nickname takes the place of the name wherever the card speaks of it.
    let called = if text("nickname").is_empty() { text("name") } else { text("nickname") };
    let is_chinese = is_in_chinese(&TOLD.map(|(field, ..)| text(field)).concat());
    for (field, headings, became) in TOLD {
        let heading = headings.map(|headings| headings[usize::from(is_chinese)]);
        let words = spoken(text(field), called, if is_chinese { "用户" } else { "the user" });
        somebody.tell(field, heading, &words, became);
    }
    for (field, value) in data {
        let is_told = field == "name" || TOLD.iter().any(|(told, ..)| told == field);
        if is_told || is_empty(value) {
            continue;
        }
        let why = match NOT_ITS_TO_SAY.contains(&field.as_str()) {
            true => CardLoss::NotItsToSay,
            false => CardLoss::NoPlace,
        };
        somebody.leave(field, why);
    }
    Ok(())
}

fn fields(card: &Value) -> Result<(CardForm, &Map<String, Value>), String> {
    let none = || "it is no object with a `name` and a `description`".to_owned();
    let fields = card.as_object().ok_or_else(none)?;
    let form = match fields.get("spec").and_then(Value::as_str) {
        Some("chara_card_v2") => CardForm::CardV2,
        Some("chara_card_v3") => CardForm::CardV3,
        Some(other) => {
            let other: String = other.chars().take(40).collect();
            return Err(format!("it is of the form {other:?}, which nobody here knows"));
        }
        None if fields.contains_key("name") => return Ok((CardForm::CardV1, fields)),
        None => return Err(none()),
    };
    let data = fields.get("data").and_then(Value::as_object);
    Ok((form, data.ok_or("its `data` is missing")?))
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(all) => all.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// With names in the place of the signs that stand for them.
fn spoken(text: &str, name: &str, user: &str) -> String {
    let signs = [
        ("{{char}}", name),
        ("<bot>", name),
        ("{{user}}", user),
        ("<user>", user),
        // The program's own prompt, which comes by itself here.
        ("{{original}}", ""),
        ("<start>", ""),
    ];
    signs
        .iter()
        .fold(text.replace("\r\n", "\n"), |text, (sign, instead)| replaced(&text, sign, instead))
}

/// In capitals or not; `sign` is ASCII.
fn replaced(text: &str, sign: &str, instead: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for (at, _) in lower.match_indices(sign) {
        left.push_str(&text[from..at]);
        left.push_str(instead);
        from = at + sign.len();
    }
    left + &text[from..]
}
