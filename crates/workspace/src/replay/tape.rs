//! A run's record, as what plays it again: the model, the tools, and the gate
//! and the journal that write down what happens this time.

use agent::{Gate, Journal, Line, Permission, Proposed};
use async_trait::async_trait;
use domain::{
    AgentId, CallId, CallState, Difference, Replayed, RunId, Step, StepKind, ToolSpec, Usage,
};
use futures::StreamExt;
use futures::stream::{self, BoxStream};
use llm::{Delta, Finish, Model, ModelFault, ModelRequest, Role, ToolCallDelta, Trouble, Turn};
use serde_json::Value;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio_util::sync::CancellationToken;
use tools::{CallContext, Place, Returned, Tool};

/// How the run ended that is played again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    Finished,
    Failed,
    Stopped,
    /// Its process ended: what came next is on no record.
    CutOff,
}

pub(super) struct Tape {
    stored: Vec<Step>,
    ending: Ending,
    answers: Vec<Answer>,
    asked: AtomicUsize,
    again: Mutex<Vec<StepKind>>,
    stop: CancellationToken,
}

/// What the model said when it was asked once.
#[derive(Debug, Clone, Default)]
struct Answer {
    /// `None` when nothing of it came to be on record.
    said: Option<(String, String)>,
    calls: Vec<ToolCallDelta>,
    usage: Usage,
    /// Something was done with it, as with a plan, so that it had come to its end.
    was_taken: bool,
}

impl Tape {
    pub(super) fn new(stored: Vec<Step>, ending: Ending, stop: CancellationToken) -> Self {
        let answers = answers(&stored);
        let (asked, again) = (AtomicUsize::new(0), Mutex::default());
        let tape = Tape { stored, ending, answers, asked, again, stop };
        tape.stop_at_its_end(0);
        tape
    }

    pub(super) fn compared(&self) -> Replayed {
        let again = self.again();
        let n = |place: usize| match self.stored.get(place) {
            Some(step) => step.n,
            None => self.stored.last().map_or(1, |step| step.n + 1),
        };
        let same =
            |place: &usize| self.stored.get(*place).map(|step| &step.kind) == again.get(*place);
        // What follows the end of a record that was cut off is unknown.
        let longest = match self.ending {
            Ending::CutOff => self.stored.len(),
            Ending::Finished | Ending::Failed | Ending::Stopped => {
                self.stored.len().max(again.len())
            }
        };
        let first = (0..longest).find(|place| !same(place));
        let steps = u32::try_from(self.stored.len()).unwrap_or(u32::MAX);
        let difference = first.map(|place| Difference {
            n: n(place),
            stored: self.stored.get(place).map(|step| step.kind.clone()),
            again: again.get(place).cloned(),
        });
        Replayed { steps, difference }
    }

    fn push(&self, step: StepKind) {
        let length = {
            let mut again = self.again();
            again.push(step);
            again.len()
        };
        self.stop_at_its_end(length);
    }

    /// Where somebody ended the run, it is ended now too.
    fn stop_at_its_end(&self, played: usize) {
        let was_ended = match self.ending {
            Ending::Stopped | Ending::CutOff => true,
            Ending::Finished | Ending::Failed => false,
        };
        if was_ended && played >= self.stored.len() {
            self.stop.cancel();
        }
    }

    /// Nobody was asked any more when it failed: what it wanted to ask is on no record, nor
    /// that it had no answer.
    fn was_refused_here(&self) -> bool {
        let all_asked = self.asked.load(Ordering::Relaxed) >= self.answers.len();
        let none_failed =
            self.answers.last().is_none_or(|last| !last.calls.is_empty() || last.was_taken);
        self.ending == Ending::Failed && all_asked && none_failed && self.next().is_none()
    }

    /// The step that came next then.
    fn next(&self) -> Option<&StepKind> {
        self.stored.get(self.again().len()).map(|step| &step.kind)
    }

    fn was_dispatched(&self, id: CallId) -> bool {
        self.stored.iter().any(|step| step.kind == StepKind::ToolDispatched { call: id })
    }

