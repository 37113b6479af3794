//! The words of a memory, as they may stand in what is on record.

use super::any_case;
use crate::acts::found_as;
use crate::memory::recall;
use ::memory::{Writer, fingerprint, parts};
use serde_json::Value;
use std::collections::HashSet;

pub(crate) const FORGOTTEN: &str = "(forgotten)";
/// What every mark says that stands where something was left out.
const LEFT_OUT: &str = "left out";

pub(super) struct Words {
    /// Of each version.
    texts: Vec<String>,
    prints: HashSet<String>,
    /// What stands somewhere in JSON that they are in, in small letters.
    signs: Vec<String>,
    /// What the program told of them, and what it tells now.
    told: Vec<(String, String)>,
    /// What the person is called where an agent saves something of them.
    name: String,
}

impl Words {
    pub(super) fn new(mut texts: Vec<String>, name: String) -> Words {
        texts.retain(|text| !text.is_empty());
        // What stands in another goes after it, so that it leaves none of it.
        texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
        texts.dedup();
        let on_one_line = texts.iter().map(|text| recall::said(text));
        let all = texts.iter().cloned().chain(on_one_line);
        // Once for a string, twice for what a string in it quotes.
        let signs = all.flat_map(|text| signs_of(&text)).collect();
        let prints = texts.iter().map(|text| fingerprint(text)).collect();
        Words { texts, prints, signs, told: Vec::new(), name }
    }

    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// Knows how the program told them too.
    pub(super) fn also_told(&mut self, mut told: Vec<(String, String)>) {
        told.retain(|(was, now)| !was.is_empty() && was != now);
        told.sort_by_key(|(was, _)| std::cmp::Reverse(was.len()));
        self.signs.extend(told.iter().flat_map(|(was, _)| signs_of(was)));
        self.told = told;
    }

    /// Whether they may be in this JSON.
    pub(super) fn are_in(&self, json: &str) -> bool {
        // A part of them stands at a cut.
        let json = json.to_lowercase();
        json.contains(LEFT_OUT) || self.signs.iter().any(|sign| json.contains(sign.as_str()))
    }

    /// Knows what a model wrote to say the same, however it wrote it.
    pub(super) fn also_as(&mut self, tool: &str, written: &str) {
        if super::TOOLS.contains(&tool) && self.out_of_written(written).is_some() {
            self.signs.push(quoted(written).to_lowercase());
        }
    }

    /// Without them where they stand whole, in whatever letters somebody wrote them.
    pub(super) fn out_of(&self, text: &str) -> Option<String> {
        let mut left = text.to_owned();
        for words in self.texts.iter().flat_map(|words| [words.clone(), quoted(words)]) {
            left = any_case::without(&left, &words, FORGOTTEN);
        }
        (left != text).then_some(left)
    }

    /// Of what the program itself told, also behind other words.
    pub(super) fn out_of_told(&self, text: &str) -> Option<String> {
        let mut left = text.to_owned();
        for (was, now) in &self.told {
            left = left.replace(was.as_str(), now).replace(&quoted(was), &quoted(now));
        }
        (left != text).then_some(left)
    }

    /// Of what an agent was sent: what it was reminded of, and what the program told.
    pub(super) fn out_of_sent(&self, sent: &str) -> Option<String> {
        let reminded = self.out_of_reminder(sent);
        self.out_of_told(reminded.as_deref().unwrap_or(sent)).or(reminded)
    }

    /// Of what a search found, whole or with its middle left out.
    pub(super) fn out_of_found(&self, result: &str) -> Option<String> {
        let lines = self.texts.iter().map(|words| (found_as(words), found_as(FORGOTTEN)));
        let left = self.replaced(result, lines);
        self.out_of_ends(left.as_deref().unwrap_or(result)).or(left)
    }

    /// Of what stands before and behind a mark that something is left out.
    fn out_of_ends(&self, result: &str) -> Option<String> {
        let (at, mark) = cut_at(result)?;
        let (mut before, mut behind) = (&result[..at], &result[at + mark.len()..]);
        let (mut told, mut tolds_end) = (String::new(), String::new());
        for words in &self.texts {
            let line = found_as(words);
            let begun = begins_at_end(before, &line);
            if begun > found_as("").len() - ENDS_LINE.len() {
                before = &before[..before.len() - begun];
                told = found_as(FORGOTTEN);
            }
            let ended = ends_at_beginning(behind, &line);
            if ended > ENDS_LINE.len() {
                behind = &behind[ended - ENDS_LINE.len()..];
                tolds_end = FORGOTTEN.to_owned();
            }
        }
        let left = format!("{before}{told}{mark}{tolds_end}{behind}");
        (left != result).then_some(left)
    }

    /// Of what says why something was refused, which may quote it.
    pub(super) fn out_of_quoted(&self, result: &str) -> Option<String> {
        let mut left = result.to_owned();
        for words in &self.texts {
            left = any_case::without(&left, &quoted_whole(words), &quoted_whole(FORGOTTEN));
        }
        (left != result).then_some(left)
    }

