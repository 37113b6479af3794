//! A large value in several entries: cut between characters, each piece marked
//! with its number and with what the whole is.

use crate::Secret;
use zeroize::Zeroizing;

/// Credential Manager takes 2,560 bytes of UTF-16; the mark takes its part of them.
const MOST_UNITS: usize = 1_200;

const NOT_ONE: &str = "its pieces do not belong together";

pub(super) fn count(value: &Secret) -> u32 {
    u32::try_from(cuts(value.expose()).len()).unwrap_or(u32::MAX)
}

/// One piece is the value as it is, so that a person can find it there.
pub(super) fn cut(value: &Secret) -> Vec<Zeroizing<String>> {
    let cuts = cuts(value.expose());
    if let [whole] = cuts[..] {
        return vec![Zeroizing::new(whole.to_owned())];
    }
    let digest = digest(value.expose());
    let mark = |n: usize| format!("{}/{} {digest}:", n + 1, cuts.len());
    let marked = |(n, piece)| Zeroizing::new([mark(n).as_str(), piece].concat());
    cuts.iter().copied().enumerate().map(marked).collect()
}

/// The value again; fails when a piece is another's.
pub(super) fn join(pieces: Vec<Zeroizing<String>>) -> Result<Secret, &'static str> {
    if let [whole] = &pieces[..] {
        return Ok(Secret::from(whole.as_str()));
    }
    let length = pieces.iter().map(|piece| piece.len()).sum();
    // Long enough from the start: growing would leave copies behind.
    let mut value = String::with_capacity(length);
    let mut digests = Vec::new();
    for (n, piece) in pieces.iter().enumerate() {
        let (mark, part) = piece.split_once(':').ok_or(NOT_ONE)?;
        let (place, digest) = mark.split_once(' ').ok_or(NOT_ONE)?;
        if place != format!("{}/{}", n + 1, pieces.len()) {
            return Err(NOT_ONE);
        }
        digests.push(digest.to_owned());
        value.push_str(part);
    }
    let value = Secret::new(value);
    let whole = digest(value.expose());
    if digests.iter().any(|digest| *digest != whole) {
        return Err(NOT_ONE);
    }
    Ok(value)
}

fn cuts(text: &str) -> Vec<&str> {
    let (mut cuts, mut start, mut units) = (Vec::new(), 0, 0);
    for (at, character) in text.char_indices() {
        if units + character.len_utf16() > MOST_UNITS {
            cuts.push(&text[start..at]);
            (start, units) = (at, 0);
        }
        units += character.len_utf16();
    }
    cuts.push(&text[start..]);
    cuts
}

fn digest(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What Credential Manager counts.
    fn bytes_in_utf16(text: &str) -> usize {
        text.encode_utf16().count() * 2
    }

    proptest! {
        #[test]
        fn what_is_cut_joins_again_and_every_piece_fits(text in "(\\PC|[a-z0-9]|😀){0,4000}") {
            let value = Secret::new(text);
            let pieces = cut(&value);
            prop_assert_eq!(pieces.len(), count(&value) as usize);
            prop_assert!(pieces.iter().all(|piece| bytes_in_utf16(piece) <= 2_560));
            prop_assert!(join(pieces).unwrap() == value);
        }

        #[test]
        fn a_piece_of_another_value_is_noticed(
            one in "[a-z]{2500,3600}",
            other in "[a-z]{2500,3600}",
            at in 0usize..3,
        ) {
            prop_assume!(one != other);
            let (mut pieces, mut others) = (cut(&Secret::new(one)), cut(&Secret::new(other)));
            pieces[at] = others.remove(at);
            prop_assert!(join(pieces).is_err());
        }
    }

    #[test]
    fn pieces_in_another_order_are_noticed() {
        let mut pieces = cut(&Secret::new("a".repeat(2_400)));
        pieces.swap(0, 1);
        assert_eq!(join(pieces).unwrap_err(), NOT_ONE);
    }

    #[test]
    fn what_fits_is_kept_as_it_is() {
        let value = "k".repeat(MOST_UNITS);
        assert_eq!(cut(&Secret::from(value.as_str())), [Zeroizing::new(value)]);
    }
}
