//! Values that are kept and were not read yet, as a person may paste them.
//!
//! Nobody knows such a value, and to ask for all of them before each message would
//! open keyrings that are locked for a reason. But its ending is on the list. What
//! ends so may be it: then that one is read, and where it cannot be, what stands
//! there counts as it.

use super::{Listed, Vault};
use crate::redactor::mark;
use crate::{Error, Place};
use std::ops::Range;

/// A value whose ending may be shown is longer than its ending and this.
const LEAST_BEFORE: usize = 8;

impl Vault {
    /// The names of those that this text may hold.
    #[must_use]
    pub fn suspects(&self, text: &str) -> Vec<String> {
        let found = self.unread_in(text);
        let mut names: Vec<String> = found.into_iter().map(|(_, name)| name).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Reads it, so that it is known from now on. That is no use of it.
    pub fn learn(&self, name: &str) -> Result<(), Error> {
        let at = self.at(name)?;
        self.read(name, &at)?;
        self.make_own(name);
        Ok(())
    }

    /// Reads all that is listed and was not read yet. Fails with why a place could not
    /// be asked; the others were.
    pub fn learn_all(&self) -> Result<(), Error> {
        let mut closed: Vec<Place> = Vec::new();
        let mut why = Ok(());
        for Listed { name, place, .. } in self.list() {
            if closed.contains(&place) || self.is_at_hand(&name) {
                continue;
            }
            if let Err(error) = self.learn(&name)
                && error.is_about_the_place()
            {
                closed.push(place);
                why = Err(error);
            }
        }
        why
    }

    /// The text without what may be one of those that still were not read.
    #[must_use]
    pub fn without_suspects(&self, text: &str) -> String {
        let mut found = self.unread_in(text);
        found.sort_by_key(|(range, _)| range.start);
        let (mut clean, mut done) = (String::with_capacity(text.len()), 0);
        for (range, name) in found {
            if range.start >= done {
                clean.push_str(&text[done..range.start]);
                clean.push_str(&mark(Some(&name)));
                done = range.end;
            }
        }
        clean.push_str(&text[done..]);
        clean
    }

    fn unread_in(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let listed = self.list().into_iter();
        let unread = listed.filter_map(|one| Some((one.ending?, one.name)));
        let unread = unread.filter(|(_, name)| !self.is_at_hand(name));
        unread
            .flat_map(|(ending, name)| {
                let found = text.match_indices(&ending).map(|(at, found)| at..at + found.len());
                let found = found.filter_map(|end| ends_a_value(text, end));
                found.map(|range| (range, name.clone())).collect::<Vec<_>>()
            })
            .collect()
    }
}

/// What stands there without a break, if it is long enough and ends with this.
fn ends_a_value(text: &str, ending: Range<usize>) -> Option<Range<usize>> {
    let goes_on = text[ending.end..].starts_with(|next: char| next.is_ascii_alphanumeric());
    let before = &text[..ending.start];
    let run = before.bytes().rev().take_while(|byte| may_stand_in_a_value(*byte)).count();
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
            let found = ends_a_value(text, at..at + 4).map(|range| &text[range]);
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
