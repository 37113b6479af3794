//! Text and calls told apart in what the engine's model writes.
//!
//! Text goes on as it comes; only what could become a call is held back.

use crate::accepted;
use crate::{Delta, ToolCallDelta};
use domain::engine::CallForm;

/// One answer, as far as it was heard.
pub(super) struct Reading {
    /// Nothing where nothing may be called.
    form: Option<CallForm>,
    at: At,
    /// What is not told yet, after the trigger if there was one.
    held: String,
    /// Something other than blanks was told.
    said: bool,
    called: bool,
    mint: fn() -> String,
}

enum At {
    Text,
    /// Between the trigger and the arguments.
    Opening,
    Arguments {
        id: String,
        depth: Depth,
    },
    /// The call is whole, and nothing more is wanted.
    Over,
}

/// How far a JSON object is open.
#[derive(Default)]
struct Depth {
    begun: bool,
    brackets: u32,
    in_text: bool,
    escaped: bool,
}

/// What stands between the trigger and the arguments.
enum Opened {
    NotYet,
    No,
    /// The tool's name, and where its arguments begin.
    Call(String, usize),
}

impl Reading {
    pub(super) fn new(form: Option<&CallForm>) -> Self {
        let form = form.cloned();
        let mint = accepted::minted;
        Reading { form, at: At::Text, held: String::new(), said: false, called: false, mint }
    }

    pub(super) fn has_called(&self) -> bool {
        self.called
    }

    pub(super) fn hear(&mut self, piece: &str) -> Vec<Delta> {
        let mut out = Vec::new();
        let Some(form) = self.form.clone() else {
            self.tell(piece.to_owned(), &mut out);
            return out;
        };
        self.held.push_str(piece);
        loop {
            if matches!(self.at, At::Text) {
                self.text(&form, &mut out);
            }
            if !matches!(self.at, At::Opening) || !self.is_none(&form, &mut out) {
                break;
            }
        }
        self.arguments(&mut out);
        out
    }

    /// What was held back, when nothing more comes.
    pub(super) fn end(mut self) -> Vec<Delta> {
        let mut out = Vec::new();
        let held = std::mem::take(&mut self.held);
        match self.at {
            At::Text => self.tell(held, &mut out),
            // A call that was cut off before it had a name.
            At::Opening => {
                let trigger = self.form.as_ref().map_or("", |form| &form.trigger);
                unshown(&(trigger.to_owned() + &held), &mut out);
            }
            At::Arguments { .. } | At::Over => {}
        }
        out
    }

    fn text(&mut self, form: &CallForm, out: &mut Vec<Delta>) {
        let may_begin = !form.only_first || !self.said;
        let found = self
            .held
            .find(&form.trigger)
            .filter(|at| may_begin && (!form.only_first || self.held[..*at].trim().is_empty()));
        if let Some(at) = found {
            let held = self.held.split_off(at);
            let before = std::mem::replace(&mut self.held, held[form.trigger.len()..].to_owned());
            self.tell(before, out);
            self.at = At::Opening;
            return;
        }
        let kept = if may_begin { begun(&self.held, form) } else { 0 };
        let held = self.held.split_off(self.held.len() - kept);
        let safe = std::mem::replace(&mut self.held, held);
        self.tell(safe, out);
    }

    /// Whether what the trigger announced is no call after all, and so text.
    fn is_none(&mut self, form: &CallForm, out: &mut Vec<Delta>) -> bool {
        match opened(&self.held, form) {
            Opened::NotYet => false,
            Opened::No => {
                self.tell(form.trigger.clone(), out);
                self.at = At::Text;
                true
            }
            Opened::Call(name, begins) => {
                let head = self.held.drain(..begins).count();
                let letters = form.trigger.chars().count() + head;
                out.push(Delta::Unshown(u32::try_from(letters).unwrap_or(u32::MAX)));
                let id = (self.mint)();
                let begins =
                    ToolCallDelta { id: id.clone(), name: Some(name), arguments: String::new() };
                out.push(Delta::ToolCall(begins));
                self.called = true;
                self.at = At::Arguments { id, depth: Depth::default() };
                false
            }
        }
    }

