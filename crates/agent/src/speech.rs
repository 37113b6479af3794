//! What of a model's text an agent may say in its own name.
//!
//! A model in a group likes to go on and write the others' lines too. An agent
//! speaks only for itself, so a line that begins with a *label*, a name and a
//! colon, is somebody's speech:
//!
//! - Under somebody else's label the text ends: what follows is not the
//!   agent's to say. The person is meant as well by `You`, `User`, `Human`,
//!   `用户`, `你`, `您` and `人类`, whoever gives instructions by `System`.
//! - The agent's own label is dropped, and what follows is its own. So is
//!   `Assistant:` in front of a whole answer; further down it begins the next
//!   part of a conversation that the model makes up, and ends the text.
//!
//! A label may be dressed up: `**Bo**:`, `[Bo]：`, `"Bo":`, `@Bo:`, `> Bo:`,
//! `- Bo:`, `1. Bo:`, `#99 Bo:`, `[10:42] Bo:`, `| Bo:`, `<b>Bo</b>:`, `<Bo>`,
//! `Ｂｏ:`, `Bo (Sceptic):` are all `Bo:` (see `label`), and so is a heading with a member's
//! name and nothing else: `### Bo`. A name anywhere else in a
//! line is only mentioned: `Ask Bo: he knows`, `### What Bo said`. A line ends wherever somebody's
//! program may end it (see `ends_line`).
//!
//! Not every line with a name and a colon in front is speech. The agent's own
//! words are not to be lost, so a label is a description, and stays (see
//! `above`):
//!
//! - inside a code block, which every reader sees as one. What other agents
//!   read of it is kept apart from their own conversation where their prompt is
//!   built;
//! - as an item of a list that the agent itself has begun: one below an item
//!   of its own, a heading, or a line that ends with a colon and so announces
//!   it. `- Bo: likes tea` below `We like:` tells of Bo; below `I agree.`, or
//!   at the start of the answer, it is Bo who speaks;
//! - as a heading in an outline that the agent itself has begun: one below a heading of
//!   its own of a higher level, or below a line that announces it. `### Bo` below
//!   `## Who does what` tells of Bo;
//! - in a quotation that it has announced in the same way: `> Bo: tea` below
//!   `This is what you decided:`. It is the agent then who says that Bo said
//!   so. One that nobody announced is what a model writes that carries on
//!   somebody's mail, and nothing tells it from that;
//! - in a row of a table, which has bars further on too;
//! - as a quoted key in data: `"Bo": 3` below a line that ends with `{`, `[`
//!   or a comma; and `System: Linux` below another pair of a word and a colon.
//!   So is `User: admin` right below one, or below a line that announces it.
//!
//! Text is released as it comes, except for the start of a line that could
//! still turn out to be a label, and the start of an answer that could still
//! be a pass.

mod above;
mod label;
mod letters;
mod pass;
#[cfg(test)]
mod tests;

use above::Above;
use label::{Around, Extent, Label, Names};
use pass::{PASS, is_pass};
pub use pass::{behind_pass, beside_pass, passes};

/// What a model wrote in somebody else's name.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ForAnother {
    pub text: String,
    /// The agent itself said nothing.
    pub is_alone: bool,
}

/// What of a whole text would be said in another's name, from its label on; `None` where
/// all of it is the author's own.
pub fn in_anothers_name(own: &str, others: &[String], text: &str) -> Option<String> {
    let mut speech = Speech::new(own, others);
    speech.push(text);
    speech.finish();
    Some(speech.for_another()?.text)
}

/// What of a whole text its author says in their own name; `None` where that is nothing.
pub fn in_own_name(own: &str, others: &[String], text: &str) -> Option<String> {
    let mut speech = Speech::new(own, others);
    speech.push(text);
    speech.finish();
    speech.text().map(str::to_owned)
}

/// Filters one answer as it streams.
#[derive(Debug, Clone)]
pub struct Speech {
    names: Names,
    /// Not released yet: the current line, while it may still be a label.
    held: String,
    released: String,
    /// What the lines so far make of the next one.
    above: Above,
    /// Whether `held` begins a line.
    at_line_start: bool,
    /// The own label was just dropped: what closes its emphasis goes too, so
    /// many characters, and the space behind it.
    after_own_label: Option<usize>,
    over: bool,
    /// What came under another's label, as far as it was heard.
    of_another: Option<String>,
}

