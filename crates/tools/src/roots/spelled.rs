//! The other ways in which the same name is written.
//!
//! An `é` is one character, or an `e` and an accent. People and models cannot tell the two from each
//! other, and some systems write names in the second way; on others these are two names.

use unicode_normalization::UnicodeNormalization;

/// The path as it would be written otherwise, whole. None where every way is the same.
pub(super) fn others(path: &str) -> impl Iterator<Item = String> {
    let ways = match path.is_ascii() {
        true => Vec::new(),
        false => vec![path.nfc().collect(), path.nfd().collect()],
    };
    ways.into_iter().filter(move |way: &String| way != path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_be_written_in_two_ways_has_others() {
        let check = |path: &str, expected: &[&str]| {
            assert_eq!(others(path).collect::<Vec<_>>(), expected, "{path}");
        };
        check("notes/plan.md", &[]);
        check("计划.md", &[]);
        check("caf\u{e9}.md", &["cafe\u{301}.md"]);
        check("cafe\u{301}.md", &["caf\u{e9}.md"]);
        check("\u{e9}/e\u{301}", &["\u{e9}/\u{e9}", "e\u{301}/e\u{301}"]);
    }
}
