//! Making the tool calls of one answer.
//!
//! What only looks is looked at side by side; what changes something is made in the order
//! in which the model called it, and whoever looks after it sees it. Steps of a plan say
//! themselves what they come after.
//!
//! Each call gets exactly one result, whatever happens: a refusal, the tool's
//! words, or what a stop left open. New input is looked for before a call is launched, and
//! when the turn of those comes that stood in line; a running call finishes, those not
//! begun are skipped. What an earlier try of the turn had begun counts as running.

use crate::brief::{
    Gate, Hands, Journal, LEFT_OUT, Line, Open, Permission, Proposed, Spot, UNNEEDED,
};
use domain::{CallId, CallState, RunId, StepKind};
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use llm::{Called, Turn};
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;
use tools::{CallContext, Returned, Tool};
use uuid::Uuid;

/// What came of an answer's calls.
pub(crate) struct Acted {
    /// A result for each call, in the calls' order, and then what was said
    /// meanwhile.
    pub turns: Vec<Turn>,
    /// How each call ended, in the same order.
    pub states: Vec<CallState>,
}

impl Acted {
    /// What the newest call that went wrong said.
    pub(crate) fn last_failure(&self) -> Option<String> {
        let mut ended = self.states.iter().zip(&self.turns).rev();
        let failed = ended.find(|(state, _)| **state != CallState::Succeeded);
        failed.map(|(_, turn)| turn.content.clone())
    }
}

const SKIPPED_BY_STOP: &str = "skipped: the turn was stopped before this was begun";
const SKIPPED_AT_LIMIT: &str = "skipped: the turn had no steps left";

/// A call that is at work for longer is on record while it is.
const MOMENT: Duration = Duration::from_millis(20);

/// How long running calls may take to end by themselves once the turn is
/// stopped. A turn returns within 100 ms.
const GRACE: Duration = Duration::from_millis(50);

/// The identity of a call: the same for the same run, place and model's id.
pub(crate) fn call_id(run: RunId, round: u32, place: usize, called: &Called) -> CallId {
    let name = format!("{round}/{place}/{}", called.id);
    CallId(Uuid::new_v5(&run.0, name.as_bytes()))
}

/// The identity of a plan's step as a call: the same in every try of a turn.
pub(crate) fn planned_call_id(turn: RunId, attempt: u32, step: &str) -> CallId {
    CallId(Uuid::new_v5(&turn.0, format!("plan/{attempt}/{step}").as_bytes()))
}

pub(crate) fn proposed(id: CallId, called: &Called) -> StepKind {
    let Called { id: model_id, name: tool, arguments } = called.clone();
    StepKind::ToolProposed { call: id, model_id, tool, arguments }
}

/// Makes none of the calls, and says so of each.
pub(crate) async fn leave(calls: &[(CallId, Called)], hands: Hands<'_>) {
    for (id, _) in calls {
        hands.gate.after(*id, CallState::Skipped, SKIPPED_AT_LIMIT).await;
    }
}

/// Which calls are made at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Beside {
    /// None.
    Nothing,
    /// Those of an answer whose order makes no difference.
    WhatOnlyLooks,
    /// Steps of a plan that depend on nothing of each other.
    All,
}

/// How the calls of an answer are made.
pub(crate) struct Way {
    pub beside: Beside,
    /// When one of these has failed, no other is begun any more.
    pub needed: BTreeSet<CallId>,
}

impl From<Beside> for Way {
    fn from(beside: Beside) -> Self {
        Way { beside, needed: BTreeSet::new() }
    }
}

pub(crate) async fn act(
    calls: Vec<Open>,
    way: Way,
    hands: Hands<'_>,
    journal: &mut dyn Journal,
    stop: &CancellationToken,
) -> Acted {
    let beside = way.beside;
    let mut acting = Acting::new(hands, way, calls.len());
    let most = if beside == Beside::Nothing { 1 } else { usize::MAX };
    for (place, open) in calls.iter().enumerate() {
        while acting.running.len() >= most && !stop.is_cancelled() {
            acting.finish_one(journal, stop).await;
        }
        if acting.news.is_empty() && (place == 0 || beside == Beside::Nothing) {
            acting.news = journal.news().await;
        }
        if stop.is_cancelled() {
            acting.skip(place, open.id, SKIPPED_BY_STOP).await;
        } else if !acting.news.is_empty() && !open.begun {
            acting.skip(place, open.id, LEFT_OUT).await;
        } else if acting.lacks_one && !open.begun {
            acting.skip(place, open.id, UNNEEDED).await;
        } else {
            acting.launch(place, open, stop).await;
        }
    }
    while !acting.running.is_empty() {
        acting.finish_one(journal, stop).await;
    }
    acting.into_acted(&calls).await
}

