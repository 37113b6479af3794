//! One answer as far as it was heard: what every provider's reading shares.

use super::broken::Broken;
use super::events::{Event, Frames};
use super::lenient::{self, Halves};
use super::refusal::{self, Asked};
use super::said::Said;
use crate::thoughts::Thoughts;
use crate::{Delta, Finish, ModelFault, Trouble};
use domain::Usage;
use serde_json::Value;
use std::collections::VecDeque;

/// What the events of an answer mean to a provider.
///
/// Plain state over plain data: no waiting, no bytes, no clock. `decode` feeds
/// it, calls `end` once, and nothing after it.
pub trait Reads: Send + 'static {
    fn frames(&self) -> Frames {
        Frames::Events
    }

    /// Whether the model has said why it stopped; only usage may still come.
    fn finished(&self) -> bool;

    fn hear(&mut self, event: &Event, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault>;

    /// The last deltas. `why` is what ended the answer, if not the server's
    /// word; once the model has said why it stopped, nothing after that matters.
    fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>);

    /// The last delta of an answer that failed.
    fn failed(&self, fault: ModelFault) -> Delta;
}

/// What an event did to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Heard {
    /// A sign of life at most.
    Nothing,
    /// The answer moved on.
    Progress,
    /// The server said that this was all.
    End,
}

/// What an event is before a provider looks at it.
pub(crate) enum Opened {
    Nothing,
    /// One event of a stream.
    Chunk(Value),
    /// An answer that was not streamed.
    Whole(Value),
}

pub(crate) struct Answer {
    pub(crate) asked: Asked,
    pub(crate) usage: Usage,
    pub(crate) finish: Option<Finish>,
    wrote: bool,
    called: bool,
    /// Where thinking may come as words.
    thoughts: Option<Thoughts>,
    /// There once something was read that holds halves of characters.
    halves: Option<Halves>,
}

impl Answer {
    pub(crate) fn new(asked: Asked) -> Self {
        let (usage, finish, thoughts, halves) = (Usage::default(), None, None, None);
        Answer { asked, usage, finish, wrote: false, called: false, thoughts, halves }
    }

    /// For a server that may send thinking as words.
    pub(crate) fn apart_from(self, thoughts: Thoughts) -> Self {
        Answer { thoughts: Some(thoughts), ..self }
    }

    /// Empty pieces, which mean nothing, stop here.
    pub(crate) fn say(&mut self, delta: Delta, out: &mut VecDeque<Delta>) {
        let delta = self.whole(delta);
        let Some(mut thoughts) = self.thoughts.take() else { return self.pass(delta, out) };
        let tell = |delta| self.pass(delta, out);
        match delta {
            Delta::Text(text) => thoughts.hear(text, tell),
            Delta::ToolCall(_) => {
                thoughts.called(tell);
                self.pass(delta, out);
            }
            Delta::Reasoning(ref thought) if !thought.is_empty() => {
                thoughts.are_told_apart();
                self.pass(delta, out);
            }
            delta => self.pass(delta, out),
        }
        self.thoughts = Some(thoughts);
    }

    /// The last words, when no more come.
    pub(crate) fn end_words(&mut self, out: &mut VecDeque<Delta>) {
        if let Some(halves) = &mut self.halves {
            std::mem::take(halves).end().for_each(|alone| self.say(alone, out));
        }
        let is_whole = matches!(self.finish, Some(Finish::Stop | Finish::ToolCalls));
        if let Some(mut thoughts) = self.thoughts.take() {
            thoughts.end(is_whole, |delta| self.pass(delta, out));
        }
    }

    /// Without halves of characters.
    fn whole(&mut self, delta: Delta) -> Delta {
        match &mut self.halves {
            Some(halves) => halves.joined(delta),
            None => delta,
        }
    }

    fn pass(&mut self, delta: Delta, out: &mut VecDeque<Delta>) {
        match &delta {
            Delta::Text(text) | Delta::Reasoning(text) if text.is_empty() => return,
            Delta::Text(_) | Delta::Reasoning(_) => self.wrote = true,
            Delta::ToolCall(_) => (self.wrote, self.called) = (true, true),
            Delta::Unshown(0) => return,
            Delta::Unshown(_) => self.wrote = true,
            Delta::Counted(_)
            | Delta::Kept(_)
            | Delta::Anew
            | Delta::Done { .. }
            | Delta::Failed { .. } => {}
        }
        out.push_back(delta);
    }

