//! The tool `read_file`.

use crate::file_tool::FileTool;
use crate::lines::{self, Excerpt, Lines};
use crate::roots::{self, Folder, Found};
use crate::{MOST_CHARACTERS, Place, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Reads a text file in one of your folders, whole or some of its lines. For a
/// folder it lists what is in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The path of the file or folder: relative to one of your folders, such
    /// as `notes/plan.md`, or absolute inside one. `.` is the folder itself, where you have one.
    path: String,
    /// The first line to read, counted from 1. Without it the file is read
    /// from its beginning.
    #[schemars(range(min = 1))]
    from_line: Option<u64>,
    /// The first character of that line to read, counted from 1, where a line
    /// is too long to be read at once.
    #[schemars(range(min = 1))]
    from_character: Option<u64>,
    /// How many lines to read. Without it as many as fit into the answer.
    #[schemars(range(min = 1))]
    lines: Option<u64>,
    /// How many characters to read at most, in whole lines if one fits. Without
    /// it as many as fit into the answer.
    #[schemars(range(min = 1))]
    characters: Option<u64>,
}

/// Room for what stands around the text.
const MOST_TEXT: usize = MOST_CHARACTERS - 500;
const MOST_ENTRIES: usize = 500;
const MOST_SEARCHED_BYTES: u64 = 1 << 30;

pub(crate) fn tool() -> impl Tool {
    FileTool::looks("read_file", read)
}

/// Where a model begins to read: a line, and a character of it, both counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Begin {
    pub line: Option<u64>,
    pub character: Option<u64>,
}

/// As much of a text as a model reads at once, with what it needs to read on.
pub fn excerpt(text: &str, from: Begin) -> Result<String, String> {
    let wanted = Input::of("", from);
    let read = lines_of(text.as_bytes(), text.len() as u64, &wanted, &CancellationToken::new());
    read.unwrap_or_else(|trouble| Err(format!("cannot be read: {trouble}")))
}

/// The same of a file in this folder; no path leads out of it.
pub fn excerpt_of_file(
    folder: &Path,
    path: &str,
    from: Begin,
    stop: &CancellationToken,
) -> Result<String, String> {
    let wanted = Input::of(path, from);
    let place = Place { roots: vec![folder.to_owned()], ..Place::default() };
    read(&wanted, &place, stop)
}

impl Input {
    fn of(path: &str, from: Begin) -> Self {
        let Begin { line: from_line, character: from_character } = from;
        Input { path: path.to_owned(), from_line, from_character, lines: None, characters: None }
    }
}

fn read(wanted: &Input, place: &Place, stop: &CancellationToken) -> Result<String, String> {
    let read = match roots::open(&place.roots, &wanted.path)? {
        Found::File { file, bytes } => {
            lines_of(BufReader::with_capacity(64 << 10, file), bytes, wanted, stop)
        }
        Found::Folder(folder) => list(&folder, place, stop).map(Ok),
    };
    read.unwrap_or_else(|trouble| Err(format!("cannot be read: {trouble}")))
}

/// The names in a folder, in order, folders with a `/` after them.
fn list(folder: &Folder, place: &Place, stop: &CancellationToken) -> io::Result<String> {
    let mut first = BTreeSet::new();
    let mut count: usize = 0;
    for entry in folder.dir.entries()? {
        if stop.is_cancelled() {
            break;
        }
        let entry = entry?;
        if place.never_sees(&folder.path.join(entry.file_name())) {
            continue;
        }
        let mut name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            name.push('/');
        }
        count += 1;
        first.insert(name);
        if first.len() > MOST_ENTRIES {
            first.pop_last();
        }
    }
    if count == 0 {
        return Ok("[an empty folder]".into());
    }
    let mut text = first.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    if count > first.len() {
        text.push_str(&format!("\n[and {} more]", count - first.len()));
    }
    let entries = if count == 1 { "entry" } else { "entries" };
    Ok(format!("[a folder with {count} {entries}]\n{text}"))
}

/// The wanted lines, and below them what else there is to know; or why there are
/// none.
fn lines_of(
    mut file: impl BufRead,
    bytes: u64,
    wanted: &Input,
    stop: &CancellationToken,
) -> io::Result<Result<String, String>> {
    let first = wanted.from_line.unwrap_or(1).max(1);
    let character = wanted.from_character.unwrap_or(1).max(1);
    let fits = |count: u64| usize::try_from(count).unwrap_or(MOST_TEXT).clamp(1, MOST_TEXT);
    let lines = lines::Wanted {
        first,
        character,
        lines: wanted.lines.unwrap_or(u64::MAX).max(1),
        most_characters: wanted.characters.map_or(MOST_TEXT, fits),
        most_bytes: MOST_SEARCHED_BYTES,
    };
    Ok(match lines::read(&mut file, lines, &|| stop.is_cancelled())? {
        Lines::Some(excerpt) => Ok(with_notes(excerpt, character)),
        Lines::Only(0) => Ok("[the file is empty]".into()),
        Lines::Short(count) => Err(format!(
            "there is no character {character} in line {first}: the line has {count} characters"
        )),
        Lines::Only(count) => Err(format!("there is no line {first}: the file has {count} lines")),
        Lines::TooFar => Err(format!(
            "what is wanted of line {first} does not begin within {MOST_SEARCHED_BYTES} bytes, which is as far as this tool searches"
        )),
        Lines::Binary => Err(format!("a binary file of {bytes} bytes, not text")),
        Lines::NotUtf8 => Err(format!(
            "not UTF-8 text: the file of {bytes} bytes has another encoding or is binary"
        )),
        Lines::Stopped => Err("stopped before it was read".into()),
    })
}

/// `from`: the first character of the first line that was wanted.
fn with_notes(excerpt: Excerpt, from: u64) -> String {
    let Excerpt { mut text, first, last, next_character, goes_on, mended } = excerpt;
    let mut notes = Vec::new();
    let begins = if from > 1 { format!(", from character {from} on,") } else { String::new() };
    if let Some(next) = next_character {
        notes.push(format!(
            "characters {from} to {} of line {last}, which goes on; read on with from_line {last} and from_character {next}, or behind it with from_line {}",
            next - 1,
            last + 1
        ));
    } else if goes_on {
        notes.push(format!(
            "lines {first}{begins} to {last}; the file goes on, read on with from_line {}",
            last + 1
        ));
    } else if first > 1 || from > 1 {
        notes.push(format!("lines {first}{begins} to {last}, where the file ends"));
    }
    if mended {
        notes.push("bytes that are not UTF-8 are shown as \u{fffd}".to_owned());
    }
    if !notes.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    for note in notes {
        text.push_str(&format!("[{note}]\n"));
    }
    text
}

#[cfg(test)]
mod tests;
