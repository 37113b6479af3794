//! A model that is asked only when it is the run's turn to ask, and only
//! within the budgets.
//!
//! A place in the queue is held for one call of the model and never across a
//! tool or a child, so that nobody waits for somebody who waits for a place.
//! Each call is promised its most before it is made and owes what it used
//! when it ends, however it ends; what the provider does not say is our own
//! count, and marked as such.

use crate::budget::{self, Asked};
use crate::held_up::insist;
use crate::prices;
use crate::queue::Place;
use crate::shared::Shared;
use crate::tokens::{self, Written};
use crate::unwritten::{self, Entry, Unwritten, write_down};
use domain::{Fault, Price, Run, Usage};
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, Trouble};
use std::sync::Arc;
use std::time::Duration;
use store::Durability;
use store::table::usage::Used;
use tokio::time::Instant;
use uuid::Uuid;

pub(crate) struct Metered {
    pub shared: Arc<Shared>,
    /// `provider/model`.
    pub name: String,
    pub model: Arc<dyn Model>,
    /// Who asks.
    pub run: Run,
    /// Of that run.
    pub unwritten: Unwritten,
}

impl Model for Metered {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let mut charge = Charge::new(self, &request);
        let (queue, model) = (self.shared.queue.clone(), self.model.clone());
        let answer = async move {
            let place = queue.enter(charge.run.id).await;
            match charge.promise().await {
                Ok(()) => listening(model.ask(request), charge, place),
                Err(fault) => stream::iter([Delta::failed(fault)]).boxed(),
            }
        };
        stream::once(answer).flatten().boxed()
    }
}

/// The answer as it comes; paid for before its end is told.
fn listening(
    answer: BoxStream<'static, Delta>,
    charge: Charge,
    place: Place,
) -> BoxStream<'static, Delta> {
    let listening = Some(Box::new((answer, charge, place)));
    stream::unfold(listening, |listening| async {
        let mut listening = listening?;
        let (answer, charge, _) = &mut *listening;
        let delta = answer.next().await;
        if let Some(delta) = &delta {
            charge.hear(delta);
        }
        match delta {
            Some(
                delta @ (Delta::Text(_)
                | Delta::Reasoning(_)
                | Delta::ToolCall(_)
                | Delta::Kept(_)
                | Delta::Anew),
            ) => Some((delta, Some(listening))),
            end => {
                let (_, mut charge, _) = *listening;
                charge.pay();
                end.map(|end| (end, None))
            }
        }
    })
    .boxed()
}

/// What one call owes.
struct Charge {
    shared: Arc<Shared>,
    unwritten: Unwritten,
    run: Arc<Run>,
    asked: Asked,
    price: Option<Price>,
    written: Written,
    /// When the model was asked, and how long it took to its first sign.
    asked_at: Option<Instant>,
    first_token: Option<Duration>,
    ended: Ended,
    bill: Bill,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bill {
    /// Nothing has been promised.
    None,
    /// A promise is being made, and the model has not been asked.
    Promised,
    Asked,
    Paid,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// Nobody heard the end.
    Unheard,
    Done(Usage),
    Failed(Trouble, Usage),
}

impl Charge {
    fn new(metered: &Metered, request: &ModelRequest) -> Self {
        let Metered { shared, name, run, unwritten, .. } = metered;
        let asked = Asked {
            id: Uuid::now_v7(),
            model: name.clone(),
            input_tokens: tokens::of_request(request),
            output_tokens: request.max_tokens,
        };
        Charge {
            shared: shared.clone(),
            unwritten: unwritten.clone(),
            run: Arc::new(run.clone()),
            asked,
            price: None,
            written: Written::default(),
            asked_at: None,
            first_token: None,
            ended: Ended::Unheard,
            bill: Bill::None,
        }
    }

