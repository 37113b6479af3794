//! JSON as models write it.
//!
//! Takes all valid JSON, and what small models make of it: trailing and missing
//! commas, single quotes, typographic quotes, names without quotes, comments,
//! Python's words, line breaks inside of text. Never guesses how something that
//! breaks off would have gone on. Takes time in proportion to the text, and
//! nests no deeper than [`DEEPEST`].

use serde_json::{Map, Number, Value};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The text ended in the middle of it.
    Off,
    Wrong,
}

const DEEPEST: usize = 48;

/// The value at the beginning of the text, and how many bytes it takes.
pub(crate) fn value(text: &str) -> Result<(Value, usize), Broken> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0)?;
    Ok((value, reader.at))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: usize) -> Result<Value, Broken> {
        if depth > DEEPEST {
            return Err(Broken::Wrong);
        }
        self.skip_blank();
        match self.peek() {
            None => Err(Broken::Off),
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some(quote) if closing(quote).is_some() => self.string().map(Value::String),
            Some(_) => self.word().map(word_as_value),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Broken> {
        self.take();
        let mut fields = Map::new();
        loop {
            self.skip_commas();
            match self.peek() {
                None => return Err(Broken::Off),
                Some('}') => {
                    self.take();
                    return Ok(Value::Object(fields));
                }
                Some(_) => {}
            }
            let name = match self.peek().and_then(closing) {
                Some(_) => self.string()?,
                None => self.word()?,
            };
            self.skip_blank();
            match self.peek() {
                Some(':' | '：' | '=') => self.take(),
                Some(_) => return Err(Broken::Wrong),
                None => return Err(Broken::Off),
            };
            let value = self.value(depth + 1)?;
            fields.insert(name, value);
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Broken> {
        self.take();
        let mut items = Vec::new();
        loop {
            self.skip_commas();
            match self.peek() {
                None => return Err(Broken::Off),
                Some(']') => {
                    self.take();
                    return Ok(Value::Array(items));
                }
                Some(_) => items.push(self.value(depth + 1)?),
            }
        }
    }

    fn string(&mut self) -> Result<String, Broken> {
        let end = self.take().and_then(closing).ok_or(Broken::Wrong)?;
        let mut text = String::new();
        loop {
            match self.take().ok_or(Broken::Off)? {
                '\\' => text.push_str(&self.escaped()?),
                c if c == end && (c != '\'' || self.apostrophe_ends_text()) => return Ok(text),
                c => text.push(c),
            }
        }
    }

    /// In `'it's done'` only the last one does: something that follows a text
    /// in JSON must follow it.
    fn apostrophe_ends_text(&self) -> bool {
        let rest = self.text[self.at..].trim_start();
        rest.is_empty() || rest.starts_with([',', ':', '}', ']', '，', '：'])
    }

    fn escaped(&mut self) -> Result<String, Broken> {
        let escaped = match self.take().ok_or(Broken::Off)? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => return self.code_point(),
            c => c,
        };
        Ok(escaped.to_string())
    }

    /// What follows `\u`: four digits, or two times four for a rare character.
    fn code_point(&mut self) -> Result<String, Broken> {
        let first = self.four_digits()?;
        let mut units = vec![first];
        if (0xD800..0xDC00).contains(&first) && self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            units.push(self.four_digits()?);
        }
        Ok(String::from_utf16_lossy(&units))
    }

    fn four_digits(&mut self) -> Result<u16, Broken> {
        let rest = &self.text[self.at..];
        if rest.len() < 4 {
            return Err(Broken::Off);
        }
        let digits = rest.get(..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
        self.at += 4;
        u16::from_str_radix(digits.ok_or(Broken::Wrong)?, 16).map_err(|_| Broken::Wrong)
    }

    fn word(&mut self) -> Result<String, Broken> {
        let rest = &self.text[self.at..];
        let fits = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '.' | '$' | '…');
        let length = rest.find(|c| !fits(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(Broken::Wrong);
        }
        self.at += length;
        // A word that the text ends with may be half of one.
        if self.at == self.text.len() { Err(Broken::Off) } else { Ok(rest[..length].to_owned()) }
    }

    fn skip_commas(&mut self) {
        self.skip_blank();
        while matches!(self.peek(), Some(',' | '，')) {
            self.take();
            self.skip_blank();
        }
    }

    fn skip_blank(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start().len();
            let comment = match &rest[blank..] {
                line if line.starts_with("//") => line.find('\n').unwrap_or(line.len()),
                block if block.starts_with("/*") => {
                    block.find("*/").map_or(block.len(), |end| end + 2)
                }
                _ => 0,
            };
            if blank + comment == 0 {
                return;
            }
            self.at += blank + comment;
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn take(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }
}

/// What ends a text that begins with this.
fn closing(quote: char) -> Option<char> {
    match quote {
        '"' | '\'' => Some(quote),
        '“' => Some('”'),
        '「' => Some('」'),
        _ => None,
    }
}

fn word_as_value(word: String) -> Value {
    match word.as_str() {
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        "null" | "None" | "nil" | "undefined" | "NULL" => Value::Null,
        number => match serde_json::from_str::<Number>(number) {
            Ok(number) => Value::Number(number),
            Err(_) => Value::String(word),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn what_models_write_is_read_as_they_meant_it() {
        let check = |text: &str, expected: Value| {
            assert_eq!(value(text).map(|(value, _)| value), Ok(expected), "{text}");
        };
        check(r#"{"a": [1, -2.5e3, true, null, "x\n\u5b57\ud83c\udf75"]}"#, {
            json!({"a": [1, -2.5e3, true, null, "x\n字🍵"]})
        });
        check(r#"{"a": 1, "b": [1, 2,],}"#, json!({"a": 1, "b": [1, 2]}));
        check(r#"{"a": 1 "b": 2}"#, json!({"a": 1, "b": 2}));
        check("{'a': 'it's Bo's', 'b': ''}", json!({"a": "it's Bo's", "b": ""}));
        check("{a: True, b: None, c-d: word}", json!({"a": true, "b": null, "c-d": "word"}));
        check("{“a”：“x”，“b”：[1，2]}", json!({"a": "x", "b": [1, 2]}));
        check("{ // why\n \"a\": 1, /* and */ \"b\": 2 }", json!({"a": 1, "b": 2}));
        check("{\"a\": \"two\nlines\"}", json!({"a": "two\nlines"}));
        check(r#"["C:\dir", "\q"]"#, json!(["C:dir", "q"]));
        check("{} and more", json!({}));
    }

    #[test]
    fn what_breaks_off_is_told_apart_from_what_is_wrong() {
        for text in
            ["", "{", "{\"a", "{\"a\"", "{\"a\":", "[1, 2", "{'a': 'it's", "[tru", "\"\\u00"]
        {
            assert_eq!(value(text), Err(Broken::Off), "{text}");
        }
        for text in ["{to begin}", "]", "{\"a\" \"b\"}", "[1 : 2]", "\"\\uzzzz\""] {
            assert_eq!(value(text), Err(Broken::Wrong), "{text}");
        }
        assert_eq!(value(&"[".repeat(100_000)), Err(Broken::Wrong));
    }

    proptest! {
        #[test]
        fn valid_json_is_read_as_everybody_reads_it(text in any_json(), tail in "[ a-z]{0,4}") {
            let expected: Value = serde_json::from_str(&text).expect("valid");
            prop_assert_eq!(value(&format!("{text}{tail}")), Ok((expected, text.len())));
        }
    }

    /// An array or object of anything.
    fn any_json() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".{0,6}".prop_map(Value::from),
        ];
        let values = leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                proptest::collection::hash_map(".{0,4}", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        });
        (values, any::<bool>()).prop_map(|(value, pretty)| {
            let value = json!([value]);
            if pretty { format!("{value:#}") } else { value.to_string() }
        })
    }
}
