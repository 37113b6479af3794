//! Steps: what happened in a run, in order.

use crate::{Fault, MessageId, Outcome, Reason, RunId, Usage, Verdict};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Step {
    pub run: RunId,
    /// Counts from 1 within the run.
    pub n: u32,
    pub at_ms: i64,
    #[serde(flatten)]
    pub kind: StepKind,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "step", rename_all = "snake_case")]
pub enum StepKind {
    Woken {
        by: MessageId,
    },
    Decided {
        verdict: Verdict,
        reason: Reason,
    },
    BriefBuilt {
        messages: u32,
        characters: u32,
    },
    ModelCalled {
        model: String,
    },
    /// What the model wrote, folded into one piece when the call ends.
    Delta {
        text: String,
        reasoning: String,
    },
    UsageRecorded {
        usage: Usage,
    },
    MessagePosted {
        message: MessageId,
    },
    /// A call failed and the turn is tried again after a pause.
    Retried {
        fault: Fault,
        attempt: u32,
        after_ms: u64,
    },
    Interrupted,
    Resumed {
        by: RunId,
    },
    Settled {
        outcome: Outcome,
    },
}
