//! What the events of one answer mean.

use super::usage::Counts;
use crate::accepted;
use crate::http::{Answer, Asked, Broken, Event, Heard, Opened, Reads, Said, letters};
use crate::kept::Keeping;
use crate::{Delta, Finish, ModelFault, ToolCallDelta};
use domain::ProviderKind;
use serde_json::Value;
use std::collections::VecDeque;

/// One answer, as far as it was heard: blocks, one after the other.
pub struct Reading {
    answer: Answer,
    counts: Counts,
    keeping: Keeping,
    blocks: Vec<(u64, Block)>,
    ids: Vec<String>,
    mint: Box<dyn FnMut() -> String + Send>,
}

/// A block that has begun and not ended.
enum Block {
    Text,
    /// As it began, and what was thought since.
    Thinking {
        block: Value,
        thought: String,
    },
    Call {
        id: String,
        /// Arguments that came with the beginning, for servers that send no pieces.
        whole: String,
        in_pieces: bool,
    },
    /// Something that was not asked for.
    Other,
}

impl Reading {
    pub fn new(asked: Asked) -> Self {
        Reading::minting(asked, accepted::minted)
    }

    /// With ids of the caller's choice for tool calls that come without one.
    pub fn minting(asked: Asked, mint: impl FnMut() -> String + Send + 'static) -> Self {
        Reading {
            answer: Answer::new(asked),
            counts: Counts::default(),
            keeping: Keeping::default(),
            blocks: Vec::new(),
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
            Opened::Chunk(event) => self.event(&event, out),
            Opened::Whole(message) => self.message(&message, out),
        }
    }

    fn end(&mut self, why: Option<Broken>, out: &mut VecDeque<Delta>) {
        self.answer.end_words(out);
        if self.finished() {
            for at in self.blocks.iter().map(|(at, _)| *at).collect::<Vec<_>>() {
                self.stop(at, out);
            }
            let keeping = std::mem::take(&mut self.keeping);
            let kept = keeping.finish(ProviderKind::Anthropic, &self.answer.asked.model);
            if let Some(kept) = kept {
                self.answer.say(Delta::Kept(kept), out);
            }
        }
        out.push_back(self.answer.ended(why));
    }
}

