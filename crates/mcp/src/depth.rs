//! How deep the parts of JSON lie in each other, counted as it comes.
//!
//! What lies too deep the SDK cannot read, and passes over without a word.

/// More is read of nothing: where the reader of JSON gives up.
const MOST: usize = 127;

#[derive(Debug, Default)]
pub(crate) struct Depth {
    now: usize,
    deepest: usize,
    in_text: bool,
    /// Behind a `\`.
    is_escaped: bool,
}

impl Depth {
    pub(crate) fn of(text: &str) -> Self {
        let mut depth = Depth::default();
        depth.add(text.as_bytes());
        depth
    }

    /// The next of it, cut anywhere.
    pub(crate) fn add(&mut self, piece: &[u8]) {
        for byte in piece {
            match (byte, self.in_text) {
                (_, true) if self.is_escaped => self.is_escaped = false,
                (b'\\', true) => self.is_escaped = true,
                (b'"', _) => self.in_text = !self.in_text,
                (b'[' | b'{', false) => {
                    self.now += 1;
                    self.deepest = self.deepest.max(self.now);
                }
                (b']' | b'}', false) => self.now = self.now.saturating_sub(1),
                _ => {}
            }
        }
    }

    pub(crate) fn is_too_deep(&self) -> bool {
        self.deepest > MOST
    }
}

pub(crate) fn too_deep() -> String {
    format!(
        "the parts of its answer lie deeper in each other than {MOST} levels, which is the most that is read"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_each_other_is_deep() {
        let check = |text: &str, expected: usize| {
            assert_eq!(Depth::of(text).deepest, expected, "{text}");
            let mut in_pieces = Depth::default();
            text.bytes().for_each(|byte| in_pieces.add(&[byte]));
            assert_eq!(in_pieces.deepest, expected, "{text}");
        };
        check("1", 0);
        check(r#"{"a":[1,[2]],"b":[3]}"#, 3);
        check(r#"["[[[", "\"[[", "\\", []]"#, 2);
        check(&"[]".repeat(1_000), 1);
        assert!(!Depth::of(&format!("{}{}", "[".repeat(MOST), "]".repeat(MOST))).is_too_deep());
        assert!(Depth::of(&"[".repeat(MOST + 1)).is_too_deep());
    }
}
