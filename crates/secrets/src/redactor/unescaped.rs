//! A text with what is escaped in it written plainly, as JSON, HTML, addresses and
//! programs escape it, and the way back to where it stood.
//!
//! Which letters a writer escapes, and in which of the ways, cannot be told beforehand:
//! Go writes `\u0026` for `&`, a page `&amp;` or `&#x26;`, an address `%26`.

use std::ops::Range;

pub(super) struct Unescaped {
    pub(super) text: Vec<u8>,
    /// Behind each escape: where that is here, and where it was.
    behind: Vec<(usize, usize)>,
}

impl Unescaped {
    /// `None` where nothing is escaped.
    pub(super) fn of(text: &[u8]) -> Option<Self> {
        let mut plain = Unescaped { text: Vec::new(), behind: Vec::new() };
        let mut done = 0;
        let mut at = 0;
        while let Some(next) = text[at..].iter().position(|byte| b"\\&%".contains(byte)) {
            at += next;
            let Some((letter, length)) = escape(&text[at..]) else {
                at += 1;
                continue;
            };
            plain.text.extend_from_slice(&text[done..at]);
            plain.text.extend_from_slice(letter.bytes());
            at += length;
            done = at;
            plain.behind.push((plain.text.len(), at));
        }
        if plain.behind.is_empty() {
            return None;
        }
        plain.text.extend_from_slice(&text[done..]);
        Some(plain)
    }

    /// Where a part of it stood.
    pub(super) fn stood(&self, part: &Range<usize>) -> Range<usize> {
        let stood = |at: usize| {
            let before = self.behind.partition_point(|(here, _)| *here <= at);
            let (here, was) = before.checked_sub(1).map_or((0, 0), |last| self.behind[last]);
            was + (at - here)
        };
        stood(part.start)..stood(part.end)
    }
}

/// What one escape stands for.
enum Letter {
    Char([u8; 4], usize),
    Byte([u8; 1]),
}

impl Letter {
    fn char(letter: char) -> Self {
        let mut bytes = [0; 4];
        let length = letter.encode_utf8(&mut bytes).len();
        Letter::Char(bytes, length)
    }

    fn bytes(&self) -> &[u8] {
        match self {
            Letter::Char(bytes, length) => &bytes[..*length],
            Letter::Byte(byte) => byte,
        }
    }
}

/// The escape that a text begins with, and its length there.
fn escape(text: &[u8]) -> Option<(Letter, usize)> {
    match text {
        [b'\\', sign @ (b'/' | b'\\' | b'"' | b'\''), ..] => Some((Letter::Byte([*sign]), 2)),
        [b'\\', b'u', ..] => by_unit(text),
        [b'\\', b'x', ..] => Some((Letter::Byte([byte(text.get(2..4)?)?]), 4)),
        [b'%', ..] => Some((Letter::Byte([byte(text.get(1..3)?)?]), 3)),
        [b'&', ..] => entity(text),
        _ => None,
    }
}

/// `\u0026`, and two of them for a letter that needs it.
fn by_unit(text: &[u8]) -> Option<(Letter, usize)> {
    let unit = |at: usize| {
        let unit = text.get(at..at + 6)?.strip_prefix(b"\\u")?;
        u16::try_from(number(unit, 16)?).ok()
    };
    let first = unit(0)?;
    if let Some(letter) = char::from_u32(first.into()) {
        return Some((Letter::char(letter), 6));
    }
    let letter = char::decode_utf16([first, unit(6)?]).next()?.ok()?;
    Some((Letter::char(letter), 12))
}

fn entity(text: &[u8]) -> Option<(Letter, usize)> {
    const LONGEST: usize = 10;
    let end = text.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let letter = match &text[1..end] {
        b"amp" => '&',
        b"lt" => '<',
        b"gt" => '>',
        b"quot" => '"',
        b"apos" => '\'',
        [b'#', b'x' | b'X', digits @ ..] => char::from_u32(number(digits, 16)?)?,
        [b'#', digits @ ..] => char::from_u32(number(digits, 10)?)?,
        _ => return None,
    };
    Some((Letter::char(letter), end + 1))
}

fn byte(digits: &[u8]) -> Option<u8> {
    number(digits, 16).and_then(|number| u8::try_from(number).ok())
}

/// Of digits alone: no sign before them.
fn number(digits: &[u8], base: u32) -> Option<u32> {
    let text = std::str::from_utf8(digits).ok()?;
    let are_digits = text.chars().all(|digit| digit.is_digit(base));
    are_digits.then(|| u32::from_str_radix(text, base).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_escape_is_undone_and_leads_back() {
        for (escaped, plain) in [
            (r"a\u0026b", "a&b"),
            (r"\ud83d\ude00!", "😀!"),
            (r#"\/\"\\\'\x41"#, r#"/"\'A"#),
            ("&amp;&lt;&gt;&quot;&apos;&#38;&#x26;&#X4E70;", "&<>\"'&&买"),
            ("%e4%B9%b0", "买"),
        ] {
            let unescaped = Unescaped::of(escaped.as_bytes()).expect("something is escaped");
            assert_eq!(String::from_utf8_lossy(&unescaped.text), plain, "{escaped}");
            assert_eq!(unescaped.stood(&(0..unescaped.text.len())), 0..escaped.len());
        }
        let unescaped = Unescaped::of(b"ab &amp; c %26").expect("something is escaped");
        assert_eq!(unescaped.text, b"ab & c &");
        assert_eq!(unescaped.stood(&(0..2)), 0..2);
        assert_eq!(unescaped.stood(&(3..4)), 3..8);
        assert_eq!(unescaped.stood(&(5..8)), 9..14);
    }

    #[test]
    fn what_is_no_escape_stays() {
        for text in [
            "",
            "plain",
            r"\",
            r"\n \u00g1 \u12",
            r"\ud83d x",
            "&",
            "& b;",
            "&copy;",
            "100 %",
            "%+1",
            "&#;",
        ] {
            assert!(Unescaped::of(text.as_bytes()).is_none(), "{text}");
        }
    }
}
