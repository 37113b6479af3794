//! What a file is, by its bytes alone, and what it is called.
//!
//! Pure.

use super::plain;
use domain::AttachmentKind;

const NAME_CHARACTERS: usize = 100;
const NAMELESS: &str = "file";

/// The kind of the bytes, with a text in UTF-8 whatever it came in; none for
/// what is neither a picture that models take nor a text.
pub(super) fn sorted(bytes: Vec<u8>) -> Option<(AttachmentKind, Vec<u8>)> {
    if let Some(picture) = picture(&bytes) {
        return Some((picture, bytes));
    }
    let text = text(bytes)?;
    Some((AttachmentKind::Text, text.into_bytes()))
}

/// By its first bytes.
pub(super) fn picture(bytes: &[u8]) -> Option<AttachmentKind> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(AttachmentKind::Png),
        [0xff, 0xd8, 0xff, ..] => Some(AttachmentKind::Jpeg),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some(AttachmentKind::Gif),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => {
            Some(AttachmentKind::Webp)
        }
        _ => None,
    }
}

fn text(bytes: Vec<u8>) -> Option<String> {
    let units = |bytes: &[u8], unit: fn([u8; 2]) -> u16| -> Vec<u16> {
        bytes.as_chunks::<2>().0.iter().map(|pair| unit(*pair)).collect()
    };
    let text = match &*bytes {
        [0xff, 0xfe, rest @ ..] => String::from_utf16(&units(rest, u16::from_le_bytes)).ok()?,
        [0xfe, 0xff, rest @ ..] => String::from_utf16(&units(rest, u16::from_be_bytes)).ok()?,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8(rest.to_vec()).ok()?,
        _ => match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(other) => plain::read(other.as_bytes())?,
        },
    };
    (!text.contains('\0')).then_some(text)
}

/// A name on one line, without folders and without what could be taken for
/// something else than a name.
pub(super) fn plain_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    let shown = last.chars().filter(|c| !is_hidden(*c)).map(|c| match c {
        '[' => '(',
        ']' => ')',
        c => c,
    });
    let shown: String = shown.collect();
    let name = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    if name.is_empty() {
        return NAMELESS.to_owned();
    }
    let characters = name.chars().count();
    if characters <= NAME_CHARACTERS {
        return name;
    }
    // Its end says what sort of file it is.
    let start: String = name.chars().take(NAME_CHARACTERS - 21).collect();
    let end: String = name.chars().skip(characters - 20).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_file_is_what_its_bytes_say() {
        let check = |bytes: &[u8], expected: Option<(AttachmentKind, &[u8])>| {
            let expected = expected.map(|(kind, bytes)| (kind, bytes.to_vec()));
            assert_eq!(sorted(bytes.to_vec()), expected, "{bytes:?}");
        };
        let png = b"\x89PNG\r\n\x1a\n\0\0";
        check(png, Some((AttachmentKind::Png, png)));
        let jpeg = b"\xff\xd8\xff\xe0\0\x10JFIF";
        check(jpeg, Some((AttachmentKind::Jpeg, jpeg)));
        check(b"GIF89a..", Some((AttachmentKind::Gif, b"GIF89a..")));
        let webp = b"RIFF\x01\0\0\0WEBPVP8 ";
        check(webp, Some((AttachmentKind::Webp, webp)));
        check("茶".as_bytes(), Some((AttachmentKind::Text, "茶".as_bytes())));
        check(b"\xef\xbb\xbfa", Some((AttachmentKind::Text, b"a")));
        check(b"\xff\xfe\x36\x83", Some((AttachmentKind::Text, "茶".as_bytes())));
        check(b"\xfe\xff\x83\x36", Some((AttachmentKind::Text, "茶".as_bytes())));
        check(b"\x7fELF\x02\x01\x01\xff\xe9", None);
        check(b"%PDF-1.7\n\xe2\xe3\xcf", None);
        check(b"PK\x03\x04\0\0", None);
        check(b"BM\0\0", None);
        check(b"RIFF\x01\0\0\0WAVE", None);
    }

    #[test]
    fn a_name_is_plain() {
        let check = |name: &str, expected: &str| assert_eq!(plain_name(name), expected, "{name:?}");
        check("cat.png", "cat.png");
        check("/pictures/图片/猫 1.png", "猫 1.png");
        check("C:\\Users\\lin\\cat.png", "cat.png");
        check("a\nb]\u{202e}gnp.exe", "ab)gnp.exe");
        check("", "file");
        check("/", "file");
        let long = format!("{}.tar.gz", "x".repeat(300));
        assert!(plain_name(&long).ends_with(".tar.gz"));
        assert_eq!(plain_name(&long).chars().count(), NAME_CHARACTERS);
    }

    proptest! {
        #[test]
        fn any_bytes_and_any_name_are_sorted_without_a_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..64), name in "\\PC{0,200}"
        ) {
            if let Some((AttachmentKind::Text, text)) = sorted(bytes) {
                prop_assert!(String::from_utf8(text).is_ok());
            }
            let name = plain_name(&name);
            prop_assert!((1..=NAME_CHARACTERS).contains(&name.chars().count()));
            prop_assert_eq!(plain_name(&name), name);
        }
    }
}
