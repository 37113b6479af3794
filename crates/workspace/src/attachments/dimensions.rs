//! How wide and high a picture is, by its header alone.
//!
//! Pure. What has no readable size is no picture that a model could read,
//! whatever its first bytes say.

use domain::AttachmentKind;

/// Width and height; none for what is cut off, empty or no picture.
pub(super) fn dimensions(kind: AttachmentKind, bytes: &[u8]) -> Option<(u32, u32)> {
    let (width, height) = match kind {
        AttachmentKind::Png => png(bytes),
        AttachmentKind::Jpeg => jpeg(bytes),
        AttachmentKind::Gif => Some((le(bytes, 6, 2)?, le(bytes, 8, 2)?)),
        AttachmentKind::Webp => webp(bytes),
        AttachmentKind::Text => None,
    }?;
    (width > 0 && height > 0).then_some((width, height))
}

fn png(bytes: &[u8]) -> Option<(u32, u32)> {
    let is_header = bytes.get(12..16)? == b"IHDR";
    is_header.then_some((be(bytes, 16, 4)?, be(bytes, 20, 4)?))
}

/// Goes from segment to segment up to the one that begins the frame.
fn jpeg(bytes: &[u8]) -> Option<(u32, u32)> {
    let mut at = 2;
    loop {
        if *bytes.get(at)? != 0xff {
            return None;
        }
        match *bytes.get(at + 1)? {
            // Fills up the space before a marker.
            0xff => at += 1,
            // Markers without a segment.
            0x01 | 0xd0..=0xd8 => at += 2,
            0xc4 | 0xc8 | 0xcc => at += 2 + be(bytes, at + 2, 2)? as usize,
            0xc0..=0xcf => return Some((be(bytes, at + 7, 2)?, be(bytes, at + 5, 2)?)),
            // The end, or the picture itself, without a frame before it.
            0xd9 | 0xda => return None,
            _ => at += 2 + be(bytes, at + 2, 2)? as usize,
        }
    }
}

fn webp(bytes: &[u8]) -> Option<(u32, u32)> {
    match bytes.get(12..16)? {
        b"VP8 " => {
            let is_frame = bytes.get(23..26)? == b"\x9d\x01\x2a";
            is_frame.then_some((le(bytes, 26, 2)? & 0x3fff, le(bytes, 28, 2)? & 0x3fff))
        }
        b"VP8L" => {
            let (is_frame, bits) = (*bytes.get(20)? == 0x2f, le(bytes, 21, 4)?);
            is_frame.then_some(((bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1))
        }
        b"VP8X" => Some((le(bytes, 24, 3)? + 1, le(bytes, 27, 3)? + 1)),
        _ => None,
    }
}

fn be(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

fn le(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let number = bytes.get(at..at + length)?;
    Some(number.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\x02\0\0\0\x03";
    const JPEG: &[u8] =
        b"\xff\xd8\xff\xe0\0\x04JF\xff\xff\xc4\0\x03x\xff\xc2\0\x11\x08\0\x03\x01\x02";
    const GIF: &[u8] = b"GIF89a\x02\x01\x03\0";
    const LOSSY: &[u8] = b"RIFF\x01\0\0\0WEBPVP8 \x01\0\0\0\0\0\0\x9d\x01\x2a\x02\x01\x03\0";
    const LOSSLESS: &[u8] = b"RIFF\x01\0\0\0WEBPVP8L\x01\0\0\0\x2f\x01\x81\0\0";
    const EXTENDED: &[u8] = b"RIFF\x01\0\0\0WEBPVP8X\x01\0\0\0\0\0\0\0\x01\x01\0\x02\0\0";

    const ALL: [(AttachmentKind, &[u8]); 6] = [
        (AttachmentKind::Png, PNG),
        (AttachmentKind::Jpeg, JPEG),
        (AttachmentKind::Gif, GIF),
        (AttachmentKind::Webp, LOSSY),
        (AttachmentKind::Webp, LOSSLESS),
        (AttachmentKind::Webp, EXTENDED),
    ];

    #[test]
    fn a_header_says_how_large_a_picture_is_and_one_that_is_cut_off_says_nothing() {
        for (kind, header) in ALL {
            assert_eq!(dimensions(kind, header), Some((258, 3)), "{kind:?} {header:?}");
            for end in 0..header.len() {
                assert_eq!(dimensions(kind, &header[..end]), None, "{kind:?} up to {end}");
            }
        }
    }

    #[test]
    fn a_picture_without_an_area_is_none() {
        let mut png = PNG.to_vec();
        png[23] = 0;
        assert_eq!(dimensions(AttachmentKind::Png, &png), None);
        assert_eq!(dimensions(AttachmentKind::Gif, b"GIF89a\0\0\x03\0"), None);
        assert_eq!(dimensions(AttachmentKind::Jpeg, b"\xff\xd8\xff\xd9"), None);
    }

    proptest! {
        #[test]
        fn any_bytes_are_measured_without_a_panic(
            which in 0..ALL.len(), rest in proptest::collection::vec(any::<u8>(), 0..64)
        ) {
            let (kind, header) = ALL[which];
            let start = header.len().min(16);
            dimensions(kind, &[&header[..start], &rest].concat());
        }
    }
}
