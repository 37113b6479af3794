//! In which words the loaded model is spoken to: its own template where it
//! brings one that can be used, else ChatML, and how it writes a call.

use ::gguf::chat::{Message, Template, Tokens, Tool};
use domain::engine::{CallForm, Fault, Words};
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::token::LlamaToken;

use crate::bounded::bounded;
use crate::fault::{Result, failure};
use crate::told::{self, Calls};

pub(crate) struct Chat {
    template: Template,
    form: CallForm,
    wrong: Option<String>,
}

impl Chat {
    pub(crate) fn of(model: &LlamaModel, words: Words) -> Self {
        let source = match words {
            Words::Own => model.chat_template(None).ok().and_then(|own| own.to_string().ok()),
            Words::Chatml => None,
        };
        let vocab = model.vocab();
        let tokens = Tokens { bos: text(model, vocab.bos()), eos: text(model, vocab.eos()) };
        Chat::reading(source.as_deref(), tokens)
    }

    fn reading(source: Option<&str>, tokens: Tokens) -> Self {
        let (template, wrong) =
            match source.map(|source| bounded(|| Template::read(source, tokens))) {
                Some(Ok(template)) => (template, None),
                Some(Err(why)) => {
                    tracing::warn!("the model's chat template cannot be used, so ChatML is: {why}");
                    (Template::chatml(), Some(why))
                }
                None => (Template::chatml(), None),
            };
        let form = template.form().map_or_else(CallForm::default, |form| CallForm {
            trigger: form.trigger.clone(),
            rest: form.rest.clone(),
            between: form.between.clone(),
            only_first: form.only_first,
        });
        Chat { template, form, wrong }
    }

    pub(crate) fn form(&self) -> &CallForm {
        &self.form
    }

    /// Why the model's own template is not used.
    pub(crate) fn wrong(&self) -> Option<&str> {
        self.wrong.as_deref()
    }

    /// The text that the model goes on from. A template may refuse what it does
    /// not expect, as two turns of one speaker: then it is told in a plainer way.
    pub(crate) fn render(&self, messages: &[Message], tools: &[Tool]) -> Result<String> {
        let calls = match self.template.form() {
            Some(_) => Calls::Own,
            None if tools.is_empty() => Calls::InWords,
            None => Calls::Tagged,
        };
        let whole = told::as_template_takes(messages, tools, calls, &self.template);
        let offered = if calls == Calls::Own { tools } else { &[] };
        let rendered = bounded(|| {
            self.template.render(&whole, offered).or_else(|why| {
                let plainer = told::by_turns(&whole);
                self.template.render(&plainer, offered).map_err(|_| why)
            })
        });
        rendered.map_err(|why| {
            let message = format!("the model's chat template cannot tell this conversation: {why}");
            failure(Fault::BadTemplate, message)
        })
    }
}

/// Nothing for the number that stands for no token.
fn text(model: &LlamaModel, token: LlamaToken) -> String {
    if token.0 < 0 {
        return String::new();
    }
    let vocab = model.vocab();
    vocab.text(token).map(|text| text.to_string_lossy().into_owned()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(role: &str, content: &str) -> Message {
        Message { role: role.into(), content: content.into(), ..Message::default() }
    }

    #[test]
    fn a_template_that_cannot_be_used_is_told_of_and_chatml_is_used() {
        let chat = Chat::reading(Some("{{ nobody() }}"), Tokens::default());
        assert!(chat.wrong().unwrap().contains("unknown function"));
        let text = chat.render(&[said("user", "hi")], &[]).unwrap();
        assert_eq!(text, "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n");
        assert_eq!(Chat::reading(None, Tokens::default()).wrong(), None);
    }

    #[test]
    fn a_strict_template_is_given_turns_in_turn_and_the_system_prompt_in_the_first() {
        let strict = "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}\
            {{ raise_exception('by turns') }}{% endif %}<{{ m.role }}>{{ m.content }}{% endfor %}";
        let chat = Chat::reading(Some(strict), Tokens::default());
        let talk = [
            said("system", "You are Ada."),
            said("user", "hi"),
            said("user", "there"),
            said("assistant", "yes"),
            said("system", "later"),
            said("user", "so?"),
        ];
        let text = chat.render(&talk, &[]).unwrap();
        assert_eq!(text, "<user>You are Ada.\n\nhi\n\nthere<assistant>yes<user>later\n\nso?");
        let text = chat.render(&[said("assistant", "I begin")], &[]).unwrap();
        assert_eq!(text, "<user>…<assistant>I begin");
    }

    #[test]
    fn a_conversation_that_a_template_refuses_is_a_failure_that_says_so() {
        let only = "{% if messages | length > 1 %}{{ raise_exception('one only') }}{% endif %}\
            {{ messages[0].content }}";
        let chat = Chat::reading(Some(only), Tokens::default());
        let talk = [said("user", "a"), said("assistant", "b"), said("user", "c")];
        let failure = chat.render(&talk, &[]).unwrap_err();
        assert_eq!(failure.fault, Fault::BadTemplate);
        assert!(failure.message.contains("one only"), "{}", failure.message);
    }
}
