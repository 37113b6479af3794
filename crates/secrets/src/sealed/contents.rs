//! What is sealed, as bytes: a count, then each slot and value with its length.
//!
//! Not JSON, because its buffers would keep copies of values that nobody wipes.

use super::Contents;
use crate::Secret;
use zeroize::Zeroizing;

pub(super) fn write(contents: &Contents) -> Zeroizing<Vec<u8>> {
    let length = |(slot, value): (&String, &Secret)| 8 + slot.len() + value.expose().len();
    // As long as it will be: growing would leave copies behind.
    let mut bytes = Vec::with_capacity(4 + contents.iter().map(length).sum::<usize>());
    put_length(&mut bytes, contents.len());
    for (slot, value) in contents {
        for text in [slot.as_str(), value.expose()] {
            put_length(&mut bytes, text.len());
            bytes.extend_from_slice(text.as_bytes());
        }
    }
    Zeroizing::new(bytes)
}

pub(super) fn read(mut bytes: &[u8]) -> Option<Contents> {
    let rest = &mut bytes;
    let mut contents = Contents::new();
    for _ in 0..take_length(rest)? {
        let slot = take_text(rest)?.to_owned();
        contents.insert(slot, Secret::from(take_text(rest)?));
    }
    rest.is_empty().then_some(contents)
}

fn put_length(bytes: &mut Vec<u8>, length: usize) {
    let length = u32::try_from(length).expect("a vault takes no value of that size");
    bytes.extend_from_slice(&length.to_le_bytes());
}

fn take_length(rest: &mut &[u8]) -> Option<usize> {
    let (length, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(u32::from_le_bytes(*length) as usize)
}

fn take_text<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let length = take_length(rest)?;
    let (text, after) = rest.split_at_checked(length)?;
    *rest = after;
    std::str::from_utf8(text).ok()
}
