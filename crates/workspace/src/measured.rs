//! A model whose window is kept: what it is asked fits, and what its provider
//! counts is learned.
//!
//! A request grows while tools are used, so it is made to fit at each call.
//!
//! A provider may say that it read far less than any tokenizer makes of what it
//! was sent. Ollama does so when it has cut off the beginning, where the agent is
//! told who it is, and says nothing else about it: what is said then is not that
//! agent's answer. Everybody else refuses what is too long, or reads all of it. Of
//! them such a count is a wrong one, as of proxies that count the last turn, or
//! what was not in a cache: the answer stands, and the count is as good as unsaid,
//! so that it is neither learned from nor paid by.

use crate::shared::Shared;
use crate::tokens;
use crate::window::{self, Window};
use domain::{Provider, ProviderKind, Usage};
use futures::future::{self, FutureExt};
use futures::stream::{BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, Trouble};
use std::sync::Arc;
use store::table::settings;
use store::{Durability, Read, StoreError};

/// Shorter requests say little about how a provider counts.
const TOO_SHORT: u32 = 64;
/// Nobody cuts off less than this, and its words are too few to judge a count by.
const NEVER_CUT: u32 = 1_500;

pub(crate) struct Measured {
    shared: Arc<Shared>,
    /// `provider/model`.
    name: String,
    window: Window,
    cuts: bool,
    model: Arc<dyn Model>,
}

impl Measured {
    /// The model, measured.
    pub(crate) fn over(
        shared: &Arc<Shared>,
        name: &str,
        provider: &Provider,
        window: Window,
        model: Arc<dyn Model>,
    ) -> Arc<dyn Model> {
        let (shared, name) = (shared.clone(), name.to_owned());
        Arc::new(Measured { shared, name, window, cuts: cuts_silently(provider), model })
    }
}

/// The port of Ollama, where it can also be spoken to as if it were OpenAI.
const PORT_OF_OLLAMA: &str = ":11434";

/// Whether it is known to answer a prompt that does not fit without the prompt's
/// beginning, and not to say so.
fn cuts_silently(provider: &Provider) -> bool {
    match provider.kind {
        ProviderKind::Ollama => true,
        ProviderKind::Openai => {
            let address = provider.base_url.as_deref().unwrap_or_default();
            address.split('/').any(|part| part.ends_with(PORT_OF_OLLAMA))
        }
        ProviderKind::Local
        | ProviderKind::Anthropic
        | ProviderKind::Gemini
        | ProviderKind::Scripted => false,
    }
}

/// What is known of how a model's provider counts.
pub(crate) fn per_mille(read: &Read<'_>, model: &str) -> Result<Option<u32>, StoreError> {
    Ok(settings::fact(read, &key(model))?.and_then(|text| text.parse().ok()))
}

fn key(model: &str) -> String {
    format!("tokens_per_mille {model}")
}

impl Model for Measured {
    fn ask(&self, mut request: ModelRequest) -> BoxStream<'static, Delta> {
        window::fit(&mut request, self.window);
        let estimated = tokens::of_request(&request);
        let least = tokens::least_of(&request);
        // What a picture counts says nothing about words.
        let is_words = request.turns.iter().all(|turn| turn.images.is_empty());
        let (shared, name, cuts) = (self.shared.clone(), self.name.clone(), self.cuts);
        let answer = self.model.ask(request);
        let checked = answer.then(move |delta| match delta {
            Delta::Done { usage, .. } if cuts && is_too_little(least, usage) => {
                let fault = cut_off(&name, least, usage);
                future::ready(Delta::Failed { fault, usage }).boxed()
            }
            Delta::Done { finish, usage } if is_too_little(least, usage) => {
                let read = usage.input_tokens;
                tracing::warn!(model = %name, ?read, least, "its count of what it read is wrong");
                let usage = Usage { input_tokens: None, ..usage };
                future::ready(Delta::Done { finish, usage }).boxed()
            }
            Delta::Done { finish, usage: usage @ Usage { input_tokens: Some(reported), .. } }
                if is_words && reported > 0 && estimated >= TOO_SHORT =>
            {
                let (shared, name) = (shared.clone(), name.clone());
                async move {
                    learn(&shared, name, estimated, reported).await;
                    Delta::Done { finish, usage }
                }
                .boxed()
            }
            other => future::ready(other).boxed(),
        });
        checked.boxed()
    }
}

/// Less than four fifths of the least that a request can be.
fn is_too_little(least: u32, usage: Usage) -> bool {
    let Some(read) = usage.input_tokens else { return false };
    let read = read.saturating_add(usage.cached_tokens.unwrap_or(0));
    least >= NEVER_CUT && u64::from(read) * 5 < u64::from(least) * 4
}

fn cut_off(name: &str, least: u32, usage: Usage) -> ModelFault {
    let read = usage.input_tokens.unwrap_or(0);
    let message = format!(
        "{name} read {read} of at least {least} tokens: Ollama cut off the beginning, so the answer does not count"
    );
    let fix = "give Ollama a larger context (OLLAMA_CONTEXT_LENGTH), or choose another model";
    ModelFault::new(Trouble::TooLong, message, fix)
}

async fn learn(shared: &Shared, name: String, estimated: u32, reported: u32) {
    let model = name.clone();
    let learned = shared.store.write(Durability::Process, move |write| {
        let before = per_mille(write, &model)?;
        let after = window::learned(before, estimated, reported);
        if before != Some(after) {
            settings::put_fact(write, &key(&model), &after.to_string())?;
        }
        Ok::<_, StoreError>(())
    });
    if let Err(error) = learned.await {
        tracing::warn!(model = %name, %error, "what its provider counts cannot be kept");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_of_ollama_it_is_known_that_it_cuts_whichever_way_it_is_spoken_to() {
        let check = |kind, base_url: &str, expected: bool| {
            let provider = Provider {
                name: "acme".into(),
                kind,
                base_url: Some(base_url.into()),
                key_env: None,
                key: None,
                models: Vec::new(),
            };
            assert_eq!(cuts_silently(&provider), expected, "{kind:?} {base_url}");
        };
        check(ProviderKind::Ollama, "http://box:1/", true);
        check(ProviderKind::Openai, "http://127.0.0.1:11434/v1", true);
        check(ProviderKind::Openai, "http://127.0.0.1:11434", true);
        check(ProviderKind::Openai, "https://api.acme.example/v1", false);
        check(ProviderKind::Openai, "https://api.acme.example:1143/11434", false);
        check(ProviderKind::Anthropic, "http://127.0.0.1:11434/v1", false);
    }

    #[test]
    fn less_than_any_tokenizer_makes_is_no_count_of_a_long_request() {
        let check = |least, input, cached, expected: bool| {
            let usage = Usage { input_tokens: input, cached_tokens: cached, ..Usage::default() };
            assert_eq!(is_too_little(least, usage), expected, "{least} {input:?} {cached:?}");
        };
        check(6_000, Some(4_096), None, true);
        check(6_000, Some(4_800), None, false);
        check(6_000, Some(1_000), Some(5_000), false);
        check(6_000, None, None, false);
        check(1_000, Some(10), None, false);
    }
}
