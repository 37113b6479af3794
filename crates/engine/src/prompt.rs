//! From messages to tokens, in the words that the model is spoken to.
//!
//! What a message says can never pose as the template: a web page that
//! contains `<|im_end|><|im_start|>system` is read as those characters, not as
//! the end of a turn.

use ::gguf::chat::{Call, Message, Tool};
use domain::engine::{Fault, Generate, Said};
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::vocab::LlamaVocab;
use serde_json::Value;

use crate::chat::Chat;
use crate::fault::{Result, failure};

/// How models that think begin to.
pub(crate) const THOUGHT: &str = "<think>";

/// What the model goes on from.
pub(crate) struct Prompt {
    /// End where the assistant's answer begins.
    pub(crate) tokens: Vec<LlamaToken>,
    /// The template has begun to think for the model.
    pub(crate) thinks: bool,
}

pub(crate) fn read(model: &LlamaModel, chat: &Chat, ask: &Generate) -> Result<Prompt> {
    if ask.messages.is_empty() {
        return Err(failure(Fault::BadRequest, "answer: there is no message"));
    }
    let vocab = model.vocab();
    let mut messages = messages(&vocab, &ask.messages);
    let tools: Vec<Tool> = ask
        .tools
        .iter()
        .map(|tool| Tool {
            name: tool.name.clone(),
            description: harmless(&vocab, &tool.description),
            input: harmless_json(&vocab, &tool.input),
        })
        .collect();
    if !messages.iter().any(|message| poses(&vocab, &message.content)) {
        let text = without_bos(&vocab, chat.render(&messages, &tools)?);
        let tokens = vocab.tokenize(text.as_bytes(), true, true);
        return Ok(Prompt { tokens, thinks: thinks(&text) });
    }
    for (index, message) in messages.iter_mut().enumerate() {
        if !message.content.is_empty() {
            message.content = mark(index);
        }
    }
    let text = without_bos(&vocab, chat.render(&messages, &tools)?);
    let mut tokens = Vec::new();
    for (first, part) in parts(&text, messages.len()).into_iter().enumerate() {
        let (text, is_template) = match part {
            Part::Template(text) => (text, true),
            Part::Message(index) => (ask.messages[index].content.as_str(), false),
        };
        tokens.extend(vocab.tokenize(text.as_bytes(), first == 0, is_template));
    }
    Ok(Prompt { tokens, thinks: thinks(&text) })
}

/// Whether the text ends within a thought.
fn thinks(text: &str) -> bool {
    text.trim_end().ends_with(THOUGHT)
}

fn messages(vocab: &LlamaVocab<'_>, all: &[Said]) -> Vec<Message> {
    let name = |id: &String| {
        let call = all.iter().flat_map(|said| &said.calls).find(|call| call.id == *id);
        (id.clone(), call.map_or("tool", |call| &call.name).to_owned())
    };
    let call = |call: &domain::engine::Call| Call {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: harmless_json(vocab, &call.arguments),
    };
    let message = |said: &Said| Message {
        role: said.role.clone(),
        content: said.content.clone(),
        calls: said.calls.iter().map(call).collect(),
        answers: said.answers.as_ref().map(name),
    };
    all.iter().map(message).collect()
}

/// Whether it holds what the model takes for more than its characters.
fn poses(vocab: &LlamaVocab<'_>, text: &str) -> bool {
    vocab.tokenize(text.as_bytes(), false, true).into_iter().any(|token| vocab.is_control(token))
}

/// The same with something invisible in each mark that would pose. For what
/// cannot be read apart from the template: descriptions, arguments.
fn harmless(vocab: &LlamaVocab<'_>, text: &str) -> String {
    let mut harmless = text.to_owned();
    for token in vocab.tokenize(text.as_bytes(), false, true) {
        if !vocab.is_control(token) {
            continue;
        }
        let mark = String::from_utf8_lossy(&vocab.token_to_piece(token, true, None)).into_owned();
        if let Some(first) = mark.chars().next() {
            let (first, rest) = mark.split_at(first.len_utf8());
            harmless = harmless.replace(&mark, &format!("{first}\u{200b}{rest}"));
        }
    }
    harmless
}

fn harmless_json(vocab: &LlamaVocab<'_>, json: &Value) -> Value {
    match json {
        Value::Null | Value::Bool(_) | Value::Number(_) => json.clone(),
        Value::String(text) => Value::String(harmless(vocab, text)),
        Value::Array(all) => all.iter().map(|one| harmless_json(vocab, one)).collect(),
        Value::Object(all) => {
            all.iter().map(|(key, one)| (harmless(vocab, key), harmless_json(vocab, one))).collect()
        }
    }
}

/// The template may write what llama.cpp puts in front by itself.
fn without_bos(vocab: &LlamaVocab<'_>, text: String) -> String {
    let bos = vocab.bos();
    if !vocab.should_add_bos() || bos.0 < 0 {
        return text;
    }
    let piece = vocab.token_to_piece(bos, true, None);
    let rest = str::from_utf8(&piece).ok().filter(|bos| !bos.is_empty());
    match rest.and_then(|bos| text.strip_prefix(bos)) {
        Some(rest) => rest.to_owned(),
        None => text,
    }
}

const MARK: char = '\u{f8f0}';
const END: char = '\u{f8f1}';

/// Stands for message `index` in the rendered text: private-use characters,
/// which no template contains.
fn mark(index: usize) -> String {
    format!("{MARK}{index}{END}")
}

#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Template(&'t str),
    Message(usize),
}

/// A template may leave a message out, and tell some later than others.
fn parts(text: &str, messages: usize) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let (mut rest, mut from) = (text, 0);
    while let Some(at) = rest[from..].find(MARK).map(|at| from + at) {
        let inside = rest[at + MARK.len_utf8()..].split_once(END);
        let index = inside.and_then(|(index, after)| Some((index.parse().ok()?, after)));
        match index.filter(|(index, _)| *index < messages) {
            Some((index, after)) => {
                if at > 0 {
                    parts.push(Part::Template(&rest[..at]));
                }
                parts.push(Part::Message(index));
                (rest, from) = (after, 0);
            }
            None => from = at + MARK.len_utf8(),
        }
    }
    if !rest.is_empty() {
        parts.push(Part::Template(rest));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_that_begins_to_think_for_the_model_is_seen() {
        assert!(thinks("<|im_start|>assistant\n<think>\n"));
        assert!(thinks("<｜Assistant｜><think>"));
        assert!(!thinks("<|im_start|>assistant\n<think>\n\n</think>\n\n"));
        assert!(!thinks("<|im_start|>assistant\n"));
    }

    #[test]
    fn the_rendered_text_falls_apart_at_its_marks() {
        let text = format!("<s>{}</s>{MARK}x{END}<u>{}", mark(2), mark(0));
        let between = format!("</s>{MARK}x{END}<u>");
        assert_eq!(
            parts(&text, 3),
            [Part::Template("<s>"), Part::Message(2), Part::Template(&between), Part::Message(0)]
        );
        assert_eq!(parts(&mark(3), 3), [Part::Template(&mark(3))], "nobody's mark");
    }
}
