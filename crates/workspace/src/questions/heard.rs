//! Waiting for what comes of a question.

use super::end;
use crate::redacted;
use crate::shared::Shared;
use crate::waits;
use domain::{Asks, Fault, Field, Given, Question, QuestionId, QuestionState, Record};
use secrets::Redactor;
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use store::Durability;
use store::table::questions;
use tokio_util::sync::CancellationToken;

/// What became of the wait.
pub(crate) enum Heard {
    /// It waits no longer, with all that was given.
    Ended(Box<Question>),
    Stopped,
}

/// Waits until it is answered or its time is over, or until `stop`.
pub(crate) async fn heard(
    shared: &Arc<Shared>,
    id: QuestionId,
    stop: &CancellationToken,
) -> Result<Heard, Fault> {
    // From before the look, so that no answer is missed.
    let mut events = Box::pin(shared.events.subscribe(None));
    loop {
        let question = shared.store.read(|read| questions::find(read, id))?;
        let Some(question) = question else {
            return Err(Fault::not_found(format!("there is no question {id}"), "ask it again"));
        };
        if question.state != QuestionState::Waiting {
            return Ok(Heard::Ended(Box::new(shared.secrets_given.put_back(question))));
        }
        if shared.now_ms() >= question.expires_ms {
            over(shared, id, QuestionState::Expired).await?;
            continue;
        }
        let is_answer = |record: &Record| match record {
            Record::Question(one) => one.id == id && one.answered_ms.is_some(),
            _ => false,
        };
        tokio::select! {
            // Who was stopped before the answer came goes on with nothing.
            biased;
            () = stop.cancelled() => return Ok(Heard::Stopped),
            () = waits::moved(shared, &mut events, question.expires_ms, is_answer) => {}
        }
    }
}

/// Ends it without an answer, if it waits.
pub(crate) async fn over(
    shared: &Arc<Shared>,
    id: QuestionId,
    how: QuestionState,
) -> Result<(), Fault> {
    let now = shared.now_ms();
    shared
        .store
        .write(Durability::Process, move |write| {
            let still = |one: &Question| one.state == QuestionState::Waiting;
            if let Some(question) = questions::find(write, id)?.filter(still) {
                let over = end(write, question, how, now)?;
                waits::end(write, over.agent, now)?;
            }
            Ok::<_, Fault>(())
        })
        .await
}

/// What was entered for servers and sounds like a secret or is a known key. It is
/// passed on and lies on no disk.
#[derive(Default)]
pub(crate) struct Secrets(Mutex<HashMap<QuestionId, BTreeMap<String, Value>>>);

/// What stands on record in its place.
const NOT_KEPT: &str = "(not kept)";

impl Secrets {
    /// Gives what is left to be kept.
    pub(super) fn keep(
        &self,
        question: &Question,
        mut values: BTreeMap<String, Value>,
        redactor: &Redactor,
    ) -> BTreeMap<String, Value> {
        let Asks::Form { fields } = &question.asks else { return values };
        let mut secret = BTreeMap::new();
        for Field { name, sounds_secret, .. } in fields {
            let Some(value) = values.get_mut(name) else { continue };
            let clean = redacted::words(redactor, value).unwrap_or_default();
            // What an agent is told stands in its history all the same, without keys.
            if question.server.is_none() {
                *value = clean;
            } else if *sounds_secret || *value != clean {
                secret.insert(name.clone(), std::mem::replace(value, NOT_KEPT.into()));
            }
        }
        if !secret.is_empty() {
            self.lock().insert(question.id, secret);
        }
        values
    }

    fn put_back(&self, mut question: Question) -> Question {
        let secret = self.lock().remove(&question.id).unwrap_or_default();
        if let Some(Given::Values { values }) = &mut question.given {
            values.extend(secret);
        }
        question
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<QuestionId, BTreeMap<String, Value>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
