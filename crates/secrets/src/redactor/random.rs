//! Tells what a machine drew from what somebody named.
//!
//! Both are letters, digits and dashes, and behind `hf_` stands a token in one
//! file and the name of a function in the next. In a name the letters make words:
//! capitals begin them, digits come together at an end. What was drawn changes
//! between capitals, small letters and digits all the time.

/// A shorter part says nothing: `v2`, `x86`.
const LEAST_PART: usize = 4;
/// So much of a key was drawn, whatever stands between.
const LEAST_DRAWN: usize = 14;
/// So much is a key without any digit too: Hugging Face gives out such ones.
const LEAST_OF_LETTERS: usize = 28;
/// No word is so long and has so many digits, in whatever order they are.
const LONG_PART: usize = 16;
const MANY_DIGITS: usize = 4;

/// Whether enough of what stands behind the beginning of a key was drawn.
pub(super) fn is_key(body: &[u8]) -> bool {
    let parts = body.split(|byte| !byte.is_ascii_alphanumeric());
    let drawn: usize = parts.filter(|part| is_drawn(part)).map(<[u8]>::len).sum();
    let has_digit = body.iter().any(u8::is_ascii_digit);
    drawn >= if has_digit { LEAST_DRAWN } else { LEAST_OF_LETTERS }
}

/// Whether a part without a break changes too often for words.
fn is_drawn(part: &[u8]) -> bool {
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    if part.len() < LEAST_PART || digits == part.len() {
        return false;
    }
    if part.len() >= LONG_PART && digits >= MANY_DIGITS {
        return true;
    }
    changes(part) * 4 > part.len()
}

/// How often all its parts without a break change.
pub(super) fn changes_in_parts(body: &[u8]) -> usize {
    body.split(|byte| !byte.is_ascii_alphanumeric()).map(changes).sum()
}

/// Between letters and digits, and to a capital.
fn changes(part: &[u8]) -> usize {
    // Capitals alone are the name of a constant, and say no more than small letters.
    let is_mixed = part.iter().any(u8::is_ascii_lowercase);
    let changes = part.windows(2).filter(|two| {
        let [one, next] = [two[0], two[1]];
        one.is_ascii_digit() != next.is_ascii_digit()
            || (is_mixed && one.is_ascii_alphabetic() && next.is_ascii_uppercase())
    });
    changes.count()
}
