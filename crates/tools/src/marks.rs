//! Secrets that a model was not shown, in files that it changes.
//!
//! What a model reads has a mark where a secret stands. Written back, the mark would be all
//! that is left of it. So nothing is written that has more of a mark than the file itself.

use domain::{REDACTED, redacted_in};
use std::collections::HashMap;

/// The first mark of which `after` has more than `before`. A file may speak of marks: those
/// that stand in it as text are its own.
pub(crate) fn put_in<'a>(before: &str, after: &'a str) -> Option<&'a str> {
    // Hardly any text has one.
    if !after.contains(REDACTED) {
        return None;
    }
    let mut there: HashMap<&str, usize> = HashMap::new();
    for mark in redacted_in(before) {
        *there.entry(mark).or_default() += 1;
    }
    redacted_in(after).find(|mark| match there.get_mut(mark) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        Some(_) | None => true,
    })
}

/// Why it is not written, and what helps: `instead` of writing it.
pub(crate) fn refusal(mark: &str, instead: &str) -> String {
    format!(
        "`{mark}` is not what stands in a file: it stands in what you read, in the place of a secret that is not shown to you, and written into a file it would be there instead of the secret; {instead}. If you mean the word itself, write it otherwise, such as `[REDACTED]`"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_may_stay_where_it_is_text_and_nowhere_take_the_place_of_a_secret() {
        let check = |before: &str, after: &str, expected: Option<&str>| {
            assert_eq!(put_in(before, after), expected, "{before:?} {after:?}");
        };
        check("", "a", None);
        check("", "a=[redacted]", Some("[redacted]"));
        check("tok=0123", "tok=[redacted TOK]\nmore=1\n", Some("[redacted TOK]"));
        check("say [redacted] for it", "say [redacted] for them", None);
        check("say [redacted]\ntok=0123", "say [redacted]\ntok=[redacted]", Some("[redacted]"));
        check("[redacted A]", "[redacted B]", Some("[redacted B]"));
        check("[redacted] [redacted]", "[redacted]", None);
        check("", "names are [redacted by the court] or [REDACTED]", None);
    }
}
