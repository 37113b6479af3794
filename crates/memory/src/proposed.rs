//! What a model proposes to remember of a conversation: how it is asked for it,
//! and how its answer is read.
//!
//! A proposal names the messages it comes from. What names none, or none that
//! there are, is left out: nothing is remembered that nobody said.

use domain::{MemoryKind, Statement};
use serde::Deserialize;
use serde_json::{Value, json};

/// Something that a model thinks is worth remembering.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposed {
    pub kind: MemoryKind,
    pub about: About,
    pub text: String,
    pub statement: Option<Statement>,
    /// 0 to 100.
    pub importance: u8,
    /// The numbers of the messages that say so, counted from 1.
    pub from: Vec<usize>,
}

/// Whom it concerns, which decides who reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum About {
    /// The person.
    Person,
    /// The work as a whole.
    Work,
    /// This conversation alone.
    Conversation,
    /// The agent that looks back, and how it is to work.
    Agent,
}

/// No answer has more than these.
const MOST: usize = 12;
const LONGEST: usize = 500;

/// The JSON Schema of an answer.
pub fn schema() -> Value {
    let text = json!({ "type": "string" });
    let one = json!({
        "type": "object",
        "properties": {
            "kind": { "enum": ["fact", "preference", "skill", "relationship", "episode"] },
            "about": { "enum": ["person", "work", "conversation", "agent"] },
            "text": text,
            "subject": text,
            "attribute": text,
            "value": text,
            "importance": { "type": "integer" },
            "from": { "type": "array", "items": { "type": "integer" } }
        },
        "required": ["kind", "about", "text", "subject", "attribute", "value", "importance", "from"],
        "additionalProperties": false
    });
    json!({
        "type": "object",
        "properties": { "memories": { "type": "array", "items": one } },
        "required": ["memories"],
        "additionalProperties": false
    })
}

/// Reads an answer about so many messages, also one inside a fence or among
/// other words. `None`: it is no answer at all.
pub fn read(answer: &str, messages: usize) -> Option<Vec<Proposed>> {
    let has_memories = |object: &Value| object.get("memories").is_some_and(Value::is_array);
    let object = objects(answer).find(has_memories).or_else(|| {
        // Where nobody holds a model to the form, it writes one comma too many.
        objects(&without_last_commas(answer)).find(has_memories)
    })?;
    let all = object.get("memories")?.as_array()?.iter();
    let usable = all.filter_map(|one| Raw::of(one)?.proposed(messages));
    Some(usable.take(MOST).collect())
}

/// Without each comma that only a bracket follows, outside of strings.
fn without_last_commas(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        let ends_list = || text[at + 1..].trim_start().starts_with([']', '}']);
        if in_string || c != ',' || !ends_list() {
            left.push(c);
        }
        in_string ^= c == '"' && !escaped;
        escaped = in_string && c == '\\' && !escaped;
    }
    left
}

/// The JSON objects in a text, from the outermost on.
fn objects(text: &str) -> impl Iterator<Item = Value> + '_ {
    text.match_indices('{').filter_map(|(at, _)| {
        serde_json::Deserializer::from_str(&text[at..]).into_iter::<Value>().next()?.ok()
    })
}

struct Raw {
    kind: MemoryKind,
    about: About,
    text: String,
    subject: String,
    attribute: String,
    value: String,
    importance: Option<i64>,
    from: Vec<i64>,
}

const USUAL: i64 = 50;
const HIGH: i64 = 80;
const LOW: i64 = 20;

/// A number, whether it is written as one or as a text.
fn number(value: &Value) -> Option<i64> {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse::<f64>().ok(),
        _ => None,
    };
    number.filter(|number| number.is_finite()).map(|number| number.round() as i64)
}

impl Raw {
    /// What is not of the form it should have is taken for what it says, or counts as left out.
    fn of(one: &Value) -> Option<Raw> {
        let text = |name: &str| match one.get(name) {
            Some(Value::String(text)) => text.clone(),
            Some(value @ Value::Number(_)) => value.to_string(),
            _ => String::new(),
        };
        let from = match one.get("from") {
            Some(Value::Array(all)) => all.iter().filter_map(number).collect(),
            Some(one) => number(one).into_iter().collect(),
            None => Vec::new(),
        };
        let importance = one.get("importance").and_then(|value| match value.as_str() {
            Some("high") => Some(HIGH),
            Some("low") => Some(LOW),
            _ => number(value),
        });
        Some(Raw {
            kind: MemoryKind::deserialize(one.get("kind")?).ok()?,
            about: About::deserialize(one.get("about")?).ok()?,
            text: one.get("text")?.as_str()?.to_owned(),
            subject: text("subject"),
            attribute: text("attribute"),
            value: text("value"),
            importance,
            from,
        })
    }

