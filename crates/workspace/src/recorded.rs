//! A model whose every question is on record, whole.
//!
//! It stands right in front of the provider: what was promised, queued for,
//! made to fit its window and made good by then is what is on record. The record
//! is for people (`run show --prompt`); no turn stands on it. So it does not wait
//! for a commit of its own: it is composed before the call is promised what it may
//! cost, written with that promise (see `metered`), and sent when it is told to go.
//! What is tried again within one call is written with the call's bill.

use crate::shared::Shared;
use crate::unwritten::{Entry, Unwritten};
use domain::{AnswerFormat, SentCall, SentImage, SentRequest, SentRole, SentTurn};
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Grammar, Image, Model, ModelRequest, Role, Turn, history};
use std::mem;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::table::requests::{Hash, Outgoing};
use tokio::sync::oneshot;

/// Where the request of a call that is being prepared is left.
#[derive(Debug, Clone, Default)]
pub(crate) struct Composed(Arc<Mutex<Place>>);

#[derive(Debug, Default)]
enum Place {
    /// Nobody prepares a call.
    #[default]
    Closed,
    Free,
    Taken(Held),
}

/// A request that waits to be sent.
#[derive(Debug)]
pub(crate) struct Held {
    pub outgoing: Arc<Outgoing>,
    /// Sends it.
    pub go: oneshot::Sender<()>,
}

impl Composed {
    /// Composes what the model is sent for this, without asking it: it is asked
    /// when it is told to go, and its answer listened to.
    pub(crate) async fn prepare(
        &self,
        model: &dyn Model,
        request: ModelRequest,
    ) -> (BoxStream<'static, Delta>, Option<Held>) {
        *self.place() = Place::Free;
        let mut answer = model.ask(request).peekable();
        // Some stand before `Recorded` that ask only when they are listened to.
        let _ = futures::poll!(Pin::new(&mut answer).peek());
        let held = match mem::take(&mut *self.place()) {
            Place::Closed | Place::Free => None,
            Place::Taken(held) => Some(held),
        };
        (answer.boxed(), held)
    }

    /// Gives the request to whoever prepares a call, or back if nobody does.
    fn offer(&self, outgoing: Arc<Outgoing>) -> Result<oneshot::Receiver<()>, Arc<Outgoing>> {
        let mut place = self.place();
        match &*place {
            Place::Closed | Place::Taken(_) => Err(outgoing),
            Place::Free => {
                let (go, told) = oneshot::channel();
                *place = Place::Taken(Held { outgoing, go });
                Ok(told)
            }
        }
    }

    fn place(&self) -> MutexGuard<'_, Place> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) struct Recorded {
    shared: Arc<Shared>,
    /// Of the run that asks.
    unwritten: Unwritten,
    /// `provider/model`.
    name: String,
    model: Arc<dyn Model>,
}

impl Recorded {
    /// The model, with what its run sends it on record.
    pub(crate) fn over(
        shared: &Arc<Shared>,
        unwritten: &Unwritten,
        name: &str,
        model: Arc<dyn Model>,
    ) -> Arc<dyn Model> {
        let (shared, unwritten) = (shared.clone(), unwritten.clone());
        Arc::new(Recorded { shared, unwritten, name: name.to_owned(), model })
    }
}

impl Model for Recorded {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let outgoing = Arc::new(outgoing(&self.name, &request, self.shared.now_ms()));
        match self.unwritten.composed.offer(outgoing) {
            Ok(told) => {
                let model = self.model.clone();
                let answer = async move {
                    match told.await {
                        Ok(()) => model.ask(request),
                        // The call was not promised what it may cost.
                        Err(_) => stream::empty().boxed(),
                    }
                };
                stream::once(answer).flatten().boxed()
            }
            Err(outgoing) => {
                self.unwritten.hold([Entry::Sent(outgoing)]);
                self.model.ask(request)
            }
        }
    }
}

