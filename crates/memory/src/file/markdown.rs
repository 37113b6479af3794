//! Memories as a list to be read and edited. What the words do not say stands in
//! a comment under each; an item without one is a new memory.

use super::jsonl::{self, Line};
use super::lines::Lines;
use super::{Each, Entry, Found, Unreadable, line_at};
use domain::{Memory, MemoryKind, MemoryScope, NewMemory};
use serde_json::Value;
use std::io::BufRead;
use std::ops::ControlFlow;

pub(super) const HEAD: &str = "# Memories\n\nExported by Coterie; `coterie memory import` reads it \
                               again. Words may be edited and items added.\n\n";
/// Begins the comment under an item, and is how such a file is known.
pub(super) const MARK: &str = "<!-- coterie {";
const BEGIN: &str = "<!-- coterie ";
const END: &str = " -->";

pub(super) fn item(memory: &Memory) -> serde_json::Result<String> {
    let mut about = serde_json::to_value(memory)?;
    let text = &memory.text;
    let is_plain = !text.is_empty() && text.trim() == text && !text.contains('\r');
    if let (true, Value::Object(about)) = (is_plain, &mut about) {
        about.remove("text");
        about.insert("words".to_owned(), Value::String(mark_of(text)));
    }
    let shown = if text.is_empty() { "(forgotten)" } else { text };
    let lines: Vec<String> = shown.trim().split('\n').map(escaped).collect();
    let words = lines.join("\n  ");
    // Only strings hold a bracket, and it would end the comment.
    let about = serde_json::to_string(&about)?.replace('>', "\\u003e");
    Ok(format!("- {words}\n  {BEGIN}{about}{END}\n"))
}

/// By which it is known whether somebody has edited them.
fn mark_of(words: &str) -> String {
    blake3::hash(words.as_bytes()).to_hex()[..16].to_owned()
}

/// A line of the words that would be taken for a comment, or for one that is
/// escaped, is escaped.
fn escaped(line: &str) -> String {
    let plain = line.trim_start();
    if plain.starts_with("<!--") || plain.starts_with('\\') {
        let (indent, rest) = line.split_at(line.len() - plain.len());
        return format!("{indent}\\{rest}");
    }
    line.to_owned()
}

fn unescaped(line: &str) -> String {
    let plain = line.trim_start();
    match plain.strip_prefix('\\') {
        Some(rest) if rest.starts_with("<!--") || rest.starts_with('\\') => {
            line[..line.len() - plain.len()].to_owned() + rest
        }
        Some(_) | None => line.to_owned(),
    }
}

/// An item of the list as far as it was read.
struct Item {
    line: u64,
    text: String,
}

impl Item {
    /// One that somebody wrote.
    fn entry(self) -> Option<Found> {
        let text = self.text.trim().to_owned();
        let new = NewMemory {
            kind: MemoryKind::Fact,
            scope: MemoryScope::User,
            text,
            statement: None,
            tags: Vec::new(),
            importance: None,
            valid_from_ms: None,
            valid_to_ms: None,
        };
        let place = line_at(self.line);
        let entry = Entry { place, part: String::new(), new, claims: None };
        (!entry.new.text.is_empty()).then_some(Found::Entry(entry))
    }
}

pub(super) fn read(input: impl BufRead, each: Each<'_>) -> Result<(), Unreadable> {
    let mut lines = Lines::of(input);
    let mut open: Option<Item> = None;
    loop {
        let number = lines.number + 1;
        let Some(line) = lines.next()? else { break };
        if let Some(item) = &mut open {
            let inner = line.strip_prefix("  ");
            if let Some(about) = inner.and_then(|inner| inner.strip_prefix(BEGIN)) {
                let about = about.trim_end();
                let about = about.strip_suffix(END.trim()).unwrap_or(about);
                let mut about: Line = serde_json::from_str(about)
                    .map_err(|error| jsonl::no_memory(number, &error))?;
                let text = about.text.take().unwrap_or_else(|| item.text.trim().to_owned());
                about.reworded = about.words.take().is_some_and(|words| words != mark_of(&text));
                let found = about.entry(item.line, text);
                open = None;
                if each(found).is_break() {
                    return Ok(());
                }
                continue;
            }
            if inner.is_some() || line.trim().is_empty() {
                item.text.push('\n');
                item.text += &unescaped(inner.unwrap_or_default());
                continue;
            }
        }
        let found = open.take().and_then(Item::entry);
        if let Some(words) = line.strip_prefix("- ") {
            open = Some(Item { line: number, text: unescaped(words) });
        }
        if found.map_or(ControlFlow::Continue(()), &mut *each).is_break() {
            return Ok(());
        }
    }
    if let Some(found) = open.and_then(Item::entry) {
        let _ = each(found);
    }
    Ok(())
}
