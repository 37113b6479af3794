//! Notes that other agents keep about their people and their work.
//!
//! OpenClaw keeps Markdown: `MEMORY.md`, and a file for each day; each item and
//! each paragraph is a memory, under its heading. Hermes puts a line with `§`
//! between memories.

use super::lines::Lines;
use super::pieces::{pieces, tag};
use super::{Each, Entry, Found, Unreadable, line_at};
use domain::{MemoryFileWrong, MemoryKind, MemoryScope, NewMemory};
use std::io::BufRead;

/// Notes are read whole; nobody keeps as many of them in one file.
const MOST_MB: u32 = 16;
const IMPORTANCE: u8 = 50;

pub(super) fn read(name: &str, input: impl BufRead, each: Each<'_>) -> Result<(), Unreadable> {
    let mut lines = Lines::of(input);
    let mut all: Vec<String> = Vec::new();
    let mut bytes = 0;
    while let Some(line) = lines.next()? {
        bytes += line.len() + 1;
        if bytes > MOST_MB as usize * 1024 * 1024 {
            return Err(MemoryFileWrong::TooLong { most_mb: MOST_MB }.into());
        }
        all.push(line.to_owned());
    }
    let notes = if all.iter().any(|line| line.trim() == "§") {
        divided(&all)
    } else {
        Outline::of(&all, date_in(name))
    };
    for note in notes {
        for piece in pieces(&note.text) {
            if each(Found::Entry(note.entry(piece))).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

struct Note {
    /// From 1.
    line: usize,
    text: String,
    heading: Option<String>,
    at_ms: Option<i64>,
}

impl Note {
    fn entry(&self, text: &str) -> Entry {
        let heading = self.heading.as_deref().unwrap_or_default();
        Entry {
            place: line_at(self.line as u64),
            part: heading.to_owned(),
            new: NewMemory {
                kind: kind_under(heading, self.at_ms.is_some()),
                scope: MemoryScope::User,
                text: text.to_owned(),
                statement: None,
                tags: tag(heading).into_iter().collect(),
                importance: Some(IMPORTANCE),
                valid_from_ms: self.at_ms,
                valid_to_ms: None,
            },
            claims: None,
        }
    }
}

/// What a heading says of the notes under it.
fn kind_under(heading: &str, dated: bool) -> MemoryKind {
    const SAYS: [(MemoryKind, &[&str]); 3] = [
        (MemoryKind::Preference, &["preference", "likes", "偏好", "喜好"]),
        (MemoryKind::Skill, &["skill", "procedure", "workflow", "how to", "技能", "流程"]),
        (MemoryKind::Relationship, &["people", "relationship", "contacts", "人物", "关系"]),
    ];
    let heading = heading.to_lowercase();
    let said = SAYS.iter().find(|(_, words)| words.iter().any(|word| heading.contains(word)));
    match said {
        Some((kind, _)) => *kind,
        None if dated => MemoryKind::Episode,
        None => MemoryKind::Fact,
    }
}

fn divided(lines: &[String]) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut from = 0;
    for part in lines.split(|line| line.trim() == "§") {
        let blank = part.iter().take_while(|line| line.trim().is_empty()).count();
        let text = part.join("\n").trim().to_owned();
        notes.push(Note { line: from + blank + 1, text, heading: None, at_ms: None });
        from += part.len() + 1;
    }
    notes
}

/// Markdown as far as it is read: the headings above, and the item or paragraph
/// that is not at its end.
struct Outline {
    notes: Vec<Note>,
    headings: Vec<String>,
    date_ms: Option<i64>,
    file_date_ms: Option<i64>,
    open: Option<Open>,
}

struct Open {
    note: Note,
    is_item: bool,
    /// An empty line came after it: an item goes on only with an indented line.
    paused: bool,
}

impl Outline {
    fn of(lines: &[String], file_date_ms: Option<i64>) -> Vec<Note> {
        let date_ms = file_date_ms;
        let mut outline =
            Outline { notes: vec![], headings: vec![], date_ms, file_date_ms, open: None };
        let mut at = front_matter(lines);
        while let Some(line) = lines.get(at) {
            let plain = line.trim();
            if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| plain.starts_with(fence)) {
                let inside = lines[at + 1..].iter().take_while(|line| line.trim() != fence).count();
                let end = (at + inside + 2).min(lines.len());
                outline.append(at, &lines[at..end].join("\n"));
                at = end;
            } else if plain.starts_with("<!--") {
                let ends = lines[at..].iter().position(|line| line.contains("-->"));
                outline.close();
                at += ends.unwrap_or(0) + 1;
            } else {
                outline.line(at, line);
                at += 1;
            }
        }
        outline.close();
        outline.notes
    }

    fn line(&mut self, at: usize, line: &str) {
        let plain = line.trim();
        let indent = indent(line);
        if plain.is_empty() {
            match &mut self.open {
                Some(open) if open.is_item => open.paused = true,
                Some(_) | None => self.close(),
            }
        } else if let Some((level, heading)) = heading(line) {
            self.close();
            self.headings.truncate(level - 1);
            self.headings.resize(level - 1, String::new());
            self.headings.push(heading.to_owned());
            self.date_ms = self.headings.iter().rev().find_map(|one| date_in(one));
            self.date_ms = self.date_ms.or(self.file_date_ms);
        } else if is_rule(plain) {
            self.close();
        } else if let Some(item) = item(plain).filter(|_| indent < 2) {
            self.close();
            self.begin(at, item, true);
        } else if self.open.as_ref().is_some_and(|open| !open.paused || indent >= 2) {
            self.append(at, line.trim_end());
        } else {
            self.close();
            self.begin(at, plain, false);
        }
    }

    fn begin(&mut self, at: usize, text: &str, is_item: bool) {
        // The title of the whole says nothing of its parts.
        let heading = self.headings.iter().skip(1).rev().find(|heading| !heading.is_empty());
        let (heading, at_ms) = (heading.cloned(), self.date_ms);
        let note = Note { line: at + 1, text: text.to_owned(), heading, at_ms };
        self.open = Some(Open { note, is_item, paused: false });
    }

    fn append(&mut self, at: usize, text: &str) {
        match &mut self.open {
            Some(open) => {
                open.paused = false;
                open.note.text.push('\n');
                open.note.text += text;
            }
            None => self.begin(at, text, false),
        }
    }

    fn close(&mut self) {
        self.notes.extend(self.open.take().map(|open| open.note));
    }
}

/// How many lines of settings stand before the text.
fn front_matter(lines: &[String]) -> usize {
    let is_fence = |line: &String| line.trim_end() == "---";
    if !lines.first().is_some_and(is_fence) {
        return 0;
    }
    lines.iter().skip(1).position(is_fence).map_or(0, |end| end + 2)
}

fn heading(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    let is_heading = (1..=6).contains(&level) && rest.starts_with(' ');
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

fn is_rule(plain: &str) -> bool {
    ['-', '*', '_'].iter().any(|mark| plain.len() >= 3 && plain.chars().all(|c| c == *mark))
}

/// The words of an item of a list.
fn item(plain: &str) -> Option<&str> {
    let bullet = ["- ", "* ", "+ "].iter().find_map(|mark| plain.strip_prefix(mark));
    let words = bullet.or_else(|| {
        let rest = plain.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_numbered = rest.len() < plain.len();
        let rest = rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") "))?;
        is_numbered.then_some(rest)
    })?;
    let task = ["[ ] ", "[x] ", "[X] "].iter().find_map(|mark| words.strip_prefix(mark));
    Some(task.unwrap_or(words).trim_start())
}

/// The beginning of the day that a name or a heading begins with, or ends with.
fn date_in(text: &str) -> Option<i64> {
    let text = text.trim().trim_end_matches(".md");
    let day = |part: Option<&str>| part?.parse::<jiff::civil::Date>().ok();
    let from = |part: Option<&str>| day(part.filter(|part| part.len() == 10));
    let date = from(text.get(..10)).or_else(|| from(text.get(text.len().checked_sub(10)?..)))?;
    let midnight = date.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    Some(midnight.timestamp().as_millisecond())
}
/// How far a line is set in; a tab goes as far as four spaces, as in CommonMark.
fn indent(line: &str) -> usize {
    let before = line.chars().take_while(|c| c.is_whitespace());
    before.map(|c| if c == '\t' { 4 } else { 1 }).sum()
}
