//! What a run is given: something to think about, and the hands to work with.

use crate::Spoken;
use async_trait::async_trait;
use domain::{CallId, CallState, Effects, Plan, RunId, RunLimits, StepKind};
use llm::{Called, Model, ModelRequest, Turn};
use serde_json::Value;
use std::collections::HashMap;
use tokio::sync::watch;
use tools::{CallContext, Offer};

/// What a run is to think about.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The run that its tool calls belong to.
    pub run: RunId,
    /// The speaker's name, and what everybody else in the group can be called.
    pub own_name: String,
    pub other_names: Vec<String>,
    pub request: ModelRequest,
    /// The words of the messages that this turn answers: what they ask for
    /// decides whether it begins with a plan.
    pub asked: String,
    /// Who answers and who plans, as `provider/model`, for the journal.
    pub model: String,
    pub plans_with: String,
    /// What is told whoever plans, in front of what can be used: `HOW_TO_PLAN`, rendered.
    pub how_to_plan: String,
    /// What the runtime's own words to the reader are written in.
    pub language: String,
    pub limits: RunLimits,
    /// Answers of the model that the request already holds, from tries of this
    /// turn that were cut off.
    pub rounds_before: u32,
    /// What those tries left to be done: before the model is asked.
    pub unanswered: Unanswered,
}

/// What earlier tries of a turn have begun and not ended.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Unanswered {
    /// The try in which the first of it was begun; `None` where nothing was.
    pub turn: Option<RunId>,
    /// The calls of the last answer that have no result.
    pub calls: Vec<Open>,
    /// What was said after them, and is read behind their results.
    pub meanwhile: Vec<Turn>,
    pub plan: Planned,
    /// What the agent had said beside its calls.
    pub said: Spoken,
}

/// A call that has no result.
#[derive(Debug, Clone, PartialEq)]
pub struct Open {
    pub id: CallId,
    pub called: Called,
    /// It may be at work: it is gone on with, whatever else is said.
    pub begun: bool,
}

/// How far the planning of a turn had come.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Planned {
    /// Each plan that could be used, with the attempt that it was.
    pub plans: Vec<(u32, Plan)>,
    /// How calls have ended.
    pub ended: HashMap<CallId, (CallState, String)>,
    pub next: PlanNext,
}

/// What comes next in the planning of a turn.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum PlanNext {
    /// Nobody has been asked for a plan.
    #[default]
    First,
    /// Another plan.
    Again {
        attempt: u32,
        because: String,
        /// The last one's text, where it could not be used.
        unusable: Option<String>,
    },
    /// The steps of the last plan that are left.
    Steps,
    /// The answer.
    Nothing,
}

/// Who thinks for a run.
#[derive(Clone, Copy)]
pub struct Minds<'a> {
    pub answers: &'a dyn Model,
    pub plans: &'a dyn Model,
}

impl<'a> Minds<'a> {
    /// One for everything.
    pub fn one(model: &'a dyn Model) -> Self {
        Minds { answers: model, plans: model }
    }
}

/// Where a run leaves what happens in it.
#[async_trait]
pub trait Journal: Send {
    /// Returns when the steps are safe; the run goes on only then.
    async fn steps(&mut self, steps: Vec<StepKind>);
    /// A batch of what the model is writing. Must not wait.
    fn wrote(&mut self, text: &str, reasoning: &str);
    /// What was shown so far was not the answer; the next piece begins anew.
    fn begins_anew(&mut self);
    /// What was shown so far stands; the next piece is a paragraph of its own.
    fn says_more(&mut self);
    /// The same is asked again: what was shown so far is void, thoughts too.
    fn takes_back(&mut self) {
        self.begins_anew();
    }
    /// What was said to the agent since the run began or since the last look,
    /// to be read before the next tool is launched.
    async fn news(&mut self) -> Vec<Turn>;
}

/// Tools, and who is asked before one is used.
#[derive(Clone, Copy)]
pub struct Hands<'a> {
    /// The model may plan with all of them, and call those that the request
    /// tells it of: none, for a model that cannot be told.
    pub tools: &'a Offer,
    pub gate: &'a dyn Gate,
}

/// Stands between a run and the effects of its tools.
#[async_trait]
pub trait Gate: Send + Sync {
    /// Commits that the call is about to be made, once it is next in its line, or says why
    /// it is not. Whoever has to be asked about it is asked at once. That of one that only
    /// looks may be left until it has ended or lasts.
    async fn before(&self, call: &Proposed, line: &Line) -> Permission;
    /// Commits it now, if it was left: the call takes longer than a moment.
    async fn lasts(&self, call: CallId);
    /// Commits what came of it, and gives what stands on record then: a call
    /// that an earlier try of the turn had begun cannot have been skipped.
    async fn after(&self, call: CallId, state: CallState, result: &str) -> (CallState, String);
}

/// Where a call stands behind those of its answer that have to end before it begins.
#[derive(Debug)]
pub struct Line(pub(crate) watch::Receiver<Spot>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spot {
    Waits,
    Next,
    /// It is not wanted any more, for this reason.
    LeftOut(&'static str),
}

/// What a model reads of a call that was left out of its line.
pub(crate) const LEFT_OUT: &str = "skipped: something new was said before this was begun";
/// The same, where a step beside it failed without which the plan is not gone on with.
pub(crate) const UNNEEDED: &str = "skipped: a step that the plan cannot do without has failed";

impl Line {
    pub fn is_next(&self) -> bool {
        *self.0.borrow() == Spot::Next
    }

    /// Comes when it is next, or when it never will be, with the reason.
    pub async fn moves(&self) -> Result<(), &'static str> {
        self.until(|spot| match spot {
            Spot::Waits => None,
            Spot::Next => Some(Ok(())),
            Spot::LeftOut(why) => Some(Err(why)),
        })
        .await
    }

    /// Comes when it never will be next, with the reason.
    pub async fn is_left_out(&self) -> &'static str {
        self.until(|spot| match spot {
            Spot::Waits | Spot::Next => None,
            Spot::LeftOut(why) => Some(why),
        })
        .await
    }

    async fn until<T>(&self, found: impl Fn(Spot) -> Option<T>) -> T {
        let mut moved = self.0.clone();
        let spot = moved.wait_for(|spot| found(*spot).is_some()).await.map(|spot| *spot);
        match spot.ok().and_then(found) {
            Some(found) => found,
            // Nobody goes on with the calls.
            None => std::future::pending().await,
        }
    }
}

/// A call whose arguments fit its tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    pub id: CallId,
    pub model_id: String,
    pub tool: String,
    pub arguments: Value,
    pub effects: Effects,
}

#[expect(clippy::large_enum_variant, reason = "there is one at a time, for a moment")]
pub enum Permission {
    Go(CallContext),
    /// It is not made; the model reads this instead.
    No {
        state: CallState,
        text: String,
    },
}
