//! Queries: everything a person can ask. Long answers come in pages.

use crate::{
    ActiveHours, Agent, AgentId, Approval, BudgetScope, CallId, CardFile, CommunityId, Decision,
    Draft, Fault, FeedFilter, FeedPlace, FeedSource, Grant, Group, GroupId, Keys, Mark, McpServer,
    Member, MemoryFilter, MemoryId, Message, MessageId, ModelCall, Pass, Provider, Question, Run,
    RunContext, RunId, RunState, Search, Secret, Settings, Skill, Soul, SoulProposal, SoulVersion,
    Step, StepKind, Transition, UsageBy, Waiting,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Query {
    /// What a window needs to open.
    Overview,
    /// A page of a group's messages, oldest first, that ends before `before`
    /// (at the newest when `None`).
    Messages {
        group: GroupId,
        before: Option<i64>,
        limit: u32,
    },
    Message {
        message: MessageId,
    },
    /// The messages of a group in which these words stand as they are given, in
    /// capitals or not; the newest first.
    Occurrences {
        group: GroupId,
        text: String,
        limit: u32,
    },
    /// What new groups can begin with.
    GroupTemplates,
    /// The bytes of an attachment.
    Attachment {
        hash: String,
    },
    /// Decisions about one message, or the group's newest.
    Decisions {
        group: GroupId,
        message: Option<MessageId>,
        limit: u32,
    },
    Agent {
        agent: AgentId,
    },
    /// Everybody there ever was, the ended too.
    Agents,
    /// The newest run of each agent, and all that go on or were interrupted.
    LastRuns,
    Runs {
        filter: RunFilter,
        before: Option<i64>,
        limit: u32,
    },
    Run {
        run: RunId,
    },
    /// One of the requests that a run has sent to models, whole; the first has
    /// number 1.
    SentRequest {
        run: RunId,
        n: u32,
    },
    /// Does a run again from its record; nothing is asked, executed or written.
    Replay {
        run: RunId,
    },
    /// The newest questions, waiting or answered, the newest first.
    Approvals {
        limit: u32,
    },
    /// What would go with a message that is forgotten.
    Forgetting {
        message: MessageId,
    },
    /// All reactions to messages of a group, in the order in which they came.
    Reactions {
        group: GroupId,
    },
    /// The messages of a group's shown branch in whose place others can stand.
    Variants {
        group: GroupId,
    },
    /// The newest questions of agents and servers, waiting or answered, the newest
    /// first.
    Questions {
        limit: u32,
    },
    /// Every standing permission.
    Grants,
    /// Every pass of a program from outside, also those that were revoked.
    Passes,
    Soul {
        soul: String,
    },
    SoulVersion {
        soul: String,
        version: i64,
    },
    /// Whether a text would be a valid soul, and what it names in vain; nothing is saved.
    CheckSoul {
        soul: String,
        text: String,
    },
    /// What soul another program's files come to: a character card (PNG or JSON), a
    /// SOUL.md, an IDENTITY.md, or the last two together. Nothing is saved.
    ReadCard {
        files: Vec<CardFile>,
    },
    /// The exact system prompt of an agent in a group.
    Prompt {
        agent: AgentId,
        group: GroupId,
        /// As it would be if this were saved as the text of its soul.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        soul: Option<String>,
    },
    /// Who would speak if this were posted.
    WouldWake {
        group: GroupId,
        text: String,
        reply_to: Option<MessageId>,
    },
    /// A page of memories, the last changed first, that ends before a point.
    Memories {
        filter: MemoryFilter,
        before: Option<i64>,
        limit: u32,
    },
    SearchMemories {
        text: String,
        filter: MemoryFilter,
        limit: u32,
        /// Leaves out what scores less.
        min_score: Option<f32>,
        /// By words alone while the model that compares meanings is still to be
        /// loaded, rather than after that.
        #[serde(default)]
        #[ts(as = "Option<bool>", optional)]
        at_once: bool,
    },
    Memory {
        memory: MemoryId,
    },
    MemoryIndex,
    /// Looks for words in all that was said, remembered and done.
    Search {
        search: Search,
    },
    // The feed.
    /// All, also the archived, oldest first.
    Communities,
    /// A page of posts, the newest first, that ends before a post's `seq`. Of all
    /// communities those that are archived are left out.
    Feed {
        #[serde(default)]
        filter: FeedFilter,
        before: Option<i64>,
        limit: u32,
    },
    Thread {
        post: GroupId,
    },
    /// A post or a comment, by its number. Answered by the message.
    FeedItem {
        seq: i64,
    },
    FeedQueue,
    /// Who would answer if this were written in the feed.
    WouldAnswer {
        place: FeedPlace,
        text: String,
    },
    /// What was done and decided since then, by day and by whom, oldest first.
    FeedActivity {
        community: Option<CommunityId>,
        since_ms: i64,
    },
    // Schedules.
    /// All, in the order in which they come next; those that are over last.
    Schedules,
    /// Those that were not removed, in the order in which they were made.
    Sources,
    /// What a sentence or a cron expression says; nothing is saved.
    ReadTimes {
        words: String,
        /// Empty stands for the machine's.
        zone: String,
        hours: Option<ActiveHours>,
    },
    /// Every limit, with how much of it is gone today.
    Budgets,
    /// What was used since then, the largest first.
    Usage {
        by: UsageBy,
        since_ms: i64,
    },
    /// Which models a provider has; it need not be saved yet.
    ModelsOf {
        provider: Provider,
        /// Is tried in place of its own, and kept nowhere.
        #[serde(default)]
        key: Option<Secret>,
    },
    /// Which of all providers' models make vectors, as far as these say so.
    VectorModels,
    /// Which models are files on this machine.
    LocalModels,
    /// Which providers are left alone for a while, because calls did not reach
    /// them.
    LeftAlone,
    /// Looks for model servers on this machine.
    Discover,
    /// Services and servers that many use.
    Presets,
    /// Where every key lies.
    Keys {
        /// Asks the keyring whether it can be used, which may take seconds.
        check: bool,
    },
    /// Servers of the Model Context Protocol.
    Servers,
    /// What a server has to be read and to be said. One that sleeps is started.
    ServerOffers {
        server: String,
    },
    /// The last lines that a server has logged, oldest first.
    ServerLog {
        server: String,
    },
    Skills,
    Skill {
        skill: String,
    },
    /// What an agent can use, and what keeps the rest from it.
    Capabilities {
        agent: AgentId,
    },
    /// What a use that a person is asked about would take the place of, as it stands now.
    Replaced {
        call: CallId,
    },
    Doctor,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct RunFilter {
    pub agent: Option<AgentId>,
    pub group: Option<GroupId>,
    pub state: Option<RunState>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Overview {
    /// Events after this mark are news to whoever got this overview.
    pub mark: Mark,
    pub settings: Settings,
    pub agents: Vec<Agent>,
    pub groups: Vec<GroupView>,
    pub souls: Vec<Soul>,
    pub providers: Vec<Provider>,
    /// Runs that are going on or were interrupted.
    pub open_runs: Vec<Run>,
    /// Those of them that wait for their turn to ask a model.
    #[serde(default)]
    pub waiting: Vec<Waiting>,
    /// The starter model can answer without anything being set up.
    pub starter_model: Option<String>,
    pub data_dir: String,
    /// Why turns wait: the disk takes nothing.
    pub held_up: Option<Fault>,
    pub keys: Keys,
    /// What was written and not said yet, of groups where there is such.
    #[serde(default)]
    pub drafts: Vec<Draft>,
    /// What a person is asked at the moment, oldest first.
    #[serde(default)]
    pub approvals: Vec<Approval>,
    /// What agents and servers want to know at the moment, oldest first.
    #[serde(default)]
    pub questions: Vec<Question>,
    /// What agents may do without asking.
    #[serde(default)]
    pub grants: Vec<Grant>,
    /// What programs from outside may do; the revoked too, since their names stand
    /// beside what they said.
    #[serde(default)]
    pub passes: Vec<Pass>,
    /// What is told in the feed by itself; the removed too, since their names stand
    /// beside what they wrote.
    #[serde(default)]
    pub sources: Vec<FeedSource>,
    /// What agents propose for their souls, and nobody has answered, oldest first.
    #[serde(default)]
    pub proposals: Vec<SoulProposal>,
    #[serde(default)]
    pub servers: Vec<McpServer>,
    #[serde(default)]
    pub skills: Vec<Skill>,
}

/// A group with what its row in the roster shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct GroupView {
    pub group: Group,
    pub members: Vec<Member>,
    pub last: Option<Message>,
    /// Agent messages since the person last spoke, for "7 of 10 left".
    pub messages_since_post: u32,
    /// Answers that are owed and on their way; 0 when the group is quiet.
    pub answers_to_come: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct AgentDetail {
    pub agent: Agent,
    pub groups: Vec<GroupId>,
    pub transitions: Vec<Transition>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RunDetail {
    pub run: Run,
    pub context: RunContext,
    pub steps: Vec<Step>,
    /// What was decided about the message that caused it.
    pub decisions: Vec<Decision>,
    /// Every call of a model that was paid for, oldest first.
    #[serde(default)]
    pub calls: Vec<ModelCall>,
    /// How many requests it has sent to models; each can be asked for.
    #[serde(default)]
    pub sent: u32,
}

/// What an agent answered outside of every group, and how.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct RunOnce {
    pub run: Run,
    /// `None` when the agent chose silence, or failed.
    pub reply: Option<String>,
    pub steps: Vec<Step>,
}

/// What came of doing a run again from its record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Replayed {
    /// Steps of the agent's own that are on record.
    pub steps: u32,
    /// Where it first went another way; `None` when all was the same.
    pub difference: Option<Difference>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Difference {
    /// The number of the step.
    pub n: u32,
    /// `None` where the record has ended already.
    pub stored: Option<StepKind>,
    /// `None` where this time nothing more happened.
    pub again: Option<StepKind>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SoulDetail {
    pub soul: Soul,
    /// What is in the file now, valid or not.
    pub text: String,
    /// Newest first, without their texts.
    pub versions: Vec<SoulVersion>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Prompt {
    pub text: String,
    /// Counted by rule of thumb: characters over four, Han characters one each.
    pub tokens: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct WouldWake {
    /// In the order in which they would speak.
    pub agents: Vec<AgentId>,
    /// At the most, when the policy goes on after the first answers.
    pub messages_at_most: u32,
    /// The policy gives others their turns after these.
    pub hands_on: bool,
    /// Of the first answers of these agents, at the most; where turns are handed on, of all
    /// messages until the group falls quiet. The cost is `None` when a price is missing.
    pub tokens_at_most: i64,
    pub microusd_at_most: Option<i64>,
    /// Who would answer too, but is not woken: what is left of the budget `over`
    /// may not be enough for them as well.
    pub beyond: Vec<AgentId>,
    pub over: Option<BudgetScope>,
}
