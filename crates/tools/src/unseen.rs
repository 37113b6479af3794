//! Characters that nobody sees and every model reads.
//!
//! Tags repeat the letters of ASCII without showing them, and an override shows letters in
//! another order than the one in which they stand. A text that holds them says one thing to
//! the person and another to the model, and hardly any text means anything else by them.

/// The text with each of them as what it is: `\u202e`, `\u{e0041}`.
pub(crate) fn written_out(text: String) -> String {
    if !text.contains(is_unseen) {
        return text;
    }
    let mut written = String::with_capacity(text.len());
    for c in text.chars() {
        match (is_unseen(c), u32::from(c)) {
            (false, _) => written.push(c),
            (true, code @ ..=0xffff) => written += &format!("\\u{code:04x}"),
            (true, code) => written += &format!("\\u{{{code:x}}}"),
        }
    }
    written
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{202d}' | '\u{202e}' | '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_words_is_written_out_and_what_scripts_need_stays() {
        let check = |text: &str, expected: &str| {
            assert_eq!(written_out(text.to_owned()), expected);
        };
        check("tea\u{e0049}\u{e007f}", "tea\\u{e0049}\\u{e007f}");
        check("a\u{202e}gpj.exe", "a\\u202egpj.exe");
        // Joined emoji, and marks and isolates of scripts that run from right to left.
        for text in ["", "tea 茶", "👨\u{200d}👩\u{fe0f}", "שלום\u{200f} \u{2067}abc\u{2069}"]
        {
            check(text, text);
        }
    }
}
