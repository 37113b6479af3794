//! What the events of one answer mean.

use crate::accepted;
use crate::http::{
    Answer, Asked, Broken, Event, Heard, Opened, Reads, Said, count, later, letters,
};
use crate::kept::Keeping;
use crate::{Delta, Finish, ModelFault, ToolCallDelta};
use domain::{ProviderKind, Usage};
use serde_json::Value;
use std::collections::VecDeque;

/// One answer, as far as it was heard.
pub struct Reading {
    answer: Answer,
    keeping: Keeping,
    ids: Vec<String>,
    mint: Box<dyn FnMut() -> String + Send>,
}

impl Reading {
    pub fn new(asked: Asked) -> Self {
        Reading::minting(asked, accepted::minted)
    }

    /// With ids of the caller's choice for tool calls that come without one.
    pub fn minting(asked: Asked, mint: impl FnMut() -> String + Send + 'static) -> Self {
        Reading {
            answer: Answer::new(asked),
            keeping: Keeping::default(),
            ids: Vec::new(),
            mint: Box::new(mint),
        }
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
        match self.answer.open(event)? {
            Opened::Nothing => Ok(Heard::Nothing),
            Opened::Chunk(chunk) => self.chunk(&chunk, out),
            Opened::Whole(whole) => self.whole(&whole, out),
        }
    }

    fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>) {
        self.answer.end_words(out);
        if self.finished() {
            let keeping = std::mem::take(&mut self.keeping);
            let kept = keeping.finish(ProviderKind::Gemini, &self.answer.asked.model);
            if let Some(kept) = kept {
                self.answer.say(Delta::Kept(kept), out);
            }
        }
        out.push_back(self.answer.ended(why));
    }
}

impl Reading {
    /// One chunk, or a list of them, from a server that does not stream.
    fn whole(&mut self, whole: &Value, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        let chunks = whole.as_array().map_or(std::slice::from_ref(whole), Vec::as_slice);
        let mut heard = Heard::Nothing;
        for chunk in chunks {
            if self.chunk(chunk, out)? == Heard::Progress {
                heard = Heard::Progress;
            }
        }
        match heard {
            Heard::Nothing => Err(self.answer.no_answer()),
            Heard::Progress | Heard::End => Ok(Heard::End),
        }
    }

    fn chunk(&mut self, chunk: &Value, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        if let Some(said) = Said::in_chunk(chunk) {
            return Err(self.answer.refused(&said));
        }
        let mut heard = Heard::Nothing;
        if chunk["usageMetadata"].is_object() {
            let before = self.answer.usage;
            self.answer.usage = later(before, usage(&chunk["usageMetadata"]));
            let read = |usage: Usage| (usage.input_tokens, usage.cached_tokens);
            if read(self.answer.usage) != read(before) {
                self.answer.say(Delta::Counted(self.answer.usage), out);
            }
            heard = Heard::Progress;
        }
        if let Some(reason) = chunk.pointer("/promptFeedback/blockReason").and_then(Value::as_str) {
            return Err(self.will_not(reason));
        }
        let Some(candidates) = chunk["candidates"].as_array() else { return Ok(heard) };
        // Only one answer was asked for.
        let first = candidates.iter().position(|it| it["index"].as_u64().unwrap_or(0) == 0);
        let others = candidates.iter().enumerate().filter(|(at, _)| Some(*at) != first);
        let unasked = others.map(|(_, candidate)| letters(&candidate["content"])).sum();
        self.answer.keep_unshown(unasked, out);
        if let Some(candidate) = first.map(|at| &candidates[at]) {
            for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
                self.part(part, out)?;
            }
            self.stopped_because(candidate["finishReason"].as_str().unwrap_or_default())?;
        }
        Ok(Heard::Progress)
    }

    fn part(&mut self, part: &Value, out: &mut VecDeque<Delta>) -> Result<(), ModelFault> {
        let seal = part["thoughtSignature"].as_str().filter(|seal| !seal.is_empty());
        let text = part["text"].as_str();
        let shown = text.map_or(0, |text| text.chars().count()) + letters(&part["functionCall"]);
        self.answer.keep_unshown(letters(part).saturating_sub(shown), out);
        match (&part["functionCall"], text) {
            (Value::Object(_), _) => return self.call(&part["functionCall"], seal, out),
            (_, Some(text)) if part["thought"] == true => {
                self.answer.say(Delta::Reasoning(text.to_owned()), out);
            }
            (_, Some(text)) => {
                self.keeping.text(text, seal);
                self.answer.say(Delta::Text(text.to_owned()), out);
            }
            (_, None) if seal.is_some() => self.keeping.text("", seal),
            (_, None) => {}
        }
        Ok(())
    }

    /// A call is always whole.
    fn call(
        &mut self,
        call: &Value,
        seal: Option<&str>,
        out: &mut VecDeque<Delta>,
    ) -> Result<(), ModelFault> {
        let word = |name: &str| call[name].as_str().filter(|text| !text.is_empty());
        let Some(name) = word("name") else {
            return Err(self.answer.broken(&Broken::NamelessCall));
        };
        let id = match word("id").filter(|id| self.ids.iter().all(|known| known != id)) {
            Some(id) => id.to_owned(),
            None => (self.mint)(),
        };
        let arguments = match &call["args"] {
            Value::Null => "{}".to_owned(),
            arguments => arguments.to_string(),
        };
        self.keeping.call(&id, seal);
        self.ids.push(id.clone());
        let name = Some(name.to_owned());
        self.answer.say(Delta::ToolCall(ToolCallDelta { id, name, arguments }), out);
        Ok(())
    }

    fn stopped_because(&mut self, reason: &str) -> Result<(), ModelFault> {
        let finish = match reason {
            "" | "FINISH_REASON_UNSPECIFIED" => return Ok(()),
            "STOP" => Finish::Stop,
            "MAX_TOKENS" => Finish::Length,
            "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => {
                Finish::Filtered
            }
            image if image.starts_with("IMAGE_") => Finish::Filtered,
            // It wanted to call and could not say it, or does not know itself.
            other => return Err(self.answer.broken(&Broken::GaveUp(shown(other)))),
        };
        self.answer.finish = Some(finish);
        Ok(())
    }

    fn will_not(&self, reason: &str) -> ModelFault {
        ModelFault::withheld(format!(
            "{} does not answer this question ({})",
            self.answer.asked.server,
            shown(reason)
        ))
    }
}

/// A stranger's word, as far as it is one.
fn shown(reason: &str) -> String {
    const LONGEST: usize = 60;
    reason.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '_').take(LONGEST).collect()
}

/// Counts grow from chunk to chunk, and what was thought is written too.
fn usage(usage: &Value) -> Usage {
    let [prompt, tools, answer, thoughts, cached] = [
        "/promptTokenCount",
        "/toolUsePromptTokenCount",
        "/candidatesTokenCount",
        "/thoughtsTokenCount",
        "/cachedContentTokenCount",
    ]
    .map(|name| count(usage, &[name]));
    let both = |one: Option<u32>, two: Option<u32>| match (one, two) {
        (None, None) => None,
        (one, two) => Some(one.unwrap_or(0).saturating_add(two.unwrap_or(0))),
    };
    let input_tokens = both(prompt, tools);
    // They are part of what was read, so more of them cannot be.
    let can_be = |cached: &u32| input_tokens.is_none_or(|input| *cached <= input);
    Usage {
        input_tokens,
        output_tokens: both(answer, thoughts),
        cached_tokens: cached.filter(can_be),
        cache_write_tokens: None,
    }
}
