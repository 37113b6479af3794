//! How a model is held to a schema, and what it is asked where that is refused.
//!
//! Servers differ in what they take, and so do the models of one server; few say
//! so beforehand. So a model is asked in the best form, and when that is refused,
//! at once in the next one, down to plain words, which nobody refuses: whoever
//! reads the answer checks it anyway. What a model takes is remembered for as long as
//! this process asks its provider, so that it is not refused every time.

use crate::{Delta, Grammar, ModelFault, ModelRequest, Role, Trouble, Turn, accepted};
use futures::stream::{self, BoxStream, StreamExt};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// How an answer is held to a schema, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// The server holds the model to the schema.
    Schema,
    /// The server holds it to JSON, and the schema stands in the question.
    Json,
    /// The schema stands in the question, and that is all.
    Words,
}

/// What the models of one provider take, by their names; what is not here has
/// refused nothing yet.
#[derive(Clone, Default)]
pub(crate) struct Forms(Arc<Mutex<HashMap<String, Form>>>);

impl Forms {
    /// Asks in the best form that the model takes, of those that the interface
    /// `knows`. `ask` is handed the request as it is to be put.
    pub(crate) fn held(
        &self,
        knows: &'static [Form],
        request: ModelRequest,
        ask: impl Fn(ModelRequest, Form) -> BoxStream<'static, Delta> + Send + 'static,
    ) -> BoxStream<'static, Delta> {
        let Some(Grammar::JsonSchema(schema)) = request.grammar.clone() else {
            return ask(request, Form::Schema);
        };
        let forms = self.clone();
        let asked = async move {
            let known = forms.of(&request.model);
            let mut form = known;
            let mut refused: Option<(ModelFault, _)> = None;
            loop {
                let mut answer = ask(put(&request, &schema, form), form);
                let first = match answer.next().await {
                    Some(Delta::Failed { fault, usage }) if may_be_for_its_form(&fault) => {
                        let is_named = names_a_form(&fault);
                        let next = if is_named { below(knows, form) } else { Some(Form::Words) };
                        let (fault, usage) = match refused {
                            Some((first, before)) => (first, usage.plus(before)),
                            None => (fault, usage),
                        };
                        let Some(next) = next.filter(|next| *next != form) else {
                            let failed = Delta::Failed { fault, usage };
                            return stream::iter([failed]).boxed();
                        };
                        if is_named {
                            forms.takes(&request.model, next);
                        }
                        refused = Some((fault, usage));
                        form = next;
                        continue;
                    }
                    first => first,
                };
                let is_taken = !matches!(first, None | Some(Delta::Failed { .. }));
                if form != known && is_taken {
                    forms.takes(&request.model, form);
                }
                return stream::iter(first).chain(answer).boxed();
            }
        };
        stream::once(asked).flatten().boxed()
    }

    fn of(&self, model: &str) -> Form {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(model).copied().unwrap_or(Form::Schema)
    }

    fn takes(&self, model: &str, form: Form) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(model.to_owned(), form);
    }
}

fn below(knows: &[Form], form: Form) -> Option<Form> {
    let at = knows.iter().position(|known| *known == form)?;
    knows.get(at + 1).copied()
}

fn put(request: &ModelRequest, schema: &Value, form: Form) -> ModelRequest {
    let mut request = request.clone();
    match form {
        Form::Schema => return request,
        Form::Json => {}
        Form::Words => request.grammar = None,
    }
    let told = accepted::told(schema);
    match request.turns.last_mut() {
        // Servers want the roles to take turns.
        Some(last) if last.role == Role::User => {
            last.content.push_str("\n\n");
            last.content.push_str(&told);
        }
        Some(_) | None => request.turns.push(Turn::new(Role::User, told)),
    }
    request
}

/// Servers have too many words for it to know them all. What is known to be for
/// something else, such as a credit that is used up, has its kind.
fn may_be_for_its_form(fault: &ModelFault) -> bool {
    match fault.trouble {
        Trouble::Refused => fault.kind.is_none(),
        Trouble::ServerError => names_a_form(fault),
        Trouble::Unreachable
        | Trouble::BrokenAnswer
        | Trouble::Endless
        | Trouble::Busy { .. }
        | Trouble::Key
        | Trouble::UnknownModel
        | Trouble::TooLong
        | Trouble::Engine
        | Trouble::ModelFile
        | Trouble::Budget { .. } => false,
    }
}

