//! Answers that are given again to the same question.
//!
//! A question is all that a model is sent, and who it is; the smallest
//! difference makes it another one. What chance has a part in is asked anew,
//! unless a person wants it otherwise. A stopped, cut or empty answer is never
//! kept, nor one that is not in the form that was asked for.

use crate::shared::Shared;
use crate::souls::CacheUse;
use domain::{Kept, Provider, Run, Usage};
use llm::{Delta, Finish, Grammar, ModelRequest, Role, ToolCallDelta, Turn};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use store::table::response_cache::{self, Answered, Bounds, Key};
use store::{Durability, StoreError};

/// Whether an answer that was given before will do for this.
pub(super) fn fits(cache: CacheUse, request: &ModelRequest) -> bool {
    match cache {
        CacheUse::Never => false,
        CacheUse::Likeliest => request.temperature == 0.0,
        CacheUse::Always => true,
    }
}

const LASTS_MS: i64 = 60 * 60 * 1000;
const BOUNDS: Bounds = Bounds { answers: 1_000, bytes: 16 << 20 };
/// An answer that is longer is not kept.
const LONGEST: usize = 256 << 10;

/// What is gathered of an answer while it comes.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub(super) struct Heard {
    pub text: String,
    reasoning: String,
    calls: Vec<Piece>,
    kept: Option<Kept>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Piece {
    id: String,
    name: Option<String>,
    arguments: String,
}

impl Heard {
    pub(super) fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(text) => self.text.push_str(text),
            Delta::Reasoning(text) => self.reasoning.push_str(text),
            Delta::ToolCall(ToolCallDelta { id, name, arguments }) => {
                let open = self.calls.iter_mut().find(|call| call.id == *id && name.is_none());
                match open {
                    Some(call) => call.arguments.push_str(arguments),
                    None => self.calls.push(Piece {
                        id: id.clone(),
                        name: name.clone(),
                        arguments: arguments.clone(),
                    }),
                }
            }
            Delta::Kept(kept) => self.kept = Some(kept.clone()),
            Delta::Anew => *self = Heard::default(),
            Delta::Unshown(_) | Delta::Counted(_) | Delta::Done { .. } | Delta::Failed { .. } => {}
        }
    }

    pub(super) fn is_nothing(&self) -> bool {
        *self == Heard::default()
    }

    /// Neither a word nor a call.
    pub(super) fn says_nothing(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    /// Something that a person may have been shown.
    pub(super) fn has_words(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty()
    }

    fn is_worth_keeping(&self, request: &ModelRequest) -> bool {
        let is_json = || serde_json::from_str::<Value>(self.text.trim()).is_ok();
        let in_form = match &request.grammar {
            Some(Grammar::JsonSchema(_)) => !self.calls.is_empty() || is_json(),
            Some(Grammar::Gbnf(_)) | None => true,
        };
        !self.says_nothing() && in_form
    }

    /// As it would come from the model, at once; nothing was used for it.
    fn again(self) -> Vec<Delta> {
        let Heard { text, reasoning, calls, kept } = self;
        let finish = if calls.is_empty() { Finish::Stop } else { Finish::ToolCalls };
        let words = [Delta::Reasoning(reasoning), Delta::Text(text)].into_iter();
        let words = words.filter(
            |delta| !matches!(delta, Delta::Text(text) | Delta::Reasoning(text) if text.is_empty()),
        );
        let calls = calls.into_iter().map(|Piece { id, name, arguments }| {
            Delta::ToolCall(ToolCallDelta { id, name, arguments })
        });
        let nothing = Some(0);
        let usage = Usage {
            input_tokens: nothing,
            output_tokens: nothing,
            cached_tokens: nothing,
            cache_write_tokens: nothing,
        };
        let end = Delta::Done { finish, usage };
        words.chain(calls).chain(kept.map(Delta::Kept)).chain([end]).collect()
    }
}

/// What was answered to this within the hour, and when.
pub(super) fn look(shared: &Shared, key: &Key) -> Option<(Vec<Delta>, i64)> {
    let now = shared.now_ms();
    let found = shared.store.read(|read| response_cache::find(read, key, now - LASTS_MS..=now));
    let Answered { answer, at_ms, .. } = found.ok()??;
    let heard: Heard = serde_json::from_str(&answer).ok()?;
    Some((heard.again(), at_ms))
}

/// Keeps an answer that has ended well. That it cannot be kept harms nobody.
pub(super) async fn keep(
    shared: &Shared,
    key: Key,
    run: &Run,
    model: &str,
    request: &ModelRequest,
    heard: &Heard,
) {
    let Ok(answer) = serde_json::to_string(heard) else { return };
    if !heard.is_worth_keeping(request) || answer.len() > LONGEST {
        return;
    }
    let at_ms = shared.now_ms();
    let (run, answered) = (run.clone(), Answered { model: model.to_owned(), answer, at_ms });
    let kept = shared.store.write(Durability::Process, move |write| {
        response_cache::put(write, &key, &run, &answered, at_ms - LASTS_MS, BOUNDS)
    });
    let kept: Result<(), StoreError> = kept.await;
    if let Err(error) = kept {
        tracing::warn!(model, %error, "an answer cannot be kept for later");
    }
}

/// The hash of everything that the model is sent, and of who it is.
pub(super) fn key(provider: &Provider, request: &ModelRequest) -> Key {
    let ModelRequest { model, turns, temperature, max_tokens, stop, seed, grammar, tools } =
        request;
    let question = json!({
        "format": 1,
        "provider": [provider.name, provider.kind, provider.base_url],
        "model": model,
        "turns": turns.iter().map(turn).collect::<Vec<_>>(),
        "temperature": temperature,
        "max_tokens": max_tokens,
        "stop": stop,
        "seed": seed,
        "grammar": grammar.as_ref().map(|grammar| match grammar {
            Grammar::Gbnf(text) => json!({ "gbnf": text }),
            Grammar::JsonSchema(schema) => json!({ "schema": schema }),
        }),
        "tools": tools,
    });
    let mut text = String::new();
    write_sorted(&question, &mut text);
    *blake3::hash(text.as_bytes()).as_bytes()
}

fn turn(turn: &Turn) -> Value {
    let Turn { role, content, calls, answers, images, kept } = turn;
    let role = match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    };
    let calls: Vec<_> = calls.iter().map(|call| [&call.id, &call.name, &call.arguments]).collect();
    let images: Vec<_> =
        images.iter().map(|image| [image.kind.media_type(), &*image.base64]).collect();
    json!([role, content, calls, answers, images, kept])
}

/// The same text for the same value, however its objects are ordered.
fn write_sorted(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut names: Vec<_> = fields.keys().collect();
            names.sort();
            out.push('{');
            for name in names {
                out.push_str(&Value::from(name.as_str()).to_string());
                out.push(':');
                write_sorted(&fields[name], out);
                out.push(',');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_sorted(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&value.to_string());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_taken_back_is_no_part_of_the_answer_that_is_kept() {
        let mut heard = Heard::default();
        heard.hear(&Delta::Text("Two and two.".into()));
        heard.hear(&Delta::Anew);
        heard.hear(&Delta::Reasoning("Two and two.".into()));
        heard.hear(&Delta::Text("Four.".into()));
        assert_eq!((&*heard.reasoning, &*heard.text), ("Two and two.", "Four."));
    }
}
