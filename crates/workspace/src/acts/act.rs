//! What the tools have in common that act on the workspace.

use super::Ground;
use crate::shared::Shared;
use async_trait::async_trait;
use domain::{Effects, Fault, Risk, ToolSpec};
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::sync::Arc;
use tools::{CallContext, Returned, Tool};

/// A tool that takes an `Input` and that a soul has to name.
pub(crate) struct Act<Input> {
    spec: ToolSpec,
    ground: Ground,
    work: Work<Input>,
}

/// What it answers; a fault is for the model to read too.
type Work<Input> =
    fn(Arc<Shared>, Input, CallContext) -> BoxFuture<'static, Result<Returned, Fault>>;

impl<Input: JsonSchema> Act<Input> {
    pub(crate) fn new(name: &str, effects: Effects, ground: Ground, work: Work<Input>) -> Self {
        Act { spec: tools::describe::<Input>(name, effects, Risk::Low), ground, work }
    }

    /// A person is asked before each use.
    pub(crate) fn risky(name: &str, effects: Effects, ground: Ground, work: Work<Input>) -> Self {
        Act { spec: tools::describe::<Input>(name, effects, Risk::High), ground, work }
    }
}

#[async_trait]
impl<Input: DeserializeOwned + Send + 'static> Tool for Act<Input> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn is_usual(&self) -> bool {
        false
    }

    /// The workspace keeps them apart, and a person may be asked several things at once.
    fn stands_alone(&self) -> bool {
        self.spec.effects != Effects::Once
    }

    async fn call(&self, arguments: Value, with: &CallContext) -> Returned {
        let input: Input = match tools::input(arguments) {
            Ok(input) => input,
            Err(returned) => return returned,
        };
        let shared = match self.ground.shared() {
            Ok(shared) => shared,
            Err(returned) => return returned,
        };
        let working = (self.work)(shared, input, with.clone());
        // What has an effect has it soon, and is not left halfway.
        let stopped = async {
            match self.spec.effects {
                Effects::None => with.stop.cancelled().await,
                Effects::Repeatable | Effects::Once => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = stopped => Returned::stopped(),
            done = working => done.unwrap_or_else(|fault| Returned::failed(fault.to_string())),
        }
    }
}