    /// Of what an agent was reminded of.
    fn out_of_reminder(&self, sent: &str) -> Option<String> {
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
            Value::String(text) if self.are_said_in(text) => {
                Some(Value::String(FORGOTTEN.to_owned()))
            }
            Value::String(text) => self.out_of(text).map(Value::String),
            Value::Object(fields) => {
                let left = fields.iter().map(|(name, value)| {
                    let name = self.out_of_name(name);
                    (name, self.out_of_arguments(value).unwrap_or_else(|| value.clone()))
                });
                let left = left.collect();
                (left != *fields).then_some(Value::Object(left))
            }
            Value::Array(all) => {
                let left = all
                    .iter()
                    .map(|one| self.out_of_arguments(one).unwrap_or_else(|| one.clone()))
                    .collect();
                (left != *all).then_some(Value::Array(left))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => None,
        }
    }

    /// Whether a text says them, or says them with other things that were kept each by itself.
    fn are_said_in(&self, text: &str) -> bool {
        let says = |text: &str| self.prints.contains(&fingerprint(text));
        says(text) || parts(text, Writer::Agent, &self.name).iter().any(|part| says(&part.text))
    }

    /// A model may have put them where a name belongs.
    fn out_of_name(&self, name: &str) -> String {
        match self.prints.contains(&fingerprint(name)) {
            true => FORGOTTEN.to_owned(),
            false => self.out_of(name).unwrap_or_else(|| name.to_owned()),
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

/// What follows the words of a memory that was found.
const ENDS_LINE: &str = " (";

/// The line that stands for what was left out of a result, with the ends of lines
/// around it.
fn cut_at(result: &str) -> Option<(usize, &str)> {
    let mut from = 0;
    loop {
        let at = from + result[from..].find("\n[")?;
        let end = at + 1 + result[at + 1..].find('\n')? + 1;
        if result[at..end].contains(LEFT_OUT) {
            return Some((at, &result[at..end]));
        }
        from = at + 1;
    }
}

/// How much of the text's end is how the line begins.
fn begins_at_end(text: &str, line: &str) -> usize {
    let ends = line.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.rev().find(|end| text.ends_with(&line[..*end])).unwrap_or(0)
}

/// How much of the text's beginning is how the line ends.
fn ends_at_beginning(text: &str, line: &str) -> usize {
    let begins = line.char_indices().map(|(at, _)| at);
    begins.into_iter().find(|at| text.starts_with(&line[*at..])).map_or(0, |at| line.len() - at)
}

/// What stands for a text in JSON, and in JSON that stands in JSON, in small letters.
fn signs_of(text: &str) -> [String; 2] {
    [quoted(text).to_lowercase(), quoted(&quoted(text)).to_lowercase()]
}

/// A text as JSON has it.
fn quoted_whole(text: &str) -> String {
    Value::String(text.to_owned()).to_string()
}

/// What stands for a text within a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let json = Value::String(text.to_owned()).to_string();
    json[1..json.len() - 1].to_owned()
}

/// Other words in their place, where they are not a part of longer ones.
pub(crate) fn without(text: &str, words: &str, instead: &str) -> String {
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
        Words::new(vec!["Has a cat".into(), "Has a cat called \"Mimi\"".into()], "Lin".into())
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
        check("So: HAS A CAT, then.", Some("So: (forgotten), then."));
    }

    #[test]
    fn what_was_saved_in_other_letters_and_what_was_found_are_taken_out() {
        let arguments = json!({"text": "has a CAT.", "for": "me"});
        let left = json!({"text": "(forgotten)", "for": "me"});
        assert_eq!(words().out_of_arguments(&arguments), Some(left.clone()));
        let written = arguments.to_string();
        assert_eq!(words().out_of_written(&written), Some(left.to_string()));
        let odd = json!({"texts": ["Has a cat", 1], "Has a cat": [{"x": "has a cat"}]});
        let left = json!({"texts": ["(forgotten)", 1], "(forgotten)": [{"x": "(forgotten)"}]});
        assert_eq!(words().out_of_arguments(&odd), Some(left));
        let found = "- Has a cat (the person said)\n- Has a dog (an agent noticed)";
        let left = "- (forgotten) (the person said)\n- Has a dog (an agent noticed)";
        assert_eq!(words().out_of_found(found).as_deref(), Some(left));
        assert_eq!(words().out_of_found("It says: Has a cat (the person said)"), None);
    }

    #[test]
    fn they_are_taken_out_of_a_line_that_was_cut() {
        let check = |found: &str, left: Option<&str>| {
            assert_eq!(words().out_of_found(found).as_deref(), left, "{found}");
        };
        let mark = "\n[30 characters left out here]\n";
        check(
            &format!("- Has a dog (x)\n- Has a cat cal{mark}a dog (y)\n- Owes 3 (x)"),
            Some(&format!("- Has a dog (x)\n- (forgotten) ({mark}a dog (y)\n- Owes 3 (x)")),
        );
        check(
            &format!("- Has a dog (x){mark}led \"Mimi\" (x)\n- Has a cat (y)"),
            Some(&format!("- Has a dog (x){mark}(forgotten) (x)\n- (forgotten) (y)")),
        );
        check(&format!("- Has a dog (x){mark}- Has a dog (x)"), None);
        check("- Has a dog (x)\n[2 more fit]\n- Has a ca", None);
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
