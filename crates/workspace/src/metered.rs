//! A model that is asked only when it is the run's turn to ask, and only
//! within the budgets.
//!
//! A place in the queue is held for one call of the model and never across a
//! tool, a child, or the wait for a budget, so that nobody waits for somebody
//! who waits for a place. Whether its provider is left alone is looked at last, when
//! the call really begins. Each call is promised its most before it is made and
//! owes what it used when it ends, however it ends; what the provider does not
//! say, or cannot be true, is our own count, and marked as such. What it is about
//! to be sent is written with the promise, so that it is on record from then on.
//!
//! A provider may not keep to the most that it was told. So what it writes is
//! counted, and the answer ends where it is surely longer. Between the most by
//! our count and there, which is a quarter further in letters and as far again in
//! Han characters, it goes on only while the budgets have room for that too.

use crate::budget::{self, Answer, Asked, Ticket};
use crate::calls::Pass;
use crate::held_up::insist;
use crate::prices;
use crate::queue::Place;
use crate::recorded::Held;
use crate::shared::Shared;
use crate::tokens::{self, Written};
use crate::unwritten::{self, Entry, Unwritten, write_down};
use domain::{Fault, FaultCode, Price, Provider, Run, StepKind, Usage};
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{self, BoxStream, StreamExt};
use llm::{Delta, Finish, Model, ModelFault, ModelRequest, Trouble};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::task::Poll;
use std::time::Duration;
use store::table::requests;
use store::table::usage::Used;
use store::{Durability, Write};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) struct Metered {
    pub shared: Arc<Shared>,
    /// `provider/model`.
    pub name: String,
    pub model: Arc<dyn Model>,
    /// Who serves it.
    pub provider: Provider,
    /// Who asks.
    pub run: Run,
    /// Of that run.
    pub unwritten: Unwritten,
}

