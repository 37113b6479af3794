//! Tells by its beginning what format a file is of.

use super::conversation::each_of;
use super::{Unreadable, markdown};
use domain::{MemoryFileWrong, MemoryFormat};
use serde_json::Value;
use std::io::{BufRead, Cursor, Read};
use std::ops::ControlFlow;

/// As much as tells a format, for all but a list of conversations.
const BEGINNING: u64 = 64 * 1024;

/// The format of a file of this name; `input` is read from its beginning.
pub fn detect(name: &str, mut input: impl BufRead) -> Result<MemoryFormat, Unreadable> {
    let mut head = Vec::new();
    Read::take(&mut input, BEGINNING)
        .read_to_end(&mut head)
        .map_err(|error| MemoryFileWrong::Fails { detail: error.to_string() })?;
    let bad = |wrong: MemoryFileWrong| Err(wrong.into());
    if head.starts_with(b"PK\x03\x04") || head.starts_with(&[0x1f, 0x8b]) {
        return bad(MemoryFileWrong::Packed);
    }
    if head.starts_with(&[0xff, 0xfe]) || head.starts_with(&[0xfe, 0xff]) {
        return bad(MemoryFileWrong::Utf16);
    }
    if head.contains(&0) {
        return bad(MemoryFileWrong::NoText);
    }
    let text = head.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&head).trim_ascii_start();
    let lower = text[..text.len().min(16)].to_ascii_lowercase();
    if lower.starts_with(b"<!doctype") || lower.starts_with(b"<html") {
        return bad(MemoryFileWrong::WebPage);
    }
    let is_list = text.strip_prefix(b"[").is_some_and(|rest| {
        let rest = rest.trim_ascii_start();
        rest.starts_with(b"{") || rest.starts_with(b"]")
    });
    if is_list || text.starts_with(b"{") {
        let mut first = None;
        // What is wrong with it is told by who reads it, with its line.
        let _ = each_of(Cursor::new(&head).chain(input), &mut |value| {
            first = Some(value);
            ControlFlow::Break(())
        });
        let has = |key: &str| first.as_ref().is_some_and(|first| first.get(key).is_some());
        return match &first {
            Some(_) if has("chat_metadata") || has("user_name") && has("character_name") => {
                bad(MemoryFileWrong::ChatOfCharacter)
            }
            Some(_) if has("mapping") => Ok(MemoryFormat::Chatgpt),
            Some(_) if has("chat_messages") => Ok(MemoryFormat::Claude),
            Some(Value::Object(_)) | None if !is_list => Ok(MemoryFormat::Jsonl),
            None if text
                .strip_prefix(b"[")
                .is_some_and(|rest| rest.trim_ascii().starts_with(b"]")) =>
            {
                bad(MemoryFileWrong::EmptyList)
            }
            // It ends, or is damaged, in the first conversation.
            None => Ok(by_words(&head)),
            Some(_) => bad(MemoryFileWrong::NoConversations),
        };
    }
    let name = name.to_ascii_lowercase();
    let is_ours = contains(&head, markdown::MARK.as_bytes());
    Ok(match name.rsplit_once('.').map(|(_, end)| end) {
        _ if is_ours => MemoryFormat::Markdown,
        Some("json" | "jsonl" | "ndjson") => MemoryFormat::Jsonl,
        Some(_) | None => MemoryFormat::MemoryMd,
    })
}

fn by_words(head: &[u8]) -> MemoryFormat {
    if contains(head, b"\"chat_messages\"") { MemoryFormat::Claude } else { MemoryFormat::Chatgpt }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}
