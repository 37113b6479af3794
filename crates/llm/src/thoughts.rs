//! Thinking told apart from words, where a server sends both as words.
//!
//! Many models write `<think>…</think>` before they answer, Mistral's `[THINK]…[/THINK]`,
//! Kimi `◁think▷…◁/think▷`. A server that knows its model takes that out; others pass it on
//! as it was written. Where the chat template has written the first mark itself, only the last one comes:
//! then what was told so far was thinking. It is taken back and told again as
//! such (`Delta::Anew`), since to hold it back until then would hide every
//! answer of every other model until its end; and because one model does so
//! each time, the next answer is taken for thinking from its beginning. What
//! only seemed to be so and was never closed becomes words at the end, in the
//! same way.
//!
//! Plain state over pieces of text: how they are cut does not matter.

use crate::Delta;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What stands around a thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Marks {
    open: &'static str,
    close: &'static str,
}

const MARKS: [Marks; 4] = [
    Marks { open: "<think>", close: "</think>" },
    Marks { open: "<thinking>", close: "</thinking>" },
    Marks { open: "[THINK]", close: "[/THINK]" },
    Marks { open: "◁think▷", close: "◁/think▷" },
];
/// What all of them begin with.
const FIRST: [char; 3] = ['<', '[', '◁'];

/// The models of one provider whose thinking begins before their answer does,
/// as far as they were heard.
#[derive(Clone, Default)]
pub(crate) struct Opened(Arc<Mutex<HashSet<String>>>);

impl Opened {
    fn knows(&self, model: &str) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    fn note(&self, model: &str, is_open: bool) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match is_open {
            true => known.insert(model.to_owned()),
            false => known.remove(model),
        };
    }
}

/// One answer, as far as it was heard.
pub(crate) struct Thoughts {
    at: At,
    /// What is not told yet: it may become a mark.
    held: String,
    /// What was told without being sure of it.
    told: String,
    /// Whether an end without a beginning would end a thought.
    watches: bool,
    called: bool,
    opened: Opened,
    model: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    /// Nothing but blanks came, or nothing but thinking.
    Start {
        then: Then,
        after_thought: bool,
    },
    /// `blank` until something other than blanks was thought. Where no mark began
    /// it, it is a guess.
    Thinking {
        begun_by: Option<Marks>,
        blank: bool,
    },
    Words,
}

/// Taken for a thought although no mark began it.
const GUESSED: At = At::Thinking { begun_by: None, blank: false };

/// What an answer without a mark begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Words,
    Thinking,
}

impl Thoughts {
    pub(crate) fn new() -> Self {
        Thoughts::of(Opened::default(), "")
    }

    /// For a model of a provider whose earlier answers were heard.
    pub(crate) fn of(opened: Opened, model: &str) -> Self {
        let then = if opened.knows(model) { Then::Thinking } else { Then::Words };
        Thoughts {
            at: At::Start { then, after_thought: false },
            held: String::new(),
            told: String::new(),
            watches: true,
            called: false,
            opened,
            model: model.to_owned(),
        }
    }

    /// The next piece of what was sent as words.
    pub(crate) fn hear(&mut self, piece: String, mut tell: impl FnMut(Delta)) {
        let may_end = self.watches && piece.contains(FIRST);
        if self.at == At::Words && self.held.is_empty() && !may_end {
            if self.watches {
                self.told.push_str(&piece);
            }
            return tell(Delta::Text(piece));
        }
        self.held.push_str(&piece);
        while self.step(&mut tell) {}
    }

    /// The server tells thoughts apart by itself: an end without a beginning is
    /// a word like any other.
    pub(crate) fn are_told_apart(&mut self) {
        self.watches = false;
        if let At::Start { then, .. } = &mut self.at {
            *then = Then::Words;
        }
    }

    /// A call follows, and is not to be voided any more.
    pub(crate) fn called(&mut self, tell: impl FnMut(Delta)) {
        self.called = true;
        if !matches!(self.at, At::Thinking { .. }) {
            self.let_go(tell);
            (self.at, self.watches) = (At::Words, false);
        }
    }