impl Speech {
    /// `own` is the speaker's name, `others` are the names of everybody else
    /// who can be heard in the group.
    pub fn new(own: &str, others: &[String]) -> Self {
        Speech {
            names: Names::new(own, others),
            held: String::new(),
            released: String::new(),
            above: Above::default(),
            at_line_start: true,
            after_own_label: None,
            over: false,
            of_another: None,
        }
    }

    /// Takes the next piece and gives what of it may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        if self.over {
            return String::new();
        }
        self.held.push_str(piece);
        let mut out = String::new();
        while self.release_line(&mut out, Extent::SoFar) {}
        self.released.push_str(&out);
        out
    }

    /// Nothing more will come: gives what was still held back.
    pub fn finish(&mut self) -> String {
        if self.over {
            return String::new();
        }
        let mut out = String::new();
        while self.release_line(&mut out, Extent::Whole) {}
        // What may still be a pass.
        out.push_str(&std::mem::take(&mut self.held));
        self.over = true;
        self.released.push_str(&out);
        out
    }

    /// Somebody else's line began: what follows is not the agent's to say.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Everything that was released, trimmed; `None` when it is a pass, or
    /// when the model spoke only for others.
    pub fn text(&self) -> Option<&str> {
        let text = self.released.trim();
        let only_others = self.of_another.is_some() && text.is_empty();
        (!is_pass(text) && !only_others).then_some(text)
    }

    /// What the model wrote in another's name, as far as it was heard.
    pub(crate) fn for_another(&self) -> Option<ForAnother> {
        let text = self.of_another.as_deref()?.trim().to_owned();
        Some(ForAnother { text, is_alone: self.released.trim().is_empty() })
    }

    /// Moves at most one line from `held` to `out`; true when it is worth
    /// looking again.
    fn release_line(&mut self, out: &mut String, extent: Extent) -> bool {
        if let Some(emphasis) = &mut self.after_own_label {
            while *emphasis > 0 && self.held.starts_with(label::is_emphasis) {
                self.held.remove(0);
                *emphasis -= 1;
            }
            let spaces = self.held.len() - self.held.trim_start_matches([' ', '\u{3000}']).len();
            if spaces > 0 {
                // What follows a space opens something of its own.
                *emphasis = 0;
                self.held.drain(..spaces);
            }
            if self.held.is_empty() {
                return false;
            }
            self.after_own_label = None;
        }
        let is_first = self.released.trim().is_empty() && out.trim().is_empty();
        let end = self.held.find(ends_line);
        if self.at_line_start {
            let line = &self.held[..end.unwrap_or(self.held.len())];
            let extent = if end.is_some() { Extent::Whole } else { extent };
            let around = Around { above: &self.above, is_first };
            match label::of_line(line, extent, &self.names, around) {
                Label::Maybe => return false,
                Label::Other => {
                    self.of_another = Some(std::mem::take(&mut self.held));
                    self.over = true;
                    return false;
                }
                Label::Own { length, emphasis } => {
                    self.held.drain(..length);
                    self.after_own_label = Some(emphasis);
                    // Another label may follow it.
                    return true;
                }
                Label::None => self.at_line_start = false,
            }
        }
        if is_first && may_become_pass(&self.held) {
            return false;
        }
        let end = end.map_or(self.held.len(), |end| {
            end + self.held[end..].chars().next().map_or(0, char::len_utf8)
        });
        let line: String = self.held.drain(..end).collect();
        self.above.hear(&line);
        out.push_str(&line);
        self.at_line_start = line.ends_with(ends_line);
        self.at_line_start
    }
}

/// What ends a line on some screen.
fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{B}' | '\u{C}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn may_become_pass(held: &str) -> bool {
    let start = held.trim_start_matches([' ', '\n', '`', '*']);
    let length = start.len().min(PASS.len());
    start.is_char_boundary(length) && start[..length].eq_ignore_ascii_case(&PASS[..length]) && {
        let rest = &start[length..];
        rest.chars().all(|c| c.is_whitespace() || c == '`' || c == '*' || c == '.')
    }
}