    fn arguments(&mut self, out: &mut Vec<Delta>) {
        if let At::Arguments { id, depth } = &mut self.at {
            let end = depth.end(&self.held);
            let rest = self.held.split_off(end.unwrap_or(self.held.len()));
            let arguments = std::mem::replace(&mut self.held, rest);
            if !arguments.is_empty() {
                let id = id.clone();
                out.push(Delta::ToolCall(ToolCallDelta { id, name: None, arguments }));
            }
            if end.is_some() {
                self.at = At::Over;
            }
        }
        if matches!(self.at, At::Over) {
            unshown(&std::mem::take(&mut self.held), out);
        }
    }

    fn tell(&mut self, text: String, out: &mut Vec<Delta>) {
        self.said |= !text.trim().is_empty();
        if !text.is_empty() {
            out.push(Delta::Text(text));
        }
    }
}

impl Depth {
    /// Where the object ends in what comes next. What is no object ends with
    /// the answer.
    fn end(&mut self, text: &str) -> Option<usize> {
        for (at, char) in text.char_indices() {
            match char {
                _ if self.escaped => self.escaped = false,
                '\\' if self.in_text => self.escaped = true,
                '"' if self.begun => self.in_text = !self.in_text,
                _ if self.in_text => {}
                '{' => {
                    self.begun = true;
                    self.brackets += 1;
                }
                '}' if self.begun => {
                    self.brackets = self.brackets.saturating_sub(1);
                    if self.brackets == 0 {
                        return Some(at + 1);
                    }
                }
                _ => {}
            }
        }
        None
    }
}

fn unshown(text: &str, out: &mut Vec<Delta>) {
    let letters = text.chars().count();
    if letters > 0 {
        out.push(Delta::Unshown(u32::try_from(letters).unwrap_or(u32::MAX)));
    }
}

/// How many bytes at the end could become the trigger.
fn begun(text: &str, form: &CallForm) -> usize {
    if form.only_first {
        let begun = text.trim_start();
        return if form.trigger.starts_with(begun) { text.len() } else { 0 };
    }
    let ends = form.trigger.char_indices().map(|(at, _)| at).skip(1);
    ends.filter(|end| text.ends_with(&form.trigger[..*end])).max().unwrap_or(0)
}

fn opened(text: &str, form: &CallForm) -> Opened {
    let name_at = match loosely(text, &form.rest) {
        Some(Some(at)) => at,
        Some(None) => return Opened::NotYet,
        None => return Opened::No,
    };
    let behind = &text[name_at..];
    let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-' | '.');
    let Some(ends) = behind.find(|char| !is_name(char)) else { return Opened::NotYet };
    let name = behind[..ends].to_owned();
    match loosely(&behind[ends..], &form.between) {
        _ if name.is_empty() => Opened::No,
        Some(Some(at)) => {
            let after = &behind[ends + at..];
            let blanks = after.len() - after.trim_start().len();
            // The arguments begin with something.
            if blanks == after.len() {
                return Opened::NotYet;
            }
            Opened::Call(name, name_at + ends + at + blanks)
        }
        Some(None) => Opened::NotYet,
        None => Opened::No,
    }
}