    /// The last pieces. `is_whole` where the model had said what it wanted.
    pub(crate) fn end(&mut self, is_whole: bool, mut tell: impl FnMut(Delta)) {
        if self.at != GUESSED || !is_whole || self.called {
            return self.let_go(tell);
        }
        self.opened.note(&self.model, false);
        let words = std::mem::take(&mut self.told) + &std::mem::take(&mut self.held);
        tell(Delta::Anew);
        tell(Delta::Text(words));
    }

    /// What is held is no mark.
    fn let_go(&mut self, mut tell: impl FnMut(Delta)) {
        let held = std::mem::take(&mut self.held);
        if held.is_empty() {
            return;
        }
        match self.at {
            At::Start { after_thought: true, .. } if held.trim().is_empty() => {
                unshown(&held, &mut tell);
            }
            At::Start { .. } | At::Words => tell(Delta::Text(held)),
            At::Thinking { .. } => tell(Delta::Reasoning(held)),
        }
    }

    /// Whether there is more to be made of what is held.
    fn step(&mut self, tell: &mut impl FnMut(Delta)) -> bool {
        match self.at {
            At::Start { then, after_thought } => self.begin(then, after_thought, tell),
            At::Thinking { begun_by, blank } => self.think(begun_by, blank, tell),
            At::Words => self.speak(tell),
        }
    }

    fn begin(&mut self, then: Then, after_thought: bool, tell: &mut impl FnMut(Delta)) -> bool {
        let blanks = self.held.len() - self.held.trim_start().len();
        let begun = &self.held[blanks..];
        if let Some(marks) = MARKS.into_iter().find(|marks| begun.starts_with(marks.open)) {
            self.drop_held(blanks + marks.open.len(), tell);
            self.at = At::Thinking { begun_by: Some(marks), blank: true };
            return true;
        }
        // An end with nothing before it: the thought was empty, and is over.
        if let Some(marks) = MARKS.into_iter().find(|marks| begun.starts_with(marks.close)) {
            self.drop_held(blanks + marks.close.len(), tell);
            self.watches = false;
            self.at = At::Start { then: Then::Words, after_thought: true };
            return true;
        }
        let may_become = |mark: &str| mark.starts_with(begun);
        if MARKS.iter().any(|marks| may_become(marks.open) || may_become(marks.close)) {
            return false;
        }
        if after_thought {
            self.drop_held(blanks, tell);
        }
        self.at = match then {
            Then::Words => At::Words,
            Then::Thinking => GUESSED,
        };
        true
    }

    fn think(
        &mut self,
        begun_by: Option<Marks>,
        blank: bool,
        tell: &mut impl FnMut(Delta),
    ) -> bool {
        if blank {
            let blanks = self.held.len() - self.held.trim_start().len();
            self.drop_held(blanks, tell);
            if self.held.is_empty() {
                return false;
            }
            self.at = At::Thinking { begun_by, blank: false };
        }
        let ends = begun_by.as_ref().map_or(&MARKS[..], std::slice::from_ref);
        let end = first_end(&self.held, ends);
        let until = end.map_or_else(|| self.held.len() - begun(&self.held, ends), |(at, _)| at);
        let thought: String = self.held.drain(..until).collect();
        if begun_by.is_none() {
            self.told.push_str(&thought);
        }
        if !thought.is_empty() {
            tell(Delta::Reasoning(thought));
        }
        let Some((_, marks)) = end else { return false };
        self.drop_held(marks.close.len(), tell);
        self.told.clear();
        self.watches = false;
        self.at = At::Start { then: Then::Words, after_thought: true };
        true
    }

