//! What the events of one answer mean.
//!
//! Plain state over plain data: no waiting, no bytes, no clock. `decode` feeds
//! it.

use super::calls::{Calls, Mint};
use super::details::Details;
use super::plain::{self, Words};
use super::usage;
use crate::accepted;
use crate::http::{Answer, Asked, Broken, Event, Heard, Reads, Said, later, letters};
use crate::thoughts::{Opened, Thoughts};
use crate::{Delta, Finish, ModelFault};
use serde_json::{Value, json};
use std::borrow::Cow;
use std::collections::VecDeque;

/// What a server says after its last event.
const DONE: &str = "[DONE]";

/// One answer, as far as it was heard.
pub struct Reading {
    answer: Answer,
    calls: Calls,
    details: Details,
    keeps_thoughts: bool,
}

impl Reading {
    pub fn new(asked: Asked) -> Self {
        Reading::minting(asked, accepted::minted)
    }

    /// With ids of the caller's choice for tool calls that come without one.
    pub fn minting(asked: Asked, mint: impl FnMut() -> String + Send + 'static) -> Self {
        let mint: Mint = Box::new(mint);
        let answer = Answer::new(asked).apart_from(Thoughts::new());
        let calls = Calls::new(mint);
        Reading { answer, calls, details: Details::default(), keeps_thoughts: false }
    }

    /// For a server that wants them back.
    #[must_use]
    pub fn keeping_thoughts(self) -> Self {
        Reading { keeps_thoughts: true, ..self }
    }

    /// With what was heard of the server's models before.
    #[must_use]
    pub(super) fn knowing(self, opened: Opened) -> Self {
        let thoughts = Thoughts::of(opened, &self.answer.asked.model);
        Reading { answer: self.answer.apart_from(thoughts), ..self }
    }
}

impl Reads for Reading {
    fn finished(&self) -> bool {
        self.answer.finish.is_some()
    }

    fn failed(&self, fault: ModelFault) -> Delta {
        self.answer.failed(fault)
    }

    fn hear(&mut self, event: &Event, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        match event {
            Event::Data(data) | Event::Last(data) if data.trim().is_empty() => Ok(Heard::Nothing),
            Event::Data(data) | Event::Last(data) if data.trim() == DONE => {
                self.answer.finish.get_or_insert(Finish::Stop);
                Ok(Heard::End)
            }
            Event::Last(data) if DONE.starts_with(data.trim()) => {
                Err(self.answer.broken(&Broken::Ended))
            }
            Event::Data(data) | Event::Last(data) => match plain::words(data) {
                Some(Words { thought, text }) => {
                    self.think(thought, out);
                    self.answer.say(Delta::Text(text.into_owned()), out);
                    Ok(Heard::Progress)
                }
                None => {
                    let chunk = self.answer.json(event)?;
                    self.chunk(&chunk, out)
                }
            },
            Event::Error(data) => Err(self.answer.refused(&Said::of(data.as_bytes()))),
            Event::Whole(_) => {
                let whole = self.answer.json(event)?;
                if self.chunk(&whole, out)? == Heard::Nothing {
                    return Err(self.answer.no_answer());
                }
                self.answer.finish.get_or_insert(Finish::Stop);
                Ok(Heard::End)
            }
        }
    }

    fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>) {
        self.answer.end_words(out);
        if self.finished() {
            match self.calls.end() {
                Ok(pieces) => out.extend(pieces.into_iter().map(Delta::ToolCall)),
                Err(broken) => return out.push_back(self.failed(self.answer.broken(&broken))),
            }
            if let Some(kept) = self.details.kept(&self.answer.asked.model) {
                self.answer.say(Delta::Kept(kept), out);
            }
        }
        out.push_back(self.answer.ended(why));
    }
}

impl Reading {
    fn think(&mut self, thought: Cow<'_, str>, out: &mut VecDeque<Delta>) {
        if self.keeps_thoughts {
            self.details.think(&thought);
        }
        self.answer.say(Delta::Reasoning(thought.into_owned()), out);
    }

