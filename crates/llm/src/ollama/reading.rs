//! What the lines of one answer mean.

use crate::accepted;
use crate::http::{
    Answer, Asked, Broken, Event, Frames, Heard, Reads, Said, count, later, letters,
};
use crate::kept::Keeping;
use crate::thoughts::{Opened, Thoughts};
use crate::{Delta, Finish, ModelFault, ToolCallDelta, Trouble};
use domain::{ProviderKind, Usage};
use serde_json::Value;
use std::collections::VecDeque;

/// Nobody cuts off less than this.
const NEVER_CUT: u32 = 1_500;

/// One answer, as far as it was heard.
pub struct Reading {
    answer: Answer,
    /// What the model must have read at least.
    least: u32,
    thought: String,
    keeping: Keeping,
    ids: Vec<String>,
    mint: Box<dyn FnMut() -> String + Send>,
}

impl Reading {
    pub fn new(asked: Asked) -> Self {
        Reading::minting(asked, accepted::minted)
    }

    /// With ids of the caller's choice for tool calls, which come without.
    pub fn minting(asked: Asked, mint: impl FnMut() -> String + Send + 'static) -> Self {
        Reading {
            answer: Answer::new(asked).apart_from(Thoughts::new()),
            least: 0,
            thought: String::new(),
            keeping: Keeping::default(),
            ids: Vec::new(),
            mint: Box::new(mint),
        }
    }

    /// An answer to fewer tokens than these is no answer to the question.
    #[must_use]
    pub fn expecting(self, least: u32) -> Self {
        Reading { least, ..self }
    }

    /// With what was heard of the server's models before.
    #[must_use]
    pub(super) fn knowing(self, opened: Opened) -> Self {
        let thoughts = Thoughts::of(opened, &self.answer.asked.model);
        Reading { answer: self.answer.apart_from(thoughts), ..self }
    }
}

impl Reads for Reading {
    fn frames(&self) -> Frames {
        Frames::Lines
    }

    fn finished(&self) -> bool {
        self.answer.finish.is_some()
    }

    fn failed(&self, fault: ModelFault) -> Delta {
        self.answer.failed(fault)
    }

    fn hear(&mut self, event: &Event, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        let line = self.answer.json(event)?;
        if let Some(said) = Said::in_chunk(&line) {
            return Err(self.answer.refused(&said));
        }
        let message = &line["message"];
        if message.is_object() {
            self.message(message, out)?;
        }
        let usage = Usage {
            input_tokens: count(&line, &["/prompt_eval_count"]),
            output_tokens: count(&line, &["/eval_count"]),
            ..Usage::default()
        };
        self.answer.usage = later(self.answer.usage, usage);
        if line["done"] == true {
            let length = line["done_reason"] == "length";
            self.answer.finish = Some(if length { Finish::Length } else { Finish::Stop });
            return Ok(Heard::End);
        }
        match message.is_object() {
            true => Ok(Heard::Progress),
            // Somebody else's lines.
            false if line.get("done").is_none() => Err(self.answer.no_answer()),
            false => Ok(Heard::Nothing),
        }
    }

    fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>) {
        let from = out.len();
        self.answer.end_words(out);
        self.keep(from, out);
        let end = self.answer.ended(why);
        match end {
            Delta::Done { usage: Usage { input_tokens: Some(read), .. }, .. }
                if self.was_cut(read) =>
            {
                let fault = self.cut_off(read);
                out.push_back(self.failed(fault));
            }
            Delta::Done { .. } => {
                let keeping = std::mem::take(&mut self.keeping);
                let kept = keeping.finish(ProviderKind::Ollama, &self.answer.asked.model);
                if let Some(kept) = kept {
                    self.answer.say(Delta::Kept(kept), out);
                }
                out.push_back(end);
            }
            end => out.push_back(end),
        }
    }
}

impl Reading {
    fn message(&mut self, message: &Value, out: &mut VecDeque<Delta>) -> Result<(), ModelFault> {
        let word = |name: &str| message[name].as_str().unwrap_or_default().to_owned();
        let thought = word("thinking");
        let shown = ["thinking", "content", "tool_calls"].map(|name| letters(&message[name]));
        let shown: usize = shown.into_iter().sum();
        self.answer.keep_unshown(letters(message).saturating_sub(shown), out);
        self.thought.push_str(&thought);
        self.answer.say(Delta::Reasoning(thought), out);
        let from = out.len();
        self.answer.say(Delta::Text(word("content")), out);
        self.keep(from, out);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(call, out)?;
        }
        Ok(())
    }

    /// Notes the words that were told from there on.
    fn keep(&mut self, from: usize, out: &VecDeque<Delta>) {
        for delta in out.range(from..) {
            match delta {
                Delta::Text(text) => self.keeping.text(text, None),
                Delta::Anew => self.keeping = Keeping::default(),
                Delta::Reasoning(_)
                | Delta::ToolCall(_)
                | Delta::Unshown(_)
                | Delta::Counted(_)
                | Delta::Kept(_)
                | Delta::Done { .. }
                | Delta::Failed { .. } => {}
            }
        }
    }

    /// A call is always whole.
    fn call(&mut self, call: &Value, out: &mut VecDeque<Delta>) -> Result<(), ModelFault> {
        let function = &call["function"];
        let Some(name) = function["name"].as_str().filter(|name| !name.is_empty()) else {
            return Err(self.answer.broken(&Broken::NamelessCall));
        };
        let given = call["id"].as_str().filter(|id| !id.is_empty());
        let id = match given.filter(|id| self.ids.iter().all(|known| known != id)) {
            Some(id) => id.to_owned(),
            None => (self.mint)(),
        };
        let arguments = match &function["arguments"] {
            Value::Null => "{}".to_owned(),
            Value::String(text) if text.trim().is_empty() => "{}".to_owned(),
            Value::String(text) => text.clone(),
            arguments => arguments.to_string(),
        };
        let (from, name) = (out.len(), Some(name.to_owned()));
        let call = ToolCallDelta { id: id.clone(), name, arguments };
        self.answer.say(Delta::ToolCall(call), out);
        self.keep(from, out);
        // Some models go on only with what they thought before they called.
        if !self.thought.is_empty() {
            self.keeping.own(Value::from(std::mem::take(&mut self.thought)).to_string());
        }
        self.keeping.call(&id, None);
        self.ids.push(id);
        Ok(())
    }

    /// Less than four fifths of the least that the question can be.
    fn was_cut(&self, read: u32) -> bool {
        self.least >= NEVER_CUT && u64::from(read) * 5 < u64::from(self.least) * 4
    }

    fn cut_off(&self, read: u32) -> ModelFault {
        let Asked { server, model, .. } = &self.answer.asked;
        ModelFault::new(
            Trouble::TooLong,
            format!(
                "{server} let {model} read {read} of at least {} tokens: it cut off the \
                 beginning, so the answer does not count",
                self.least
            ),
            "give the model a larger context window, or choose another model",
        )
    }
}