    fn speak(&mut self, tell: &mut impl FnMut(Delta)) -> bool {
        let end = first_end(&self.held, &MARKS).filter(|_| self.watches);
        if let Some((end, marks)) = end {
            let after = self.held.split_off(end);
            let before = std::mem::replace(&mut self.held, after);
            let is_told = !self.told.is_empty();
            self.told.push_str(&before);
            // The first one decides, so that no answer is looked through again and again.
            self.watches = false;
            let all = std::mem::take(&mut self.told);
            if speaks_of(marks, &all) {
                self.held.insert_str(0, &before);
                return true;
            }
            if is_told {
                tell(Delta::Anew);
            }
            tell(Delta::Reasoning(all));
            self.drop_held(marks.close.len(), tell);
            self.opened.note(&self.model, true);
            self.at = At::Start { then: Then::Words, after_thought: true };
            return true;
        }
        let kept = if self.watches { begun(&self.held, &MARKS) } else { 0 };
        let kept = self.held.split_off(self.held.len() - kept);
        let words = std::mem::replace(&mut self.held, kept);
        if self.watches {
            self.told.push_str(&words);
        }
        if !words.is_empty() {
            tell(Delta::Text(words));
        }
        false
    }

    fn drop_held(&mut self, bytes: usize, tell: &mut impl FnMut(Delta)) {
        let dropped: String = self.held.drain(..bytes).collect();
        unshown(&dropped, tell);
    }
}

fn unshown(text: &str, tell: &mut impl FnMut(Delta)) {
    let letters = text.chars().count();
    if letters > 0 {
        tell(Delta::Unshown(u32::try_from(letters).unwrap_or(u32::MAX)));
    }
}

/// Where a thought ends first, and by which mark.
fn first_end(text: &str, marks: &[Marks]) -> Option<(usize, Marks)> {
    let ends = marks.iter().filter_map(|marks| Some((text.find(marks.close)?, *marks)));
    ends.min_by_key(|(at, _)| *at)
}

/// How many bytes at the end could become the mark at a thought's end.
fn begun(text: &str, marks: &[Marks]) -> usize {
    let begun_of = |mark: &str| {
        let mut lengths = (1..mark.len()).rev();
        let is_begun = |length: &usize| mark.get(..*length).is_some_and(|it| text.ends_with(it));
        lengths.find(is_begun).unwrap_or(0)
    };
    marks.iter().map(|marks| begun_of(marks.close)).max().unwrap_or(0)
}

