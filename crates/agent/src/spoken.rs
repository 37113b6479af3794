//! What an agent says in one turn beside its calls, before its last answer.
//!
//! A model likes to say something in the answer in which it also calls a tool: the whole
//! recipe, and then the calculator for one line of it. Whoever it talks with has read
//! that as it came, so it stands in the message of the turn, above the last answer.

/// The words of the answers so far, each a paragraph of its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Spoken(String);

/// What stands between two paragraphs.
pub const BETWEEN: &str = "\n\n";

impl Spoken {
    /// A model that says the same before each use of a tool has said it once.
    pub fn add(&mut self, text: &str) {
        let text = text.trim();
        let is_again = self.0 == text || self.0.ends_with(&format!("{BETWEEN}{text}"));
        if text.is_empty() || is_again {
            return;
        }
        self.0 = self.followed_by(text);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// All of it, with the last answer. One that says everything again stands alone.
    pub fn followed_by(&self, last: &str) -> String {
        match (self.0.as_str(), last.trim()) {
            ("", _) => last.to_owned(),
            (before, "") => before.to_owned(),
            (before, all) if all.starts_with(before) => last.to_owned(),
            (before, last) => format!("{before}{BETWEEN}{last}"),
        }
    }

    /// The last answer alone, of a text that stands so; anything else is as it is.
    pub fn taken_from<'t>(&self, text: &'t str) -> &'t str {
        let last = text.strip_prefix(&self.0).and_then(|rest| rest.strip_prefix(BETWEEN));
        last.filter(|last| !self.is_empty() && !last.is_empty()).unwrap_or(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spoken(texts: &[&str]) -> Spoken {
        let mut spoken = Spoken::default();
        texts.iter().for_each(|text| spoken.add(text));
        spoken
    }

    #[test]
    fn each_answer_is_a_paragraph() {
        let spoken = spoken(&["200 g flour.\n", "", "Per egg:"]);
        let all = spoken.followed_by("67 g.");
        assert_eq!(all, "200 g flour.\n\nPer egg:\n\n67 g.");
        assert_eq!(spoken.taken_from(&all), "67 g.");
        assert_eq!(spoken.followed_by(""), "200 g flour.\n\nPer egg:");
    }

    #[test]
    fn nothing_is_said_twice() {
        let spoken = spoken(&["Let me look.", "Let me look.", "Let me look."]);
        assert_eq!(spoken.followed_by("Done."), "Let me look.\n\nDone.");
        assert_eq!(spoken.followed_by("Let me look. Done."), "Let me look. Done.");
    }

    #[test]
    fn a_message_that_stands_otherwise_is_left_as_it_is() {
        for (before, text) in
            [("", "Done."), ("Hm.", "Edited."), ("Hm.", "Hm."), ("Hm.", "Hm.\n\n")]
        {
            assert_eq!(spoken(&[before]).taken_from(text), text, "{before}");
        }
    }
}