struct Acting<'a> {
    hands: Hands<'a>,
    way: Way,
    /// One has failed that was needed.
    lacks_one: bool,
    running: FuturesUnordered<BoxFuture<'a, Ran>>,
    launched: Vec<InLine>,
    /// What was said meanwhile.
    news: Vec<Turn>,
    /// Which calls have reached their tool.
    begun: Vec<Arc<AtomicBool>>,
    results: Vec<Option<(CallState, String)>>,
}

/// A call that was launched.
struct InLine {
    place: usize,
    stands_alone: bool,
    /// An earlier try of the turn had begun it.
    begun: bool,
    /// Those that it waits for, as places.
    before: Vec<usize>,
    spot: watch::Sender<Spot>,
    /// It is written down how it ended.
    has_ended: bool,
}

impl InLine {
    fn waits(&self) -> bool {
        *self.spot.borrow() == Spot::Waits
    }
}

/// The same when it has ended.
struct Ran {
    place: usize,
    id: CallId,
    state: CallState,
    text: String,
    /// The gate knows it already: it did not let it through.
    known: bool,
}

impl<'a> Acting<'a> {
    fn new(hands: Hands<'a>, way: Way, calls: usize) -> Self {
        Acting {
            hands,
            way,
            lacks_one: false,
            running: FuturesUnordered::new(),
            launched: Vec::new(),
            news: Vec::new(),
            begun: std::iter::repeat_with(Arc::default).take(calls).collect(),
            results: vec![None; calls],
        }
    }

    async fn launch(&mut self, place: usize, open: &Open, stop: &CancellationToken) {
        let (proposed, tool) = match self.check(open.id, &open.called) {
            Ok(fit) => fit,
            Err(text) => return self.end(place, open.id, CallState::Refused, text).await,
        };
        let stands_alone = self.way.beside == Beside::All || tool.stands_alone();
        let launched = Launched {
            place,
            line: self.line_up(place, stands_alone, open.begun),
            proposed,
            tool,
            gate: self.hands.gate,
            begun: Arc::clone(&self.begun[place]),
            stop: stop.clone(),
        };
        self.running.push(Box::pin(launched.run()));
    }

    /// What only looks waits for what changes something, and that for all before it.
    fn line_up(&mut self, place: usize, stands_alone: bool, begun: bool) -> Line {
        let is_beside = |one: &InLine| one.has_ended || (stands_alone && one.stands_alone);
        let comes_first = |one: &&InLine| !is_beside(one);
        let before: Vec<_> =
            self.launched.iter().filter(comes_first).map(|one| one.place).collect();
        let (spot, line) = watch::channel(if before.is_empty() { Spot::Next } else { Spot::Waits });
        self.launched.push(InLine { place, stands_alone, begun, before, spot, has_ended: false });
        Line(line)
    }

    /// Lets those begin whose turn has come, unless something new was said: then whoever
    /// still waits is left out.
    async fn move_up(&mut self, journal: &mut dyn Journal) {
        if self.due().next().is_some() && self.news.is_empty() {
            self.news = journal.news().await;
        }
        if !self.news.is_empty() {
            for one in self.launched.iter().filter(|one| one.waits() && !one.begun) {
                one.spot.send_replace(Spot::LeftOut(LEFT_OUT));
            }
        }
        if self.lacks_one {
            // Also those that a person is asked about.
            let reached = |one: &&InLine| self.begun[one.place].load(Ordering::Relaxed);
            for one in self.launched.iter().filter(|one| !one.begun && !reached(one)) {
                one.spot.send_replace(Spot::LeftOut(UNNEEDED));
            }
        }
        self.let_begin();
    }

    fn let_begin(&self) {
        for one in self.due() {
            one.spot.send_replace(Spot::Next);
        }
    }

    /// Those that wait for nobody any more.
    fn due(&self) -> impl Iterator<Item = &InLine> {
        let has_ended =
            |place: &usize| self.launched.iter().any(|one| one.place == *place && one.has_ended);
        self.launched.iter().filter(move |one| one.waits() && one.before.iter().all(has_ended))
    }

    fn check(&self, id: CallId, called: &Called) -> Result<(Proposed, Arc<dyn Tool>), String> {
        let arguments = called.parsed()?;
        let tool = self.hands.tools.check(&called.name, &arguments)?;
        let effects = tool.spec().effects;
        let proposed = Proposed {
            id,
            model_id: called.id.clone(),
            tool: called.name.clone(),
            arguments,
            effects,
        };
        Ok((proposed, tool))
    }