/// Whether these words go on to name the mark rather than to end with it: it
/// stands in quotes or in code or in the middle of a sentence, or its beginning was
/// named before.
fn speaks_of(marks: Marks, before: &str) -> bool {
    let sentence = before.strip_suffix(' ').filter(|rest| !rest.ends_with(' '));
    let line = before.rsplit('\n').next().unwrap_or_default();
    let before_quote = before.strip_suffix(['"', '\'']);
    before.contains(marks.open)
        || before.ends_with(['“', '‘', '«', '「', '『', '('])
        || before_quote.is_some_and(|rest| rest.is_empty() || rest.ends_with(char::is_whitespace))
        || before.matches("```").count() % 2 == 1
        || line.matches('`').count() % 2 == 1
        || sentence
            .is_some_and(|rest| rest.ends_with(|last: char| last.is_alphabetic() || last == ','))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Debug, Default, PartialEq, Eq)]
    struct Heard {
        text: String,
        reasoning: String,
        /// How often what was told was void.
        anew: u32,
    }

    fn heard_of(mut thoughts: Thoughts, pieces: &[&str], is_whole: bool) -> Heard {
        let mut heard = Heard::default();
        let mut tell = |delta| match delta {
            Delta::Text(text) => heard.text += &text,
            Delta::Reasoning(text) => heard.reasoning += &text,
            Delta::Unshown(_) => {}
            Delta::Anew => {
                let anew = heard.anew + 1;
                heard = Heard { anew, ..Heard::default() };
            }
            other => panic!("{other:?}"),
        };
        for piece in pieces {
            thoughts.hear((*piece).to_owned(), &mut tell);
        }
        thoughts.end(is_whole, &mut tell);
        heard
    }

    fn letters(text: &str) -> Vec<&str> {
        text.split("").filter(|letter| !letter.is_empty()).collect()
    }

    /// Whole and letter by letter.
    fn check(answer: &str, reasoning: &str, text: &str) {
        for pieces in [vec![answer], letters(answer)] {
            let Heard { reasoning: thought, text: said, .. } =
                heard_of(Thoughts::new(), &pieces, true);
            assert_eq!((&*thought, &*said), (reasoning, text), "{pieces:?}");
        }
    }

    #[test]
    fn an_answer_that_begins_with_a_thought_has_only_what_follows_as_its_words() {
        check("<think>\nHm.\n</think>\n\nFour.", "Hm.\n", "Four.");
        check(" \n<think>Hm.</think>Four.", "Hm.", "Four.");
        check("<think>\n\n</think>\n\nFour.", "", "Four.");
        check("<think>a < b </thin</think>字", "a < b </thin", "字");
        check("<think>a</think>\n<think>b</think>c", "ab", "c");
        check("<think>a</think>Use </think> so.", "a", "Use </think> so.");
        check("[THINK]Hm [1].[/THINK]Four.", "Hm [1].", "Four.");
        check("<thinking>Hm.</thinking>\n\nFour.", "Hm.", "Four.");
        check("◁think▷Hm ◁.◁/think▷Four.", "Hm ◁.", "Four.");
        check("[THINK]Not </think> yet.[/THINK]Four.", "Not </think> yet.", "Four.");
        check("<think>Not [/THINK] yet.</think>Four.", "Not [/THINK] yet.", "Four.");
    }

    #[test]
    fn an_answer_that_ends_within_a_thought_has_no_words() {
        check("<think>", "", "");
        check("<think>Hm. </thi", "Hm. </thi", "");
        check("<think>Hm.</think>\n\n", "Hm.", "");
    }

    #[test]
    fn what_only_looks_like_a_thought_stays_as_it_was_written() {
        for answer in [
            "",
            " \n",
            "<",
            " <thin",
            "<thinker>Hm.</thinker>",
            "Four.",
            "\n\nFour < five",
            "Write <think> first and </think> last.",
            "The mark `</think>` ends it.",
            "The mark \"</think>\" ends it.",
            "I write the tag </think> at its end.",
            "```\nHm.\n</think>\n```\nends it.",
            "Four.</thin",
            "[",
            "[THINKING] Four.",
            "[Four](https://four.example) [/THIN",
            "Write [THINK] first and [/THINK] last.",
        ] {
            check(answer, "", answer);
        }
    }

    #[test]
    fn an_end_without_a_beginning_makes_a_thought_of_what_stood_before_it() {
        check("Hm, two.\n</think>\n\nFour.", "Hm, two.\n", "Four.");
        check("Hm.</think>Four. </think>", "Hm.", "Four. </think>");
        check("He said \"two\"</think>Four.", "He said \"two\"", "Four.");
        check("</think>\n\nFour.", "", "Four.");
        check("</think>Four. Use </think> so.", "", "Four. Use </think> so.");
        check("Hm, two.\n[/THINK]\n\nFour.", "Hm, two.\n", "Four.");
        let heard = heard_of(Thoughts::new(), &["Hm", ".\n</th", "ink>\nFour."], true);
        assert_eq!(heard.anew, 1);
        let heard = heard_of(Thoughts::new(), &["Hm.\n</think>\nFour."], true);
        assert_eq!(heard.anew, 0, "nothing had been told");
    }

    #[test]
    fn an_end_at_the_very_beginning_is_never_shown_and_voids_nothing() {
        for answer in ["</think>Four. </think> So.", "\n[/THINK]Four. </think> So."] {
            let heard = heard_of(Thoughts::new(), &letters(answer), true);
            let expected = Heard { text: "Four. </think> So.".into(), ..Heard::default() };
            assert_eq!(heard, expected, "{answer}");
        }
    }

    #[test]
    fn a_model_that_once_began_within_a_thought_is_taken_to_do_so_again() {
        let opened = Opened::default();
        let hear = |pieces: &[&str], is_whole| {
            heard_of(Thoughts::of(opened.clone(), "m1"), pieces, is_whole)
        };
        let heard = |reasoning: &str, text: &str, anew| Heard {
            reasoning: reasoning.into(),
            text: text.into(),
            anew,
        };
        let answer = ["Hm.", "</think>", "Four."];
        assert_eq!(hear(&answer, true), heard("Hm.", "Four.", 1));
        assert_eq!(hear(&answer, true), heard("Hm.", "Four.", 0));
        assert_eq!(hear(&["Hm.", " Then"], false), heard("Hm. Then", "", 0), "it was cut off");
        assert_eq!(hear(&["<think>", "Hm.", "</think>Four."], true), heard("Hm.", "Four.", 0));
        let other = heard_of(Thoughts::of(opened.clone(), "m2"), &["Four", "."], true);
        assert_eq!(other, heard("", "Four.", 0));
        // It does not think any more.
        assert_eq!(hear(&["Four", "."], true), heard("", "Four.", 1));
        assert_eq!(hear(&["Four", "."], true), heard("", "Four.", 0));
    }

    #[test]
    fn no_call_is_voided_and_no_server_second_guessed_that_tells_thoughts_apart() {
        let mut deltas = Vec::new();
        let mut thoughts = Thoughts::new();
        thoughts.hear("Let me see. </th".into(), |delta| deltas.push(delta));
        thoughts.called(|delta| deltas.push(delta));
        thoughts.hear("Done.</think>".into(), |delta| deltas.push(delta));
        thoughts.end(true, |delta| deltas.push(delta));
        let text = |text: &str| Delta::Text(text.into());
        assert_eq!(deltas, [text("Let me see. "), text("</th"), text("Done.</think>")]);
        let mut thoughts = Thoughts::new();
        thoughts.are_told_apart();
        let mut deltas = Vec::new();
        thoughts.hear("Say </think>, then.".into(), |delta| deltas.push(delta));
        assert_eq!(deltas, [text("Say </think>, then.")]);
    }

    /// Words of which marks can be made, in any order.
    fn any_answer() -> impl Strategy<Value = Vec<&'static str>> {
        let words = prop::sample::select(vec![
            "<think>", "</think>", "[THINK]", "[/THINK]", "[", "[/THI", "NK]", "<", "</", "think",
            ">", "</thin", "k>", " ", "\n", "`", "\"", "Hm.", "字", "Four", "<think", "```",
        ]);
        prop::collection::vec(words, 0..10)
    }

    /// What is no part of a mark, blanks aside.
    fn bare(text: &str) -> String {
        let marks = "</think>[/THINK]";
        let is_bare = |letter: &char| !letter.is_whitespace() && !marks.contains(*letter);
        text.chars().filter(is_bare).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4_096, ..ProptestConfig::default() })]

        #[test]
        fn every_split_of_every_answer_gives_the_same(
            words in any_answer(), is_open: bool, is_whole: bool
        ) {
            let answer = words.concat();
            let hear = |pieces: &[&str]| {
                let opened = Opened::default();
                opened.note("m1", is_open);
                let heard = heard_of(Thoughts::of(opened, "m1"), pieces, is_whole);
                (heard.reasoning, heard.text)
            };
            let (reasoning, text) = hear(&[&answer]);
            prop_assert_eq!(&hear(&letters(&answer)), &(reasoning.clone(), text.clone()));
            for (at, _) in answer.char_indices() {
                let (before, after) = answer.split_at(at);
                prop_assert_eq!(&hear(&[before, after]), &(reasoning.clone(), text.clone()), "{}", at);
            }
            // Nothing but marks and blanks is lost, and nothing is told twice.
            prop_assert_eq!(bare(&(reasoning + &text)), bare(&answer));
        }
    }
}