    /// What a person was asked about a use, and what came of it.
    fn asked_before(&self, id: CallId) -> Vec<StepKind> {
        let is_of_it = |kind: &StepKind| match kind {
            StepKind::ApprovalAsked { call, .. }
            | StepKind::ApprovalEnded { call, .. }
            | StepKind::Granted { call, .. } => *call == id,
            _ => false,
        };
        let kinds = self.stored.iter().map(|step| &step.kind);
        kinds.filter(|kind| is_of_it(kind)).cloned().collect()
    }

    fn result(&self, id: CallId) -> Option<(CallState, &str)> {
        self.stored.iter().find_map(|step| match &step.kind {
            StepKind::ToolReturned { call, state, text } if *call == id => {
                Some((*state, text.as_str()))
            }
            _ => None,
        })
    }

    /// Calls that are made at the same time end in the order in which they
    /// ended then, those that were stopped together too. Whoever is never next
    /// does not wait for ever: the record is about to be left anyway.
    async fn turn_of(&self, is_it: impl Fn(&StepKind) -> bool) {
        for _ in 0..MOST_WAITS {
            if self.next().is_none_or(&is_it) {
                return;
            }
            tokio::task::yield_now().await;
        }
    }

    fn again(&self) -> MutexGuard<'_, Vec<StepKind>> {
        self.again.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Each is a round through the calls of one answer.
const MOST_WAITS: usize = 1_000;

fn answers(stored: &[Step]) -> Vec<Answer> {
    let mut answers: Vec<Answer> = Vec::new();
    // A plan's waves stand as answers that nobody was asked for.
    let mut is_asked = false;
    for step in stored {
        match (&step.kind, answers.last_mut()) {
            (StepKind::ModelCalled { .. }, _) => {
                answers.push(Answer::default());
                is_asked = true;
            }
            (StepKind::Delta { text, reasoning }, Some(answer)) if is_asked => {
                answer.said = Some((text.clone(), reasoning.clone()));
            }
            // It ended the text then, and does again: what may stand right below a line
            // may stand below an empty one, but for a form, which was none then.
            (StepKind::SpokeForAnother { text }, Some(Answer { said: Some((own, _)), .. }))
                if is_asked =>
            {
                own.push_str("\n\n");
                own.push_str(text);
            }
            (StepKind::ToolProposed { model_id, tool, arguments, .. }, Some(answer))
                if is_asked =>
            {
                answer.calls.push(ToolCallDelta {
                    id: model_id.clone(),
                    name: Some(tool.clone()),
                    arguments: arguments.clone(),
                });
            }
            (StepKind::UsageRecorded { usage }, Some(answer)) if is_asked => {
                answer.usage = *usage;
                is_asked = false;
            }
            (_, Some(answer)) if !is_asked => answer.was_taken = true,
            _ => {}
        }
    }
    answers
}

/// The model and the gate of a run that is played again.
pub(super) struct Played {
    pub tape: Arc<Tape>,
    pub run: RunId,
    pub agent: AgentId,
}

impl Model for Played {
    fn ask(&self, _: ModelRequest) -> BoxStream<'static, Delta> {
        let tape = self.tape.clone();
        let nth = tape.asked.fetch_add(1, Ordering::Relaxed);
        let is_last = nth + 1 >= tape.answers.len();
        let Some(Answer { said, calls, usage, was_taken }) = tape.answers.get(nth).cloned() else {
            return stream::iter([Delta::failed(off_the_record())]).boxed();
        };
        let said_anything = said.is_some();
        let (text, reasoning) = said.unwrap_or_default();
        let called_nothing = calls.is_empty();
        let ended_it = is_last && called_nothing && !was_taken;
        let was_refused =
            !is_last && called_nothing && text.is_empty() && usage == Usage::default();
        let mut deltas = vec![Delta::Reasoning(reasoning), Delta::Text(text)];
        deltas.extend(calls.into_iter().map(Delta::ToolCall));
        let end = match tape.ending {
            _ if !said_anything => None,
            Ending::Failed if ended_it => {
                Some(Delta::Failed { fault: failed_then(Trouble::BrokenAnswer), usage })
            }
            Ending::Stopped | Ending::CutOff if ended_it => None,
            _ if was_refused => Some(Delta::Failed { fault: failed_then(Trouble::Refused), usage }),
            _ => Some(Delta::Done { finish: Finish::Stop, usage }),
        };
        let ends = stream::once(async move {
            match end {
                Some(end) => end,
                None => {
                    tape.stop.cancel();
                    std::future::pending().await
                }
            }
        });
        stream::iter(deltas).chain(ends).boxed()
    }
}

