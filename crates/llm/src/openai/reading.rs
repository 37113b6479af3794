//! What the events of one answer mean.
//!
//! Plain state over plain data: no waiting, no bytes, no clock. `decode` feeds
//! it.

use super::broken::Broken;
use super::calls::{Calls, Mint};
use super::events::Event;
use super::refusal::{self, Asked, Said};
use super::usage;
use crate::{Delta, Finish, ModelFault, ToolCallDelta, Trouble};
use domain::Usage;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::VecDeque;
use uuid::Uuid;

/// One answer, as far as it was heard.
pub struct Reading {
    asked: Asked,
    calls: Calls,
    usage: Usage,
    finish: Option<Finish>,
    wrote: bool,
}

/// What an event did to the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Heard {
    /// A sign of life at most.
    Nothing,
    /// The answer moved on.
    Progress,
    /// The server said that this was all.
    End,
}

impl Reading {
    pub fn new(asked: Asked) -> Self {
        Reading::minting(asked, || format!("call_{}", Uuid::now_v7().simple()))
    }

    /// With ids of the caller's choice for tool calls that come without one.
    pub fn minting(asked: Asked, mint: impl FnMut() -> String + Send + 'static) -> Self {
        let mint: Mint = Box::new(mint);
        Reading {
            asked,
            calls: Calls::new(mint),
            usage: Usage::default(),
            finish: None,
            wrote: false,
        }
    }

    /// Whether the model has said why it stopped; only usage may still come.
    pub(super) fn finished(&self) -> bool {
        self.finish.is_some()
    }

    /// The last delta of an answer that failed. What was counted before it is
    /// paid for.
    pub(super) fn failed(&self, fault: ModelFault) -> Delta {
        Delta::Failed { fault, usage: self.usage }
    }

    pub(super) fn hear(
        &mut self,
        event: &Event,
        out: &mut VecDeque<Delta>,
    ) -> Result<Heard, ModelFault> {
        match event {
            Event::Data(data) if data.trim().is_empty() => Ok(Heard::Nothing),
            Event::Data(data) if data.trim() == "[DONE]" => {
                self.finish.get_or_insert(Finish::Stop);
                Ok(Heard::End)
            }
            Event::Data(data) => self.chunk(&self.json(data.as_bytes())?, out),
            Event::Error(data) => Err(self.refused(data)),
            Event::Whole(bytes) => {
                if self.chunk(&self.json(bytes)?, out)? == Heard::Nothing {
                    return Err(
                        self.broken(&Broken::Garbled("JSON without an answer in it".into()))
                    );
                }
                self.finish.get_or_insert(Finish::Stop);
                Ok(Heard::End)
            }
        }
    }