    fn chunk(&mut self, chunk: &Value, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        if let Some(said) = Said::in_chunk(chunk) {
            return Err(self.answer.refused(&said));
        }
        let mut heard = Heard::Nothing;
        if let Some(usage) = usage::of(chunk) {
            self.answer.usage = later(self.answer.usage, usage);
            heard = Heard::Progress;
        }
        let Some(choices) = chunk.get("choices").and_then(Value::as_array) else {
            return Ok(heard);
        };
        // Only one answer was asked for; some servers leave out its index.
        let first = choices.iter().position(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        if let Some(at) = first {
            self.choice(&choices[at], out)?;
        }
        let others = choices.iter().enumerate().filter(|(at, _)| Some(*at) != first);
        let unasked = others.filter_map(|(_, choice)| piece(choice)).map(letters).sum();
        self.answer.keep_unshown(unasked, out);
        Ok(Heard::Progress)
    }

    fn choice(&mut self, choice: &Value, out: &mut VecDeque<Delta>) -> Result<(), ModelFault> {
        if let Some(said) = Said::in_chunk(choice) {
            return Err(self.answer.refused(&said));
        }
        if let Some(piece) = piece(choice) {
            self.piece(piece, out);
        }
        match choice["finish_reason"].as_str().unwrap_or("") {
            // Some write the word where there is to be nothing.
            "" | "null" => {}
            "error" => {
                let said = Said::plain("the model failed");
                return Err(self.answer.refused(&said));
            }
            // DeepSeek's and Zhipu's words for an answer that they broke off.
            reason @ ("insufficient_system_resource" | "network_error") => {
                return Err(self.answer.broken(&Broken::GaveUp(reason.to_owned())));
            }
            reason => self.answer.finish = Some(finish(reason)),
        }
        Ok(())
    }

    fn piece(&mut self, piece: &Value, out: &mut VecDeque<Delta>) {
        let details = piece["reasoning_details"].as_array().into_iter().flatten();
        details.for_each(|detail| self.details.take(detail));
        let thought = reasoning(piece);
        let said = [text(&piece["content"]), text(&piece["refusal"])];
        let shown = said.iter().chain([&thought]).map(|text| text.chars().count());
        let shown: usize = shown.sum();
        self.think(thought, out);
        for text in said {
            self.answer.say(Delta::Text(text.into_owned()), out);
        }
        let mut in_calls = 0;
        let calls = piece["tool_calls"].as_array().into_iter().flatten();
        for entry in calls.map(Cow::Borrowed).chain(older_call(piece).map(Cow::Owned)) {
            // The rest brings nothing, or nothing yet.
            if let Some(delta) = self.calls.take(&entry) {
                in_calls += letters(&entry);
                self.answer.say(Delta::ToolCall(delta), out);
            }
        }
        let unshown = letters(piece).saturating_sub(shown + in_calls);
        self.answer.keep_unshown(unshown, out);
    }
}

fn piece(choice: &Value) -> Option<&Value> {
    let names = ["delta", "message"].iter();
    names.filter_map(|name| choice.get(name)).find(|piece| piece.is_object())
}

/// The one call of servers that follow the API as it was before there could be several.
/// Some say it both ways.
fn older_call(piece: &Value) -> Option<Value> {
    let call = piece.get("function_call").filter(|call| call.is_object())?;
    piece["tool_calls"].is_null().then(|| json!({ "function": call }))
}

fn finish(reason: &str) -> Finish {
    match reason {
        "length" | "max_tokens" | "model_length" | "model_context_window_exceeded" => {
            Finish::Length
        }
        "tool_calls" | "function_call" | "tool_use" => Finish::ToolCalls,
        "content_filter" | "safety" | "SAFETY" | "sensitive" => Finish::Filtered,
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_field(name: &'static str) -> impl Strategy<Value = Option<(String, Value)>> {
        let values = vec![
            json!(null),
            json!(0),
            json!(1),
            json!(""),
            json!("Hi \"北\"\n"),
            json!("stop"),
            json!([]),
            json!([{"type": "text", "text": "Hi", "id": "a"}]),
            json!({"message": "no", "content": "Hi"}),
        ];
        let field = prop::sample::select(values).prop_map(move |value| (name.to_owned(), value));
        prop_oneof![3 => Just(None), 1 => field.prop_map(Some)]
    }

    fn object(fields: Vec<Option<(String, Value)>>) -> Value {
        Value::Object(fields.into_iter().flatten().collect())
    }

    fn any_choice() -> impl Strategy<Value = Value> {
        let names = ["content", "reasoning_content", "reasoning", "reasoning_details"];
        let others = ["refusal", "tool_calls", "function_call", "role", "audio"];
        let piece = names.into_iter().chain(others).map(any_field).collect::<Vec<_>>();
        let around = ["index", "finish_reason", "error", "usage", "message", "delta"];
        let around = around.into_iter().map(any_field).collect::<Vec<_>>();
        (piece, around).prop_map(|(piece, around)| {
            let mut choice = object(around);
            if choice["delta"].is_null() {
                choice["delta"] = object(piece);
            }
            choice
        })
    }

    proptest! {
        #[test]
        fn the_short_way_through_a_chunk_leads_where_the_long_one_does(
            choices in prop::collection::vec(any_choice(), 0..3),
            around in ["error", "usage", "x_groq", "model"].map(any_field),
            is_list in prop::bool::weighted(0.05),
        ) {
            let mut chunk = object(around.to_vec());
            chunk["choices"] = json!(choices);
            if is_list {
                chunk = json!([choices]);
            }
            let heard = |is_short: bool| {
                let mut reading = Reading::new(Asked::new("acme", "m1"));
                let mut out = VecDeque::new();
                let heard = match is_short {
                    true => reading.hear(&Event::Data(chunk.to_string()), &mut out),
                    false => reading.chunk(&chunk, &mut out),
                };
                reading.end(None, &mut out);
                (heard.map_err(|fault| fault.message), out)
            };
            prop_assert_eq!(heard(true), heard(false));
        }
    }
}
