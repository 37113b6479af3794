//! Events: everything a person can see happen.
//!
//! What lasts is a record, published after its commit. Text being written is
//! `Live`, and it always ends as a record; how far a use of a tool is, is told while
//! it lasts and kept nowhere.

use crate::{
    Agent, AgentId, Approval, BackupProgress, BudgetScope, CallId, Community, Decision, Fault,
    FeedSource, Grant, GrantId, Group, GroupId, Keys, McpServer, Member, Memory, MemoryIndex,
    MemoryProgress, Message, Participant, Pass, Post, Provider, Question, Reactions, Run, RunId,
    Schedule, ScheduleId, Settings, Skill, Soul, SoulProposal, Step,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One event with its number; numbers count up by one within an owner's life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Event {
    pub n: u64,
    #[serde(flatten)]
    pub update: Update,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "event", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "nearly all that is told of was saved")]
pub enum Update {
    Saved {
        record: Record,
    },
    Removed {
        removed: Removed,
    },
    Live {
        live: Live,
    },
    Waiting {
        waiting: Waiting,
    },
    /// A use of a tool has come further.
    UseProgress {
        progress: UseProgress,
    },
    /// The disk takes nothing, so turns wait; none says that they go on.
    HeldUp {
        why: Option<Fault>,
    },
    /// The index of memories has come further.
    MemoryIndex {
        index: MemoryIndex,
    },
    /// What takes a while with many memories has come further.
    MemoryProgress {
        progress: MemoryProgress,
    },
    /// A copy of the workspace has come further.
    BackupProgress {
        progress: BackupProgress,
    },
    /// Something changed about the keys or the places that they lie in.
    Keys {
        keys: Keys,
    },
    /// Something changed about the servers of the Model Context Protocol.
    Servers {
        servers: Vec<McpServer>,
    },
    /// Something changed about the skills.
    Skills {
        skills: Vec<Skill>,
    },
    /// A server wants the person to see this page: they asked to sign in there.
    Page {
        server: String,
        url: String,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "table", content = "row", rename_all = "snake_case")]
pub enum Record {
    Agent(Agent),
    Group(Group),
    Member(Member),
    Message(Message),
    /// Of a message of a conversation; those of the feed come with its post.
    Reactions(Reactions),
    Decision(Decision),
    Run(Run),
    Step(Step),
    Soul(Soul),
    Provider(Provider),
    Settings(Settings),
    Memory(Memory),
    Approval(Approval),
    Grant(Grant),
    Pass(Pass),
    Question(Question),
    Community(Community),
    Post(Post),
    /// Another branch of this group is shown: what stands in it has to be read anew.
    Branch(GroupId),
    Schedule(Schedule),
    Source(FeedSource),
    Proposal(SoulProposal),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "table", rename_all = "snake_case")]
pub enum Removed {
    Member { group: GroupId, who: Participant },
    Provider { name: String },
    Soul { name: String },
    Grant { id: GrantId },
    Schedule { id: ScheduleId },
}

/// A run waits for its turn to ask a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Waiting {
    pub run: RunId,
    /// 1 is next; 0 says that it waits no longer.
    pub position: u32,
    /// What it waits for: until calls in progress give back what they hold of
    /// this budget, or, where there is none, for a place among the calls.
    pub budget: Option<BudgetScope>,
}

/// A batch of what a model is writing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Live {
    pub run: RunId,
    pub agent: AgentId,
    pub group: GroupId,
    /// Where this piece begins, in UTF-16 units since the run's start; 0 says
    /// that everything before it is void.
    pub offset: u32,
    pub text: String,
    pub reasoning: String,
}

/// How far a use of a tool is, as whoever does it says: material, without keys and short.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct UseProgress {
    pub run: RunId,
    pub call: CallId,
    pub done: f64,
    /// `None` where nobody knows how much there is to do.
    pub total: Option<f64>,
    pub message: Option<String>,
}
