//! From messages to tokens, with the chat template that the model brings.
//!
//! What a message says can never pose as the template: a web page that
//! contains `<|im_end|><|im_start|>system` is read as those characters, not as
//! the end of a turn.

use domain::engine::{Fault, Said};
use llama_cpp_2::model::{LlamaChatMessage, LlamaChatTemplate, LlamaModel};
use llama_cpp_2::token::LlamaToken;

use crate::fault::{Result, failure};

/// Ends where the assistant's answer begins.
pub(crate) fn tokens(model: &LlamaModel, messages: &[Said]) -> Result<Vec<LlamaToken>> {
    if messages.is_empty() {
        return Err(failure(Fault::BadRequest, "answer: there is no message"));
    }
    let vocab = model.vocab();
    let poses = |said: &Said| {
        vocab
            .tokenize(said.content.as_bytes(), false, true)
            .into_iter()
            .any(|token| vocab.is_control(token))
    };
    if !messages.iter().any(poses) {
        let text = render(model, messages)?;
        return Ok(vocab.tokenize(text.as_bytes(), true, true));
    }
    let marks: Vec<String> = (0..messages.len()).map(mark).collect();
    let marked: Vec<Said> = messages
        .iter()
        .zip(&marks)
        .map(|(said, mark)| Said { role: said.role.clone(), content: mark.clone() })
        .collect();
    let text = render(model, &marked)?;
    let mut tokens = Vec::new();
    for (first, part) in parts(&text, &marks).into_iter().enumerate() {
        match part {
            Part::Template(text) => {
                tokens.extend(vocab.tokenize(text.as_bytes(), first == 0, true))
            }
            Part::Message(index) => {
                tokens.extend(vocab.tokenize(
                    messages[index].content.as_bytes(),
                    first == 0,
                    false,
                ));
            }
        }
    }
    Ok(tokens)
}

fn render(model: &LlamaModel, messages: &[Said]) -> Result<String> {
    let chat = messages
        .iter()
        .map(|said| {
            // A NUL would end the text for llama.cpp; no text needs one.
            let plain = |text: &str| text.replace('\0', "");
            LlamaChatMessage::new(plain(&said.role), plain(&said.content))
                .expect("it holds no NUL any more")
        })
        .collect::<Vec<_>>();
    let rendered = match model.chat_template(None) {
        Ok(template) => model.apply_chat_template(&template, &chat, true),
        Err(_) => model.apply_chat_template(&chatml(), &chat, true),
    };
    rendered
        .or_else(|_| {
            tracing::warn!("llama.cpp does not know this model's chat template: using ChatML");
            model.apply_chat_template(&chatml(), &chat, true)
        })
        .map_err(|error| failure(Fault::BadRequest, format!("render the messages: {error}")))
}

fn chatml() -> LlamaChatTemplate {
    LlamaChatTemplate::new("chatml").expect("it holds no NUL")
}

/// Stands for message `index` in the rendered text: private-use characters,
/// which no template contains.
fn mark(index: usize) -> String {
    format!("\u{f8f0}{index}\u{f8f1}")
}

#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Template(&'t str),
    Message(usize),
}

fn parts<'t>(text: &'t str, marks: &[String]) -> Vec<Part<'t>> {
    let mut parts = Vec::new();
    let mut rest = text;
    for (index, mark) in marks.iter().enumerate() {
        // A template may drop a message, for example a system one it has no place for.
        let Some((before, after)) = rest.split_once(mark.as_str()) else { continue };
        if !before.is_empty() {
            parts.push(Part::Template(before));
        }
        parts.push(Part::Message(index));
        rest = after;
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
    fn the_rendered_text_falls_apart_at_its_marks() {
        let marks: Vec<String> = (0..3).map(mark).collect();
        let text = format!("<s>{}</s><u>{}", marks[0], marks[2]);
        assert_eq!(
            parts(&text, &marks),
            [Part::Template("<s>"), Part::Message(0), Part::Template("</s><u>"), Part::Message(2)]
        );
    }
}
