//! What goes over the door: the same in this process and over the socket.

use crate::{
    Agent, AgentDetail, Approval, Attachment, AttachmentContent, Backup, BudgetState, Capabilities,
    Check, CheckedSoul, Command, Community, Consolidated, Decision, Draft, Event, Fault, FeedDay,
    FeedQueue, FeedSource, FilledPrompt, Forgetting, Found, FoundMemories, GivenOutside, Grant,
    GroupExport, GroupTemplates, GroupView, Keys, LeftAlone, LocalModel, LocalModels, McpImport,
    McpOffers, McpServer, Memory, MemoryDetail, MemoryExport, MemoryImport, MemoryIndex,
    MemoryPage, Message, ModelInfo, Occurrence, Offer, Overview, Pass, PostView, Preset, Prompt,
    Provider, Query, Question, Reaction, ReadTimes, Replayed, RequestId, Restore, Run, RunDetail,
    RunOnce, Schedule, ScheduleView, SentRequest, Settings, Skill, SkillDetail, Soul, SoulCard,
    SoulDetail, SoulDraft, SoulVersion, SourceView, TakenIn, Thread, Ticked, UsageRow, Variants,
    WouldAnswer, WouldWake,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A question or an order. Sending the same one again is harmless.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Request {
    pub id: RequestId,
    pub call: Call,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Call {
    Command(Command),
    Query(Query),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Answer {
    pub id: RequestId,
    pub result: Result<Reply, Fault>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "data", rename_all = "snake_case")]
pub enum Reply {
    Done,
    Overview(Box<Overview>),
    Message(Message),
    Draft(Draft),
    Messages(Vec<Message>),
    Occurrences(Vec<Occurrence>),
    Attachment(Attachment),
    AttachmentContent(AttachmentContent),
    Decisions(Vec<Decision>),
    Group(GroupView),
    GroupExport(GroupExport),
    GroupTemplates(GroupTemplates),
    Agent(Agent),
    Agents(Vec<Agent>),
    AgentDetail(AgentDetail),
    Run(Run),
    Runs(Vec<Run>),
    RunDetail(Box<RunDetail>),
    Soul(Soul),
    SoulDetail(SoulDetail),
    SoulVersion(SoulVersion),
    SoulChecked(CheckedSoul),
    SoulCard(Box<SoulCard>),
    SoulDraft(Box<SoulDraft>),
    Prompt(Prompt),
    WouldWake(WouldWake),
    Provider(Provider),
    Models(Vec<ModelInfo>),
    LocalModel(LocalModel),
    /// As `provider/model`.
    VectorModels(Vec<String>),
    LocalModels(LocalModels),
    /// How many answers were forgotten.
    Forgotten(u32),
    LeftAlone(Vec<LeftAlone>),
    Offers(Vec<Offer>),
    Presets(Vec<Preset>),
    Keys(Keys),
    Approval(Box<Approval>),
    Approvals(Vec<Approval>),
    Grants(Vec<Grant>),
    Pass(Box<Pass>),
    Passes(Vec<Pass>),
    Outside(GivenOutside),
    Question(Box<Question>),
    Questions(Vec<Question>),
    Variants(Vec<Variants>),
    Forgetting(Box<Forgetting>),
    Reactions(Vec<Reaction>),
    Settings(Settings),
    Budgets(Vec<BudgetState>),
    Usage(Vec<UsageRow>),
    RunOnce(Box<RunOnce>),
    Memory(Box<Memory>),
    Memories(MemoryPage),
    FoundMemories(FoundMemories),
    MemoryDetail(Box<MemoryDetail>),
    MemoryIndex(MemoryIndex),
    Found(Found),
    Consolidated(Box<Consolidated>),
    MemoryImport(Box<MemoryImport>),
    MemoryExport(MemoryExport),
    Backup(Backup),
    Restore(Restore),
    TakenIn(TakenIn),
    Replayed(Box<Replayed>),
    SentRequest(Box<SentRequest>),
    Server(Box<McpServer>),
    Servers(Vec<McpServer>),
    Community(Community),
    Communities(Vec<Community>),
    Post(Box<PostView>),
    Posts(Vec<PostView>),
    Thread(Box<Thread>),
    WouldAnswer(WouldAnswer),
    FeedQueue(FeedQueue),
    FeedActivity(Vec<FeedDay>),
    Ticked(Ticked),
    Schedule(Box<Schedule>),
    Schedules(Vec<ScheduleView>),
    ReadTimes(ReadTimes),
    Source(Box<FeedSource>),
    Sources(Vec<SourceView>),
    ServersImported(Box<McpImport>),
    ServerOffers(Box<McpOffers>),
    FilledPrompt(FilledPrompt),
    Skill(Box<Skill>),
    Skills(Vec<Skill>),
    SkillDetail(Box<SkillDetail>),
    Capabilities(Box<Capabilities>),
    /// `None` where nothing is replaced, or nothing that is text.
    Replaced(Option<String>),
    /// Of a log, oldest first.
    Lines(Vec<String>),
    Checks(Vec<Check>),
}

/// A place in one owner's stream of events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Mark {
    /// Counts the owners the workspace has had.
    pub epoch: u64,
    pub n: u64,
}

/// One line to the owner of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "there is one at a time, for a moment")]
pub enum ToOwner {
    Request(Request),
    /// Events after the mark; without one, from now on.
    Subscribe {
        after: Option<Mark>,
    },
}

/// One line from the owner.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum FromOwner {
    Answer(Answer),
    Event(Event),
    /// The events after the mark are no longer held: ask for an overview.
    Resync {
        now: Mark,
    },
}
