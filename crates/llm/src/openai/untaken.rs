//! Fields that a model does not take.
//!
//! Which server wants what stands in `presets`. Behind a router, or under an
//! address of somebody's own, the same models refuse the same fields, and say
//! which. What a refusal names is left out, or said under its other name, and the
//! question is asked again at once. What was taken then is remembered for the
//! model, as long as this process asks its provider.

use super::quirks::{LimitField, Quirks};
use crate::{ModelFault, Trouble};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How each model wants to be asked, as far as its refusals told.
#[derive(Clone, Default)]
pub(super) struct Untaken(Arc<Mutex<HashMap<String, Quirks>>>);

impl Untaken {
    pub(super) fn known(&self, model: &str) -> Option<Quirks> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).copied()
    }

    pub(super) fn note(&self, model: &str, quirks: Quirks) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(model.to_owned(), quirks);
    }
}

/// How to ask after this refusal, where it names what is not taken and that was
/// asked. The limit on an answer changes its name once since `first`, so that
/// this comes to an end.
pub(super) fn without_what_it_names(
    fault: &ModelFault,
    asked: Quirks,
    first: Quirks,
) -> Option<Quirks> {
    let said = fault.message.to_lowercase();
    if !may_be_for_a_field(fault) || !REFUSES.iter().any(|phrase| said.contains(phrase)) {
        return None;
    }
    let mut next = asked;
    if asked.limit == first.limit {
        next.limit = match asked.limit {
            LimitField::MaxTokens
                if names(&said, "max_tokens") || names(&said, "max_completion_tokens") =>
            {
                LimitField::MaxCompletionTokens
            }
            LimitField::MaxCompletionTokens if names(&said, "max_completion_tokens") => {
                LimitField::MaxTokens
            }
            same => same,
        };
    }
    next.temperature &= !names(&said, "temperature");
    next.stream_options &= !names(&said, "stream_options");
    // Templates of models such as Gemma 2.
    next.system &= !names(&said, "system role");
    // Templates of Mistral's models, wherever they are served.
    next.user_after_tool &= !said.contains("role 'user' after role 'tool'");
    if names(&said, "stop") {
        next.stops = 0;
    }
    (next != asked).then_some(next)
}

const REFUSES: &[&str] = &[
    "unsupported",
    "not support",
    "only the default",
    "unknown parameter",
    "unrecognized",
    "not permitted",
    "not allowed",
    "unexpected role",
    "deprecated",
];

/// Routers put another server's refusal under a status of their own, and models
/// are named in it.
fn may_be_for_a_field(fault: &ModelFault) -> bool {
    match fault.trouble {
        Trouble::Refused => fault.kind.is_none(),
        Trouble::UnknownModel | Trouble::ServerError => true,
        Trouble::Unreachable
        | Trouble::BrokenAnswer
        | Trouble::Endless
        | Trouble::Busy { .. }
        | Trouble::Key
        | Trouble::TooLong
        | Trouble::Engine
        | Trouble::ModelFile
        | Trouble::Budget { .. } => false,
    }
}

/// Whether the field stands there as a word of its own.
fn names(said: &str, field: &str) -> bool {
    let is_inside = |char: char| char.is_ascii_alphanumeric() || char == '_';
    said.match_indices(field).any(|(at, _)| {
        !said[..at].ends_with(is_inside) && !said[at + field.len()..].starts_with(is_inside)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openai::quirks::PLAIN;

    fn refused(said: &str) -> ModelFault {
        let message = format!("acme did not accept the question (400: {said})");
        ModelFault::new(Trouble::Refused, message, "ask in another way")
    }

    #[test]
    fn what_a_refusal_names_is_not_asked_again() {
        let check = |said: &str, expected: Quirks| {
            let next = without_what_it_names(&refused(said), PLAIN, PLAIN);
            assert_eq!(next, (expected != PLAIN).then_some(expected), "{said}");
        };
        let limit = Quirks { limit: LimitField::MaxCompletionTokens, ..PLAIN };
        let temperature = Quirks { temperature: false, ..PLAIN };
        let stop = Quirks { stops: 0, ..PLAIN };
        check(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
             'max_completion_tokens' instead.",
            limit,
        );
        check(
            "Unsupported value: 'temperature' does not support 0.7 with this model. Only the \
             default (1) value is supported.",
            temperature,
        );
        check("Unsupported parameter: 'stop' is not supported with this model.", stop);
        check(
            "Unexpected role 'user' after role 'tool'",
            Quirks { user_after_tool: false, ..PLAIN },
        );
        check("System role not supported", Quirks { system: false, ..PLAIN });
        check(
            "litellm.UnsupportedParamsError: openai does not support parameters: \
             {'temperature': 0.7, 'stop': ['A']}, for model=o3-mini",
            Quirks { stops: 0, ..temperature },
        );
        check(
            "stream_options: Extra inputs are not permitted",
            Quirks { stream_options: false, ..PLAIN },
        );
        // Of the value alone, of something else, or of nothing that was asked.
        check("temperature must be between 0 and 1", PLAIN);
        check("max_tokens is too large: 9000. This model takes at most 4096.", PLAIN);
        check("image_url is not supported", PLAIN);
        check("this model does not support non_stop_reasons", PLAIN);
    }

    #[test]
    fn the_limit_changes_its_name_once() {
        let other = Quirks { limit: LimitField::MaxCompletionTokens, ..PLAIN };
        let no = refused("unknown parameter: max_completion_tokens");
        assert_eq!(without_what_it_names(&no, other, other), Some(PLAIN));
        assert_eq!(without_what_it_names(&no, other, PLAIN), None);
        assert_eq!(without_what_it_names(&no, PLAIN, other), None);
    }

    #[test]
    fn what_was_refused_for_another_reason_is_not_asked_again() {
        let no = ModelFault { trouble: Trouble::Key, ..refused("'stop' is not supported") };
        assert_eq!(without_what_it_names(&no, PLAIN, PLAIN), None);
    }
}
