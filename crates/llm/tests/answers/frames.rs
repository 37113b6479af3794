//! The frame of an answer: server-sent events as the standard has them, however
//! their bytes are cut.
//!
//! Here the standard is read once more, plainly and slowly, over a body that is
//! all there. What the decoder makes of the same bytes must be the same.

use crate::damage::{any_cuts, any_fixture, cut, damaged, damages};
use crate::random::holds;
use crate::told::read;
use llm::http::{Broken, Event, Heard, Reads};
use llm::{Delta, ModelFault, Trouble};
use proptest::prelude::*;
use std::collections::VecDeque;

/// Hands on what it hears, in words.
struct Recorder;

impl Reads for Recorder {
    fn finished(&self) -> bool {
        false
    }

    fn hear(&mut self, event: &Event, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        out.push_back(Delta::Text(format!("{event:?}")));
        Ok(Heard::Progress)
    }

    fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>) {
        let end = why.map_or("over".to_owned(), |broken| broken.to_string());
        out.push_back(Delta::failed(ModelFault::new(Trouble::BrokenAnswer, end, "")));
    }

    fn failed(&self, fault: ModelFault) -> Delta {
        Delta::failed(fault)
    }
}

/// The events of a body and how it ended, in words.
fn heard(chunks: Vec<Vec<u8>>) -> (Vec<String>, String) {
    let (mut events, mut end) = (Vec::new(), None);
    for delta in read(Recorder, chunks) {
        assert_eq!(end, None, "something came after the end: {delta:?}");
        match delta {
            Delta::Text(event) => events.push(event),
            Delta::Failed { fault, .. } => end = Some(fault.message),
            other => panic!("{other:?}"),
        }
    }
    (events, end.expect("an end"))
}

/// The same, read by the standard.
fn standard(body: &[u8]) -> (Vec<String>, String) {
    let says_something =
        |byte: &&u8| !byte.is_ascii_whitespace() && ![0xEF, 0xBB, 0xBF].contains(*byte);
    let (events, broken) = match body.iter().find(says_something) {
        None => (vec![], None),
        Some(b'<') => (vec![], Some(Broken::WebPage)),
        Some(b'{' | b'[') => (vec![Event::Whole(body.to_vec())], None),
        Some(_) => stream(body),
    };
    let end = broken.map_or("over".to_owned(), |broken| broken.to_string());
    (events.iter().map(|event| format!("{event:?}")).collect(), end)
}

fn stream(body: &[u8]) -> (Vec<Event>, Option<Broken>) {
    let (complete, unfinished) = lines(body.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(body));
    let mut events = Vec::new();
    let mut event = Block::default();
    for line in complete {
        if line.is_empty() {
            events.extend(std::mem::take(&mut event).event(Event::Data));
        } else if event.take(line).is_err() {
            return (events, Some(Broken::Garbled("its text is not UTF-8".into())));
        }
    }
    if let Err(wrong) = event.take(unfinished) {
        let is_cut = wrong.error_len().is_none();
        let garbled = Broken::Garbled("its text is not UTF-8".into());
        return (events, Some(if is_cut { Broken::Ended } else { garbled }));
    }
    events.extend(event.event(Event::Last));
    (events, None)
}

/// The lines that have an end, and the one that has none.
fn lines(mut rest: &[u8]) -> (Vec<&[u8]>, &[u8]) {
    let mut lines = Vec::new();
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
        let after = &rest[at..];
        let end = after.strip_prefix(b"\r\n").unwrap_or(&after[1..]);
        lines.push(&rest[..at]);
        rest = end;
    }
    (lines, rest)
}

/// The lines before a blank one.
#[derive(Default)]
struct Block {
    data: Option<String>,
    is_error: bool,
}

impl Block {
    fn take(&mut self, line: &[u8]) -> Result<(), std::str::Utf8Error> {
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = colon.map_or((line, &[][..]), |at| (&line[..at], &line[at + 1..]));
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                let value = std::str::from_utf8(value)?;
                match &mut self.data {
                    Some(data) => *data = format!("{data}\n{value}"),
                    None => self.data = Some(value.to_owned()),
                }
            }
            b"event" => self.is_error = std::str::from_utf8(value)? == "error",
            // Read by browsers that connect again.
            b"id" if value.contains(&0) => {}
            b"id" | b"retry" => drop(std::str::from_utf8(value)?),
            _ => {}
        }
        Ok(())
    }

    fn event(self, kind: fn(String) -> Event) -> Option<Event> {
        self.data.map(if self.is_error { Event::Error } else { kind })
    }
}

fn check(body: &[u8], cuts: &[usize]) {
    let expected = standard(body);
    for chunks in [vec![body.to_vec()], cut(body, cuts)] {
        assert_eq!(heard(chunks), expected, "{:?}", String::from_utf8_lossy(body));
    }
}

#[test]
fn every_recording_is_divided_as_the_standard_says_however_it_is_damaged_and_cut() {
    let any = any_fixture(&["answers", "two_calls", "anthropic", "gemini"]);
    holds((any, damages(), any_cuts()), |(bytes, damages, cuts)| {
        check(&damaged(bytes, &damages), &cuts);
    });
}

#[test]
fn whatever_looks_like_events_is_divided_as_the_standard_says() {
    let pieces = prop::sample::select(vec![
        &b"data"[..],
        b"data:",
        b"data: ",
        b"event: error",
        b"event:",
        b"id: 7",
        b"retry: 10",
        b": ping",
        b":",
        b" ",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\r\n\r\n",
        b"\0",
        b"x",
        "世".as_bytes(),
        b"\xE4\xB8",
        b"\x96",
        b"\xFF",
        b"\xEF\xBB\xBF",
        b"{",
        b"<",
    ]);
    let body = prop::collection::vec(pieces, 0..40);
    let cuts = prop::collection::vec(0..12_usize, 0..40);
    holds((body, cuts), |(body, cuts)| check(&body.concat(), &cuts));
}
