//! Making the tool calls of one answer.
//!
//! Each call gets exactly one result, whatever happens: a refusal, the tool's
//! words, or what a stop left open. New input is looked for before each
//! launch; a running call finishes, those not begun are skipped.

use crate::brief::{Hands, Journal, Permission, Proposed};
use domain::{CallId, CallState, RunId};
use futures::FutureExt;
use futures::future::BoxFuture;
use futures::stream::{FuturesUnordered, StreamExt};
use llm::{Called, Turn};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
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

const SKIPPED_FOR_NEWS: &str = "skipped: something new was said before this was begun";
const SKIPPED_BY_STOP: &str = "skipped: the turn was stopped before this was begun";
const CUT_OFF: &str =
    "stopped while it ran: it may or may not have happened; check before you repeat it";

/// The identity of a call: the same for the same run, place and model's id.
pub(crate) fn call_id(run: RunId, round: u32, place: usize, called: &Called) -> CallId {
    let name = format!("{round}/{place}/{}", called.id);
    CallId(Uuid::new_v5(&run.0, name.as_bytes()))
}

pub(crate) async fn act(
    calls: Vec<(CallId, Called)>,
    together: bool,
    hands: Hands<'_>,
    journal: &mut dyn Journal,
    stop: &CancellationToken,
) -> Acted {
    let mut acting = Acting::new(hands, calls.len());
    let most = if together { usize::MAX } else { 1 };
    let mut news = Vec::new();
    for (place, (id, called)) in calls.iter().enumerate() {
        while acting.running.len() >= most && !stop.is_cancelled() {
            acting.finish_one(stop).await;
        }
        if news.is_empty() && (place == 0 || !together) {
            news = journal.news().await;
        }
        if stop.is_cancelled() {
            acting.skip(place, *id, SKIPPED_BY_STOP).await;
        } else if !news.is_empty() {
            acting.skip(place, *id, SKIPPED_FOR_NEWS).await;
        } else {
            acting.launch(place, *id, called, stop).await;
        }
    }
    while !acting.running.is_empty() {
        acting.finish_one(stop).await;
    }
    acting.into_acted(&calls, news).await
}

type Running<'a> = BoxFuture<'a, (usize, CallId, CallState, String)>;

struct Acting<'a> {
    hands: Hands<'a>,
    running: FuturesUnordered<Running<'a>>,
    results: Vec<Option<(CallState, String)>>,
}

impl<'a> Acting<'a> {
    fn new(hands: Hands<'a>, calls: usize) -> Self {
        Acting { hands, running: FuturesUnordered::new(), results: vec![None; calls] }
    }

    async fn launch(
        &mut self,
        place: usize,
        id: CallId,
        called: &Called,
        stop: &CancellationToken,
    ) {
        let (proposed, tool) = match self.check(id, called) {
            Ok(fit) => fit,
            Err(text) => return self.end(place, id, CallState::Refused, text).await,
        };
        match self.hands.gate.before(&proposed).await {
            Permission::No { state, text } => self.results[place] = Some((state, text)),
            Permission::Go(mut with) => {
                with.stop = stop.child_token();
                self.running.push(Box::pin(use_tool(place, id, tool, proposed, with)));
            }
        }
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

    /// Waits for one running call, or ends all of them when the turn is
    /// stopped: a tool that does not listen is not waited for.
    async fn finish_one(&mut self, stop: &CancellationToken) {
        let finished = tokio::select! {
            biased;
            finished = self.running.next() => finished,
            () = stop.cancelled() => None,
        };
        match finished {
            Some((place, id, state, text)) => self.end(place, id, state, text).await,
            None => self.running.clear(),
        }
    }

    async fn skip(&mut self, place: usize, id: CallId, why: &str) {
        self.end(place, id, CallState::Skipped, why.to_owned()).await;
    }

    async fn end(&mut self, place: usize, id: CallId, state: CallState, text: String) {
        self.hands.gate.after(id, state, &text).await;
        self.results[place] = Some((state, text));
    }

    async fn into_acted(mut self, calls: &[(CallId, Called)], news: Vec<Turn>) -> Acted {
        for (place, (id, _)) in calls.iter().enumerate() {
            if self.results[place].is_none() {
                self.end(place, *id, CallState::Cancelled, CUT_OFF.to_owned()).await;
            }
        }
        let (states, texts): (Vec<_>, Vec<_>) = self.results.into_iter().flatten().unzip();
        let results = calls.iter().zip(texts);
        let turns =
            results.map(|((_, called), text)| Turn::answering(&called.id, text)).chain(news);
        Acted { turns: turns.collect(), states }
    }
}

async fn use_tool(
    place: usize,
    id: CallId,
    tool: Arc<dyn Tool>,
    call: Proposed,
    with: CallContext,
) -> (usize, CallId, CallState, String) {
    // A tool that panics has failed, and nothing else has.
    let used = AssertUnwindSafe(tool.call(call.arguments, &with)).catch_unwind().await;
    let (state, text) = match used {
        Ok(Returned { ok: true, text, .. }) => (CallState::Succeeded, text),
        Ok(Returned { ok: false, text, .. }) => (CallState::Failed, text),
        Err(_) => (CallState::Failed, format!("{} broke off with a fault of its own", call.tool)),
    };
    (place, id, state, text)
}
