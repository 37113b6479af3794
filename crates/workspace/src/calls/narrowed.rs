//! A model that refuses as too long what ought to have fitted.
//!
//! Either it reads less than is known of it, or its count is another than ours. What it says of
//! its window is believed; where it says nothing that helps, it is asked for less and less, a few
//! times. The conversation is as it was: only what this one call sends is shortened.

use crate::tokens;
use crate::window::{Window, fit};
use llm::ModelRequest;

/// So often a call is made to fit less.
const TIMES: u32 = 3;
/// In less than this nobody answers.
const LEAST: u32 = 512;
/// What is shorter is not refused for its length, whatever a provider calls it.
const LONG: u32 = 2_048;

/// What a call is made to fit, where that is less than the model's window.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Narrowed {
    tokens: Option<u32>,
    times: u32,
}

impl Narrowed {
    /// The request as it is sent.
    pub(super) fn fit(self, window: Window, mut request: ModelRequest) -> ModelRequest {
        if let Some(tokens) = self.tokens {
            let window = window.narrowed(tokens);
            request.max_tokens = window.answer(request.max_tokens);
            fit(&mut request, window);
        }
        request
    }

    /// Whether this request, which was refused, is worth another try with less; `told` is what
    /// the model is said to read.
    pub(super) fn narrow(
        &mut self,
        window: Window,
        refused: &ModelRequest,
        told: Option<u32>,
    ) -> bool {
        let prompt = window.counted(tokens::of_request(refused));
        let sent = prompt.saturating_add(refused.max_tokens);
        let now = self.tokens.unwrap_or(window.tokens).min(sent);
        let less = told.filter(|told| *told < now).unwrap_or(now / 3 * 2);
        let may_help = told.is_some() || prompt >= LONG;
        if self.times >= TIMES || less < LEAST || !may_help {
            return false;
        }
        *self = Narrowed { tokens: Some(less), times: self.times + 1 };
        true
    }
}