impl Reading {
    /// Events of other kinds may come any time and mean nothing.
    fn event(&mut self, event: &Value, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        if let Some(said) = Said::in_chunk(event) {
            return Err(self.answer.refused(&said));
        }
        let at = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => {
                self.count(&event["message"]["usage"]);
                self.answer.say(Delta::Counted(self.answer.usage), out);
            }
            "content_block_start" => self.start(at, &event["content_block"], out)?,
            "content_block_delta" => self.grow(at, &event["delta"], out)?,
            "content_block_stop" => self.stop(at, out),
            "message_delta" => {
                self.count(&event["usage"]);
                self.stopped_because(&event["delta"]["stop_reason"]);
            }
            "message_stop" => {
                self.answer.finish.get_or_insert(Finish::Stop);
                return Ok(Heard::End);
            }
            "message" => return self.message(event, out),
            _ => return Ok(Heard::Nothing),
        }
        Ok(Heard::Progress)
    }

    /// A whole answer at once, from a server that does not stream.
    fn message(&mut self, message: &Value, out: &mut VecDeque<Delta>) -> Result<Heard, ModelFault> {
        if let Some(said) = Said::in_chunk(message) {
            return Err(self.answer.refused(&said));
        }
        let Some(blocks) = message["content"].as_array() else {
            return Err(self.answer.no_answer());
        };
        self.count(&message["usage"]);
        for (at, block) in (0..).zip(blocks) {
            self.start(at, block, out)?;
            self.stop(at, out);
        }
        self.stopped_because(&message["stop_reason"]);
        self.answer.finish.get_or_insert(Finish::Stop);
        Ok(Heard::End)
    }

    fn start(
        &mut self,
        at: u64,
        block: &Value,
        out: &mut VecDeque<Delta>,
    ) -> Result<(), ModelFault> {
        self.stop(at, out);
        let started = match block["type"].as_str().unwrap_or_default() {
            "text" => {
                self.say(block["text"].as_str().unwrap_or_default(), out);
                Block::Text
            }
            "thinking" => {
                let thought = block["thinking"].as_str().unwrap_or_default().to_owned();
                self.think(&thought, out);
                self.answer.keep_unshown(letters(&block["signature"]), out);
                Block::Thinking { block: block.clone(), thought }
            }
            "redacted_thinking" => {
                self.keeping.own(block.to_string());
                self.answer.keep_unshown(letters(block), out);
                Block::Other
            }
            "tool_use" => self.call(block, out)?,
            _ => {
                self.answer.keep_unshown(letters(block), out);
                Block::Other
            }
        };
        self.blocks.push((at, started));
        Ok(())
    }

    fn call(&mut self, block: &Value, out: &mut VecDeque<Delta>) -> Result<Block, ModelFault> {
        let word = |name: &str| block[name].as_str().filter(|text| !text.is_empty());
        let Some(name) = word("name") else {
            return Err(self.answer.broken(&Broken::NamelessCall));
        };
        let taken = |id: &str| self.ids.iter().any(|known| known == id);
        let id = match word("id").filter(|id| !taken(id)) {
            Some(id) => id.to_owned(),
            None => (self.mint)(),
        };
        self.ids.push(id.clone());
        self.keeping.call(&id, None);
        let piece =
            ToolCallDelta { id: id.clone(), name: Some(name.to_owned()), arguments: String::new() };
        self.answer.say(Delta::ToolCall(piece), out);
        let whole = match &block["input"] {
            Value::Null => "{}".to_owned(),
            input => input.to_string(),
        };
        Ok(Block::Call { id, whole, in_pieces: false })
    }

    fn grow(
        &mut self,
        at: u64,
        delta: &Value,
        out: &mut VecDeque<Delta>,
    ) -> Result<(), ModelFault> {
        let piece = |name: &str| delta[name].as_str().unwrap_or_default();
        match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => self.say(piece("text"), out),
            "thinking_delta" => {
                if let Some(Block::Thinking { thought, .. }) = self.block(at) {
                    thought.push_str(piece("thinking"));
                }
                self.think(piece("thinking"), out);
            }
            "signature_delta" => {
                if let Some(Block::Thinking { block, .. }) = self.block(at) {
                    block["signature"] = piece("signature").into();
                }
                self.answer.keep_unshown(letters(delta), out);
            }
            "input_json_delta" => {
                let Some(Block::Call { id, in_pieces, .. }) = self.block(at) else {
                    return Err(self.answer.broken(&Broken::NamelessCall));
                };
                let arguments = piece("partial_json").to_owned();
                if !arguments.is_empty() {
                    *in_pieces = true;
                    let piece = ToolCallDelta { id: id.clone(), name: None, arguments };
                    self.answer.say(Delta::ToolCall(piece), out);
                }
            }
            _ => self.answer.keep_unshown(letters(delta), out),
        }
        Ok(())
    }

    /// The block is whole; what has to be sent back of it is noted now.
    fn stop(&mut self, at: u64, out: &mut VecDeque<Delta>) {
        let Some(place) = self.blocks.iter().position(|(known, _)| *known == at) else { return };
        match self.blocks.remove(place).1 {
            Block::Thinking { mut block, thought } => {
                block["thinking"] = thought.into();
                // Unsigned, nobody takes it back.
                if block["signature"].as_str().is_some_and(|seal| !seal.is_empty()) {
                    self.keeping.own(block.to_string());
                }
            }
            Block::Call { id, whole, in_pieces: false } => {
                let piece = ToolCallDelta { id, name: None, arguments: whole };
                self.answer.say(Delta::ToolCall(piece), out);
            }
            Block::Call { .. } | Block::Text | Block::Other => {}
        }
    }

    fn block(&mut self, at: u64) -> Option<&mut Block> {
        self.blocks.iter_mut().find(|(known, _)| *known == at).map(|(_, block)| block)
    }

    fn say(&mut self, text: &str, out: &mut VecDeque<Delta>) {
        self.keeping.text(text, None);
        self.answer.say(Delta::Text(text.to_owned()), out);
    }

    fn think(&mut self, text: &str, out: &mut VecDeque<Delta>) {
        self.answer.say(Delta::Reasoning(text.to_owned()), out);
    }

    fn count(&mut self, usage: &Value) {
        self.counts.hear(usage);
        self.answer.usage = self.counts.usage();
    }

    fn stopped_because(&mut self, reason: &Value) {
        let finish = match reason.as_str().unwrap_or_default() {
            "" => return,
            // A pause is for tools of the server's own, which it was not given.
            "max_tokens" | "model_context_window_exceeded" | "pause_turn" => Finish::Length,
            "tool_use" => Finish::ToolCalls,
            "refusal" => Finish::Filtered,
            _ => Finish::Stop,
        };
        self.answer.finish = Some(finish);
    }
}
