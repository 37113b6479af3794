//! The words of a memory, as they may stand in what is on record.

use crate::acts::found_as;
use crate::memory::recall;
use ::memory::fingerprint;
use serde_json::Value;
use std::collections::HashSet;

const FORGOTTEN: &str = "(forgotten)";

pub(super) struct Words {
    /// Of each version.
    texts: Vec<String>,
    prints: HashSet<String>,
    /// What stands somewhere in JSON that they are in.
    signs: Vec<String>,
}

impl Words {
    pub(super) fn new(mut texts: Vec<String>) -> Words {
        texts.retain(|text| !text.is_empty());
        // What stands in another goes after it, so that it leaves none of it.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        let on_one_line = texts.iter().map(|text| recall::said(text));
        let all = texts.iter().cloned().chain(on_one_line);
        // Once for a string, twice for what a string in it quotes.
        let signs = all.flat_map(|text| [quoted(&text), quoted(&quoted(&text))]).collect();
        let prints = texts.iter().map(|text| fingerprint(text)).collect();
        Words { texts, prints, signs }
    }

    /// Whether they may be in this JSON.
    pub(super) fn are_in(&self, json: &str) -> bool {
        self.signs.iter().any(|sign| json.contains(sign.as_str()))
    }

    /// Knows what a model wrote to say the same, however it wrote it.
    pub(super) fn also_as(&mut self, tool: &str, written: &str) {
        if super::TOOLS.contains(&tool) && self.out_of_written(written).is_some() {
            self.signs.push(quoted(written));
        }
    }

    /// Without them where they stand whole.
    pub(super) fn out_of(&self, text: &str) -> Option<String> {
        let as_written = self.texts.iter().flat_map(|words| [words.clone(), quoted(words)]);
        self.replaced(text, as_written.map(|words| (words, FORGOTTEN.to_owned())))
    }

    /// Of what a search found.
    pub(super) fn out_of_found(&self, result: &str) -> Option<String> {
        let lines = self.texts.iter().map(|words| (found_as(words), found_as(FORGOTTEN)));
        self.replaced(result, lines)
    }

    /// Of what an agent was reminded of.
    pub(super) fn out_of_reminder(&self, sent: &str) -> Option<String> {
        recall::without(sent, &self.texts)
    }

    /// Of what a tool was used with, as a model wrote it.
    pub(super) fn out_of_written(&self, written: &str) -> Option<String> {
        match serde_json::from_str::<Value>(written) {
            Ok(arguments) => self.out_of_arguments(&arguments).map(|left| left.to_string()),
            Err(_) => self.out_of(written),
        }
    }

    pub(super) fn out_of_arguments(&self, arguments: &Value) -> Option<Value> {
        match arguments {
            Value::String(text) if self.prints.contains(&fingerprint(text)) => {
                Some(Value::String(FORGOTTEN.to_owned()))
            }
            Value::String(text) => self.out_of(text).map(Value::String),
            Value::Object(fields) => {
                let mut left = fields.clone();
                for (name, value) in fields {
                    if let Some(other) = self.out_of_arguments(value) {
                        left.insert(name.clone(), other);
                    }
                }
                (left != *fields).then_some(Value::Object(left))
            }
            Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn replaced(
        &self,
        text: &str,
        pairs: impl Iterator<Item = (String, String)>,
    ) -> Option<String> {
        let mut left = text.to_owned();
        for (words, instead) in pairs {
            left = without(&left, &words, &instead);
        }
        (left != text).then_some(left)
    }
}

/// What stands for a text within a JSON string.
fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    json[1..json.len() - 1].to_owned()
}

/// Other words in their place, where they are not a part of longer ones.
fn without(text: &str, words: &str, instead: &str) -> String {
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (mut left, mut from) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(words) {
        let end = at + words.len();
        let goes_on = is_letter(text[end..].chars().next()) && is_letter(words.chars().next_back())
            || is_letter(text[..at].chars().next_back()) && is_letter(words.chars().next());
        if !goes_on {
            left.push_str(&text[from..at]);
            left.push_str(instead);
            from = end;
        }
    }
    left + &text[from..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn words() -> Words {
        Words::new(vec!["Has a cat".into(), "Has a cat called \"Mimi\"".into()])
    }

    #[test]
    fn they_are_taken_out_where_they_stand_whole_and_nothing_else_is() {
        let check = |text: &str, left: Option<&str>| {
            assert_eq!(words().out_of(text).as_deref(), left, "{text}");
        };
        check("He said: Has a cat, I think.", Some("He said: (forgotten), I think."));
        check("Has a cat called \"Mimi\".", Some("(forgotten)."));
        check("Has a catalogue", None);
        check("Has a dog", None);
    }

    #[test]
    fn what_was_saved_in_other_letters_and_what_was_found_are_taken_out() {
        let arguments = json!({"text": "has a CAT.", "for": "me"});
        let left = json!({"text": "(forgotten)", "for": "me"});
        assert_eq!(words().out_of_arguments(&arguments), Some(left.clone()));
        let written = arguments.to_string();
        assert_eq!(words().out_of_written(&written), Some(left.to_string()));
        let found = "- Has a cat (the person said)\n- Has a dog (an agent noticed)";
        let left = "- (forgotten) (the person said)\n- Has a dog (an agent noticed)";
        assert_eq!(words().out_of_found(found).as_deref(), Some(left));
        assert_eq!(words().out_of_found("It says: Has a cat (the person said)"), None);
    }

    #[test]
    fn they_are_seen_in_what_is_written_down_however_deep_they_are_quoted() {
        let mut words = words();
        let arguments = json!({"text": "Has a cat called \"Mimi\""}).to_string();
        assert!(words.are_in(&json!({"arguments": arguments}).to_string()));
        let otherwise = r#"{"text":"h\u0061s a cat"}"#;
        let part = json!({"arguments": otherwise}).to_string();
        assert!(!words.are_in(&part));
        words.also_as("memory_save", otherwise);
        assert!(words.are_in(&part));
    }
}
