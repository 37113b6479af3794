//! Asking the model once, and listening until it has finished, failed or been
//! stopped.

use crate::Speech;
use crate::brief::Journal;
use crate::planner::MOST_PLAN;
use crate::speech::ForAnother;
use domain::{Kept, Usage};
use futures::StreamExt;
use llm::{Called, Calls, Delta, Finish, Model, ModelFault, ModelRequest, Trouble};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What one call brought.
pub(crate) struct Heard {
    /// What the agent may say of it; `None` when it chose silence.
    pub text: Option<String>,
    /// What it wrote in another's name, which ends what it may say.
    pub for_another: Option<ForAnother>,
    pub reasoning: String,
    pub calls: Vec<Called>,
    /// What the model wants back with its calls.
    pub kept: Option<Kept>,
    pub usage: Usage,
    pub ended: Ended,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Ended {
    Finished,
    /// The run found no answer and says so; no model did.
    GaveUp,
    /// The model hit its limit in the middle.
    CutShort,
    /// The provider kept the rest to itself.
    Withheld,
    Stopped,
    Failed(ModelFault),
}

/// What becomes of a model's words as they come.
#[derive(Clone)]
pub(crate) enum Ear {
    /// They are the agent's own, and shown.
    Speech(Box<Speech>),
    /// They are for the runtime alone.
    Plan(String),
}

impl Ear {
    pub(crate) fn plan() -> Self {
        Ear::Plan(String::new())
    }

    /// Takes the next piece and gives what of it is shown.
    fn push(&mut self, piece: &str) -> String {
        match self {
            Ear::Speech(speech) => speech.push(piece),
            Ear::Plan(text) => {
                text.push_str(piece);
                String::new()
            }
        }
    }

    /// What follows is not wanted: why the answer ends here.
    fn is_full(&self) -> Option<Ended> {
        match self {
            Ear::Speech(speech) => speech.is_over().then_some(Ended::Finished),
            Ear::Plan(text) => (text.len() > MOST_PLAN).then_some(Ended::CutShort),
        }
    }

    fn finish(&mut self) -> String {
        match self {
            Ear::Speech(speech) => speech.finish(),
            Ear::Plan(_) => String::new(),
        }
    }

    fn for_another(&self) -> Option<ForAnother> {
        match self {
            Ear::Speech(speech) => speech.for_another(),
            Ear::Plan(_) => None,
        }
    }

    fn text(&self) -> Option<&str> {
        match self {
            Ear::Speech(speech) => speech.text(),
            Ear::Plan(text) => Some(text),
        }
    }
}

/// A batch goes out when it has this many pieces or is this old.
const BATCH_PIECES: usize = 10;
const BATCH_AGE: Duration = Duration::from_millis(16);

/// Returns within 100 ms of `stop`, whatever the model does.
pub(crate) async fn listen(
    ear: Ear,
    model: &dyn Model,
    request: ModelRequest,
    journal: &mut dyn Journal,
    stop: &CancellationToken,
) -> Heard {
    let mut listener = Listener {
        fresh: ear.clone(),
        ear,
        reasoning: String::new(),
        calls: Calls::default(),
        kept: None,
        batch: Batch::default(),
    };
    let (ended, usage) = listener.listen(model, request, journal, stop).await;
    listener.hold_back_no_more();
    listener.batch.flush(journal);
    Heard {
        text: listener.ear.text().map(str::to_owned),
        for_another: listener.ear.for_another(),
        reasoning: listener.reasoning,
        // Calls of an answer that broke off are not to be trusted.
        calls: if ended == Ended::Finished { listener.calls.finish() } else { Vec::new() },
        kept: listener.kept,
        usage,
        ended,
    }
}

struct Listener {
    /// As it was before a word was said.
    fresh: Ear,
    ear: Ear,
    reasoning: String,
    calls: Calls,
    kept: Option<Kept>,
    batch: Batch,
}

impl Listener {
    async fn listen(
        &mut self,
        model: &dyn Model,
        request: ModelRequest,
        journal: &mut dyn Journal,
        stop: &CancellationToken,
    ) -> (Ended, Usage) {
        let mut stream = model.ask(request);
        loop {
            let delta = tokio::select! {
                biased;
                () = stop.cancelled() => return (Ended::Stopped, Usage::default()),
                () = self.batch.is_old() => {
                    self.batch.flush(journal);
                    continue;
                }
                delta = stream.next() => delta,
            };
            match delta {
                Some(Delta::Text(piece)) => {
                    let released = self.ear.push(&piece);
                    self.batch.add(&released, "");
                    if let Some(ended) = self.ear.is_full() {
                        // Dropping the stream cancels the rest of the call.
                        return (ended, Usage::default());
                    }
                }
                Some(Delta::Reasoning(piece)) => {
                    self.reasoning.push_str(&piece);
                    self.batch.add("", &piece);
                }
                Some(Delta::ToolCall(piece)) => self.calls.take(piece),
                Some(Delta::Kept(kept)) => self.kept = Some(kept),
                Some(Delta::Unshown(_) | Delta::Counted(_)) => {}
                Some(Delta::Anew) => self.forget(journal),
                Some(Delta::Done { finish, usage }) => return (ended_by(finish), usage),
                Some(Delta::Failed { fault, usage }) => return (Ended::Failed(fault), usage),
                None => return (Ended::Failed(ended_without_end()), Usage::default()),
            }
            if self.batch.pieces >= BATCH_PIECES {
                self.batch.flush(journal);
            }
        }
    }

    /// The same is asked again: what was said so far was not the answer.
    fn forget(&mut self, journal: &mut dyn Journal) {
        self.ear = self.fresh.clone();
        self.reasoning.clear();
        (self.calls, self.kept) = (Calls::default(), None);
        self.batch = Batch::default();
        journal.takes_back();
    }

    fn hold_back_no_more(&mut self) {
        let released = self.ear.finish();
        self.batch.add(&released, "");
    }
}

fn ended_by(finish: Finish) -> Ended {
    match finish {
        Finish::Stop | Finish::ToolCalls => Ended::Finished,
        Finish::Length => Ended::CutShort,
        Finish::Filtered => Ended::Withheld,
    }
}

fn ended_without_end() -> ModelFault {
    ModelFault::new(Trouble::BrokenAnswer, "the model's answer ended without an end", "try again")
}

/// What has been written since the last batch went out.
#[derive(Default)]
struct Batch {
    text: String,
    reasoning: String,
    pieces: usize,
    since: Option<Instant>,
}

impl Batch {
    fn add(&mut self, text: &str, reasoning: &str) {
        if text.is_empty() && reasoning.is_empty() {
            return;
        }
        self.text.push_str(text);
        self.reasoning.push_str(reasoning);
        self.pieces += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    /// Returns when the oldest piece has waited long enough; never for an
    /// empty batch.
    async fn is_old(&self) {
        match self.since {
            Some(since) => tokio::time::sleep_until(since + BATCH_AGE).await,
            None => std::future::pending().await,
        }
    }

    fn flush(&mut self, journal: &mut dyn Journal) {
        if self.pieces > 0 {
            journal.wrote(&self.text, &self.reasoning);
            *self = Batch::default();
        }
    }
}
