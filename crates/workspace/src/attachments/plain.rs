//! Texts that are not quite UTF-8: damaged in a few places, cut off inside a character, or
//! in an encoding from before Unicode.
//!
//! Pure. What was guessed, and what is damaged, stands at the beginning, where whoever reads
//! only that sees it too.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// So many characters beyond ASCII for each place that is none make a text UTF-8.
const FOR_EACH_DAMAGED: usize = 3;

/// `None` for what is no text.
pub(super) fn read(bytes: &[u8]) -> Option<String> {
    let is_of_text = |byte: &u8| !byte.is_ascii_control() || b"\t\n\x0c\r".contains(byte);
    if bytes.starts_with(b"%PDF-") || !bytes.iter().all(is_of_text) {
        return None;
    }
    damaged(bytes).or_else(|| older(bytes))
}

fn damaged(bytes: &[u8]) -> Option<String> {
    let (mut text, mut places, mut beyond_ascii) = (String::new(), 0, 0);
    for chunk in bytes.utf8_chunks() {
        beyond_ascii += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            places += 1;
            text.push(char::REPLACEMENT_CHARACTER);
        }
    }
    let is_utf8 = beyond_ascii >= FOR_EACH_DAMAGED * places;
    let said = match places {
        1 => "1 place is".to_owned(),
        places => format!("{places} places are"),
    };
    is_utf8.then(|| format!("[{said} damaged and marked with \u{fffd}]\n{text}"))
}

/// Such as GBK or Windows-1252. Which one is a guess, as browsers make it.
fn older(bytes: &[u8]) -> Option<String> {
    let read = |bytes: &[u8]| {
        let encoding = guessed(bytes);
        let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
        Some((encoding, text.into_owned()))
    };
    // A file may be cut off inside its last character.
    let but_one = bytes.split_last().filter(|(last, _)| !last.is_ascii()).map(|(_, rest)| rest);
    let cut = but_one.and_then(read).filter(|(encoding, _)| !encoding.is_single_byte());
    let whole = read(bytes).filter(|(encoding, _)| !encoding.is_single_byte() || cut.is_none());
    let (encoding, text) = whole.or(cut)?;
    Some(format!("[read as {}]\n{text}", encoding.name()))
}

fn guessed(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBK: &[u8] = b"\xb2\xe8\xcd\xeb\xa3\xac\xc7\xeb\xb0\xef\xce\xd2\xbf\xb4\xd2\xbb\xcf\xc2";

    fn check(bytes: &[u8], expected: Option<&str>) {
        assert_eq!(read(bytes).as_deref(), expected, "{bytes:?}");
    }

    #[test]
    fn a_text_from_before_unicode_is_read_and_says_as_what() {
        check(GBK, Some("[read as GBK]\n茶碗，请帮我看一下"));
        check(&GBK[..GBK.len() - 1], Some("[read as GBK]\n茶碗，请帮我看一"));
        let western = b"Ein St\xfcck K\xe4se, bitte";
        check(western, Some("[read as windows-1252]\nEin Stück Käse, bitte"));
        check(b"caf\xe9", Some("[read as windows-1252]\ncafé"));
    }

    #[test]
    fn a_text_that_is_damaged_in_few_places_stays_what_it_is() {
        let text = "今天下午三点开会，请带上报告。".as_bytes();
        let marked =
            "[1 place is damaged and marked with \u{fffd}]\n今天下午三点开会，请带上报告\u{fffd}";
        check(&text[..text.len() - 1], Some(marked));
        let log = [b"\xff ".as_slice(), "né “à Nice” déjà \u{1f33f}".as_bytes(), b"\xfe"].concat();
        let marked = "[2 places are damaged and marked with \u{fffd}]\n\u{fffd} né “à Nice” déjà \u{1f33f}\u{fffd}";
        check(&log, Some(marked));
    }

    #[test]
    fn what_no_text_has_in_it_is_none() {
        check(b"\x7fELF\x02\x01\x01\xff\xe9", None);
        check(b"%PDF-1.7\n\xe2\xe3\xcf", None);
    }
}
