//! What a run is given: something to think about, and the hands to work with.

use async_trait::async_trait;
use domain::{CallId, CallState, Effects, RunId, RunLimits, StepKind};
use llm::{Called, Model, ModelRequest, Turn};
use serde_json::Value;
use tools::{CallContext, Offer};

/// What a run is to think about.
#[derive(Debug, Clone)]
pub struct Brief {
    /// The run that its tool calls belong to.
    pub run: RunId,
    /// The speaker's name, and the names of everybody else in the group.
    pub own_name: String,
    pub other_names: Vec<String>,
    pub request: ModelRequest,
    /// Who answers and who plans, as `provider/model`, for the journal.
    pub model: String,
    pub plans_with: String,
    /// What the runtime's own words to the reader are written in.
    pub language: String,
    pub limits: RunLimits,
    /// Answers of the model that the request already holds, from a try of this
    /// turn that was cut off.
    pub rounds_before: u32,
    /// The calls of the last of them that have no result yet: they are made
    /// before the model is asked.
    pub unanswered: Vec<(CallId, Called)>,
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
    /// Commits that the call is about to be made, or says why it is not.
    async fn before(&self, call: &Proposed) -> Permission;
    /// Commits what came of it, and gives what stands on record then: a call
    /// that an earlier try of the turn had begun cannot have been skipped.
    async fn after(&self, call: CallId, state: CallState, result: &str) -> (CallState, String);
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

pub enum Permission {
    Go(CallContext),
    /// It is not made; the model reads this instead.
    No {
        state: CallState,
        text: String,
    },
}
