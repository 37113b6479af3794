//! A model whose window is kept: what it is asked fits, and what its provider
//! counts is learned.
//!
//! A request grows while tools are used, so it is made to fit at each call. A
//! provider that reads less than it was sent has cut off the beginning, where
//! the agent is told who it is: what is said then is not that agent's answer.

use crate::shared::Shared;
use crate::tokens;
use crate::window::{self, Window};
use domain::Usage;
use futures::future::{self, FutureExt};
use futures::stream::{BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, Trouble};
use std::sync::Arc;
use store::table::settings;
use store::{Durability, Read, StoreError};

/// Shorter requests say little about how a provider counts.
const TOO_SHORT: u32 = 64;
/// Nobody cuts off less than this.
const NEVER_CUT: u32 = 1_500;

pub(crate) struct Measured {
    shared: Arc<Shared>,
    /// `provider/model`.
    name: String,
    window: Window,
    model: Arc<dyn Model>,
}

impl Measured {
    /// The model, measured.
    pub(crate) fn over(
        shared: &Arc<Shared>,
        name: &str,
        window: Window,
        model: Arc<dyn Model>,
    ) -> Arc<dyn Model> {
        Arc::new(Measured { shared: shared.clone(), name: name.to_owned(), window, model })
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
        let (shared, name) = (self.shared.clone(), self.name.clone());
        let answer = self.model.ask(request);
        let checked = answer.then(move |delta| match delta {
            Delta::Done { usage, .. } if was_cut(least, usage) => {
                let fault = cut_off(&name, least, usage);
                future::ready(Delta::Failed { fault, usage }).boxed()
            }
            Delta::Done { finish, usage: usage @ Usage { input_tokens: Some(reported), .. } }
                if estimated >= TOO_SHORT =>
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
fn was_cut(least: u32, usage: Usage) -> bool {
    let Some(read) = usage.input_tokens else { return false };
    let read = read.saturating_add(usage.cached_tokens.unwrap_or(0));
    least >= NEVER_CUT && u64::from(read) * 5 < u64::from(least) * 4
}

fn cut_off(name: &str, least: u32, usage: Usage) -> ModelFault {
    let read = usage.input_tokens.unwrap_or(0);
    let message = format!(
        "{name} read {read} of at least {least} tokens: its server cut off the beginning, so the answer does not count"
    );
    let fix = "give the server a larger context (Ollama: OLLAMA_CONTEXT_LENGTH), or choose another model, and resume the agent";
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
    fn only_a_provider_that_reads_far_too_little_has_cut_something_off() {
        let check = |least, input, cached, expected: bool| {
            let usage = Usage { input_tokens: input, cached_tokens: cached, ..Usage::default() };
            assert_eq!(was_cut(least, usage), expected, "{least} {input:?} {cached:?}");
        };
        check(6_000, Some(4_096), None, true);
        check(6_000, Some(4_800), None, false);
        check(6_000, Some(1_000), Some(5_000), false);
        check(6_000, None, None, false);
        check(1_000, Some(10), None, false);
    }
}
