//! JSON with its letters written plainly, as it comes.
//!
//! A letter may stand in JSON by its number, `\u0073` for `s`, and whoever reads the
//! JSON finds the letter. What looks for a key has to find it too, so it looks at
//! JSON in which everything stands as itself that can.

/// Rewrites what comes in pieces. What it means stays the same.
#[derive(Default)]
pub(super) struct Plainly {
    /// An escape whose end has not come.
    begun: String,
}

/// Of two letters by their numbers, as an emoji stands there.
const LONGEST: usize = 12;

impl Plainly {
    pub(super) fn push(&mut self, piece: &str) -> String {
        let mut all = std::mem::take(&mut self.begun);
        all.push_str(piece);
        let (mut plain, mut rest) = (String::with_capacity(all.len()), all.as_str());
        while let Some(at) = rest.find('\\') {
            plain.push_str(&rest[..at]);
            rest = &rest[at..];
            let Some((written, length)) = escape(rest) else {
                rest.clone_into(&mut self.begun);
                return plain;
            };
            plain.push_str(&written);
            rest = &rest[length..];
        }
        plain.push_str(rest);
        plain
    }

    /// The rest, which is no whole escape.
    pub(super) fn finish(&mut self) -> String {
        std::mem::take(&mut self.begun)
    }
}

/// How the escape that a text begins with is written plainly, and its length there.
/// `None` while its end has not come.
fn escape(text: &str) -> Option<(String, usize)> {
    let as_it_is = |length: usize| Some((text[..length].to_owned(), length));
    let escaped = text[1..].chars().next()?;
    match escaped {
        '/' => Some(("/".to_owned(), 2)),
        'u' => {
            let Unit::Whole(first) = unit(text) else { return unless_begun(unit(text), text, 2) };
            if !(0xd800..0xdc00).contains(&first) {
                return match char::from_u32(first.into()).filter(|letter| !letter.is_control()) {
                    Some(letter) => Some((written(letter), 6)),
                    None => as_it_is(6),
                };
            }
            let Unit::Whole(second) = unit(&text[6..]) else {
                return unless_begun(unit(&text[6..]), text, 6);
            };
            match char::decode_utf16([first, second]).next() {
                Some(Ok(letter)) => Some((letter.to_string(), LONGEST)),
                Some(Err(_)) | None => as_it_is(6),
            }
        }
        other => as_it_is(1 + other.len_utf8()),
    }
}

fn unless_begun(unit: Unit, text: &str, length: usize) -> Option<(String, usize)> {
    match unit {
        Unit::Begun => None,
        Unit::Whole(_) | Unit::Other => Some((text[..length].to_owned(), length)),
    }
}

/// Whether a text begins with a letter by its number.
#[derive(Clone, Copy)]
enum Unit {
    Whole(u16),
    /// It may, when more comes.
    Begun,
    Other,
}

fn unit(text: &str) -> Unit {
    let Some(number) = text.strip_prefix("\\u") else {
        return if "\\u".starts_with(text) { Unit::Begun } else { Unit::Other };
    };
    let digits = number.bytes().take(4).take_while(u8::is_ascii_hexdigit).count();
    match digits {
        4 => u16::from_str_radix(&number[..4], 16).map_or(Unit::Other, Unit::Whole),
        fewer if fewer == number.len() => Unit::Begun,
        _ => Unit::Other,
    }
}

fn written(letter: char) -> String {
    match letter {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        letter => letter.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(pieces: &[&str]) -> String {
        let mut plainly = Plainly::default();
        let mut all: String = pieces.iter().map(|piece| plainly.push(piece)).collect();
        all.push_str(&plainly.finish());
        all
    }

    #[test]
    fn letters_stand_as_themselves_and_nothing_changes_its_meaning() {
        for (json, expected) in [
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
            (r#""\u0073k\/x""#, r#""sk/x""#),
            (r#""\u0022\u005C\u00e9\u4E70""#, r#""\"\\é买""#),
            (r#""\ud83d\ude00 \uD83D\uDE00""#, r#""😀 😀""#),
            // Whoever escaped the backslash meant no letter.
            (r#""\\u0073 \\\u0073""#, r#""\\u0073 \\s""#),
            (r#""\u000a\n\u007f\t""#, r#""\u000a\n\u007f\t""#),
            // Half of two is nothing by itself.
            (r#""\ud83d x \ud83d\u0073 \ude00""#, r#""\ud83d x \ud83ds \ude00""#),
            (r#"\u00g1 \u12"#, r#"\u00g1 \u12"#),
            ("\\买", "\\买"),
            ("\\", "\\"),
        ] {
            assert_eq!(plain(&[json]), expected);
            let letters: Vec<String> = json.chars().map(String::from).collect();
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            assert_eq!(plain(&letters), expected, "letter by letter");
            let (Ok(was), Ok(is)) = (read(json), read(expected)) else { continue };
            assert_eq!(was, is);
        }
    }

    fn read(json: &str) -> serde_json::Result<String> {
        serde_json::from_str(json)
    }
}
