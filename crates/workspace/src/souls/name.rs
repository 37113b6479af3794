//! What a soul's file may be called, and which names are one soul's.
//!
//! Pure. A name is letters and digits of any script, the marks that belong to
//! them, `-` and `_`. It is kept composed (NFC), whichever form is on the disk:
//! macOS stores `é` as the two characters that it is made of. Names that only
//! some file systems can tell apart, because they differ in capitals or in that
//! form, are one soul's; `rivals` says whose file counts.

use super::place::Place;
use domain::SoulProblem;
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
    composed(&composed(stem).to_lowercase())
}

/// Why a name is no soul's, and what would be one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadName {
    pub(super) why: String,
    /// Without `.md`.
    pub(super) better: String,
}

impl BadName {
    fn new(why: impl Into<String>, stem: &str) -> BadName {
        BadName { why: why.into(), better: better(stem) }
    }

    pub(super) fn problem(&self) -> SoulProblem {
        let BadName { why, better } = self;
        Place::START.problem(format!(
            "{why}; rename the file, for example to {better}{ENDING} \
             (what people call the agent is the field name)"
        ))
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
        return Some(BadName::new("the file's name is not UTF-8", stem));
    }
    match shown.strip_suffix(ENDING) {
        Some(stem) => wrong_with(stem),
        None => {
            let (stem, _) = shown.rsplit_once('.').unwrap_or((&shown, ""));
            Some(BadName::new(ONE_ENDING, stem))
        }
    }
}

const ONE_ENDING: &str = "the name of a soul's file ends in .md, once and in small letters";

/// The same for the name without `.md`.
pub(super) fn wrong_with(stem: &str) -> Option<BadName> {
    let name = composed(stem);
    let bad = |why: String| Some(BadName::new(why, &name));
    if let Some(stem) = without_ending(&name) {
        return Some(BadName::new(ONE_ENDING, stem));
    }
    if name.is_empty() {
        return bad("a soul's file has a name before .md".to_owned());
    }
    let mut before = None;
    for (at, c) in name.char_indices() {
        if !fits(before, c, name[at..].chars().nth(1)) {
            return bad(format!(
                "a soul's file name is made of letters, digits, - and _, and this one has {}",
                described(c)
            ));
        }
        before = Some(c);
    }
    let count = name.chars().count();
    if count > MOST_CHARACTERS {
        return bad(format!(
            "a soul's file name has at most {MOST_CHARACTERS} characters before .md, and this one has {count}"
        ));
    }
    if name.len() > MOST_BYTES {
        return bad(format!(
            "a soul's file name has at most {MOST_BYTES} bytes before .md, and this one has {}",
            name.len()
        ));
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

fn described(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '.' => "a dot".to_owned(),
        c if is_combining_mark(c) => "a mark that stands on no letter".to_owned(),
        c if c.is_ascii_graphic() || c.escape_debug().count() == 1 => format!("“{c}”"),
        c => format!("the character U+{:04X}, which cannot be seen", u32::from(c)),
    }
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
