//! Decisions: who was to speak after a message, who was not, and why.

use crate::{AgentId, BudgetScope, GroupId, MessageId, RunId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What was decided for one member about one message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Decision {
    pub seq: i64,
    pub group: GroupId,
    pub agent: AgentId,
    /// The message that was decided upon.
    pub message: MessageId,
    pub root: MessageId,
    pub verdict: Verdict,
    pub reason: Reason,
    /// The run in which the agent itself chose, if it was its choice.
    pub run: Option<RunId>,
    pub at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Speak,
    Pass,
    /// Would speak, but not now: paused, in `error`, or without room in a budget.
    Wait,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Reason {
    // Why it speaks.
    DefaultResponder,
    Mentioned,
    Turn {
        round: u32,
    },
    Broadcast,
    AskedByUser,
    /// Next in order, in `round_robin`.
    NextInOrder,
    /// Drawn among the talkative: `roll` fell into its share.
    Drawn {
        weight: u32,
        of: u32,
        roll: u32,
    },
    /// To name the next speaker.
    Supervising {
        round: u32,
    },
    /// To see what of a conversation that rests is worth remembering.
    LookingBack,
    ChosenBySupervisor {
        by: AgentId,
        round: u32,
    },
    /// The supervisor named nobody that it could have.
    SupervisorFailed {
        round: u32,
    },
    /// Its parent gave it a task.
    Delegated {
        by: AgentId,
    },
    /// Somebody answered what it had said.
    RepliedTo,
    /// What was said fits this interest of its soul; by meaning, in percent, or by
    /// a word that both have.
    Interested {
        interest: String,
        percent: Option<u32>,
    },
    /// Nobody's interests fit, and it had nothing to answer for longest.
    NobodyElse,
    /// To write a post.
    AskedToPost,
    /// A schedule said so.
    Scheduled,
    /// To look whether there is anything to do.
    Heartbeat,
    /// To tell what has happened.
    AskedForDigest,
    // Why it does not.
    NotMentioned,
    NotTheDefaultResponder,
    NotItsTurn,
    NotDrawn {
        weight: u32,
        of: u32,
        roll: u32,
    },
    NotChosen {
        by: AgentId,
    },
    /// The supervisor says that it is over.
    SupervisorEnded,
    OnlyWhenAsked,
    Muted,
    /// Agents do not answer an agent that named nobody.
    NobodyAddressed,
    /// The agent read it and chose silence, in its own words if it gave any.
    ChoseSilence {
        why: Option<String>,
    },
    /// It gave what it was to answer a sign, and no words.
    Reacted {
        sign: String,
    },
    /// Its whole answer was in another's name, as this: none of it was the
    /// agent's to say.
    SpokeForAnother {
        name: String,
    },
    BareAcknowledgement,
    NearDuplicate,
    ChainDepth {
        limit: u32,
    },
    MessageCap {
        limit: u32,
    },
    PairHops {
        limit: u32,
        with: AgentId,
    },
    HourlyQuota {
        limit: u32,
    },
    /// No room for the run's next call; or, where several were to answer a
    /// message, none for this one beside the others.
    OverBudget {
        scope: BudgetScope,
    },
    /// A person spoke before the rounds were over.
    Superseded,
    /// The group's policy was changed before the turn was over.
    PolicyChanged,
    /// What it was to answer was set aside for another branch.
    SetAside,
    /// It answers what the agent had asked, and the turn that asked goes on with it.
    AnswersQuestion,
    StoppedByUser,
    LeftTheGroup,
    /// The conversation was put away, or the community that it is in.
    Archived,
    Terminated,
    /// The model gave no answer.
    Failed,
    /// Nothing of what interests it fits.
    NotInterested,
    /// It was given something else of this thread so lately.
    CoolingDown {
        minutes: u32,
    },
    /// As many as may answer one item have been chosen, and others fit better.
    EnoughAnswers {
        limit: u32,
    },
    /// It was given as much of the feed as it may be within an hour.
    FeedQuota {
        limit: u32,
    },
    /// Nobody comments in that thread any more.
    ThreadLocked,
    /// What it was to answer is out of sight.
    OutOfSight,
    /// Its model wrote something that cannot be read as a comment.
    Unreadable,
    /// Its model left gaps to be filled in, or spoke as a model and not as the agent.
    OutOfPersona,
    /// It is in a language that its model does not know.
    UnknownLanguage,
    /// It does not read the community.
    NotInCommunity,
    /// Its model can talk, and do nothing else.
    DemoModel,
    /// It had something else to do.
    Busy,
    // Why it waits.
    Paused,
    InError,
    /// A budget had no room for the turn that was to answer it, which may have needed so
    /// much. It is given out again when there is room.
    NoRoomYet {
        scope: BudgetScope,
        tokens: i64,
        microusd: i64,
    },
}
