//! What takes back one word of what was just said: `No, I meant Bergen`.
//!
//! What is said of whom stands in the sentence before, which is read again with the other word.

use super::places::is_known_place;
use super::wishes::Which;
use super::{Ending, Noticed, Sentence, changed, is_yes_or_no, preferred, regex, sentences};
use crate::same_value;
use regex::Regex;
use std::sync::LazyLock;

/// What a message says that only puts right the one before it.
pub fn put_right(before: &str, message: &str) -> Option<Noticed> {
    let (last, was, correction) = both(before, message)?;
    said_anew(last, &was, correction).map(|(_, now)| now)
}

/// What of the message before it a message takes back: what it puts right, and what the person
/// prefers no more.
pub fn taken_back(before: &str, message: &str) -> Option<Ending> {
    let (last, was, correction) = both(before, message)?;
    let nth = said_anew(last, &was, correction).map(|(nth, _)| nth).or_else(|| {
        let (now, _) = Sentence::of(correction, false).read(Which::Any);
        preferred::taken_back(&was, correction, &now)
    })?;
    was[nth].statement.as_ref().map(Ending::taken_back)
}

/// Whether a message may put right what was said before it.
pub fn puts_right(message: &str) -> bool {
    let may = |sentence: &&str| instead(sentence).is_some() || preferred::may_take_back(sentence);
    sentences(message).all.first().is_some_and(may)
}

/// The last sentence of a message, what it says, and the one that is to put it right.
fn both<'a>(before: &'a str, message: &'a str) -> Option<(&'a str, Vec<Noticed>, &'a str)> {
    let said = sentences(message).all;
    let [correction] = said.as_slice() else { return None };
    let last = sentences(before).all.pop()?;
    let (was, _) = Sentence::of(last, false).read(Which::Any);
    Some((last, was, correction))
}

/// What a sentence says in the place of one thing that the sentence before it says, which nobody
/// has meant, or of what that says has changed.
pub(super) fn in_its_place(before: &str, was: &mut Vec<Noticed>, sentence: &str) -> Vec<Noticed> {
    if let Some((nth, now)) = said_anew(before, was, sentence) {
        was.remove(nth);
        return vec![now];
    }
    let Some(joined) = changed::joined(before, sentence) else { return Vec::new() };
    Sentence::of(&joined, false).read(Which::Any).0
}

/// What a sentence that says this says with another word in the place of its value, and which of
/// what it says that is.
fn said_anew(before: &str, was: &[Noticed], correction: &str) -> Option<(usize, Noticed)> {
    let instead = instead(correction)?;
    let is_it = |one: &Noticed| {
        one.statement.as_ref().is_some_and(|was| {
            instead.not.is_none_or(|not| same_value(not, &was.value)) && !is_yes_or_no(&was.value)
        })
    };
    let nth = was.iter().position(is_it).filter(|_| instead.not.is_some() || was.len() == 1)?;
    let was = was[nth].statement.as_ref()?;
    if !before.contains(&was.value) || !instead.may_be(&was.attribute) {
        return None;
    }
    let before = before.replacen(&was.value, instead.word, 1);
    let (now, _) = Sentence::of(&before, false).read(Which::Any);
    let is_now = |one: &Noticed| {
        one.statement.as_ref().is_some_and(|stated| {
            stated.attribute == was.attribute
                && stated.value == instead.word
                && stated.value != was.value
        })
    };
    now.into_iter().find(is_now).map(|one| (nth, one))
}

/// In words: *St. Joseph's Hospital London*.
const LONGEST: usize = 4;

/// The word that is meant.
struct Instead<'a> {
    word: &'a str,
    /// Which it is not, where that is said too.
    not: Option<&'a str>,
    /// Whether it says only that it is so: `Actually, it's Anna` may be about whoever rings.
    is_bare: bool,
}

impl Instead<'_> {
    fn may_be(&self, attribute: &str) -> bool {
        let is_home = ["lives in", "comes from"].contains(&attribute);
        let is_name = self.word.starts_with(char::is_uppercase);
        !self.is_bare || self.not.is_some() || is_name && (!is_home || is_known_place(self.word))
    }
}

