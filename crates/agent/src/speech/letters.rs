//! A name by its letters: whatever case and width they have, whatever stands
//! between its words, and whatever else is there that nobody sees.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Letters {
    /// One space between two words. A name made of marks alone is as it is.
    letters: String,
    is_of_marks: bool,
}

/// Whether a text begins with a name.
pub(super) enum Begins<'a> {
    /// With what follows it.
    With(&'a str),
    /// As far as the text goes, it does.
    Perhaps,
    Not,
}

impl Letters {
    pub(super) fn of(name: &str) -> Letters {
        // Marks may stand around any name.
        let bare = name.trim_matches(|c: char| !is_letter(c));
        let mut letters = String::new();
        for c in bare.chars().filter(|c| !is_unseen(*c)) {
            match is_letter(c) {
                true => letters.extend(plain(c)),
                false if letters.ends_with(' ') => {}
                false => letters.push(' '),
            }
        }
        let is_of_marks = letters.is_empty();
        if is_of_marks {
            name.trim().clone_into(&mut letters);
        }
        Letters { letters, is_of_marks }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.letters.is_empty()
    }

    pub(super) fn begin<'a>(&self, text: &'a str) -> Begins<'a> {
        let mut expected = self.letters.chars().peekable();
        let mut is_between = false;
        for (at, c) in text.char_indices() {
            if expected.peek().is_none() {
                return Begins::With(&text[at..]);
            }
            if self.is_of_marks {
                if expected.next() != Some(c) {
                    return Begins::Not;
                }
                continue;
            }
            if is_unseen(c) {
                continue;
            }
            if is_letter(c) {
                is_between = false;
                if plain(c).any(|letter| expected.next() != Some(letter)) {
                    return Begins::Not;
                }
            } else if expected.next_if_eq(&' ').is_some() {
                is_between = true;
            } else if !is_between {
                return Begins::Not;
            }
        }
        if expected.peek().is_none() { Begins::With("") } else { Begins::Perhaps }
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Without its case and its width, and taken apart, so that it does not matter
/// how an accent was written.
fn plain(c: char) -> impl Iterator<Item = char> {
    std::iter::once(c).nfkd().flat_map(char::to_lowercase)
}

/// What nobody sees: joiners, soft hyphens, and what turns the direction of
/// writing or chooses a picture's looks.
pub(super) fn is_unseen(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}')
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}')
        || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}
