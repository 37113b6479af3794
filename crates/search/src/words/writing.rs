//! Which sort of script a text is written in: words apart, or words together.

use super::script::Script;

/// How much a text says in each. A character without spaces around it says about
/// as much as two letters. What every language spells alike, such as addresses,
/// file names and numbers, is nobody's script: a Chinese line with an e-mail
/// address in it is Chinese, however long the address.
#[derive(Debug, Clone, Copy)]
pub struct Writing {
    dense: usize,
    spaced: usize,
}

/// A sort of script that a text has less of than this part of it is that of
/// names among its words.
const GOOD_PART: usize = 4;

impl Writing {
    pub fn of(text: &str) -> Writing {
        let mut writing = Writing { dense: 0, spaced: 0 };
        for c in text.chars().filter(|c| !c.is_ascii()) {
            match Script::of(c) {
                Script::Dense => writing.dense += 2,
                Script::Spaced => writing.spaced += 1,
                Script::None => {}
            }
        }
        for piece in text.split(|c: char| !c.is_ascii_graphic()) {
            if !is_spelled_alike(piece) {
                writing.spaced += piece.bytes().filter(u8::is_ascii_alphabetic).count();
            }
        }
        writing
    }

    /// Whether most of it is in a script without spaces.
    pub fn is_dense(self) -> bool {
        self.dense > self.spaced
    }

    /// Whether a good part of it is in a script of that sort.
    pub fn has(self, dense: bool) -> bool {
        let part = if dense { self.dense } else { self.spaced };
        part * GOOD_PART >= self.dense + self.spaced
    }
}

/// Whether this is an address, a path, a number or a name in code.
fn is_spelled_alike(piece: &str) -> bool {
    let within = piece.trim_matches(|c: char| c.is_ascii_punctuation());
    within.contains(|c: char| c.is_ascii_digit() || "@/\\:._=".contains(c))
}