fn instead(correction: &str) -> Option<Instead<'_>> {
    let said = correction.trim();
    let both = NOT.iter().find_map(|form| form.captures(said));
    if let Some(found) = both {
        let (word, not) = (found.name("word")?.as_str().trim(), found.name("not")?.as_str().trim());
        // More is a sentence, which says by itself whose word it is: `Bo thinks she is Eve, not Eva`.
        let is_one =
            |said: &str| said.split_whitespace().count() <= LONGEST && !CLAUSE.is_match(said);
        if !is_one(word) || !is_one(not) {
            return None;
        }
        return Some(Instead { word, not: Some(not), is_bare: false });
    }
    if let Some(found) = CHINESE.captures(said) {
        let word = found.get(1)?.as_str().trim();
        let is_word = !word.contains(['我', '你', '他', '她', '说', '了', '周']);
        return is_word.then_some(Instead { word, not: None, is_bare: false });
    }
    let found = MEANT.captures(said).map(|found| (found, false));
    let (found, is_bare) = found.or_else(|| IS.captures(said).map(|found| (found, true)))?;
    Some(Instead { word: found.get(1)?.as_str().trim(), not: None, is_bare })
}

/// What a correction may begin with.
const OPENS: &str = r"(?:(?:no|wait|sorry|oops|actually|(?:(?:a |one )?(?:small|quick|minor|little|tiny) )?correction|my mistake|i misspoke)\b[,!:.—–-]*\s*)";

/// What it is, and which it is not: `It's John, not Jon`, 是李维，不是李伟.
static NOT: LazyLock<[Regex; 4]> = LazyLock::new(|| {
    let opens = format!("(?i)^{OPENS}*");
    let opens_zh =
        r"^(?:(?:不对|不|[我你]?(?:说|写|打|听|记)错了|抱歉|对不起|其实|更正一?下?)[，,：:！! ]*)*";
    [
        regex(&format!(
            r"{opens}(?:(?:i meant(?: to say)?|i mean|it's|it is|that's|it should be|make that|spelled|spelt) )*(?P<word>[^,;:]{{2,40}}?)(?:,? (?:and )?|\s*[–—-]\s*)not (?P<not>[^,;:]{{2,40}})$"
        )),
        regex(&format!(
            r"{opens}(?:(?:it's|it is|that's|i said) )?not (?P<not>[^,;:]{{2,40}}?)(?:[,;] (?:but |it's |it is )?| but )(?P<word>[^,;:]{{2,40}})$"
        )),
        regex(&format!(
            r"{opens_zh}(?:应该)?(?:是|叫)(?P<word>[^，,；;]{{1,20}}?)[，,]?\s*(?:而)?不(?:是|叫)(?P<not>[^，,；;]{{1,20}}?)$"
        )),
        regex(&format!(
            r"{opens_zh}不(?:是|叫)(?P<not>[^，,；;]{{1,20}}?)[，,]\s*(?:而)?(?:是|叫)(?P<word>[^，,；;]{{1,20}}?)$"
        )),
    ]
});

macro_rules! patterns {
    ($($name:ident = $pattern:expr;)*) => {
        $(static $name: LazyLock<Regex> = LazyLock::new(|| regex($pattern));)*
    };
}

patterns! {
    MEANT = &format!(
        r"(?i)^{OPENS}*{}",
        r"(?:i meant(?: to say)?|i mean|make that|scratch that,) ([^,;:]{2,40})$",
    );
    CLAUSE = r"(?i)\b(?:is|are|was|were|thinks?|says?|said|told)\b";
    // `It's Monday` alone puts nothing right.
    IS = &format!(
        r"(?i)^{OPENS}+{}",
        r"(?:it's|it is|(?:it|that) should be) (?:actually )?([^,;:]{2,40})$",
    );
    CHINESE = concat!(
        r"^(?:(?:不对|不是|不|我?(?:说|写|打)错了|抱歉|对不起|更正一?下?)[，,：:！! ]+)+",
        r"(?:应该)?是([^，,；;]{1,20}?)(?:才对)?$",
    );
}
