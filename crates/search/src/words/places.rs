//! Where in a text the words of a query stand.

use super::script::{self, Run};
use super::{fold, of_query, stem, stems_within, unfinished};
use std::collections::HashSet;
use std::ops::Range;
use unicode_normalization::char::is_combining_mark;

/// The bytes of the text that a query's words find it by: in order, none
/// touching another. With `unfinished`, also words that go on as the last one of
/// the query begins.
pub fn places(text: &str, query: &str, is_unfinished: bool) -> Vec<Range<usize>> {
    let sought = Sought {
        words: of_query(query).into_iter().collect(),
        beginning: Some(query).filter(|_| is_unfinished).and_then(unfinished),
    };
    let (characters, bytes) = folded(text);
    let mut places: Vec<Range<usize>> = Vec::new();
    for (at, run) in script::placed(&characters) {
        for found in sought.within(&run) {
            let (first, last) = (&bytes[at + found.start], &bytes[at + found.end - 1]);
            match places.last_mut() {
                Some(before) if before.end >= first.start => before.end = before.end.max(last.end),
                _ => places.push(first.start..last.end),
            }
        }
    }
    places
}

struct Sought {
    words: HashSet<String>,
    beginning: Option<String>,
}

impl Sought {
    /// The characters of a run that are looked for, in order.
    fn within(&self, run: &Run) -> Vec<Range<usize>> {
        match run {
            Run::Spaced(word) => self.within_word(word),
            Run::Dense(characters) => {
                let is_sought =
                    |part: &[char]| self.words.contains(&part.iter().collect::<String>());
                let lengths = [2, 1].into_iter().flat_map(|length| {
                    let parts = characters.windows(length).enumerate();
                    let found = parts.filter(|(_, part)| is_sought(part));
                    found.map(move |(at, _)| at..at + length)
                });
                let mut found: Vec<Range<usize>> = lengths.collect();
                found.sort_by_key(|place| place.start);
                found
            }
        }
    }

    /// The whole word, or those parts of a name in code that are looked for.
    fn within_word(&self, word: &str) -> Vec<Range<usize>> {
        if self.is_sought(word) {
            return std::iter::once(0..word.chars().count()).collect();
        }
        let mut start = 0;
        let mut found = Vec::new();
        for part in script::humps(word) {
            let end = start + part.chars().count();
            if self.is_sought(part) {
                found.push(start..end);
            }
            start = end;
        }
        found
    }

    fn is_sought(&self, word: &str) -> bool {
        let stem = stem(word);
        self.words.contains(&stem)
            || self.beginning.as_deref().is_some_and(|beginning| {
                stem.starts_with(beginning) || stems_within(beginning).any(|one| one == stem)
            })
    }
}

/// The text as it is compared, each character with the bytes that it stands for.
fn folded(text: &str) -> (Vec<char>, Vec<Range<usize>>) {
    let (mut characters, mut bytes) = (Vec::new(), Vec::new());
    let mut letters = text.char_indices().peekable();
    while let Some((start, _)) = letters.next() {
        // A letter is folded with its accents.
        while letters.next_if(|(_, c)| is_combining_mark(*c)).is_some() {}
        let end = letters.peek().map_or(text.len(), |(at, _)| *at);
        for c in fold(&text[start..end]).chars() {
            characters.push(c);
            bytes.push(start..end);
        }
    }
    (characters, bytes)
}
