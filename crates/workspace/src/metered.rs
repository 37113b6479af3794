//! A model that is asked only when it is the run's turn to ask, and only
//! within the budgets.
//!
//! A place in the queue is held for one call of the model and never across a
//! tool or a child, so that nobody waits for somebody who waits for a place.
//! Each call is promised its most before it is made and pays what it used
//! when it ends, however it ends; what the provider does not say is our own
//! count, and marked as such.

use crate::budget::{self, Asked};
use crate::prices::{self, Written};
use crate::queue::Place;
use crate::shared::Shared;
use crate::window;
use domain::{Fault, Price, Run, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Model, ModelFault, ModelRequest, Trouble};
use std::sync::Arc;
use store::table::spend::{self, Amount};
use store::table::usage::{self, Used};
use store::{Durability, StoreError};
use uuid::Uuid;

pub(crate) struct Metered {
    pub shared: Arc<Shared>,
    pub model: Arc<dyn Model>,
    /// Who asks.
    pub run: Run,
}

impl Model for Metered {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let mut charge = Charge::new(&self.shared, &self.run, &request);
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
            Some(delta @ (Delta::Text(_) | Delta::Reasoning(_) | Delta::ToolCall(_))) => {
                Some((delta, Some(listening)))
            }
            end => {
                let (_, mut charge, place) = *listening;
                // The next may go while this one's bill is written.
                drop(place);
                charge.pay().await;
                end.map(|end| (end, None))
            }
        }
    })
    .boxed()
}

/// What one call owes.
struct Charge {
    shared: Arc<Shared>,
    run: Arc<Run>,
    asked: Asked,
    price: Option<Price>,
    written: Written,
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
    fn new(shared: &Arc<Shared>, run: &Run, request: &ModelRequest) -> Self {
        let provider = run.model.split_once('/').map_or("", |(provider, _)| provider);
        let asked = Asked {
            id: Uuid::now_v7(),
            model: format!("{provider}/{}", request.model),
            input_tokens: window::request_tokens(request),
            output_tokens: request.max_tokens,
        };
        Charge {
            shared: shared.clone(),
            run: Arc::new(run.clone()),
            asked,
            price: None,
            written: Written::default(),
            ended: Ended::Unheard,
            bill: Bill::None,
        }
    }

    async fn promise(&mut self) -> Result<(), ModelFault> {
        self.bill = Bill::Promised;
        let (shared, run, asked) = (self.shared.clone(), self.run.clone(), self.asked.clone());
        let promised = self
            .shared
            .store
            .write(Durability::Process, move |write| budget::promise(write, &shared, &run, asked));
        match promised.await {
            Ok(Ok(promised)) => {
                self.price = promised.price;
                self.asked.input_tokens = promised.input_tokens;
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
            Delta::Text(_) | Delta::Reasoning(_) | Delta::ToolCall(_) => self.written.hear(delta),
            Delta::Done { usage, .. } => self.ended = Ended::Done(*usage),
            Delta::Failed { fault, usage } => self.ended = Ended::Failed(fault.trouble, *usage),
        }
    }

    async fn pay(&mut self) {
        if let Err(error) = self.paying().await {
            self.not_paid(&error);
        }
        self.bill = Bill::Paid;
    }

    /// Begins when it is looked at for the first time, and is not undone by
    /// being dropped. Paying twice is paying once.
    fn paying(&self) -> BoxFuture<'static, Result<(), StoreError>> {
        let (run, id, now) = (self.run.clone(), self.asked.id, self.shared.now_ms());
        let used = (self.bill == Bill::Asked).then(|| self.used());
        let shared = self.shared.clone();
        async move {
            let work = move |write: &mut store::Write<'_>| {
                let amount = used.as_ref().map(amount).unwrap_or_default();
                if spend::pay(write, id, amount)?
                    && let Some(used) = used
                {
                    usage::add(write, &run, &used, now)?;
                }
                Ok(())
            };
            shared.store.write(Durability::Process, work).await
        }
        .boxed()
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
            cached_tokens: said.cached_tokens,
        };
        let usage = if estimated { counted } else { said };
        let anything = usage.input_tokens.is_some() || usage.output_tokens.is_some();
        let price = self.price.as_ref().filter(|_| anything);
        Used {
            model: self.asked.model.clone(),
            cost_microusd: price.map(|price| prices::cost(price, usage)),
            usage,
            estimated,
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

    /// The promise stays, which is more than was used, and is paid in full at
    /// the next start.
    fn not_paid(&self, error: &StoreError) {
        tracing::error!(run = %self.run.id, %error, "what a call used cannot be stored");
    }
}

impl Drop for Charge {
    /// A call that nobody listens to any more pays for what came. That is on
    /// its way before anything that its run writes from here on.
    fn drop(&mut self) {
        match self.bill {
            Bill::None | Bill::Paid => {}
            Bill::Promised | Bill::Asked => {
                if let Some(Err(error)) = self.paying().now_or_never() {
                    self.not_paid(&error);
                }
            }
        }
    }
}

fn amount(used: &Used) -> Amount {
    let Usage { input_tokens, output_tokens, .. } = used.usage;
    let tokens = i64::from(input_tokens.unwrap_or(0)) + i64::from(output_tokens.unwrap_or(0));
    Amount { tokens, microusd: used.cost_microusd.unwrap_or(0) }
}

/// Nothing is asked while nobody knows what is left.
fn unknown(fault: Fault) -> ModelFault {
    ModelFault::new(
        Trouble::BrokenAnswer,
        format!("the budgets cannot be looked at: {}", fault.message),
        fault.fix,
    )
}
