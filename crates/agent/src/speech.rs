//! What of a model's text an agent may say in its own name.
//!
//! A model in a group likes to go on and write the others' lines too. An
//! agent speaks only for itself: its own name in front is dropped, and where a
//! line begins with somebody else's name and a colon the text ends. Text is
//! released as it comes, except for the start of a line that could still turn
//! out to be a name, and the start of an answer that could still be a pass.

/// How an agent says that it stays silent.
pub(crate) const PASS: &str = "[pass]";

/// Filters one answer as it streams.
#[derive(Debug, Clone)]
pub struct Speech {
    own: String,
    others: Vec<String>,
    /// Not released yet: the current line, while it may still be a name.
    held: String,
    released: String,
    /// Whether `held` begins a line.
    at_line_start: bool,
    /// The own name was just dropped; what surrounds it goes too.
    after_own_name: bool,
    over: bool,
    spoke_for_others: bool,
}

impl Speech {
    /// `own` is the speaker's name, `others` are the names of everybody else
    /// who can be heard in the group.
    pub fn new(own: &str, others: &[String]) -> Self {
        Speech {
            own: own.to_lowercase(),
            others: others.iter().map(|name| name.to_lowercase()).collect(),
            held: String::new(),
            released: String::new(),
            at_line_start: true,
            after_own_name: false,
            over: false,
            spoke_for_others: false,
        }
    }

    /// Takes the next piece and gives what of it may be shown.
    pub fn push(&mut self, piece: &str) -> String {
        if self.over {
            return String::new();
        }
        self.held.push_str(piece);
        let mut out = String::new();
        while self.release_line(&mut out) {}
        self.released.push_str(&out);
        out
    }

    /// Nothing more will come: gives what was still held back.
    pub fn finish(&mut self) -> String {
        if self.over {
            return String::new();
        }
        let mut out = String::new();
        let line = if self.at_line_start { self.named_at_start() } else { Named::Nobody };
        match line {
            Named::Other => self.spoke_for_others = true,
            Named::Own(rest) => out.push_str(rest.trim_start_matches([' ', '*'])),
            Named::Maybe | Named::Nobody => out.push_str(&self.held),
        }
        self.held.clear();
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
        let only_others = self.spoke_for_others && text.is_empty();
        (!is_pass(text) && !only_others).then_some(text)
    }

    /// Moves at most one line from `held` to `out`; true when it is worth
    /// looking again.
    fn release_line(&mut self, out: &mut String) -> bool {
        if self.at_line_start {
            match self.named_at_start() {
                Named::Maybe => return false,
                Named::Other => {
                    self.spoke_for_others = true;
                    self.over = true;
                    self.held.clear();
                    return false;
                }
                Named::Own(rest) => {
                    self.held = rest;
                    self.after_own_name = true;
                }
                Named::Nobody => {}
            }
            self.at_line_start = false;
        }
        if self.after_own_name {
            self.held = self.held.trim_start_matches([' ', '*']).to_owned();
            if self.held.is_empty() {
                return false;
            }
            self.after_own_name = false;
        }
        if self.released.is_empty() && out.is_empty() && may_become_pass(&self.held) {
            return false;
        }
        match self.held.find('\n') {
            Some(end) => {
                out.push_str(&self.held[..=end]);
                self.held.drain(..=end);
                self.at_line_start = true;
                true
            }
            None => {
                out.push_str(&self.held);
                self.held.clear();
                false
            }
        }
    }

    fn named_at_start(&self) -> Named {
        let line = self.held.trim_start_matches([' ', '\t', '\u{3000}', '*', '#', '>']);
        let lower = line.to_lowercase();
        for name in &self.others {
            match starts_with_name(&lower, name) {
                Match::Yes(_) => return Named::Other,
                Match::Maybe => return Named::Maybe,
                Match::No => {}
            }
        }
        match starts_with_name(&lower, &self.own) {
            // Lower case may change a text's length; then the prefix stays.
            Match::Yes(length) if lower.len() == line.len() => {
                Named::Own(line[length..].to_owned())
            }
            Match::Maybe => Named::Maybe,
            Match::Yes(_) | Match::No => Named::Nobody,
        }
    }
}

