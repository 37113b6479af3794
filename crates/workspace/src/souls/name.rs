//! What a soul's file may be called, and which names are one soul's.
//!
//! Pure. A name is letters and digits of any script, the marks that belong to
//! them, `-` and `_`. It is kept composed (NFC), whichever form is on the disk:
//! macOS stores `é` as the two characters that it is made of. Names that only
//! some file systems can tell apart, because they differ in capitals or in that
//! form, are one soul's; `rivals` says whose file counts.

use super::mistake;
use super::place::Place;
use super::yaml::code;
use domain::{NameMistake, SoulMistake, SoulProblem};
use std::ffi::OsStr;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

pub(super) const ENDING: &str = ".md";

const MOST_CHARACTERS: usize = 64;

/// A file's name has at most 255 bytes on the usual file systems.
const MOST_BYTES: usize = 255 - ENDING.len();

/// Whether a soul's file may have this name (without `.md`).
pub fn is_stem(stem: &str) -> bool {
    wrong_with(stem).is_none()
}

/// A soul's name as it is kept.
pub(super) fn composed(stem: &str) -> String {
    stem.nfc().collect()
}

/// The same for all names of one soul.
pub(super) fn letters(stem: &str) -> String {
    crate::letters::of(stem)
}

/// Why a name is no soul's, and what would be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadName {
    pub(super) why: NameMistake,
    /// Without `.md`.
    pub(super) better: String,
}

impl BadName {
    fn new(why: NameMistake, stem: &str) -> BadName {
        BadName { why, better: better(stem) }
    }

    /// Without what would be right.
    pub(super) fn said(&self) -> String {
        mistake::wrong_name(&self.why)
    }

    pub(super) fn problem(&self) -> SoulProblem {
        let better = format!("{}{ENDING}", self.better);
        Place::START.problem(SoulMistake::FileName { wrong: self.why.clone(), better })
    }
}

/// What the name of a file in the souls folder means.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// With its name, composed.
    Soul(String),
    /// Its writer means a soul, and has to be told why it is none.
    Misnamed { name: String, why: BadName },
    /// Not Markdown, or something that an editor keeps for itself.
    Nothing,
}

impl Named {
    pub(super) fn read(file: &OsStr) -> Named {
        let shown = shown(file);
        let is_markdown = without_ending(&shown).is_some();
        // Such as `.#ada.md` and `._ada.md`; office programs keep `~$ada.md`.
        let is_kept_aside = shown.starts_with('.') || shown.starts_with("~$");
        if !is_markdown || is_kept_aside {
            return Named::Nothing;
        }
        match wrong_with_file(file) {
            None => Named::Soul(composed(without_md(&shown))),
            Some(why) => Named::Misnamed { name: without_md(&shown).to_owned(), why },
        }
    }
}

fn without_md(file: &str) -> &str {
    file.strip_suffix(ENDING).unwrap_or(file)
}

/// A file's name as text; bytes that are none stand there as `\xff`.
pub(super) fn shown(file: &OsStr) -> String {
    let chunks = file.as_encoded_bytes().utf8_chunks();
    chunks.fold(String::new(), |mut text, chunk| {
        text += chunk.valid();
        text.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
        text
    })
}

/// What is wrong with the name of a file that is to be a soul's.
pub(super) fn wrong_with_file(file: &OsStr) -> Option<BadName> {
    let shown = shown(file);
    if file.to_str().is_none() {
        let stem = without_ending(&shown).unwrap_or(&shown);
        return Some(BadName::new(NameMistake::NotUtf8, stem));
    }
    match shown.strip_suffix(ENDING) {
        Some(stem) => wrong_with(stem),
        None => {
            let (stem, _) = shown.rsplit_once('.').unwrap_or((&shown, ""));
            Some(BadName::new(NameMistake::Ending, stem))
        }
    }
}

/// The same for the name without `.md`.
pub(super) fn wrong_with(stem: &str) -> Option<BadName> {
    let name = composed(stem);
    let bad = |why: NameMistake| Some(BadName::new(why, &name));
    if let Some(stem) = without_ending(&name) {
        return Some(BadName::new(NameMistake::Ending, stem));
    }
    if name.is_empty() {
        return bad(NameMistake::Empty);
    }
    let mut before = None;
    for (at, c) in name.char_indices() {
        if !fits(before, c, name[at..].chars().nth(1)) {
            return bad(described(c));
        }
        before = Some(c);
    }
    let count = name.chars().count();
    if count > MOST_CHARACTERS {
        return bad(NameMistake::Long { length: number(count), most: number(MOST_CHARACTERS) });
    }
    if name.len() > MOST_BYTES {
        return bad(NameMistake::Bytes { length: number(name.len()), most: number(MOST_BYTES) });
    }
    None
}

fn fits(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '-' | '_' => true,
        // In the scripts of India they say how two letters join, after a mark.
        '\u{200c}' | '\u{200d}' => before.is_some_and(is_combining_mark) && after.is_some(),
        c if is_combining_mark(c) => before.is_some_and(|before| !matches!(before, '-' | '_')),
        c => c.is_alphanumeric(),
    }
}

fn described(c: char) -> NameMistake {
    match c {
        ' ' => NameMistake::Space,
        '.' => NameMistake::Dot,
        c if is_combining_mark(c) => NameMistake::Mark,
        c if c.is_ascii_graphic() || c.escape_debug().count() == 1 => {
            NameMistake::Character { character: c.to_string() }
        }
        c => NameMistake::Unseen { code: code(c) },
    }
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// A name as like this one as a soul's can be.
fn better(stem: &str) -> String {
    let mut name = String::new();
    for c in stem.nfc() {
        let last = name.chars().next_back();
        if fits(last, c, None) && (c != '-' || last.is_some_and(|last| last != '-')) {
            name.push(c);
        } else if !is_combining_mark(c) && last.is_some_and(|last| last != '-') {
            name.push('-');
        }
    }
    let mut name: String = name.chars().take(MOST_CHARACTERS).collect();
    while name.len() > MOST_BYTES {
        name.pop();
    }
    let name = name.trim_end_matches('-');
    if name.is_empty() { "soul".to_owned() } else { name.to_owned() }
}

/// A name that ends in `.md`, however that is written, without it.
fn without_ending(name: &str) -> Option<&str> {
    let at = name.len().checked_sub(ENDING.len())?;
    let (stem, ending) = name.split_at_checked(at)?;
    ending.eq_ignore_ascii_case(ENDING).then_some(stem)
}

#[cfg(test)]
mod tests;
