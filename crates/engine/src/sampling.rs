//! Chooses the next token.
//!
//! A grammar is asked about the chosen token first, then about the likeliest
//! ones, and about the whole vocabulary only when it allows none of those: each
//! token asked about costs time. What the grammar forbids passes its chance on
//! to the rest. Where tools are offered, the grammar begins with a call.

use domain::engine::{CallForm, Fault, Generate, Grammar};
use llama_cpp_2::context::LlamaContext;
use llama_cpp_2::model::LlamaModel;
use llama_cpp_2::sampling::LlamaSampler;
use llama_cpp_2::token::LlamaToken;
use llama_cpp_2::token::data::LlamaTokenData;
use llama_cpp_2::token::data_array::LlamaTokenDataArray;

use crate::fault::{Failure, Result, failure};
use crate::gate::Gate;

/// llama.cpp's own habits, for requests that warm the choice up at all.
const TOP_K: i32 = 40;
const TOP_P: f32 = 0.95;
const MIN_P: f32 = 0.05;

/// How much less likely a token is that was among the last ones. Small models
/// fall into a loop without it. Not under a grammar, whose answers repeat their
/// punctuation.
const REPEATED: f32 = 1.18;
const LAST: i32 = 256;

/// How many tokens a grammar is asked about before it is asked about all.
const LIKELIEST: i32 = 512;

pub(crate) struct Sampler<'m> {
    model: &'m LlamaModel,
    choice: LlamaSampler,
    grammar: Option<LlamaSampler>,
    /// Until a call begins, and how it is chosen then.
    gate: Option<(Gate<'m>, LlamaSampler)>,
}

impl<'m> Sampler<'m> {
    pub(crate) fn new(model: &'m LlamaModel, ask: &Generate, form: &CallForm) -> Result<Self> {
        let grammar = ask.grammar.as_ref().map(|rules| grammar(model, rules)).transpose()?;
        let may_call = grammar.is_none() && !ask.tools.is_empty();
        let repeated = if grammar.is_some() { 1.0 } else { REPEATED };
        let gate = may_call.then(|| (Gate::new(model, form, &ask.tools), choice(model, ask, 1.0)));
        Ok(Self { model, choice: choice(model, ask, repeated), grammar, gate })
    }

    /// The token that follows what the context has just read.
    pub(crate) fn next(&mut self, context: &LlamaContext<'_>) -> Result<LlamaToken> {
        let mut candidates = context.token_data_array();
        candidates.apply_sampler(&mut self.choice);
        let token = candidates.selected_token().ok_or_else(nothing_fits)?;
        let Some(grammar) = &mut self.grammar else {
            self.choice.accept(token);
            self.grammar = self.gate.as_mut().and_then(|(gate, _)| gate.hear(token));
            if let Some((_, of_call)) = self.gate.take_if(|_| self.grammar.is_some()) {
                self.choice = of_call;
            }
            return Ok(token);
        };

        let token = if allows(grammar, token) {
            token
        } else {
            let mut allowed = context.token_data_array();
            allowed.apply_sampler(&mut LlamaSampler::top_k(LIKELIEST));
            forbid(grammar, &mut allowed);
            if allowed.data.is_empty() {
                allowed = context.token_data_array();
                forbid(grammar, &mut allowed);
            }
            // llama.cpp's samplers do not expect to choose from nothing.
            if allowed.data.is_empty() {
                return Err(nothing_fits());
            }
            allowed.apply_sampler(&mut self.choice);
            allowed.selected_token().ok_or_else(nothing_fits)?
        };
        if !self.model.vocab().is_eog(token) {
            grammar.try_accept(token).map_err(|_| nothing_fits())?;
        }
        Ok(token)
    }
}

fn choice(model: &LlamaModel, ask: &Generate, repeated: f32) -> LlamaSampler {
    if ask.temperature <= 0.0 {
        return LlamaSampler::greedy();
    }
    // Without a seed no two answers need to be alike; the id differs each time.
    let seed = ask.seed.unwrap_or_else(|| u64::from(std::process::id()) << 20 ^ ask.id);
    LlamaSampler::chain(
        [
            LlamaSampler::penalties(model.n_vocab(), LAST, repeated, 0.0, 0.0),
            LlamaSampler::top_k(TOP_K),
            LlamaSampler::top_p(ask.top_p.unwrap_or(TOP_P), 1),
            LlamaSampler::min_p(MIN_P, 1),
            LlamaSampler::temp(ask.temperature),
            LlamaSampler::dist((seed ^ (seed >> 32)) as u32),
        ],
        true,
    )
}

fn grammar(model: &LlamaModel, rules: &Grammar) -> Result<LlamaSampler> {
    let bad = |why: String| failure(Fault::BadGrammar, format!("read the grammar: {why}"));
    let converted;
    let text = match rules {
        Grammar::Gbnf(text) => text,
        Grammar::JsonSchema(schema) => {
            converted = llama_cpp_2::json_schema_to_grammar(&schema.to_string())
                .map_err(|error| bad(error.to_string()))?;
            &converted
        }
    };
    // llama.cpp takes an empty one for "anything goes".
    if text.trim().is_empty() {
        return Err(bad("it is empty".into()));
    }
    LlamaSampler::grammar(model, text, "root").map_err(|error| bad(error.to_string()))
}

fn allows(grammar: &mut LlamaSampler, token: LlamaToken) -> bool {
    let mut one = LlamaTokenDataArray::new(vec![LlamaTokenData::new(token, 1.0, 0.0)], false);
    forbid(grammar, &mut one);
    !one.data.is_empty()
}

/// Leaves what the grammar allows next.
fn forbid(grammar: &mut LlamaSampler, candidates: &mut LlamaTokenDataArray) {
    candidates.apply_sampler(grammar);
    candidates.data.retain(|candidate| candidate.logit() > f32::NEG_INFINITY);
}

fn nothing_fits() -> Failure {
    failure(Fault::BadGrammar, "follow the grammar: no token of this model fits")
}