impl Model for Metered {
    fn ask(&self, mut request: ModelRequest) -> BoxStream<'static, Delta> {
        let tokens = (tokens::of_request(&request), request.max_tokens);
        request.max_tokens = budget::within_task(&self.shared, &self.run, &self.name, tokens);
        let mut charge = Charge::new(self, &request);
        let (queue, model) = (self.shared.queue.clone(), self.model.clone());
        let (provider, name) = (self.provider.clone(), self.name.clone());
        let answer = async move {
            let composed = charge.unwritten.composed.clone();
            let (answer, mut held) = composed.prepare(&*model, request).await;
            let mut ticket = None;
            loop {
                let place = charge.in_line(queue.enter(charge.run.id)).await;
                let ticket =
                    ticket.get_or_insert_with(|| charge.shared.waiters.line_up(charge.run.id));
                match charge.promise(ticket, held.as_mut()).await {
                    Ok(Promise::Made) => match charge.shared.circuits.enter(&provider, &name) {
                        Ok(pass) => {
                            charge.begin();
                            // Nobody is told whose answer nobody listens to.
                            let _ = held.map(|held| held.go.send(()));
                            return listening(answer, charge, place, pass);
                        }
                        Err(fault) => return stream::iter([Delta::failed(fault)]).boxed(),
                    },
                    Ok(Promise::Waits) => {
                        drop(place);
                        charge.in_line(ticket.turn()).await;
                    }
                    Err(fault) => return stream::iter([Delta::failed(fault)]).boxed(),
                }
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
    pass: Pass,
) -> BoxStream<'static, Delta> {
    let listening = Some(Box::new((answer, charge, place, Some(pass))));
    stream::unfold(listening, |listening| async {
        let mut listening = listening?;
        let (answer, charge, _, pass) = &mut *listening;
        let delta = answer.next().await;
        if let Some(pass) = pass.take() {
            match &delta {
                Some(Delta::Failed { fault, .. }) => pass.failed(fault),
                Some(_) => pass.reached(),
                None => drop(pass),
            }
        }
        if let Some(delta) = &delta {
            charge.hear(delta);
        }
        if charge.is_too_long().await {
            // Dropping the answer cancels the rest of the call.
            *answer = stream::iter([cut_off()]).boxed();
        }
        match delta {
            Some(
                delta @ (Delta::Text(_)
                | Delta::Reasoning(_)
                | Delta::ToolCall(_)
                | Delta::Unshown(_)
                | Delta::Counted(_)
                | Delta::Kept(_)
                | Delta::Anew),
            ) => Some((delta, Some(listening))),
            end => {
                let (_, mut charge, ..) = *listening;
                charge.pay();
                end.map(|end| (end, None))
            }
        }
    })
    .boxed()
}

/// The end of an answer that the provider does not end.
fn cut_off() -> Delta {
    Delta::Done { finish: Finish::Length, usage: Usage::default() }
}

enum Promise {
    Made,
    /// Until others have given back what they hold.
    Waits,
}

/// On record when it is over, also for who leaves the line.
struct InLine {
    shared: Arc<Shared>,
    unwritten: Unwritten,
    since_ms: i64,
}

impl Drop for InLine {
    fn drop(&mut self) {
        let at_ms = self.shared.now_ms();
        let waited_ms = u64::try_from(at_ms - self.since_ms).unwrap_or(0);
        let kind = StepKind::StoodInLine { waited_ms };
        self.unwritten.hold([Entry::Step { kind, at_ms }]);
    }
}

/// What one call owes.
struct Charge {
    shared: Arc<Shared>,
    unwritten: Unwritten,
    run: Arc<Run>,
    asked: Asked,
    /// The number on record of what it sends, and 0 before it is there.
    request: Arc<AtomicU32>,
    price: Option<Price>,
    written: Written,
    /// What the provider has said of it before its end.
    counted: Usage,
    /// What it was promised when it had written its most.
    more: Option<Uuid>,
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
    /// A promise is being made or has been, and the model has not been asked.
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
            request: Arc::default(),
            price: None,
            written: Written::default(),
            counted: Usage::default(),
            more: None,
            asked_at: None,
            first_token: None,
            ended: Ended::Unheard,
            bill: Bill::None,
        }
    }

    /// Writes what its run has come to so far.
    async fn write_down(&self) {
        let (shared, run, unwritten) =
            (self.shared.clone(), self.run.clone(), self.unwritten.clone());
        // A run that is stopped here must not lose what it has taken to write.
        let writing = self.shared.tasks.spawn(async move { unwritten.write(&shared, &run).await });
        if let Err(error) = writing.await {
            tracing::error!(%error, "what a run came to was not written");
        }
    }

    /// Waits for a turn, and has on record for how long if that is not at once.
    async fn in_line<T>(&self, turn: impl Future<Output = T>) -> T {
        let mut turn = pin!(turn);
        if let Poll::Ready(turn) = futures::poll!(&mut turn) {
            return turn;
        }
        let _stands = InLine {
            shared: self.shared.clone(),
            unwritten: self.unwritten.clone(),
            since_ms: self.shared.now_ms(),
        };
        // It may take long: nobody is to think that its tools are still at work, and what
        // the call before this one gave back is not kept from others.
        if self.unwritten.has_returned() || self.unwritten.owes() {
            self.write_down().await;
        }
        turn.await
    }

    /// Promises it its most, and has what it is about to send on record then, behind what
    /// its run has come to before.
    async fn promise(
        &mut self,
        ticket: &Ticket,
        held: Option<&mut Held>,
    ) -> Result<Promise, ModelFault> {
        self.bill = Bill::Promised;
        let before = self.unwritten.take();
        let owed = unwritten::owes(&before);
        let given_up = CancellationToken::new();
        let mut promised = self.promising(ticket.number(), held, before, given_up.clone());
        let answer = match promised().await {
            Err(fault) if fault.code == FaultCode::Storage => {
                // A run that is stopped meanwhile must not lose what it has taken to write.
                let _gives_up = given_up.drop_guard();
                let shared = self.shared.clone();
                let insists = async move { insist(&shared, &shared.closing, promised).await };
                self.shared.tasks.spawn(insists).await.unwrap_or(Err(fault))
            }
            answer => answer,
        };
        if owed {
            // Somebody may wait for what the call before this one gave back.
            self.shared.waiters.look_again();
        }
        let promise = match answer {
            Ok(Answer::Promised(promised)) => {
                self.unwritten.has_called();
                self.price = promised.price;
                self.asked.input_tokens = promised.input_tokens;
                return Ok(Promise::Made);
            }
            Ok(Answer::Waits) => Ok(Promise::Waits),
            Ok(Answer::Refused(fault)) => Err(fault),
            Err(fault) => Err(unknown(fault)),
        };
        self.bill = Bill::None;
        promise
    }

    /// A try to be promised it, and another one whenever it is called. Whoever has given up
    /// is promised nothing.
    fn promising(
        &self,
        number: u64,
        held: Option<&mut Held>,
        before: Arc<[Entry]>,
        given_up: CancellationToken,
    ) -> impl FnMut() -> BoxFuture<'static, Result<Answer, Fault>> + Send + use<> {
        let outgoing = held.map(|held| {
            Arc::make_mut(&mut held.outgoing).request.at_ms = self.shared.now_ms();
            held.outgoing.clone()
        });
        let (shared, run) = (self.shared.clone(), self.run.clone());
        let (asked, request) = (self.asked.clone(), self.request.clone());
        let at_ms = self.shared.now_ms();
        let call = self.unwritten.uncalled().map(|kind| Entry::Step { kind, at_ms });
        let call: Arc<[Entry]> = call.into_iter().collect();
        move || {
            let (shared, run, asked) = (shared.clone(), run.clone(), asked.clone());
            let (before, call, outgoing) = (before.clone(), call.clone(), outgoing.clone());
            let (request, given_up) = (request.clone(), given_up.clone());
            let with = shared.clone();
            let promise = move |write: &mut Write<'_>| {
                write_down(write, &run, &before)?;
                if given_up.is_cancelled() {
                    return Ok(Answer::Waits);
                }
                let answer = budget::promise(write, &with, &run, asked, Some(number))?;
                if let Answer::Promised(_) = &answer {
                    write_down(write, &run, &call)?;
                    if let Some(outgoing) = outgoing {
                        request.store(requests::add(write, run.id, &outgoing)?, Relaxed);
                    }
                }
                Ok::<_, Fault>(answer)
            };
            async move { shared.store.write(Durability::Process, promise).await }.boxed()
        }
    }

    /// The model is asked now.
    fn begin(&mut self) {
        self.asked_at = Some(Instant::now());
        self.bill = Bill::Asked;
    }

    /// Whether the answer is to end here, although its provider goes on.
    async fn is_too_long(&mut self) -> bool {
        let most = self.asked.output_tokens;
        if self.written.tokens() <= most || self.ended != Ended::Unheard {
            return false;
        }
        let is_surely = self.written.at_least() > most;
        let ends = is_surely || (self.more.is_none() && !self.promise_more().await);
        if ends {
            let (model, written) = (&self.asked.model, self.written.tokens());
            tracing::warn!(%model, most, written, "an answer was cut off that did not end by itself");
        }
        ends
    }

    /// As much again, if the budgets have it now.
    async fn promise_more(&mut self) -> bool {
        let id = Uuid::now_v7();
        self.more = Some(id);
        let asked = Asked { id, input_tokens: 0, ..self.asked.clone() };
        let (shared, run) = (self.shared.clone(), self.run.clone());
        let promised = self.shared.store.write(Durability::Process, move |write| {
            budget::promise(write, &shared, &run, asked, None)
        });
        matches!(promised.await, Ok(Answer::Promised(_)))
    }

    fn hear(&mut self, delta: &Delta) {
        match delta {
            Delta::Text(_)
            | Delta::Reasoning(_)
            | Delta::ToolCall(_)
            | Delta::Unshown(_)
            | Delta::Kept(_) => {
                let since = self.asked_at;
                self.first_token = self.first_token.or_else(|| since.map(|since| since.elapsed()));
                self.written.hear(delta);
            }
            Delta::Counted(usage) => self.counted = *usage,
            Delta::Anew => {}
            Delta::Done { usage, .. } => self.ended = Ended::Done(*usage),
            Delta::Failed { fault, usage } => self.ended = Ended::Failed(fault.trouble, *usage),
        }
    }

    /// Owed from now on, and written with the next that its run writes.
    fn pay(&mut self) {
        let used = (self.bill == Bill::Asked).then(|| self.used());
        let at_ms = self.shared.now_ms();
        if used.is_none() {
            self.unwritten.hold([Entry::NotSent(self.request.clone())]);
        }
        let bill = |promise, used| Entry::Bill(unwritten::Bill { promise, used, at_ms });
        // All that was used is on the first one.
        self.unwritten.hold(self.more.map(|more| bill(more, None)));
        self.unwritten.hold([bill(self.asked.id, used)]);
        self.bill = Bill::Paid;
    }

    fn used(&self) -> Used {
        let said = match self.ended {
            // Of what it wrote since, it has not told.
            Ended::Unheard => Usage { output_tokens: None, ..self.counted },
            Ended::Done(usage) if usage == Usage::default() => {
                Usage { output_tokens: None, ..self.counted }
            }
            Ended::Done(usage) | Ended::Failed(_, usage) => usage,
        };
        let input =
            said.input_tokens.filter(|read| is_credible_input(*read, self.asked.input_tokens));
        let most = self.asked.output_tokens.saturating_mul(MOST_OVER);
        let is_too_many = said.output_tokens.is_some_and(|wrote| wrote > most);
        let output = said.output_tokens.filter(|wrote| is_credible(*wrote, self.written));
        let output = output.filter(|_| !is_too_many);
        let estimated = (input.is_none() || output.is_none()) && self.was_served();
        let counted = Usage {
            input_tokens: input.or(Some(self.asked.input_tokens)),
            output_tokens: output.or(Some(match is_too_many {
                // Perhaps thoughts that nobody was shown.
                true => self.written.tokens().max(self.asked.output_tokens),
                false => self.written.tokens(),
            })),
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
            Trouble::BrokenAnswer | Trouble::Endless => true,
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

/// No tokenizer makes so many times more of a text than ours, and no server
/// writes so many times more than it was allowed: a count past that is a wrong
/// one, and must not use up a day.
pub(crate) const MOST_OVER: u32 = 4;
/// What a server may put before any request.
const OF_ITS_OWN: u32 = 65_536;

fn is_credible_input(read: u32, estimated: u32) -> bool {
    (1..=estimated.saturating_mul(MOST_OVER).saturating_add(OF_ITS_OWN)).contains(&read)
}

/// Whether a provider may have counted so little for what it wrote.
///
/// What it says is what a person pays, so it stands wherever it can be true. Many
/// that stand between us and a model say 0, or the count of the last piece: a
/// budget that believed them would never be used up. No request is empty, so 0
/// read is no count either (`measured` says which others are none). Indents and
/// rules make the fewest tokens of their letters, and more than a quarter of
/// `at_least` even then.
fn is_credible(wrote: u32, heard: Written) -> bool {
    match wrote {
        0 => heard == Written::default(),
        _ => wrote >= heard.at_least() / 4,
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