/// Where the pattern ends in the text, blanks aside: nothing yet where the text
/// is too short, nothing at all where it is another.
fn loosely(text: &str, pattern: &str) -> Option<Option<usize>> {
    let mut rest = text;
    for wanted in pattern.chars().filter(|char| !char.is_whitespace()) {
        rest = rest.trim_start();
        match rest.chars().next() {
            Some(found) if found == wanted => rest = &rest[found.len_utf8()..],
            Some(_) => return None,
            None => return Some(None),
        }
    }
    Some(Some(text.len() - rest.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What comes of an answer in these pieces: the text, the calls, and how
    /// many letters nobody is shown.
    fn read(form: &CallForm, pieces: &[&str]) -> (String, Vec<(String, String)>, u32) {
        let mut reading = Reading::new(Some(form));
        let mut deltas: Vec<Delta> = Vec::new();
        for piece in pieces {
            deltas.extend(reading.hear(piece));
        }
        deltas.extend(reading.end());
        let (mut text, mut calls, mut unshown) = (String::new(), Vec::new(), 0);
        for delta in deltas {
            match delta {
                Delta::Text(more) => text.push_str(&more),
                Delta::ToolCall(ToolCallDelta { name: Some(name), .. }) => {
                    calls.push((name, String::new()));
                }
                Delta::ToolCall(ToolCallDelta { arguments, .. }) => {
                    calls.last_mut().unwrap().1.push_str(&arguments);
                }
                Delta::Unshown(letters) => unshown += letters,
                other => panic!("{other:?}"),
            }
        }
        (text, calls, unshown)
    }

    fn bare() -> CallForm {
        CallForm {
            trigger: "{\"name\": \"".into(),
            rest: String::new(),
            between: "\", \"parameters\": ".into(),
            only_first: true,
        }
    }

    #[track_caller]
    fn check(form: &CallForm, answer: &str, text: &str, calls: &[(&str, &str)]) {
        let letters: Vec<String> = answer.chars().map(String::from).collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        for pieces in [&[answer][..], &letters[..]] {
            let (told, called, unshown) = read(form, pieces);
            let called: Vec<(&str, &str)> =
                called.iter().map(|(name, arguments)| (&**name, &**arguments)).collect();
            assert_eq!((&*told, &*called), (text, calls), "{answer}");
            let shown: usize = called
                .iter()
                .map(|(name, arguments)| {
                    assert!(!name.is_empty());
                    arguments.chars().count()
                })
                .sum();
            let whole = told.chars().count() + shown + unshown as usize;
            assert_eq!(whole, answer.chars().count(), "nothing is lost of {answer}");
        }
    }

    #[test]
    fn text_and_a_call_are_told_apart() {
        let form = CallForm::default();
        check(&form, "Just <b>text</b>, {\"name\": 1}.", "Just <b>text</b>, {\"name\": 1}.", &[]);
        let call = "Well.\n<tool_call>\n{\"name\": \"add\", \"arguments\": {\"a\": \"}\\\"{\", \"b\": {}}}\n</tool_call>";
        check(&form, call, "Well.\n", &[("add", "{\"a\": \"}\\\"{\", \"b\": {}}")]);
        let tight = "<tool_call>{\"name\":\"add\",\"arguments\":{}";
        check(&form, tight, "", &[("add", "{}")]);
    }

    #[test]
    fn bare_json_is_a_call_only_where_the_answer_begins_with_it() {
        check(
            &bare(),
            "\n{\"name\": \"add\", \"parameters\": {\"é\": 1}}",
            "\n",
            &[("add", "{\"é\": 1}")],
        );
        let shown = "Like {\"name\": \"add\", \"parameters\": {}}";
        check(&bare(), shown, shown, &[]);
        check(&bare(), "{\"name\": 1}", "{\"name\": 1}", &[]);
    }

    #[test]
    fn a_call_that_is_half_or_wrong_is_passed_on_for_whoever_mends_it() {
        let form = CallForm::default();
        // Cut off within the arguments, before them, and before the name.
        let half = "<tool_call>{\"name\": \"add\", \"arguments\": {\"a\": \"b";
        check(&form, half, "", &[("add", "{\"a\": \"b")]);
        check(&form, "Hm <tool_call>{\"name\": \"ad", "Hm ", &[]);
        // A tool that nobody has, and arguments that are no object.
        let unknown = "<tool_call>{\"name\": \"fly\", \"arguments\": {}}</tool_call>";
        check(&form, unknown, "", &[("fly", "{}")]);
        let list = "<tool_call>{\"name\": \"add\", \"arguments\": [1]}";
        check(&form, list, "", &[("add", "[1]}")]);
        // No call at all.
        check(&form, "<tool_call> is a mark", "<tool_call> is a mark", &[]);
        check(&form, "<tool_call", "<tool_call", &[]);
    }

    #[test]
    fn text_is_told_at_once_and_only_what_may_become_a_call_waits() {
        let form = CallForm::default();
        let mut reading = Reading::new(Some(&form));
        assert_eq!(reading.hear("one <"), [Delta::Text("one ".into())]);
        assert_eq!(reading.hear("b> two"), [Delta::Text("<b> two".into())]);
        let mut free = Reading::new(None);
        assert_eq!(free.hear("<tool_call>"), [Delta::Text("<tool_call>".into())]);
    }

    proptest! {
        #[test]
        fn any_answer_in_any_pieces_is_read_as_it_is_in_one(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "<tool_call>", "<tool", "{\"name\": \"", "add", "\", \"arguments\": ", "{", "}",
                    "\"", "\\", "é", " ", "\n",
                ]),
                0..16,
            ),
        ) {
            let answer = parts.concat();
            for form in [CallForm::default(), bare()] {
                prop_assert_eq!(read(&form, &parts), read(&form, &[&answer]));
            }
        }
    }
}