fn failed_then(trouble: Trouble) -> ModelFault {
    ModelFault::new(trouble, "the model failed here", "nothing to do")
}

fn off_the_record() -> ModelFault {
    failed_then(Trouble::BrokenAnswer)
}

#[async_trait]
impl Gate for Played {
    /// Each begins when it did then, so nobody stands in line.
    async fn before(&self, call: &Proposed, _: &Line) -> Permission {
        let id = call.id;
        for asked in self.tape.asked_before(id) {
            self.tape.turn_of(|next| *next == asked).await;
            self.tape.push(asked);
        }
        if !self.tape.was_dispatched(id) {
            let (state, text) =
                self.tape.result(id).unwrap_or((CallState::Refused, "this call is on no record"));
            let (state, text) = (state, text.to_owned());
            self.tape.turn_of(|next| is_return_of(next, id)).await;
            self.tape.push(StepKind::ToolReturned { call: id, state, text: text.clone() });
            return Permission::No { state, text };
        }
        self.tape.turn_of(|next| *next == StepKind::ToolDispatched { call: id }).await;
        self.tape.push(StepKind::ToolDispatched { call: id });
        if matches!(self.tape.result(id), Some((CallState::Skipped, _))) {
            self.tape.turn_of(|next| is_return_of(next, id)).await;
            self.tape.stop.cancel();
        }
        Permission::Go(CallContext {
            key: id,
            agent: self.agent,
            run: self.run,
            place: Place::default(),
            target: None,
            stop: self.tape.stop.child_token(),
            progress: Default::default(),
        })
    }

    async fn lasts(&self, _: CallId) {}

    async fn after(&self, call: CallId, state: CallState, result: &str) -> (CallState, String) {
        self.tape.push(StepKind::ToolReturned { call, state, text: result.to_owned() });
        (state, result.to_owned())
    }
}

fn is_return_of(step: &StepKind, id: CallId) -> bool {
    matches!(step, StepKind::ToolReturned { call, .. } if *call == id)
}

/// Executes nothing: it returns what the tool of its name returned.
pub(super) struct PlayedTool {
    pub spec: ToolSpec,
    pub tape: Arc<Tape>,
}

#[async_trait]
impl Tool for PlayedTool {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: Value, with: &CallContext) -> Returned {
        self.tape.turn_of(|next| is_return_of(next, with.key)).await;
        let mut returned = match self.tape.result(with.key) {
            Some((CallState::Succeeded, _)) => Returned::ok(""),
            Some((CallState::Cancelled, _)) => {
                self.tape.stop.cancel();
                Returned::stopped()
            }
            Some(_) => Returned::failed(""),
            // It had not ended when the run was cut off.
            None => {
                self.tape.stop.cancel();
                std::future::pending().await
            }
        };
        // As it is: it was shortened and marked then.
        returned.shown = true;
        if let Some((_, text)) = self.tape.result(with.key) {
            text.clone_into(&mut returned.text);
        }
        returned
    }
}

pub(super) struct PlayedJournal {
    pub tape: Arc<Tape>,
}

#[async_trait]
impl Journal for PlayedJournal {
    async fn steps(&mut self, steps: Vec<StepKind>) {
        if self.tape.was_refused_here() {
            return;
        }
        steps.into_iter().for_each(|step| self.tape.push(step));
    }

    fn wrote(&mut self, _text: &str, _reasoning: &str) {}

    fn begins_anew(&mut self) {}
    fn says_more(&mut self) {}

    async fn news(&mut self) -> Vec<Turn> {
        match self.tape.next() {
            Some(StepKind::Steered { text, messages }) => {
                let (text, messages) = (text.clone(), messages.clone());
                self.tape.push(StepKind::Steered { messages, text: text.clone() });
                vec![Turn::new(Role::User, text)]
            }
            Some(StepKind::ToolReturned { state: CallState::Skipped, .. })
                if self.tape.ending != Ending::Finished =>
            {
                self.tape.stop.cancel();
                Vec::new()
            }
            _ => Vec::new(),
        }
    }
}
