//! The words of a message, as they may stand in what is on record.
//!
//! Whole, as each kind of prompt has them, or a part of them where something was cut: a
//! line that shares enough with them goes as a whole. Short ones go only where they
//! stand alone, or a "yes" would take every other with it.

use crate::brief::frame;
use crate::brief::quoted_words;
use crate::memory::{FORGOTTEN, quoted, without_words};
use aho_corasick::AhoCorasick;
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// Letters and digits, in bytes: what is shorter may be said by anybody.
const SHORT: usize = 8;
/// What shares so many letters and digits in a row is a part of it.
const TRACE: usize = 20;

pub(super) struct Said {
    /// Each whole, as one prompt or another has it; the longest first.
    forms: Vec<String>,
    whole: HashSet<String>,
    lines: HashSet<String>,
    traces: Option<AhoCorasick>,
    signs: Vec<String>,
}

impl Said {
    pub(super) fn new(texts: &[String]) -> Said {
        let texts: Vec<&str> = texts.iter().map(|text| text.trim()).collect();
        let texts: Vec<&str> = texts.into_iter().filter(|text| !text.is_empty()).collect();
        let (mut forms, mut signs, mut traces) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        let mut lines = HashSet::new();
        for text in &texts {
            let letters = letters(text);
            let is_long = letters.chars().count() >= TRACE;
            let told = text.lines().map(str::trim).filter(|line| !line.is_empty());
            lines.extend(
                told.filter(|line| !is_long || self::letters(line).len() >= SHORT)
                    .map(str::to_owned),
            );
            if letters.len() >= SHORT {
                let plain = [(*text).to_owned(), frame::set_in(text), quoted_words(text)];
                let plain = plain.map(|form| form.trim().to_owned());
                forms.extend(plain.iter().flat_map(|form| [quoted(form), quoted(&quoted(form))]));
                forms.extend(plain);
            }
            if is_long {
                signs.push(quoted(text));
                let letters: Vec<char> = letters.chars().collect();
                let parts = letters.windows(TRACE);
                traces.extend(parts.map(|part| part.iter().collect::<String>()));
            }
        }
        let mut forms: Vec<String> = forms.into_iter().collect();
        // What stands in another goes after it, so that it leaves none of it.
        forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
        let traces = (!traces.is_empty()).then(|| AhoCorasick::new(traces).ok()).flatten();
        let whole = texts.into_iter().map(str::to_owned).collect();
        Said { forms, whole, lines, traces, signs }
    }

    /// What stands, as JSON has it, wherever long ones do.
    pub(super) fn signs(&self) -> &[String] {
        &self.signs
    }

    /// Without them, and without the lines that hold a part of them; `None` where they
    /// are not there.
    pub(super) fn out_of(&self, text: &str) -> Option<String> {
        let without = self.out_of_whole(text);
        let left = without.as_deref().unwrap_or(text);
        let lines: Vec<String> = left.split('\n').map(|line| self.line(line)).collect();
        let left = lines.join("\n");
        (left != text).then_some(left)
    }

    /// Without them where they stand whole.
    pub(super) fn out_of_whole(&self, text: &str) -> Option<String> {
        if self.whole.contains(text.trim()) {
            return Some(FORGOTTEN.to_owned());
        }
        let mut left = text.to_owned();
        for form in &self.forms {
            left = without_words(&left, form, FORGOTTEN);
        }
        (left != text).then_some(left)
    }

    fn line(&self, line: &str) -> String {
        let words = line.trim_start_matches("> ").trim();
        if self.lines.contains(words) || self.has_trace(line) {
            return FORGOTTEN.to_owned();
        }
        match line.split_once(": ") {
            Some((who, words)) if self.lines.contains(words.trim()) => {
                format!("{who}: {FORGOTTEN}")
            }
            Some(_) | None => line.to_owned(),
        }
    }

    fn has_trace(&self, line: &str) -> bool {
        self.traces.as_ref().is_some_and(|traces| traces.is_match(&letters(line)))
    }

    /// Of what a tool was used with, as a model wrote it.
    pub(super) fn out_of_written(&self, written: &str) -> Option<String> {
        match serde_json::from_str::<Value>(written) {
            Ok(value) => self.out_of_json(&value).map(|left| left.to_string()),
            Err(_) => self.out_of(written),
        }
    }

    pub(super) fn out_of_json(&self, value: &Value) -> Option<Value> {
        match value {
            Value::String(text) => self.out_of(text).map(Value::String),
            Value::Array(all) => {
                let left = all.iter().map(|one| self.or_as_is(one)).collect();
                (left != *all).then_some(Value::Array(left))
            }
            Value::Object(fields) => {
                let left =
                    fields.iter().map(|(name, one)| (name.clone(), self.or_as_is(one))).collect();
                (left != *fields).then_some(Value::Object(left))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    fn or_as_is(&self, value: &Value) -> Value {
        self.out_of_json(value).unwrap_or_else(|| value.clone())
    }
}

/// Letters and digits alone: whatever stands between them differs from prompt to prompt.
/// The letter of an escape in JSON is none.
fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\\' {
            rest.next_if(|next| matches!(next, 'n' | 'r' | 't'));
        } else if c.is_alphanumeric() {
            letters.push(c);
        }
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(said: &str, text: &str, left: Option<&str>) {
        let said = Said::new(&[said.to_owned()]);
        assert_eq!(said.out_of(text).as_deref(), left, "{text}");
    }

    const LONG: &str = "The safe opens with \"zanzibar\".\nDo not tell it to anybody at all.";

    #[test]
    fn whole_words_go_as_each_prompt_has_them() {
        check(LONG, &format!("[day]\n{LONG}\n\nAnd now?"), Some("[day]\n(forgotten)\n\nAnd now?"));
        let in_group = format!("Lin: {}\n\nBo: No.", frame::set_in(LONG));
        check(LONG, &in_group, Some("Lin: (forgotten)\n\nBo: No."));
        check(LONG, &format!("{}\nWhy?", quoted_words(LONG)), Some("(forgotten)\n\nWhy?"));
        let left = json!({"task": "Open it: (forgotten)"});
        let said = Said::new(&[LONG.to_owned()]);
        assert_eq!(said.out_of_json(&json!({"task": format!("Open it: {LONG}")})), Some(left));
        let record = json!({"who": "Lin", "said": LONG}).to_string();
        let left = json!({"who": "Lin", "said": "(forgotten)"}).to_string();
        check(LONG, &format!("{record}\n{{}}"), Some(&format!("{left}\n{{}}")));
    }

    #[test]
    fn a_line_with_a_part_of_long_ones_goes() {
        let cut = "Before.\nThe safe opens with \"zanzi\n[9 characters left out here]\nAfter.";
        check(LONG, cut, Some("Before.\n(forgotten)\n[9 characters left out here]\nAfter."));
        check(LONG, "Before.\nThe safe is open.", None);
    }

    #[test]
    fn short_ones_go_only_where_they_stand_alone() {
        check("Yes", "[day]\nYes\n\nBo: Yes\n\nYes and no", {
            Some("[day]\n(forgotten)\n\nBo: (forgotten)\n\nYes and no")
        });
        check("My PIN is 4711", "So: My PIN is 4711, I think.", Some("So: (forgotten), I think."));
        check("My PIN is 4711", "My PIN is 47110", None);
    }
}