    /// The last deltas. `why` is what ended the answer, if not the server's
    /// word; once the model has said why it stopped, nothing after that matters.
    pub(super) fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>) {
        let Some(finish) = self.finish else {
            let why = why.unwrap_or(Broken::Ended);
            return out.push_back(self.failed(self.broken(&why)));
        };
        let called = !self.calls.is_empty();
        match self.calls.end() {
            Ok(pieces) => out.extend(pieces.into_iter().map(Delta::ToolCall)),
            Err(broken) => return out.push_back(self.failed(self.broken(&broken))),
        }
        if finish == Finish::Length && !self.wrote && self.usage.output_tokens.unwrap_or(0) == 0 {
            return out.push_back(self.failed(self.no_room()));
        }
        let finish = match finish {
            // Half the servers call this an ordinary stop.
            Finish::Stop if called => Finish::ToolCalls,
            // And some say it without having called.
            Finish::ToolCalls if !called => Finish::Stop,
            Finish::Stop | Finish::Length | Finish::ToolCalls | Finish::Filtered => finish,
        };
        out.push_back(Delta::Done { finish, usage: self.usage });
    }

    fn chunk(&mut self, chunk: &Value, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        if let Some(said) = Said::in_chunk(chunk) {
            return Err(refusal::in_answer(&self.asked, &said));
        }
        let mut heard = Heard::Nothing;
        if let Some(usage) = usage::of(chunk) {
            self.usage = together(self.usage, usage);
            heard = Heard::Progress;
        }
        let Some(choices) = chunk.get("choices").and_then(Value::as_array) else {
            return Ok(heard);
        };
        // Only one answer was asked for; some servers leave out its index.
        let first = choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        if let Some(choice) = first {
            self.choice(choice, out)?;
        }
        Ok(Heard::Progress)
    }

    fn choice(&mut self, choice: &Value, out: &mut VecDeque<Delta>) -> Result<(), ModelFault> {
        if let Some(said) = Said::in_chunk(choice) {
            return Err(refusal::in_answer(&self.asked, &said));
        }
        let piece = ["delta", "message"]
            .iter()
            .find_map(|name| choice.get(name).filter(|it| it.is_object()));
        if let Some(piece) = piece {
            self.say(Delta::Reasoning(reasoning(piece).into_owned()), out);
            self.say(Delta::Text(text(&piece["content"]).into_owned()), out);
            self.say(Delta::Text(text(&piece["refusal"]).into_owned()), out);
            for entry in piece["tool_calls"].as_array().into_iter().flatten() {
                if let Some(delta) = self.calls.take(entry) {
                    self.say(Delta::ToolCall(delta), out);
                }
            }
        }
        match choice["finish_reason"].as_str().unwrap_or("") {
            "" => {}
            "error" => {
                let said = Said::plain("the model failed");
                return Err(refusal::in_answer(&self.asked, &said));
            }
            reason => self.finish = Some(finish(reason)),
        }
        Ok(())
    }

    /// Empty pieces, which mean nothing, stop here.
    fn say(&mut self, delta: Delta, out: &mut VecDeque<Delta>) {
        let says = match &delta {
            Delta::Text(text) | Delta::Reasoning(text) => !text.is_empty(),
            Delta::ToolCall(ToolCallDelta { .. }) | Delta::Done { .. } | Delta::Failed { .. } => {
                true
            }
        };
        if says {
            self.wrote = true;
            out.push_back(delta);
        }
    }

    fn json(&self, bytes: &[u8]) -> Result<Value, ModelFault> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        serde_json::from_slice(bytes)
            .map_err(|error| self.broken(&Broken::Garbled(error.to_string())))
    }

    fn broken(&self, broken: &Broken) -> ModelFault {
        broken.fault(&self.asked.server)
    }

    fn refused(&self, data: &str) -> ModelFault {
        refusal::in_answer(&self.asked, &Said::of(data.as_bytes()))
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
fn together(before: Usage, now: Usage) -> Usage {
    Usage {
        input_tokens: now.input_tokens.or(before.input_tokens),
        output_tokens: now.output_tokens.or(before.output_tokens),
        cached_tokens: now.cached_tokens.or(before.cached_tokens),
    }
}

fn finish(reason: &str) -> Finish {
    match reason {
        "length" | "max_tokens" | "model_length" => Finish::Length,
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "content_filter" | "safety" | "SAFETY" => Finish::Filtered,
        // `stop`, and what others call it: `eos`, `end_turn`, `stop_sequence`.
        _ => Finish::Stop,
    }
}

/// A text, or the texts of a list of parts.
fn text(content: &Value) -> Cow<'_, str> {
    match content {
        Value::String(text) => Cow::Borrowed(text),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Cow::Borrowed(""),
    }
}

/// Thinking comes under three names and as parts of the content; a server that
/// uses two of the names says the same under both.
fn reasoning(piece: &Value) -> Cow<'_, str> {
    let named = ["reasoning_content", "reasoning"]
        .iter()
        .filter_map(|name| piece[name].as_str())
        .find(|text| !text.is_empty());
    if let Some(text) = named {
        return Cow::Borrowed(text);
    }
    let details = piece["reasoning_details"].as_array().into_iter().flatten();
    let details = details.filter_map(|part| part["text"].as_str().or(part["summary"].as_str()));
    let parts = piece["content"].as_array().into_iter().flatten();
    let parts = parts.flat_map(|part| part["thinking"].as_array().into_iter().flatten());
    Cow::Owned(details.chain(parts.filter_map(|part| part["text"].as_str())).collect())
}
