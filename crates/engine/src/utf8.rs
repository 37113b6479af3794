//! Puts characters back together that the model wrote in several tokens.

/// Bytes in, whole characters out.
#[derive(Default)]
pub(crate) struct Utf8 {
    /// The beginning of a character whose end has not come yet: 3 bytes at most.
    begun: Vec<u8>,
}

impl Utf8 {
    /// The characters that are whole now. A byte that can belong to no
    /// character becomes U+FFFD.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> String {
        self.begun.extend_from_slice(bytes);
        let mut text = String::new();
        let mut rest = self.begun.as_slice();
        let begun = loop {
            match std::str::from_utf8(rest) {
                Ok(valid) => {
                    text.push_str(valid);
                    break Vec::new();
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    text.push_str(std::str::from_utf8(valid).expect("checked by the line above"));
                    match error.error_len() {
                        None => break after.to_vec(),
                        Some(bad) => {
                            text.push(char::REPLACEMENT_CHARACTER);
                            rest = &after[bad..];
                        }
                    }
                }
            }
        };
        self.begun = begun;
        text
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_split_character_waits_for_its_end() {
        let mut utf8 = Utf8::default();
        let [a, b, c, d] = *"🦀".as_bytes() else { panic!("four bytes") };
        assert_eq!(utf8.push(&[b'a', a]), "a");
        assert_eq!(utf8.push(&[b, c]), "");
        assert_eq!(utf8.push(&[d, b'b']), "🦀b");
    }

    #[test]
    fn a_byte_of_no_character_is_replaced_and_does_not_stick() {
        let mut utf8 = Utf8::default();
        assert_eq!(utf8.push(b"a\xffb\xe2"), "a\u{fffd}b");
        assert_eq!(utf8.push(b"c"), "\u{fffd}c");
    }

    proptest! {
        #[test]
        fn any_cut_of_a_text_gives_the_text(text: String, cuts in proptest::collection::vec(1_usize..5, 0..60)) {
            let mut utf8 = Utf8::default();
            let mut out = String::new();
            let mut rest = text.as_bytes();
            for cut in cuts {
                let (piece, after) = rest.split_at(cut.min(rest.len()));
                out.push_str(&utf8.push(piece));
                rest = after;
            }
            out.push_str(&utf8.push(rest));
            prop_assert_eq!(out, text);
        }

        #[test]
        fn any_bytes_give_what_the_standard_library_gives(bytes: Vec<u8>, cut: proptest::sample::Index) {
            let (a, b) = bytes.split_at(cut.index(bytes.len() + 1));
            let mut utf8 = Utf8::default();
            let text = utf8.push(a) + &utf8.push(b);
            let whole = String::from_utf8_lossy(&bytes);
            prop_assert!(whole.starts_with(&text));
        }
    }
}
