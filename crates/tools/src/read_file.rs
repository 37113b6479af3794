//! The tool `read_file`.

use crate::lines::{self, Excerpt, Lines};
use crate::roots::{self, Found};
use crate::{CallContext, MOST_CHARACTERS, Place, Returned, Stakes, Tool, describe, input};
use async_trait::async_trait;
use cap_std::fs::Dir;
use domain::{Effects, Risk, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufReader};
use tokio_util::sync::CancellationToken;

/// Reads a text file in one of your folders, whole or some of its lines. For a
/// folder it lists what is in it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Input {
    /// The path of the file or folder: relative to one of your folders, such
    /// as `notes/plan.md`, or absolute inside one. `.` is the folder itself.
    path: String,
    /// The first line to read, counted from 1. Without it the file is read
    /// from its beginning.
    #[schemars(range(min = 1))]
    from_line: Option<u64>,
    /// How many lines to read. Without it as many as fit into the answer.
    #[schemars(range(min = 1))]
    lines: Option<u64>,
}

/// Room for what stands below the text.
const MOST_TEXT: usize = MOST_CHARACTERS - 500;
const MOST_ENTRIES: usize = 500;
const MOST_SEARCHED_BYTES: u64 = 1 << 30;

pub struct ReadFile {
    spec: ToolSpec,
}

impl Default for ReadFile {
    fn default() -> Self {
        ReadFile::new()
    }
}

impl ReadFile {
    pub fn new() -> Self {
        ReadFile { spec: describe::<Input>("read_file", Effects::None, Risk::Low) }
    }
}

#[async_trait]
impl Tool for ReadFile {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn offered(&self, place: &Place) -> bool {
        !place.roots.is_empty()
    }

    fn stakes(&self, arguments: &Value, place: &Place) -> Result<Stakes, String> {
        Ok(roots::looks_at(&self.spec, arguments, place))
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let wanted: Input = match input(arguments) {
            Ok(input) => input,
            Err(refusal) => return refusal,
        };
        let (roots, stop) = (with.place.roots.clone(), with.stop.child_token());
        let _guard = stop.clone().drop_guard();
        let reading = tokio::task::spawn_blocking(move || {
            let found = match roots::open(&roots, &wanted.path) {
                Ok(found) => found,
                Err(refusal) => return Returned::failed(refusal),
            };
            let read = match found {
                Found::File { file, bytes } => text(file, bytes, &wanted, &stop),
                Found::Folder(dir) => list(&dir, &stop),
            };
            read.unwrap_or_else(|error| Returned::failed(format!("cannot be read: {error}")))
        });
        tokio::select! {
            biased;
            () = with.stop.cancelled() => Returned::stopped(),
            read = reading => {
                read.unwrap_or_else(|_| Returned::failed("reading it failed")).foreign()
            }
        }
    }
}

/// The names in a folder, in order, folders with a `/` after them.
fn list(dir: &Dir, stop: &CancellationToken) -> io::Result<Returned> {
    let mut first = BTreeSet::new();
    let mut count: usize = 0;
    for entry in dir.entries()? {
        if stop.is_cancelled() {
            return Ok(Returned::stopped());
        }
        let entry = entry?;
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
        return Ok(Returned::ok("[an empty folder]"));
    }
    let mut text = first.iter().map(String::as_str).collect::<Vec<_>>().join("\n");
    if count > first.len() {
        text.push_str(&format!("\n[and {} more]", count - first.len()));
    }
    let entries = if count == 1 { "entry" } else { "entries" };
    Ok(Returned::ok(format!("[a folder with {count} {entries}]\n{text}")))
}

/// The wanted lines, and below them what else there is to know.
fn text(file: File, bytes: u64, wanted: &Input, stop: &CancellationToken) -> io::Result<Returned> {
    let first = wanted.from_line.unwrap_or(1).max(1);
    let lines = lines::Wanted {
        first,
        lines: wanted.lines.unwrap_or(u64::MAX).max(1),
        most_characters: MOST_TEXT,
        most_bytes: MOST_SEARCHED_BYTES,
    };
    let mut file = BufReader::with_capacity(64 << 10, file);
    Ok(match lines::read(&mut file, lines, &|| stop.is_cancelled())? {
        Lines::Some(excerpt) => Returned::ok(with_notes(excerpt)),
        Lines::Only(0) => Returned::ok("[the file is empty]"),
        Lines::Only(count) => {
            Returned::failed(format!("there is no line {first}: the file has {count} lines"))
        }
        Lines::TooFar => Returned::failed(format!(
            "line {first} does not begin within {MOST_SEARCHED_BYTES} bytes, which is as far as this tool searches"
        )),
        Lines::Binary => Returned::failed(format!("a binary file of {bytes} bytes, not text")),
        Lines::NotUtf8 => Returned::failed(format!(
            "not UTF-8 text: the file of {bytes} bytes has another encoding or is binary"
        )),
        Lines::Stopped => Returned::stopped(),
    })
}

fn with_notes(excerpt: Excerpt) -> String {
    let Excerpt { mut text, first, last, cut, goes_on, mended } = excerpt;
    let mut notes = Vec::new();
    if cut {
        notes.push(format!("line {last} is too long to be shown whole"));
    }
    if goes_on {
        notes.push(format!(
            "lines {first} to {last}; the file goes on, read on with from_line {}",
            last + 1
        ));
    } else if first > 1 {
        notes.push(format!("lines {first} to {last}, where the file ends"));
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
