//! What stands in a text in the place of a secret.
//!
//! Whoever takes secrets out of texts writes it there, and whoever changes files has to know
//! it again: put into a file, it would take the place of the secret itself.

/// How each of these marks begins.
pub const REDACTED: &str = "[redacted";

/// The mark, with the name of the secret where that is known.
pub fn redacted(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{REDACTED} {name}]"),
        None => format!("{REDACTED}]"),
    }
}

/// The marks in a text, in their order.
pub fn redacted_in(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(REDACTED).filter_map(|(at, begins)| {
        let end = at + begins.len() + rest_of_mark(&text[at + begins.len()..])?;
        Some(&text[at..end])
    })
}

/// How long what stands behind its beginning is, if that is one. No name of a secret has a
/// blank or a bracket in it, so `[redacted by the court]` is none.
fn rest_of_mark(rest: &str) -> Option<usize> {
    if rest.starts_with(']') {
        return Some(1);
    }
    let name = rest.strip_prefix(' ')?;
    let ends = |c: char| matches!(c, '[' | ']') || c.is_whitespace();
    let length = name.find(ends).filter(|length| *length > 0)?;
    name[length..].starts_with(']').then_some(length + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_known_again_and_nothing_else_is_taken_for_one() {
        for name in [None, Some("EVILTOK"), Some("mcp/things/API_TOKEN"), Some("钥匙")] {
            let mark = redacted(name);
            let text = format!("a={mark}\nb='{mark}'");
            assert_eq!(redacted_in(&text).collect::<Vec<_>>(), [mark.as_str(), mark.as_str()]);
        }
        for text in [
            "",
            "redacted",
            "[redacted",
            "[redacted ]",
            "[redacted a",
            "[redacted by the court]",
            "[redactedly]",
            "[REDACTED]",
            "[redacted a\n]",
        ] {
            assert_eq!(redacted_in(text).next(), None, "{text}");
        }
        let inside = "[redacted [redacted a]]";
        assert_eq!(redacted_in(inside).collect::<Vec<_>>(), ["[redacted a]"]);
    }
}
