//! How an agent says that it stays silent.

/// The marker that it is told.
pub(super) const PASS: &str = "[pass]";

/// The marker as models write it.
const MARKERS: [(char, char); 3] = [('[', ']'), ('［', '］'), ('【', '】')];

/// Whether it is markers and nothing else.
pub(super) fn is_pass(text: &str) -> bool {
    beside_pass(text).is_some_and(str::is_empty)
}

/// The words behind a marker that a text begins with: whoever passes may say why, in a line.
/// `None` where it does not begin so, or says more: `[PASS] build` is a line of a report, and
/// `[Pass](https://pass.example)` a link.
pub fn behind_pass(text: &str) -> Option<&str> {
    let text = bare(text);
    let rest = after_marker(text)?;
    let why = beside_pass(rest).unwrap_or(bare(rest));
    let is_as_told = text.chars().skip(1).take(4).eq("pass".chars()) && !rest.starts_with('(');
    (why.is_empty() || is_as_told && !why.contains('\n')).then_some(why)
}

/// Whether a text passes, and says so before or behind everything else.
pub fn passes(text: &str) -> bool {
    let ends_so = |rest: &str| text.contains("pass") && !bare(rest).contains('\n');
    behind_pass(text).is_some() || before_marker(bare(text)).is_some_and(ends_so)
}

/// The words beside a marker that a text begins or ends with; `None` where it has none
/// there. A marker in the middle is spoken of.
pub fn beside_pass(text: &str) -> Option<&str> {
    let mut rest = bare(text);
    let mut found = false;
    while let Some(shorter) = after_marker(rest).or_else(|| before_marker(rest)) {
        (rest, found) = (bare(shorter), true);
    }
    found.then_some(rest)
}

/// Without what stands around a marker.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || "`*.。\"".contains(c))
}

fn after_marker(text: &str) -> Option<&str> {
    let close = closing(text.chars().next()?)?;
    let (inside, rest) = text.split_at(text.find(close)?);
    let mut inside = inside.chars();
    inside.next();
    is_word(inside.as_str()).then(|| &rest[close.len_utf8()..])
}

fn before_marker(text: &str) -> Option<&str> {
    let last = text.chars().next_back()?;
    let (open, close) = MARKERS.into_iter().find(|(_, close)| *close == last)?;
    let (rest, marker) = text.split_at(text.rfind(open)?);
    let inside = marker.strip_prefix(open)?.strip_suffix(close)?;
    is_word(inside).then_some(rest)
}

fn closing(open: char) -> Option<char> {
    MARKERS.into_iter().find(|(begin, _)| *begin == open).map(|(_, close)| close)
}

fn is_word(inside: &str) -> bool {
    inside.trim().eq_ignore_ascii_case("pass")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_begins_with_a_marker_has_passed_and_says_why() {
        for (text, why) in [
            ("[pass]", Some("")),
            ("**[PASS]** [pass]", Some("")),
            ("[PASS]", Some("")),
            ("[PASS] auth\n[FAIL] ui: the button is missing", None),
            ("[pass] auth\n[fail] ui: the button is missing", None),
            ("[PASS] all good", None),
            ("**[Pass]** all good", None),
            ("[pass](https://pass.example/) is the page", None),
            ("[pass] because it is late.", Some("because it is late")),
            ("【pass】\n没有事。", Some("没有事")),
            ("Nothing to do. [pass]", None),
            ("Say [pass] to stay silent.", None),
            ("[passed] it is", None),
            ("", None),
        ] {
            assert_eq!(behind_pass(text), why, "{text}");
        }
    }

    #[test]
    fn who_passes_in_a_line_passes_and_a_report_does_not() {
        for text in ["[pass]", "[PASS].", "[pass] Nothing to do.", "Nothing to do. ［pass］"] {
            assert!(passes(text), "{text}");
        }
        for text in ["auth [pass]\ndb [pass]", "db [PASS]", "[PASS] db", "Say [pass] to pass."] {
            assert!(!passes(text), "{text}");
        }
    }

    #[test]
    fn a_marker_at_an_end_is_found_however_it_is_written() {
        for (text, beside) in [
            ("[pass]", Some("")),
            ("**[PASS]**.", Some("")),
            ("［pass］", Some("")),
            ("[pass] [pass]", Some("")),
            ("[pass] Nothing to do.", Some("Nothing to do")),
            ("Nothing to do. [pass]", Some("Nothing to do")),
            ("[pass]\n\nAll is well.\n\n[pass]", Some("All is well")),
            ("没有事。【pass】", Some("没有事")),
            ("Say [pass] to stay silent.", None),
            ("[passed] it is", None),
            ("[", None),
            ("", None),
        ] {
            assert_eq!(beside_pass(text), beside, "{text}");
        }
    }
}