enum Named {
    Other,
    /// What follows the speaker's own name.
    Own(String),
    /// The line is too short to tell.
    Maybe,
    Nobody,
}

enum Match {
    /// Bytes up to and with the colon.
    Yes(usize),
    Maybe,
    No,
}

fn starts_with_name(line: &str, name: &str) -> Match {
    if name.is_empty() {
        return Match::No;
    }
    let Some(rest) = line.strip_prefix(name) else {
        return if name.starts_with(line) { Match::Maybe } else { Match::No };
    };
    let after = rest.trim_start_matches(['*', ' ']);
    let gap = rest.len() - after.len();
    match after.chars().next() {
        None => Match::Maybe,
        Some(colon @ (':' | '：')) => Match::Yes(name.len() + gap + colon.len_utf8()),
        Some(_) => Match::No,
    }
}

fn is_pass(text: &str) -> bool {
    let bare = text.trim_matches(|c: char| c.is_whitespace() || c == '`' || c == '*' || c == '.');
    bare.eq_ignore_ascii_case(PASS)
}

fn may_become_pass(held: &str) -> bool {
    let start = held.trim_start_matches([' ', '\n', '`', '*']);
    let length = start.len().min(PASS.len());
    start.is_char_boundary(length) && start[..length].eq_ignore_ascii_case(&PASS[..length]) && {
        let rest = &start[length..];
        rest.chars().all(|c| c.is_whitespace() || c == '`' || c == '*' || c == '.')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever way the text is cut into pieces, the same is said.
    fn check(text: &str, expected: Option<&str>) {
        let others = ["Bo".to_owned(), "林夏".to_owned(), "Lin".to_owned()];
        let characters: Vec<char> = text.chars().collect();
        for size in [1, 2, 3, 7, characters.len().max(1)] {
            let mut speech = Speech::new("Ada", &others);
            let mut shown = String::new();
            for piece in characters.chunks(size) {
                shown += &speech.push(&piece.iter().collect::<String>());
            }
            shown += &speech.finish();
            assert_eq!(speech.text(), expected, "in pieces of {size}");
            if let Some(expected) = expected {
                assert_eq!(shown.trim(), expected, "shown in pieces of {size}");
            } else {
                assert!(
                    is_pass(shown.trim()) || shown.is_empty(),
                    "a pass shows nothing else: {shown:?}"
                );
            }
        }
    }

    #[test]
    fn an_answer_is_said_as_it_is() {
        check("Nineteen.\n\nBorrow one, then add.", Some("Nineteen.\n\nBorrow one, then add."));
        check("Both of you are right: it depends.", Some("Both of you are right: it depends."));
    }

    #[test]
    fn the_own_name_in_front_is_dropped() {
        check("Ada: yes, it does.", Some("yes, it does."));
        check("**Ada:** yes.", Some("yes."));
        check("ada：好的，开始吧。", Some("好的，开始吧。"));
    }

    #[test]
    fn somebody_elses_line_ends_it() {
        check("I agree.\nBo: no you do not.\nAda: I do.", Some("I agree."));
        check("好。\n林夏：我来改。", Some("好。"));
        check("Fine.\n**Lin**: and now?", Some("Fine."));
        check("Bo: I speak for Bo now.", None);
    }

    #[test]
    fn a_name_inside_a_line_is_no_line_of_his() {
        check("Ask Bo: he knows.", Some("Ask Bo: he knows."));
        check("Bo knows.\nBobby: also.", Some("Bo knows.\nBobby: also."));
    }

    #[test]
    fn a_pass_is_silence() {
        check("[pass]", None);
        check(" `[PASS]`\n", None);
        check("[pass] is what I would say", Some("[pass] is what I would say"));
    }
}