    async fn promise(&mut self) -> Result<(), ModelFault> {
        self.bill = Bill::Promised;
        let (shared, before) = (self.shared.clone(), self.unwritten.take());
        let promised = || {
            let (shared, run, asked) = (shared.clone(), self.run.clone(), self.asked.clone());
            let before = before.clone();
            self.shared.store.write(Durability::Process, move |write| {
                write_down(write, &run, &before)?;
                budget::promise(write, &shared, &run, asked)
            })
        };
        match insist(&self.shared, &self.shared.closing, promised).await {
            Ok(Ok(promised)) => {
                self.price = promised.price;
                self.asked.input_tokens = promised.input_tokens;
                self.asked_at = Some(Instant::now());
                self.bill = Bill::Asked;
                Ok(())
            }
            Ok(Err(refused)) => {
                self.bill = Bill::None;
                Err(refused)
            }
            Err(fault) => {
                self.bill = Bill::None;
                Err(unknown(fault))
            }
        }
    }

    fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(_) | Delta::Reasoning(_) | Delta::ToolCall(_) | Delta::Kept(_) => {
                let since = self.asked_at;
                self.first_token = self.first_token.or_else(|| since.map(|since| since.elapsed()));
                self.written.hear(delta);
            }
            Delta::Anew => {}
            Delta::Done { usage, .. } => self.ended = Ended::Done(*usage),
            Delta::Failed { fault, usage } => self.ended = Ended::Failed(fault.trouble, *usage),
        }
    }

    /// Owed from now on, and written with the next that its run writes.
    fn pay(&mut self) {
        let used = (self.bill == Bill::Asked).then(|| self.used());
        let bill = unwritten::Bill { promise: self.asked.id, used, at_ms: self.shared.now_ms() };
        self.unwritten.hold([Entry::Bill(bill)]);
        self.bill = Bill::Paid;
    }

    fn used(&self) -> Used {
        let said = match self.ended {
            Ended::Unheard => Usage::default(),
            Ended::Done(usage) | Ended::Failed(_, usage) => usage,
        };
        let unsaid = said.input_tokens.is_none() || said.output_tokens.is_none();
        let estimated = unsaid && self.was_served();
        let counted = Usage {
            input_tokens: said.input_tokens.or(Some(self.asked.input_tokens)),
            output_tokens: said.output_tokens.or(Some(self.written.tokens())),
            ..said
        };
        let usage = if estimated { counted } else { said };
        let anything = usage.input_tokens.is_some() || usage.output_tokens.is_some();
        let price = self.price.as_ref().filter(|_| anything);
        Used {
            model: self.asked.model.clone(),
            cost_microusd: price.map(|price| prices::cost(price, usage)),
            usage,
            estimated,
            first_token_ms: self.first_token.map(whole_ms),
            took_ms: self.asked_at.map(|since| whole_ms(since.elapsed())),
        }
    }

    /// Whether a model worked on it. A provider that cannot be reached, or
    /// refuses, asks for nothing.
    fn was_served(&self) -> bool {
        let Ended::Failed(trouble, _) = self.ended else { return true };
        if self.written != Written::default() {
            return true;
        }
        match trouble {
            Trouble::BrokenAnswer => true,
            Trouble::Unreachable
            | Trouble::Busy { .. }
            | Trouble::ServerError
            | Trouble::Key
            | Trouble::UnknownModel
            | Trouble::TooLong
            | Trouble::Refused
            | Trouble::Engine
            | Trouble::ModelFile
            | Trouble::Budget { .. } => false,
        }
    }
}

impl Drop for Charge {
    /// A call that nobody listens to any more pays for what came.
    fn drop(&mut self) {
        match self.bill {
            Bill::None | Bill::Paid => {}
            Bill::Promised | Bill::Asked => self.pay(),
        }
    }
}

fn whole_ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

/// Nothing is asked while nobody knows what is left.
fn unknown(fault: Fault) -> ModelFault {
    ModelFault::new(
        Trouble::Refused,
        format!("the budgets cannot be looked at: {}", fault.message),
        fault.fix,
    )
}
