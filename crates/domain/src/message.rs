//! Messages: what stands in a group, in the order of `seq`.

use crate::{
    AgentId, Attachment, Fault, FeedSourceId, GroupId, Memory, MemoryId, MessageId, Participant,
    PassId, RunId, ScheduleId, TurnPolicy,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One entry in a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Message {
    /// Order over the whole workspace.
    pub seq: i64,
    pub id: MessageId,
    pub group: GroupId,
    /// The message this one answers or quotes.
    pub parent: Option<MessageId>,
    /// A fact set by the runtime, never read out of a model's text.
    pub author: Author,
    pub body: Body,
    /// What it shows beside its words, in the person's order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(as = "Option<Vec<Attachment>>", optional)]
    pub attachments: Vec<Attachment>,
    /// 0 for a person's message; a reply has its cause's depth plus one.
    pub chain_depth: u32,
    /// The person's message that everything since goes back to.
    pub root: MessageId,
    /// The run that wrote it.
    pub run: Option<RunId>,
    pub at_ms: i64,
}

/// Messages that stand in each other's place. With each goes what followed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Variants {
    pub shown: MessageId,
    /// In the order in which they were written.
    pub all: Vec<Variant>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Variant {
    pub message: MessageId,
    pub seq: i64,
}

/// What goes for ever when a message is forgotten.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Forgetting {
    pub message: Message,
    /// The same in conversations that one was forked from, or forked into.
    pub copies: Vec<Message>,
    /// What was remembered of it.
    pub memories: Vec<Memory>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Reaction {
    pub item: MessageId,
    pub who: Participant,
    /// An emoji, or a word.
    pub sign: String,
}

/// All reactions to a message of a conversation, as they are now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Reactions {
    pub group: GroupId,
    pub item: MessageId,
    /// In the order in which they came.
    pub all: Vec<Reaction>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Author {
    User,
    Agent(AgentId),
    /// A program from outside, by its pass: neither the person nor one of ours.
    Outside(PassId),
    /// Something that happened, by the source that tells it: nobody's word.
    Source(FeedSourceId),
    /// The workspace itself; such a message never wakes anybody.
    System,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Body {
    Text {
        /// Markdown.
        text: String,
        /// Stopped before the model had finished.
        cut_short: bool,
    },
    Notice {
        notice: Notice,
    },
}

/// Something that happened in a group, as a fact the window words in the
/// reader's language.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Notice {
    Joined {
        agent: AgentId,
        /// How many earlier messages the newcomer sees; `None` for all.
        sees: Option<u32>,
    },
    Left {
        agent: AgentId,
    },
    SoulChanged {
        agent: AgentId,
        /// 0 where this was in another workspace: its versions are not here.
        version: i64,
    },
    /// There is no soul for an agent, which is a plain one until there is.
    SoulMissing {
        agent: AgentId,
        soul: String,
    },
    /// The person does not want what an agent proposed for its soul.
    ProposalDeclined {
        agent: AgentId,
        section: String,
        /// The same as agents read it.
        text: String,
    },
    PolicyChanged {
        policy: TurnPolicy,
    },
    /// A turn ended without an answer.
    RunFailed {
        agent: AgentId,
        fault: Fault,
    },
    /// A model cannot be asked until a person puts something right, and another one
    /// answers in its place.
    StoodIn {
        agent: AgentId,
        /// `provider/model`.
        model: String,
        by: String,
        /// Why it cannot be asked.
        fault: Box<Fault>,
    },
    /// An agent is to write a post.
    AskedToPost {
        agent: AgentId,
    },
    /// A schedule tells an agent something.
    Scheduled {
        agent: AgentId,
        schedule: ScheduleId,
        text: String,
    },
    /// An agent is to look whether there is anything to do.
    Heartbeat {
        agent: AgentId,
    },
    /// An agent is to tell what has happened since then.
    AskedForDigest {
        agent: AgentId,
        since_ms: i64,
    },
    /// The person wants something forgotten, which only they do themselves.
    AskedToForget {
        /// How many memories say it.
        found: u32,
        /// Some of them.
        memories: Vec<MemoryId>,
    },
    /// A secret that the person wanted remembered: every agent would read it.
    SecretNotKept,
    /// Something whose words a person has taken away for ever.
    Removed,
}

impl Message {
    /// The text, or nothing for a notice that tells nobody anything.
    pub fn text(&self) -> Option<&str> {
        match &self.body {
            Body::Text { text, .. } => Some(text),
            Body::Notice {
                notice: Notice::Scheduled { text, .. } | Notice::ProposalDeclined { text, .. },
            } => Some(text),
            Body::Notice { .. } => None,
        }
    }
}