const WORDS: &[&str] = &[
    "response_format",
    "response format",
    "response_schema",
    "responseschema",
    "response_mime_type",
    "output_config",
    "output format",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "invalid schema",
    "structured output",
    "grammar",
];

fn names_a_form(fault: &ModelFault) -> bool {
    let said = fault.message.to_lowercase();
    WORDS.iter().any(|word| said.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Finish;
    use domain::Usage;
    use serde_json::json;

    const ALL: &[Form] = &[Form::Schema, Form::Json, Form::Words];

    fn request(model: &str) -> ModelRequest {
        ModelRequest {
            model: model.into(),
            turns: vec![Turn::new(Role::User, "Who speaks next?")],
            temperature: 0.0,
            max_tokens: 64,
            stop: Vec::new(),
            seed: None,
            grammar: Some(Grammar::JsonSchema(json!({"type": "object"}))),
            tools: domain::ToolSpecs::default(),
        }
    }

    /// Asks once of a server that refuses these forms with these words; gives the
    /// forms it was asked in, and how it ended.
    async fn asked(forms: &Forms, refused: &'static [(Form, &'static str)]) -> (Vec<Form>, bool) {
        let seen: Arc<Mutex<Vec<Form>>> = Arc::default();
        let sees = seen.clone();
        let answer = forms.held(ALL, request("m"), move |request, form| {
            let told = request.turns[0].content.contains("JSON Schema");
            assert_eq!(told, form != Form::Schema, "{form:?}");
            assert_eq!(request.grammar.is_none(), form == Form::Words, "{form:?}");
            sees.lock().expect("nobody panics").push(form);
            let why = refused.iter().find(|(refused, _)| *refused == form).map(|(_, why)| *why);
            let delta = match why {
                Some(why) => Delta::failed(ModelFault::new(Trouble::Refused, why, "ask again")),
                None => Delta::Done { finish: Finish::Stop, usage: Usage::default() },
            };
            stream::iter([delta]).boxed()
        });
        let deltas: Vec<Delta> = answer.collect().await;
        let [Delta::Done { .. } | Delta::Failed { .. }] = &deltas[..] else { panic!("{deltas:?}") };
        let forms = seen.lock().expect("nobody panics").clone();
        (forms, matches!(deltas[0], Delta::Done { .. }))
    }

    #[tokio::test]
    async fn a_form_that_is_refused_is_left_for_the_next_one_and_not_tried_again() {
        let forms = Forms::default();
        let no_schema: &[_] = &[(Form::Schema, "(400: This response_format type is unavailable)")];
        assert_eq!(asked(&forms, no_schema).await, (vec![Form::Schema, Form::Json], true));
        assert_eq!(asked(&forms, no_schema).await, (vec![Form::Json], true));
        let no_json: &[_] = &[(Form::Json, "'response_format.type' must be 'text'")];
        assert_eq!(asked(&forms, no_json).await, (vec![Form::Json, Form::Words], true));
        assert_eq!(asked(&forms, no_json).await, (vec![Form::Words], true));
    }

    #[tokio::test]
    async fn a_refusal_in_unknown_words_is_for_the_form_only_if_plain_words_are_taken() {
        let forms = Forms::default();
        let odd: &[_] = &[(Form::Schema, "(422: 参数错误)"), (Form::Json, "(422: 参数错误)")];
        assert_eq!(asked(&forms, odd).await, (vec![Form::Schema, Form::Words], true));
        assert_eq!(asked(&forms, odd).await, (vec![Form::Words], true));
        let forms = Forms::default();
        let never: &[_] = &[(Form::Schema, "(400: no)"), (Form::Words, "(400: no)")];
        assert_eq!(asked(&forms, never).await, (vec![Form::Schema, Form::Words], false));
        assert_eq!(asked(&forms, never).await, (vec![Form::Schema, Form::Words], false));
    }

    #[test]
    fn what_has_nothing_to_do_with_the_form_is_not_asked_again() {
        for trouble in [Trouble::Key, Trouble::TooLong, Trouble::Busy { retry_after: None }] {
            assert!(!may_be_for_its_form(&ModelFault::new(trouble, "response_format", "x")));
        }
        let words = |said| ModelFault::new(Trouble::ServerError, said, "x");
        assert!(may_be_for_its_form(&words("acme failed (500: Failed to compile grammar)")));
        assert!(!may_be_for_its_form(&words("acme failed (500)")));
    }
}
