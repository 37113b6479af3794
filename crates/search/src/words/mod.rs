//! Turns a text into the words it is found by.
//!
//! The same for a text and for a query, but for what only a query says:
//! question words and function words are left out of it, where every text has
//! them and no answer depends on them.
//!
//! Scripts that put spaces between words give words: folded to lower case,
//! without accents, English ones by their stem, names in code by their parts.
//! Scripts that don't (Chinese, Japanese, Korean, Thai) give pairs of
//! neighbouring characters, which needs no dictionary and beat a segmenter on
//! every set measured. Single characters are kept too, for a query of one.

mod asking;
mod places;
mod script;
mod stop;
mod writing;

pub(crate) use asking::hundredths_that_ask;
pub use places::places;
pub use writing::Writing;

use frostem::{Algorithm, Stemmer};
use script::Script;
use std::sync::LazyLock;
use unicode_normalization::UnicodeNormalization;

/// The words a text is found by.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// In the order they stand; as often as they stand there.
    pub counted: Vec<String>,
    /// Found by as well, but no part of the text's length.
    pub uncounted: Vec<String>,
}

/// The words of a text that is put into the index.
pub fn of_text(text: &str) -> Words {
    let mut words = Words::default();
    for run in script::runs(&fold(text)) {
        match run {
            script::Run::Spaced(word) => spaced(&word, &mut words.counted),
            script::Run::Dense(characters) => {
                pairs(&characters, &mut words.counted);
                if characters.len() > 1 {
                    words.uncounted.extend(characters.iter().map(char::to_string));
                }
            }
        }
    }
    words
}

/// The words a query looks for, each once.
///
/// A query of nothing but question words looks for those.
pub fn of_query(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut words = looked_for(&stop::without_asking(&folded), stop::is_asking);
    if words.is_empty() {
        words = looked_for(&folded, |_| false);
    }
    let mut seen = std::collections::HashSet::new();
    words.retain(|word| seen.insert(word.clone()));
    words
}

/// The word that a query ends with and that may go on: what is still being
/// written is found by its beginning. Scripts without spaces have no such word,
/// since any two characters of it are looked for.
pub fn unfinished(text: &str) -> Option<String> {
    let folded = fold(text);
    let ends_in_it = folded.ends_with(|c| Script::of(c) == Script::Spaced);
    match script::runs(&folded).pop() {
        Some(script::Run::Spaced(word)) if ends_in_it => Some(word.to_lowercase()),
        _ => None,
    }
}

/// What words that begin so may be kept as, beside those that begin so: the stem
/// of a word is shorter than what is written of it at last.
pub(crate) fn stems_within(beginning: &str) -> impl Iterator<Item = &str> {
    let ends = beginning.char_indices().map(|(at, _)| at).skip(SHORTEST_STEM);
    let mut ends: Vec<usize> = ends.collect();
    let longest = ends.len().saturating_sub(MOST_ENDING);
    ends.drain(..longest);
    ends.into_iter().map(|end| &beginning[..end])
}

/// In characters: shorter ones are in too many words.
const SHORTEST_STEM: usize = 4;
/// As in `paint|ing`, without its last character, which makes the word whole.
const MOST_ENDING: usize = 3;

fn looked_for(folded: &str, left_out: impl Fn(&str) -> bool) -> Vec<String> {
    let mut words = Vec::new();
    for run in script::runs(folded) {
        match run {
            script::Run::Spaced(word) if left_out(&word.to_lowercase()) => {}
            script::Run::Spaced(word) => spaced(&word, &mut words),
            script::Run::Dense(characters) => pairs(&characters, &mut words),
        }
    }
    words
}

/// One form for what looks the same or is written in either way: full-width letters,
/// ligatures, accents on Latin letters. Case stays, since it parts names in code.
fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for c in text.nfkc() {
        match script::written_plainly(c) {
            Some(plain) => folded.push_str(plain),
            None if script::is_accented_latin(c) => folded.push(c.nfd().next().unwrap_or(c)),
            None => folded.push(c),
        }
    }
    folded
}

/// A word and, where it is a name in code, its parts.
fn spaced(word: &str, into: &mut Vec<String>) {
    let parts = script::humps(word);
    if parts.len() > 1 {
        into.extend(parts.iter().map(|part| stem(part)));
    }
    into.push(stem(word));
}

static ENGLISH: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::new(Algorithm::English));

fn stem(word: &str) -> String {
    let word = word.to_lowercase();
    // Numbers and names with digits have no grammar.
    if !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return word;
    }
    ENGLISH.stem(&word).into_owned()
}

fn pairs(characters: &[char], into: &mut Vec<String>) {
    if let [one] = characters {
        into.push(one.to_string());
    }
    into.extend(characters.windows(2).map(|pair| pair.iter().collect()));
}

#[cfg(test)]
mod tests;
