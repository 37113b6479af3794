//! Values that are kept and were not read yet.
//!
//! Nobody knows such a value, and to ask for all of them before each text would
//! open places that are locked for a reason. But its ending is on the list: what
//! stands in a text without a break and ends so counts as it.

use super::Find;
use aho_corasick::AhoCorasick;
use std::ops::Range;

/// A value whose ending may be shown is longer than its ending and this.
const LEAST_BEFORE: usize = 8;

/// How a value ends that nobody has read, and what it is called.
#[derive(Debug, Clone)]
pub(crate) struct Unread {
    pub(crate) ending: String,
    pub(crate) name: String,
}

pub(super) fn find(text: &[u8], unread: &[Unread]) -> Vec<Find> {
    if unread.is_empty() {
        return Vec::new();
    }
    let endings = unread.iter().map(|one| &one.ending);
    let Ok(automaton) = AhoCorasick::new(endings) else { return Vec::new() };
    let found = automaton.find_overlapping_iter(text).filter_map(|found| {
        let range = ends_a_value(text, found.range())?;
        let name = Some(unread[found.pattern()].name.clone());
        Some(Find { is_open: range.end == text.len(), range, name })
    });
    found.collect()
}

/// Where the last word of a text begins, which may still become one.
pub(super) fn beginning(text: &[u8], from: usize) -> usize {
    let goes_on = |byte: &&u8| byte.is_ascii_graphic();
    let word = text[from..].iter().rev().take_while(goes_on).count();
    text.len() - word
}

/// What stands there without a break, if it is long enough and ends with this.
fn ends_a_value(text: &[u8], ending: Range<usize>) -> Option<Range<usize>> {
    let goes_on = text.get(ending.end).is_some_and(u8::is_ascii_alphanumeric);
    let before = &text[..ending.start];
    let run = before.iter().rev().take_while(|byte| may_stand_in_a_value(**byte)).count();
    (!goes_on && run >= LEAST_BEFORE).then(|| ending.start - run..ending.end)
}

fn may_stand_in_a_value(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"\"'`,;()<>{}[]".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_from_a_break_to_its_ending() {
        let check = |text: &str, expected: Option<&str>| {
            let at = text.find("wxyz").expect("it is there");
            let found = ends_a_value(text.as_bytes(), at..at + 4).map(|range| &text[range]);
            assert_eq!(found, expected, "{text}");
        };
        check("take acme-0123-wxyz, please", Some("acme-0123-wxyz"));
        check("钥匙是acme-0123-wxyz。", Some("acme-0123-wxyz"));
        check("{\"key\":\"acme-0123-wxyz\"}", Some("acme-0123-wxyz"));
        check("acme-0123-wxyz9", None);
        check("a wxyz", None);
        check("abcdefgwxyz", None);
        check("abcdefghwxyz", Some("abcdefghwxyz"));
    }
}