    /// Of what was written, that which no other delta tells of.
    pub(crate) fn keep_unshown(&mut self, letters: usize, out: &mut VecDeque<Delta>) {
        self.say(Delta::Unshown(u32::try_from(letters).unwrap_or(u32::MAX)), out);
    }

    /// The end of an answer whose model has said why it stopped, or of one that
    /// was cut off before.
    pub(crate) fn ended(&self, why: Option<Broken>) -> Delta {
        let Some(finish) = self.finish else {
            return self.failed(self.broken(&why.unwrap_or(Broken::Ended)));
        };
        if finish == Finish::Length && !self.wrote && self.usage.output_tokens.unwrap_or(0) == 0 {
            return self.failed(self.no_room());
        }
        let finish = match finish {
            // Half the servers call this an ordinary stop.
            Finish::Stop if self.called => Finish::ToolCalls,
            // And some say it without having called.
            Finish::ToolCalls if !self.called => Finish::Stop,
            Finish::Stop | Finish::Length | Finish::ToolCalls | Finish::Filtered => finish,
        };
        Delta::Done { finish, usage: self.usage }
    }

    /// What was counted before an answer failed is paid for.
    pub(crate) fn failed(&self, fault: ModelFault) -> Delta {
        Delta::Failed { fault, usage: self.usage }
    }

    /// For interfaces that end of themselves. `[DONE]` is the mark of another one,
    /// which some servers send there too.
    pub(crate) fn open(&mut self, event: &Event) -> Result<Opened, ModelFault> {
        match event {
            Event::Data(data) | Event::Last(data) if matches!(data.trim(), "" | "[DONE]") => {
                Ok(Opened::Nothing)
            }
            Event::Data(_) | Event::Last(_) => self.json(event).map(Opened::Chunk),
            Event::Error(data) => Err(self.refused(&Said::of(data.as_bytes()))),
            Event::Whole(_) => self.json(event).map(Opened::Whole),
        }
    }

    /// One event's JSON. Where nothing can follow, text without an end was
    /// broken off.
    pub(crate) fn json(&mut self, event: &Event) -> Result<Value, ModelFault> {
        let (bytes, is_last) = match event {
            Event::Data(data) | Event::Error(data) => (data.as_bytes(), false),
            Event::Last(data) => (data.as_bytes(), true),
            Event::Whole(bytes) => (bytes.as_slice(), true),
        };
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let error = match serde_json::from_slice(bytes) {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        if let Some(value) = lenient::read(bytes) {
            self.halves.get_or_insert_default();
            return Ok(value);
        }
        Err(match error.is_eof() && is_last {
            true => self.broken(&Broken::Ended),
            false => self.broken(&Broken::Garbled(error.to_string())),
        })
    }

    pub(crate) fn broken(&self, broken: &Broken) -> ModelFault {
        broken.fault(&self.asked)
    }

    /// Valid JSON of something else.
    pub(crate) fn no_answer(&self) -> ModelFault {
        self.broken(&Broken::Garbled("JSON without an answer in it".into()))
    }

    pub(crate) fn refused(&self, said: &Said) -> ModelFault {
        refusal::in_answer(&self.asked, said)
    }

    fn no_room(&self) -> ModelFault {
        ModelFault::new(
            Trouble::TooLong,
            format!("{} had no room left to answer", self.asked.server),
            "start a new group, or choose a model with a larger context window",
        )
    }
}

/// The later count of each: some servers count as they go, and some send an
/// empty count at the end.
pub(crate) fn later(before: Usage, now: Usage) -> Usage {
    Usage {
        input_tokens: now.input_tokens.or(before.input_tokens),
        output_tokens: now.output_tokens.or(before.output_tokens),
        cached_tokens: now.cached_tokens.or(before.cached_tokens),
        cache_write_tokens: now.cache_write_tokens.or(before.cache_write_tokens),
    }
}

/// Says of what kind something is, or which one, and is not written by a model.
const LABELS: [&str; 6] = ["type", "format", "id", "index", "role", "object"];

/// How much somebody may have written into this, whatever it is.
pub(crate) fn letters(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.chars().count(),
        Value::Array(all) => all.iter().map(letters).sum(),
        Value::Object(fields) => {
            let written = fields.iter().filter(|(name, _)| !LABELS.contains(&name.as_str()));
            written.map(|(_, value)| letters(value)).sum()
        }
    }
}

/// A count under one of these names; a missing one stays missing.
pub(crate) fn count(value: &Value, names: &[&str]) -> Option<u32> {
    let found = names.iter().find_map(|name| value.pointer(name).and_then(Value::as_u64))?;
    Some(u32::try_from(found).unwrap_or(u32::MAX))
}
