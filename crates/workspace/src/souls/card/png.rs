//! The text in a PNG that is a character card. The picture itself is not looked at.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// The newer form of a card comes first.
const KEYWORDS: [&[u8]; 2] = [b"ccv3", b"chara"];

/// `None` where it is no PNG at all; else the card, or what is wrong.
pub(super) fn card_in(bytes: &[u8]) -> Option<Result<Value, String>> {
    let rest = bytes.strip_prefix(SIGNATURE)?;
    Some(texts(rest).and_then(|texts| {
        let found = KEYWORDS.iter().find_map(|keyword| {
            texts.iter().find(|(name, _)| name == keyword).map(|(_, text)| *text)
        });
        card(found.ok_or("the picture has no card in it")?)
    }))
}

/// A keyword and its text, as their bytes stand there.
type Text<'a> = (&'a [u8], &'a [u8]);

fn texts(mut rest: &[u8]) -> Result<Vec<Text<'_>>, String> {
    let mut texts = Vec::new();
    while let Some((head, behind)) = rest.split_first_chunk::<8>() {
        let [a, b, c, d, kind @ ..] = *head;
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some((data, behind)) = behind.split_at_checked(length) else {
            return Err("the picture is cut off".to_owned());
        };
        if &kind == b"tEXt"
            && let Some(end) = data.iter().position(|byte| *byte == 0)
        {
            texts.push((&data[..end], &data[end + 1..]));
        }
        if &kind == b"IEND" {
            return Ok(texts);
        }
        // Behind the data stands a checksum; whether the text is whole, its JSON tells.
        rest = behind.get(4..).ok_or("the picture is cut off")?;
    }
    Err("the picture is cut off".to_owned())
}

fn card(base64: &[u8]) -> Result<Value, String> {
    if base64.len() > super::MOST_TEXT.div_ceil(3) * 4 {
        return Err("its text is too long".to_owned());
    }
    let json = BASE64_STANDARD
        .decode(base64.trim_ascii())
        .map_err(|error| format!("its text is damaged ({error})"))?;
    serde_json::from_slice(&json).map_err(|error| format!("its JSON is damaged: {error}"))
}
