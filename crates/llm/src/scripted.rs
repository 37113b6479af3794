//! Plays answers that were written beforehand: from a trace file, or from a
//! function in a test.
//!
//! It keeps every request it got, and a test can wait for the next one, hold
//! an answer at a gate, and wait until an answer was dropped. Time is tokio's,
//! so a paused clock moves it.

mod gate;
mod trace;

pub use gate::Gate;
pub use trace::{
    Answer, Call, Exchange, FaultLine, FinishName, Format, Line, Trace, TraceError, TroubleName,
    True, Version, When, Words,
};

use crate::{Delta, Finish, Model, ModelFault, ModelRequest, ToolCallDelta};
use domain::{Kept, Usage};
use futures::stream::{self, BoxStream, StreamExt};
use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::watch;

/// One moment of an answer. An answer that does not end itself ends in an
/// ordinary `Done`.
#[derive(Debug, Clone)]
pub enum Beat {
    Text(String),
    Reasoning(String),
    ToolCall(ToolCallDelta),
    /// Wants this back with the answer.
    Kept(Kept),
    Wait(Duration),
    /// Goes on when the test opens the gate.
    Gate(Gate),
    /// Never goes on; only dropping the answer ends it.
    Hang,
    Done {
        finish: Finish,
        usage: Usage,
    },
    Fail(ModelFault),
    /// What is counted by now: an answer that fails or has no `Done` of its
    /// own ends with the last of these.
    Usage(Usage),
}

/// A model whose words are known beforehand. Clones share what they play and
/// what they saw.
#[derive(Clone)]
pub struct Scripted {
    script: Arc<Script>,
    seen: Arc<Mutex<Seen>>,
    counts: watch::Sender<Counts>,
}

type Script = dyn Fn(&ModelRequest, usize) -> Vec<Beat> + Send + Sync;

#[derive(Default)]
struct Seen {
    asked: usize,
    /// `None` where none is kept.
    requests: Option<Vec<ModelRequest>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    asked: usize,
    writing: usize,
    most_writing: usize,
    dropped: usize,
}

impl Scripted {
    /// The function gets each request with its number, from 1.
    pub fn from_fn(
        script: impl Fn(&ModelRequest, usize) -> Vec<Beat> + Send + Sync + 'static,
    ) -> Self {
        Scripted {
            script: Arc::new(script),
            seen: Arc::new(Mutex::new(Seen { asked: 0, requests: Some(Vec::new()) })),
            counts: watch::Sender::new(Counts::default()),
        }
    }

    /// Says the same to everyone.
    pub fn saying(text: impl Into<String>) -> Self {
        let text = text.into();
        Scripted::from_fn(move |_, _| vec![Beat::Text(text.clone())])
    }

    /// `source` names the trace in messages.
    pub fn from_trace(trace: Trace, source: impl Into<String>) -> Self {
        let (played, source) = (Mutex::new(trace::Played::new(trace)), source.into());
        Scripted::from_fn(move |request, nth| lock(&played).beats(request, nth, &source))
    }

    /// Reads a trace file (docs/scripted-traces.md). It keeps no requests.
    pub fn load(path: &Path) -> Result<Self, TraceError> {
        Ok(Scripted::from_trace(Trace::load(path)?, path.display().to_string()).forgetful())
    }

    /// Keeps no requests: whoever is asked for days would have them all.
    #[must_use]
    pub fn forgetful(self) -> Self {
        lock(&self.seen).requests = None;
        self
    }

    /// Every request so far that was kept, in order.
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.seen).requests.clone().unwrap_or_default()
    }

    /// The nth request, from 1; waits until it came. It has to be kept.
    pub async fn asked(&self, nth: usize) -> ModelRequest {
        self.until(|counts| counts.asked >= nth).await;
        self.requests()[nth - 1].clone()
    }

    /// Waits until so many answers were dropped before their end.
    pub async fn dropped(&self, answers: usize) {
        self.until(|counts| counts.dropped >= answers).await;
    }

    /// Waits until exactly so many answers are being written.
    pub async fn writing(&self, answers: usize) {
        self.until(|counts| counts.writing == answers).await;
    }

    /// The most answers that were ever written at the same time.
    pub fn most_at_once(&self) -> usize {
        self.counts.borrow().most_writing
    }

    async fn until(&self, reached: impl FnMut(&Counts) -> bool) {
        let waited = self.counts.subscribe().wait_for(reached).await.is_ok();
        debug_assert!(waited, "the sender lives in self");
    }
}

impl Model for Scripted {
    fn ask(&self, request: ModelRequest) -> BoxStream<'static, Delta> {
        let nth = {
            let mut seen = lock(&self.seen);
            seen.asked += 1;
            if let Some(kept) = &mut seen.requests {
                kept.push(request.clone());
            }
            seen.asked
        };
        let beats = (self.script)(&request, nth).into();
        let writing = Writing::begin(self.counts.clone());
        stream::unfold(
            Some(Playing { beats, called: false, usage: Usage::default(), writing }),
            |playing| async {
                let mut playing = playing?;
                let delta = playing.next().await;
                let goes_on = !matches!(delta, Delta::Done { .. } | Delta::Failed { .. });
                if !goes_on {
                    playing.writing.ended = true;
                }
                Some((delta, goes_on.then_some(playing)))
            },
        )
        .boxed()
    }
}

struct Playing {
    beats: VecDeque<Beat>,
    called: bool,
    usage: Usage,
    writing: Writing,
}

impl Playing {
    async fn next(&mut self) -> Delta {
        loop {
            match self.beats.pop_front() {
                Some(Beat::Text(text)) => return Delta::Text(text),
                Some(Beat::Reasoning(text)) => return Delta::Reasoning(text),
                Some(Beat::ToolCall(piece)) => {
                    self.called = true;
                    return Delta::ToolCall(piece);
                }
                Some(Beat::Kept(kept)) => return Delta::Kept(kept),
                Some(Beat::Wait(pause)) => tokio::time::sleep(pause).await,
                Some(Beat::Gate(gate)) => gate.pass().await,
                Some(Beat::Hang) => std::future::pending().await,
                Some(Beat::Done { finish, usage }) => return Delta::Done { finish, usage },
                Some(Beat::Fail(fault)) => return Delta::Failed { fault, usage: self.usage },
                Some(Beat::Usage(usage)) => self.usage = usage,
                None => {
                    let finish = if self.called { Finish::ToolCalls } else { Finish::Stop };
                    return Delta::Done { finish, usage: self.usage };
                }
            }
        }
    }
}

/// Counts an answer from the request to its end, or to where it was dropped.
struct Writing {
    counts: watch::Sender<Counts>,
    ended: bool,
}

impl Writing {
    fn begin(counts: watch::Sender<Counts>) -> Self {
        counts.send_modify(|counts| {
            counts.asked += 1;
            counts.writing += 1;
            counts.most_writing = counts.most_writing.max(counts.writing);
        });
        Writing { counts, ended: false }
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        let dropped = usize::from(!self.ended);
        self.counts.send_modify(|counts| {
            counts.writing -= 1;
            counts.dropped += dropped;
        });
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("nobody panics while holding it")
}
