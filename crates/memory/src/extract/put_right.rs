//! What takes back one word of what was just said: `No, I meant Bergen`.
//!
//! What is said of whom stands in the sentence before, which is read again with the other word.

use super::places::is_known_place;
use super::wishes::Which;
use super::{Noticed, Sentence, is_yes_or_no, regex, sentences};
use regex::Regex;
use std::sync::LazyLock;

/// What a message says that only puts right the one before it.
pub fn put_right(before: &str, message: &str) -> Option<Noticed> {
    let said = sentences(message).all;
    let [correction] = said.as_slice() else { return None };
    let last = sentences(before).all.pop()?;
    let (was, _) = Sentence::of(last, false).read(Which::Any);
    said_anew(last, &was, correction)
}

/// Whether a message may put right what was said before it.
pub fn puts_right(message: &str) -> bool {
    sentences(message).all.first().is_some_and(|sentence| instead(sentence).is_some())
}

/// What a sentence that says this says with another word in the place of its value.
pub(super) fn said_anew(before: &str, was: &[Noticed], correction: &str) -> Option<Noticed> {
    let instead = instead(correction)?;
    let [Noticed { statement: Some(was), .. }] = was else { return None };
    if is_yes_or_no(&was.value) || !before.contains(&was.value) || !instead.may_be(&was.attribute) {
        return None;
    }
    let before = before.replacen(&was.value, instead.word, 1);
    let (mut now, _) = Sentence::of(&before, false).read(Which::Any);
    let one = now.pop().filter(|_| now.is_empty())?;
    let is_it = one.statement.as_ref().is_some_and(|stated| {
        stated.attribute == was.attribute
            && stated.value == instead.word
            && stated.value != was.value
    });
    is_it.then_some(one)
}

/// The word that is meant.
struct Instead<'a> {
    word: &'a str,
    /// Whether it says only that it is so: `Actually, it's Anna` may be about whoever rings.
    is_bare: bool,
}

impl Instead<'_> {
    fn may_be(&self, attribute: &str) -> bool {
        let is_home = ["lives in", "comes from"].contains(&attribute);
        let is_name = self.word.starts_with(char::is_uppercase);
        !self.is_bare || is_name && (!is_home || is_known_place(self.word))
    }
}

fn instead(correction: &str) -> Option<Instead<'_>> {
    let said = correction.trim();
    if let Some(found) = CHINESE.captures(said) {
        let word = found.get(1)?.as_str().trim();
        let is_word = !word.contains(['我', '你', '他', '她', '说', '了', '周']);
        return is_word.then_some(Instead { word, is_bare: false });
    }
    let found = MEANT.captures(said).map(|found| (found, false));
    let (found, is_bare) = found.or_else(|| IS.captures(said).map(|found| (found, true)))?;
    Some(Instead { word: found.get(1)?.as_str().trim(), is_bare })
}

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    MEANT = concat!(
        r"(?i)^(?:(?:no|wait|sorry|oops|actually|correction|my mistake|i misspoke)\b[,!:.—–-]*\s*)*",
        r"(?:i meant(?: to say)?|i mean|make that|scratch that,) ([^,;:]{2,40})$",
    );
    // `It's Monday` alone puts nothing right.
    IS = concat!(
        r"(?i)^(?:(?:no|wait|sorry|oops|actually|correction|my mistake|i misspoke)\b[,!:.—–-]*\s*)+",
        r"(?:it's|it is|(?:it|that) should be) (?:actually )?([^,;:]{2,40})$",
    );
    CHINESE = concat!(
        r"^(?:(?:不对|不是|不|我?(?:说|写|打)错了|抱歉|对不起|更正一?下?)[，,：:！! ]+)+",
        r"(?:应该)?是([^，,；;]{1,20}?)(?:才对)?$",
    );
}
