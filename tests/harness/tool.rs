//! Tools for tests.

use async_trait::async_trait;
use domain::{Effects, Risk, ToolSpec};
use llm::scripted::Gate;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tools::{CallContext, Returned, Tool};

/// A tool that takes no arguments.
pub fn tool_spec(name: &str, effects: Effects) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "Does what a test needs.".into(),
        input: json!({"type": "object", "properties": {}, "additionalProperties": false}),
        effects,
        risk: Risk::Low,
    }
}

/// `count`: counts its uses. Each waits at the gate when it has happened.
#[derive(Clone)]
pub struct Counter {
    spec: ToolSpec,
    uses: Arc<AtomicU32>,
    pub gate: Gate,
}

impl Counter {
    /// With the gate shut.
    pub fn held(effects: Effects) -> Self {
        Counter { spec: tool_spec("count", effects), uses: Arc::default(), gate: Gate::new() }
    }

    /// The same, with nothing in the way, for a person to be asked about.
    pub fn risky() -> Self {
        let mut counter = Counter::held(Effects::Once);
        counter.spec.risk = Risk::High;
        counter.gate.open();
        counter
    }

    pub fn uses(&self) -> u32 {
        self.uses.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Tool for Counter {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    async fn call(&self, _: Value, with: &CallContext) -> Returned {
        let n = self.uses.fetch_add(1, Ordering::SeqCst) + 1;
        tokio::select! {
            () = self.gate.pass() => Returned::ok(format!("counted {n}")),
            () = with.stop.cancelled() => Returned::stopped(),
        }
    }
}
