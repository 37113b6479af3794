//! Conversations with an assistant elsewhere: one after the other out of a list
//! that may be larger than the memory of the machine, each exchange an episode.

use super::pieces::{pieces, tag};
use super::{Each, Entry, Found, Unreadable};
use domain::{
    LeftOut, LeftOutWhy, MemoryFileWrong, MemoryKind, MemoryScope, NewMemory, PartOfFile,
    PlaceInFile,
};
use serde::de::{Deserializer as _, Error, SeqAccess, Visitor};
use serde_json::{Deserializer, Value};
use std::fmt;
use std::io::BufRead;
use std::ops::ControlFlow;

/// One of many; a person's own word has 80.
const IMPORTANCE: u8 = 30;

pub(super) struct Conversation {
    pub id: String,
    pub title: String,
    /// Who answered, as people call it.
    pub assistant: &'static str,
    pub turns: Vec<Turn>,
    /// Texts that were shown beside what was said, which is not what anybody said.
    pub shown: u32,
}

pub(super) struct Turn {
    pub from_person: bool,
    pub text: String,
    pub at_ms: Option<i64>,
}

pub(super) fn read(
    input: impl BufRead,
    understand: fn(&Value) -> Option<Conversation>,
    each: Each<'_>,
) -> Result<(), Unreadable> {
    let mut number = 0;
    each_of(input, &mut |value| {
        number += 1;
        let part = Some(PartOfFile::Conversation(number));
        let place = PlaceInFile { file: None, part };
        let Some(conversation) = understand(&value) else {
            let why = LeftOutWhy::NoConversation;
            return each(Found::LeftOut(LeftOut { place, why }));
        };
        let episodes = episodes(&conversation, &place);
        if conversation.shown > 0 {
            let why = LeftOutWhy::Shown { files: conversation.shown };
            let place = place.clone();
            each(Found::LeftOut(LeftOut { place, why }))?;
        }
        if episodes.is_empty() {
            let why = LeftOutWhy::NothingSaid { title: conversation.title };
            return each(Found::LeftOut(LeftOut { place, why }));
        }
        episodes.into_iter().try_for_each(|episode| each(Found::Entry(episode)))
    })
}

/// What the person said and what was answered to it, until the person speaks
/// again.
fn episodes(conversation: &Conversation, place: &PlaceInFile) -> Vec<Entry> {
    let mut exchanges: Vec<(String, Option<i64>)> = Vec::new();
    let mut answered = true;
    for turn in &conversation.turns {
        if turn.text.trim().is_empty() {
            continue;
        }
        let who = if turn.from_person { "User" } else { conversation.assistant };
        let said = format!("{who}: {}", guarded(turn.text.trim()));
        match exchanges.last_mut() {
            Some((text, at_ms)) if !(turn.from_person && answered) => {
                *text += "\n\n";
                *text += &said;
                *at_ms = at_ms.or(turn.at_ms);
            }
            Some(_) | None => exchanges.push((said, turn.at_ms)),
        }
        answered = !turn.from_person;
    }
    let tags: Vec<String> =
        [&conversation.title, conversation.assistant].into_iter().filter_map(tag).collect();
    let entry = |text: &str, at_ms: Option<i64>| Entry {
        place: place.clone(),
        part: conversation.id.clone(),
        new: NewMemory {
            kind: MemoryKind::Episode,
            scope: MemoryScope::User,
            text: text.to_owned(),
            statement: None,
            tags: tags.clone(),
            importance: Some(IMPORTANCE),
            valid_from_ms: at_ms,
            valid_to_ms: None,
        },
        claims: None,
    };
    let all = exchanges.iter().flat_map(|(text, at_ms)| {
        pieces(text).into_iter().map(|piece| entry(piece, *at_ms)).collect::<Vec<_>>()
    });
    all.collect()
}

/// A line that would be taken for somebody else's words is quoted.
fn guarded(text: &str) -> String {
    let quoted = |(at, line): (usize, &str)| match speaker(line) {
        Some(_) if at > 0 => format!("> {line}"),
        Some(_) | None => line.to_owned(),
    };
    text.lines().enumerate().map(quoted).collect::<Vec<_>>().join("\n")
}

/// Of an episode that was read here, what the person said.
pub fn words_of_person(text: &str) -> String {
    let mut theirs = false;
    let mut words = String::new();
    for line in text.lines() {
        let said = match speaker(line) {
            Some((is_person, said)) => {
                theirs = is_person;
                said
            }
            None => line,
        };
        if theirs {
            words.push_str(said.trim());
            words.push('\n');
        }
    }
    words
}

/// Whether the person begins to speak in this line, and what they say.
fn speaker(line: &str) -> Option<(bool, &str)> {
    let (name, said) = line.split_once(':')?;
    match name.trim() {
        "User" | "Human" | "You" => Some((true, said)),
        "Assistant" | "ChatGPT" | "Claude" => Some((false, said)),
        _ => None,
    }
}

/// Each value of a list, or of several values one after the other, in turn.
pub(super) fn each_of(
    mut input: impl BufRead,
    each: &mut dyn FnMut(Value) -> ControlFlow<()>,
) -> Result<(), Unreadable> {
    let start = input.fill_buf().unwrap_or_default();
    let mark = if start.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    let is_list = start[mark..].trim_ascii_start().starts_with(b"[");
    input.consume(mark);
    let mut read = Deserializer::from_reader(input);
    if !is_list {
        for value in read.into_iter() {
            if each(value.map_err(|error| broken(&error))?).is_break() {
                break;
            }
        }
        return Ok(());
    }
    let mut enough = false;
    let list = read.deserialize_seq(List { each, enough: &mut enough });
    if enough {
        return Ok(());
    }
    list.and_then(|()| read.end()).map_err(|error| broken(&error))
}

struct List<'a> {
    each: &'a mut dyn FnMut(Value) -> ControlFlow<()>,
    enough: &'a mut bool,
}

impl<'de> Visitor<'de> for List<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of conversations")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        while let Some(value) = list.next_element()? {
            if (self.each)(value).is_break() {
                *self.enough = true;
                // Nothing but an error leaves the rest of the list unread.
                return Err(A::Error::custom("enough"));
            }
        }
        Ok(())
    }
}

fn broken(error: &serde_json::Error) -> Unreadable {
    let told = error.to_string();
    let told = told.split(" at line ").next().unwrap_or_default();
    let wrong = match error.is_eof() {
        true => MemoryFileWrong::CutOff,
        false => {
            let column = u32::try_from(error.column()).unwrap_or(u32::MAX);
            MemoryFileWrong::NoJson { column, detail: told.to_owned() }
        }
    };
    let line = Some(error.line() as u64).filter(|line| *line > 0);
    Unreadable { line, wrong }
}
