//! Text that others wrote, as a terminal may be given it.
//!
//! A name or a message can hold characters that a terminal obeys: that move its
//! cursor, change its title, turn a line around. They are written as what they
//! are, `\u001b`, which is also how JSON writes them: an export printed as text
//! stays what it is.

/// Text of any number of lines; these and tabs stay.
pub(crate) fn lines(text: &str) -> String {
    escaped(text, |text, at, c| match c {
        '\n' | '\t' => true,
        '\r' => text[at..].starts_with("\r\n"),
        c => !is_obeyed(c),
    })
}

/// Text that has to stay in its place: a name, a cell, one line.
pub(crate) fn line(text: &str) -> String {
    escaped(text, |_, _, c| !is_obeyed(c) && !matches!(c, '\u{2028}' | '\u{2029}'))
}

/// What terminals act upon instead of showing it, with the characters that turn
/// the direction of writing; and those that [`Paint`](crate::screen::Paint) marks
/// its colours with.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fdd0}'..='\u{fdef}')
}

fn escaped(text: &str, stays: impl Fn(&str, usize, char) -> bool) -> String {
    let mut escaped = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match c {
            c if stays(text, at, c) => escaped.push(c),
            '\n' => escaped += "\\n",
            '\r' => escaped += "\\r",
            '\t' => escaped += "\\t",
            // All of them are written with four digits.
            c => escaped += &format!("\\u{:04x}", u32::from(c)),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_written_out() {
        let check = |text: &str, as_lines: &str, as_line: &str| {
            assert_eq!((lines(text).as_str(), line(text).as_str()), (as_lines, as_line));
        };
        check("Ada 林夏 हिन्दी 👩‍🍳 \\n", "Ada 林夏 हिन्दी 👩‍🍳 \\n", "Ada 林夏 हिन्दी 👩‍🍳 \\n");
        check("a\nb\tc\r\nd", "a\nb\tc\r\nd", "a\\nb\\tc\\r\\nd");
        check("100 %\rhidden", "100 %\\rhidden", "100 %\\rhidden");
        check("\u{1b}[31mred\u{7}", "\\u001b[31mred\\u0007", "\\u001b[31mred\\u0007");
        check("\u{9b}31m\u{7f}\0", "\\u009b31m\\u007f\\u0000", "\\u009b31m\\u007f\\u0000");
        check("dm.\u{202e}txt\u{2066}", "dm.\\u202etxt\\u2066", "dm.\\u202etxt\\u2066");
        check("a\u{2028}b", "a\u{2028}b", "a\\u2028b");
        check("\u{fdd1}", "\\ufdd1", "\\ufdd1");
    }

    #[test]
    fn json_stays_what_it_is() {
        let text = "\u{9b}\u{202e}\u{7f}\u{fdd0} \u{1b}";
        let json = serde_json::to_string(text).unwrap();
        let shown = lines(&json);
        assert!(!shown.contains(is_obeyed), "{shown}");
        assert_eq!(serde_json::from_str::<String>(&shown).unwrap(), text);
    }
}
