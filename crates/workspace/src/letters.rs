//! When two names are the same to people.
//!
//! Pure. Capitals do not tell names apart, nor whether an accented letter is
//! one character or two (NFC and NFD).

use unicode_normalization::UnicodeNormalization;

/// The same for all names that people take for one.
pub(crate) fn of(name: &str) -> String {
    let composed: String = name.nfc().collect();
    composed.to_lowercase().nfc().collect()
}

/// Whether people take them for one name.
pub(crate) fn same(one: &str, other: &str) -> bool {
    of(one) == of(other)
}