fn outgoing(model: &str, request: &ModelRequest, at_ms: i64) -> Outgoing {
    // A new field of a request is a new line here.
    let ModelRequest { model: _, turns, temperature, max_tokens, stop, seed, grammar, tools } =
        request;
    let turns = history::sent(turns);
    let mut before = Hash::default();
    let hashes = turns.iter().map(|turn| {
        before = hash_of(&before, turn);
        before
    });
    Outgoing {
        turns: hashes.collect(),
        request: SentRequest {
            n: 0,
            model: model.to_owned(),
            turns: turns.iter().map(sent).collect(),
            tools: tools.clone(),
            temperature: *temperature,
            max_tokens: *max_tokens,
            stop: stop.clone(),
            seed: *seed,
            format: grammar.as_ref().map(|grammar| match grammar {
                Grammar::Gbnf(grammar) => AnswerFormat::Gbnf { grammar: grammar.clone() },
                Grammar::JsonSchema(schema) => AnswerFormat::JsonSchema { schema: schema.clone() },
            }),
            at_ms,
        },
    }
}

fn sent(turn: &Turn) -> SentTurn {
    let Turn { role, content, calls, answers, images, kept } = turn;
    let call = |call: &llm::Called| SentCall {
        id: call.id.clone(),
        name: call.name.clone(),
        arguments: call.arguments.clone(),
    };
    let image = |image: &Image| SentImage {
        media_type: image.kind.media_type().to_owned(),
        bytes: u32::try_from(image.base64.len()).unwrap_or(u32::MAX),
    };
    SentTurn {
        role: match role {
            Role::System => SentRole::System,
            Role::User => SentRole::User,
            Role::Assistant => SentRole::Assistant,
            Role::Tool => SentRole::Tool,
        },
        content: content.clone(),
        calls: calls.iter().map(call).collect(),
        answers: answers.clone(),
        images: images.iter().map(image).collect(),
        kept: kept.clone(),
    }
}

/// Names a turn with all that stands before it. Each piece goes in with its
/// length, so that no two turns look the same.
fn hash_of(before: &Hash, turn: &Turn) -> Hash {
    let Turn { role, content, calls, answers, images, kept } = turn;
    let mut hasher = blake3::Hasher::new();
    hasher.update(before);
    let mut piece = |bytes: &[u8]| {
        hasher.update(&bytes.len().to_le_bytes());
        hasher.update(bytes);
    };
    piece(&[*role as u8]);
    piece(content.as_bytes());
    piece(&calls.len().to_le_bytes());
    for call in calls {
        for text in [&call.id, &call.name, &call.arguments] {
            piece(text.as_bytes());
        }
    }
    piece(&[u8::from(answers.is_some())]);
    piece(answers.as_deref().unwrap_or_default().as_bytes());
    piece(&images.len().to_le_bytes());
    for image in images {
        piece(image.kind.media_type().as_bytes());
        piece(image.base64.as_bytes());
    }
    piece(&serde_json::to_vec(kept).unwrap_or_default());
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm::Called;

    #[test]
    fn a_turn_is_named_by_all_that_it_says_and_all_before_it() {
        let called = |id: &str, name: &str| Called {
            id: id.into(),
            name: name.into(),
            arguments: "{}".into(),
        };
        let mut kept = Turn::new(Role::Assistant, "a");
        kept.kept = Some(domain::Kept {
            by: domain::ProviderKind::Gemini,
            model: "m".into(),
            parts: Vec::new(),
        });
        let turns = [
            Turn::new(Role::User, "a"),
            Turn::new(Role::Assistant, "a"),
            Turn::new(Role::User, "b"),
            Turn::calling("a", vec![called("1", "x")]),
            Turn::calling("a", vec![called("1x", "")]),
            Turn::answering("1", "a"),
            Turn::answering("", "a"),
            kept,
        ];
        let mut names: Vec<Hash> = turns.iter().map(|turn| hash_of(&[0; 32], turn)).collect();
        names.push(hash_of(&[1; 32], &turns[0]));
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
