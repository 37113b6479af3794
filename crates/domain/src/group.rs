//! Groups, their members, and the rules for who may speak.

use crate::{AgentId, Fault, GroupId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A conversation with members.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Group {
    pub id: GroupId,
    pub name: String,
    pub kind: GroupKind,
    pub policy: TurnPolicy,
    /// Who answers when nobody is mentioned; the first member when `None`.
    pub default_agent: Option<AgentId>,
    /// Who names the next speaker in `supervisor`; the default agent when
    /// `None`.
    pub supervisor: Option<AgentId>,
    pub caps: Caps,
    pub archived: bool,
    pub created_ms: i64,
    /// The budget that has stopped it, and what to do about it: what is owed there waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub problem: Option<Fault>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// One person and one agent.
    Direct,
    Group,
    /// An agent and the one that gave it a task; no person speaks in it.
    Task,
    /// A post of the feed with its comments; no conversation of the list.
    Post,
}

/// The group's rule for who may speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TurnPolicy {
    /// The default agent; whoever is @mentioned instead, if anybody is.
    DefaultResponder,
    /// Only whoever is @mentioned.
    Mention,
    /// Members in order, up to three rounds; each may pass; all passing ends it.
    Rounds,
    /// The next member in order, one for each message of a person.
    RoundRobin,
    /// One member, drawn by how talkative each is.
    Weighted,
    /// Whoever a chosen member names, one after the other.
    Supervisor,
    /// All at once.
    Broadcast,
    /// Nobody, until a person presses "speak now".
    Manual,
}

impl TurnPolicy {
    pub const ALL: [TurnPolicy; 8] = [
        TurnPolicy::DefaultResponder,
        TurnPolicy::Mention,
        TurnPolicy::Rounds,
        TurnPolicy::RoundRobin,
        TurnPolicy::Weighted,
        TurnPolicy::Supervisor,
        TurnPolicy::Broadcast,
        TurnPolicy::Manual,
    ];

    /// The word used in the database, on the command line and in JSON.
    pub fn word(self) -> &'static str {
        match self {
            TurnPolicy::DefaultResponder => "default_responder",
            TurnPolicy::Mention => "mention",
            TurnPolicy::Rounds => "rounds",
            TurnPolicy::RoundRobin => "round_robin",
            TurnPolicy::Weighted => "weighted",
            TurnPolicy::Supervisor => "supervisor",
            TurnPolicy::Broadcast => "broadcast",
            TurnPolicy::Manual => "manual",
        }
    }
}

/// Limits that keep a group from talking for ever. Enforced in code, whatever
/// the models say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Caps {
    /// Agent messages that one user message may cause. In `rounds` it counts
    /// per member, and thirty at the most.
    pub messages_per_post: u32,
    /// A reply's depth is its cause's depth plus one; a user message has 0.
    pub chain_depth: u32,
    /// Answers of the same two agents to each other with nobody and no tool's result
    /// between them. Turns that the policy gives answer the person.
    pub pair_hops: u32,
    /// Runs of one agent within an hour, over all its groups.
    pub runs_per_hour: u32,
}

impl Caps {
    /// The highest that each may be, so that every group still ends; the lowest is 1.
    pub const MOST: Caps = Caps {
        messages_per_post: 1000,
        chain_depth: 100,
        pair_hops: 1000,
        runs_per_hour: 1_000_000,
    };
}

impl Default for Caps {
    fn default() -> Self {
        Caps { messages_per_post: 10, chain_depth: 3, pair_hops: 4, runs_per_hour: 60 }
    }
}

/// Somebody's place in a group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Member {
    pub group: GroupId,
    pub who: Participant,
    /// Position among the members, for `rounds` and for the roster.
    pub position: i64,
    pub muted: bool,
    /// How likely it is to speak in `weighted`, from 0 to 100; what its soul
    /// says when `None`.
    pub talkativeness: Option<u8>,
    /// The last message `seq` consumed here: by an agent's settled turn, or
    /// by the person's eyes.
    pub cursor: i64,
    /// Messages up to this `seq` stay hidden from this member.
    pub joined_after: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Participant {
    /// The person whose workspace it is.
    User,
    Agent(AgentId),
}

/// How much of a group's past a newcomer sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum History {
    All,
    Last { messages: u32 },
    Nothing,
}

/// What a new group can begin with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GroupTemplates {
    pub templates: Vec<TemplateView>,
    /// Why files of the person's own are not among them.
    pub wrong: Vec<Fault>,
}

/// What a template comes to in this workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TemplateView {
    /// What commands call it: the stem of its file.
    pub template: String,
    pub title: String,
    /// One sentence; may be empty in the person's own.
    pub about: String,
    /// A file in the workspace; the others ship with Coterie.
    pub is_own: bool,
    pub policy: TurnPolicy,
    pub caps: Caps,
    /// In their order.
    pub members: Vec<TemplateMember>,
    /// Who names the next speaker, by the soul.
    pub supervisor: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TemplateMember {
    pub soul: String,
    /// As the agent is called, or would be.
    pub name: String,
    /// `None` where one is made for the group.
    pub agent: Option<AgentId>,
}

/// What is given replaces what stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct GroupPatch {
    pub name: Option<String>,
    pub policy: Option<TurnPolicy>,
    pub default_agent: Option<AgentId>,
    pub supervisor: Option<AgentId>,
    pub caps: Option<Caps>,
    pub archived: Option<bool>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct MemberPatch {
    pub muted: Option<bool>,
    /// From 0 to 100.
    pub talkativeness: Option<u8>,
    pub position: Option<i64>,
}
