//! Waits in free text for the trigger of a call. From there on the grammar of
//! the offered tools holds.
//!
//! llama.cpp has grammars that wait by themselves, but they match a regular
//! expression against the whole answer at every token, which takes long
//! answers down with the stack.

use domain::engine::{CallForm, Tool};
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;

use crate::calls;

pub(crate) struct Gate<'m> {
    model: &'m LlamaModel,
    watch: Watch,
    form: CallForm,
    tools: Vec<Tool>,
}

impl<'m> Gate<'m> {
    pub(crate) fn new(model: &'m LlamaModel, form: &CallForm, tools: &[Tool]) -> Self {
        let watch = Watch::new(&form.trigger, form.only_first);
        Gate { model, watch, form: form.clone(), tools: tools.to_vec() }
    }

    /// The grammar of the rest, once a call has begun.
    pub(crate) fn hear(&mut self, token: LlamaToken) -> Option<LlamaSampler> {
        let piece = self.model.vocab().token_to_piece(token, true, None);
        let written = self.watch.push(&piece)?;
        self.grammar(&self.tools, &written)
            .or_else(|| self.grammar(&calls::without_schemas(&self.tools), &written))
    }

    fn grammar(&self, tools: &[Tool], written: &str) -> Option<LlamaSampler> {
        let rules = calls::grammar(&self.form, tools, written)?;
        let grammar = LlamaSampler::grammar(self.model, &rules, "root");
        grammar.inspect_err(|error| tracing::warn!("a grammar of tools: {error}")).ok()
    }
}

/// Looks for the trigger in an answer that comes in pieces.
struct Watch {
    trigger: Vec<u8>,
    only_first: bool,
    /// What could still become a trigger.
    tail: Vec<u8>,
    over: bool,
}

impl Watch {
    fn new(trigger: &str, only_first: bool) -> Self {
        Watch { trigger: trigger.into(), only_first, tail: Vec::new(), over: false }
    }

    /// What stands after the trigger already, when this piece completes it.
    fn push(&mut self, piece: &[u8]) -> Option<String> {
        if self.over {
            return None;
        }
        self.tail.extend_from_slice(piece);
        if self.only_first {
            let begun = self.tail.trim_ascii_start();
            let missing = self.trigger.len().saturating_sub(begun.len());
            self.over = !begun.starts_with(&self.trigger[..self.trigger.len() - missing]);
            if self.over {
                return None;
            }
        }
        let length = self.trigger.len();
        match self.tail.windows(length).position(|part| part == self.trigger) {
            Some(at) => {
                let written = self.tail.split_off(at + length);
                self.tail.clear();
                Some(String::from_utf8_lossy(&written).into_owned())
            }
            None => {
                if !self.only_first {
                    let kept = self.tail.len().saturating_sub(length - 1);
                    self.tail.drain(..kept);
                }
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(only_first: bool, pieces: &[&str], expected: Option<(usize, &str)>) {
        let mut watch = Watch::new("<call>", only_first);
        let heard = pieces
            .iter()
            .enumerate()
            .find_map(|(at, piece)| Some((at, watch.push(piece.as_bytes())?)));
        let heard = heard.as_ref().map(|(at, written)| (*at, written.as_str()));
        assert_eq!(heard, expected, "{pieces:?}");
    }

    #[test]
    fn a_trigger_is_heard_however_it_is_cut() {
        check(false, &["Well, <ca", "ll>"], Some((1, "")));
        check(false, &["<", "c", "a", "l", "l", ">{", "\"x"], Some((5, "{")));
        check(false, &["<cal<call>\n{"], Some((0, "\n{")));
        check(false, &["<cal", " l>", "<call >"], None);
        check(false, &["é<call", ">"], Some((1, "")));
    }

    #[test]
    fn a_trigger_that_counts_only_at_the_beginning_counts_nowhere_else() {
        check(true, &["\n ", "<ca", "ll>"], Some((2, "")));
        check(true, &["See: ", "<call>"], None);
        check(true, &["<cap", "<call>"], None);
    }
}