    /// Waits for one running call. When the turn is stopped, all of them have
    /// a moment to end; one that does not listen is not waited for.
    async fn finish_one(&mut self, journal: &mut dyn Journal, stop: &CancellationToken) {
        let finished = tokio::select! {
            biased;
            finished = self.running.next() => finished,
            () = stop.cancelled() => None,
        };
        match finished {
            Some(ran) => {
                self.take(ran).await;
                self.move_up(journal).await;
            }
            None => {
                let until = Instant::now() + GRACE;
                while let Ok(Some(ran)) = timeout_at(until, self.running.next()).await {
                    self.take(ran).await;
                    // They see that they are to begin nothing.
                    self.let_begin();
                }
                self.running.clear();
            }
        }
    }

    async fn take(&mut self, ran: Ran) {
        let (place, id) = (ran.place, ran.id);
        if ran.known {
            self.stands(place, id, (ran.state, ran.text));
        } else {
            self.end(place, id, ran.state, ran.text).await;
        }
        if let Some(one) = self.launched.iter_mut().find(|one| one.place == place) {
            one.has_ended = true;
        }
    }

    async fn skip(&mut self, place: usize, id: CallId, why: &str) {
        self.end(place, id, CallState::Skipped, why.to_owned()).await;
    }

    async fn end(&mut self, place: usize, id: CallId, state: CallState, text: String) {
        let ended = self.hands.gate.after(id, state, &text).await;
        self.stands(place, id, ended);
    }

    fn stands(&mut self, place: usize, id: CallId, ended: (CallState, String)) {
        self.lacks_one |= ended.0 != CallState::Succeeded && self.way.needed.contains(&id);
        self.results[place] = Some(ended);
    }

    async fn into_acted(mut self, calls: &[Open]) -> Acted {
        for (place, Open { id, .. }) in calls.iter().enumerate() {
            if self.results[place].is_some() {
                continue;
            }
            if self.begun[place].load(Ordering::Relaxed) {
                self.end(place, *id, CallState::Cancelled, Returned::cut_off().text).await;
            } else {
                self.skip(place, *id, SKIPPED_BY_STOP).await;
            }
        }
        let (states, texts): (Vec<_>, Vec<_>) = self.results.into_iter().flatten().unzip();
        let results = calls.iter().zip(texts);
        let turns = results.map(|(open, text)| Turn::answering(&open.called.id, text));
        let turns = turns.chain(self.news);
        Acted { turns: turns.collect(), states }
    }
}

/// A call on its way to its tool.
struct Launched<'a> {
    place: usize,
    proposed: Proposed,
    tool: Arc<dyn Tool>,
    line: Line,
    gate: &'a dyn Gate,
    begun: Arc<AtomicBool>,
    stop: CancellationToken,
}

impl Launched<'_> {
    async fn run(self) -> Ran {
        let (place, id) = (self.place, self.proposed.id);
        match self.gate.before(&self.proposed, &self.line).await {
            Permission::No { state, text } => Ran { place, id, state, text, known: true },
            Permission::Go(with) => {
                let (state, text) = self.use_tool(with).await;
                Ran { place, id, state, text, known: false }
            }
        }
    }

    async fn use_tool(self, mut with: CallContext) -> (CallState, String) {
        // The gate may have taken its time.
        if self.stop.is_cancelled() {
            return (CallState::Skipped, SKIPPED_BY_STOP.to_owned());
        }
        self.begun.store(true, Ordering::Relaxed);
        with.stop = self.stop.child_token();
        // A tool that panics has failed, and nothing else has.
        let arguments = self.proposed.arguments;
        let call = async {
            let returned = self.tool.call(arguments, &with).await;
            tools::shown(returned, &with).await
        };
        match with_record(self.gate, self.proposed.id, AssertUnwindSafe(call).catch_unwind()).await
        {
            Ok(Returned { ok: true, text, .. }) => (CallState::Succeeded, text),
            Ok(Returned { text, .. }) if self.stop.is_cancelled() => (CallState::Cancelled, text),
            Ok(Returned { text, .. }) => (CallState::Failed, text),
            Err(_) => {
                let tool = &self.proposed.tool;
                (CallState::Failed, format!("{tool} broke off with a fault of its own"))
            }
        }
    }
}

/// What the call comes to. The gate is told of one that lasts, which goes on meanwhile.
async fn with_record<T>(gate: &dyn Gate, id: CallId, call: impl Future<Output = T>) -> T {
    let mut call = pin!(call);
    tokio::select! {
        biased;
        done = &mut call => return done,
        () = sleep(MOMENT) => {}
    }
    futures::join!(call, gate.lasts(id)).0
}