    fn proposed(self, messages: usize) -> Option<Proposed> {
        let text = self.text.trim();
        let length = text.chars().count();
        if length > LONGEST || !text.chars().any(char::is_alphanumeric) {
            return None;
        }
        let number = |n: &i64| usize::try_from(*n).ok().filter(|n| (1..=messages).contains(n));
        let from: Vec<usize> = self.from.iter().filter_map(number).collect();
        if from.is_empty() || self.kind == MemoryKind::Summary {
            return None;
        }
        let fits = |text: &String| !text.is_empty() && text.chars().count() <= LONGEST;
        let part = |text: &str| Some(text.trim().to_owned()).filter(fits);
        let statement = part(&self.subject)
            .zip(part(&self.attribute))
            .zip(part(&self.value))
            .map(|((subject, attribute), value)| Statement { subject, attribute, value });
        Some(Proposed {
            kind: self.kind,
            about: self.about,
            text: text.to_owned(),
            // What happened is no state of anything that could end.
            statement: statement.filter(|_| self.kind != MemoryKind::Episode),
            importance: self.importance.unwrap_or(USUAL).clamp(0, 100) as u8,
            from,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = r#"{"memories":[{"kind":"fact","about":"person","text":"The user lives in Porto",
        "subject":"user","attribute":"lives in","value":"Porto","importance":70,"from":[2]}]}"#;

    #[test]
    fn an_answer_is_read_bare_fenced_and_among_words() {
        for answer in [
            GOOD.to_owned(),
            format!("```json\n{GOOD}\n```"),
            format!("Here {{ it is }}: {GOOD} Done."),
        ] {
            let read = read(&answer, 3).unwrap();
            assert_eq!(read.len(), 1, "{answer}");
            assert_eq!(read[0].statement.as_ref().unwrap().value, "Porto");
            assert_eq!(read[0].from, [2]);
        }
        assert_eq!(read(r#"{"memories":[]}"#, 3), Some(vec![]));
        assert_eq!(read("I would not remember anything.", 3), None);
        assert_eq!(read(r#"{"memories":"none"}"#, 3), None);
    }

    #[test]
    fn what_nobody_said_is_left_out() {
        let from = |from: &str| read(&GOOD.replace("[2]", from), 3).unwrap().len();
        assert_eq!((from("[]"), from("[4]"), from("[0,-1]"), from("[9,3]")), (0, 0, 0, 1));
    }

    #[test]
    fn a_bad_entry_takes_nothing_from_the_good_ones() {
        let two =
            GOOD.replace(r#"[{"kind""#, r#"[{"kind":"opinion","text":"x"},{"text":5},{"kind""#);
        assert_eq!(read(&two, 3).unwrap().len(), 1);
    }

    #[test]
    fn a_comma_too_many_and_what_is_not_of_its_form_take_nothing_away() {
        let odd = GOOD.replace("[2]}]}", "[2,],},\n]\n}").replace("Porto\"", "Porto, ]\"");
        assert_eq!(read(&odd, 3).unwrap()[0].text, "The user lives in Porto, ]");
        for (was, now, importance) in [
            ("70", "\"high\"", 80),
            ("70", "60.5", 61),
            ("70", "\"70\"", 70),
            ("70", "null", 50),
            ("[2]", "[\"2\"]", 70),
            ("[2]", "2", 70),
            ("\"user\"", "null", 70),
        ] {
            let read = read(&GOOD.replace(was, now), 3).unwrap();
            assert_eq!((read.len(), read[0].importance), (1, importance), "{now}");
            assert_eq!(read[0].from, [2], "{now}");
        }
    }

    proptest! {
        #[test]
        fn no_answer_makes_it_fail(answer in ".{0,200}", messages in 0_usize..5) {
            drop(read(&answer, messages));
        }

        #[test]
        fn cut_anywhere_it_is_no_answer_or_the_same(at in 0..GOOD.len()) {
            prop_assume!(GOOD.is_char_boundary(at));
            prop_assert!(read(&GOOD[..at], 3).is_none());
        }
    }
}
