//! Steps: what happened in a run, in order.

use crate::{
    ApprovalState, CallId, CallState, Fault, GrantId, Kept, MemoryId, MessageId, Outcome, Plan,
    Reason, Recalled, RunId, Usage, Verdict,
};
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
    /// What the agent was reminded of, and what it was looked up with.
    Recalled {
        query: String,
        memories: Vec<Recalled>,
        /// Why words alone were compared, if that is so.
        words_only: Option<String>,
    },
    ModelCalled {
        model: String,
    },
    /// The call before it waited for its turn among the calls, or for a budget:
    /// for so long, and until this step.
    StoodInLine {
        waited_ms: u64,
    },
    /// What the model wrote, folded into one piece when the call ends.
    Delta {
        text: String,
        reasoning: String,
    },
    /// The answer before it ended where the model began to write in somebody
    /// else's name: what it wrote of that before it was left.
    SpokeForAnother {
        text: String,
    },
    /// What the model wants back with the answer before it, which called tools.
    Kept {
        kept: Kept,
    },
    UsageRecorded {
        usage: Usage,
    },
    /// The older part of the conversation was replaced by a summary in what
    /// the model reads; the messages themselves stay.
    Folded {
        /// The last message that the summary stands for; 0 where none does.
        upto: i64,
        /// Messages behind it that are neither in a summary nor read.
        #[serde(default)]
        left_out: u32,
        tokens_before: u32,
        tokens_after: u32,
    },
    Planned {
        plan: Plan,
    },
    /// What came of a plan's steps was not enough.
    Replanned {
        attempt: u32,
        because: String,
    },
    /// The model wants to use a tool.
    ToolProposed {
        call: CallId,
        model_id: String,
        tool: String,
        /// As the model wrote them, valid JSON or not.
        arguments: String,
    },
    /// A person is asked before it begins.
    ApprovalAsked {
        call: CallId,
        expires_ms: i64,
    },
    /// What came of the question.
    ApprovalEnded {
        call: CallId,
        state: ApprovalState,
    },
    /// A standing permission was for this.
    Granted {
        call: CallId,
        grant: GrantId,
    },
    /// Allowed, and about to begin.
    ToolDispatched {
        call: CallId,
    },
    ToolReturned {
        call: CallId,
        state: CallState,
        /// What the model reads about it.
        text: String,
    },
    /// Messages that came during the run and were read in it.
    Steered {
        messages: Vec<MessageId>,
        /// As the model read them.
        text: String,
    },
    /// The agent has looked back at a conversation, and remembers this of it.
    Reflected {
        memories: Vec<MemoryId>,
    },
    MessagePosted {
        message: MessageId,
    },
    /// A call of the model failed and is made again after a pause.
    Retried {
        fault: Fault,
        attempt: u32,
        after_ms: u64,
        /// Words of it were shown; those of the next try take their place.
        #[serde(default)]
        replaces: bool,
    },
    /// A model failed for good, and another goes on in its place.
    FellBack {
        /// Both as `provider/model`.
        from: String,
        to: String,
        fault: Fault,
        /// Words of the first were shown; those of the other take their place.
        replaces: bool,
    },
    /// The same had been asked a short while ago: the model was not asked, and
    /// nothing was paid.
    FromCache {
        model: String,
        asked_ms: i64,
    },
    Interrupted,
    Resumed {
        by: RunId,
    },
    Settled {
        outcome: Outcome,
    },
}
