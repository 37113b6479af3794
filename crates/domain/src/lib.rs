//! The words of Coterie: ids, records, commands, queries, events.
//!
//! Plain data with the meaning in its types: no IO, no clock, no async, no
//! rule about who may do what. Every other crate speaks in these words, the
//! window's TypeScript types are generated from them (see `typescript`), and
//! what the CLI prints with `--json` is one of these records.

mod agent;
mod approval;
mod attachment;
mod backup;
mod budget;
mod capability;
mod command;
mod decision;
mod dialog;
mod doctor;
mod draft;
pub mod engine;
mod event;
mod fault;
mod feed;
mod found;
mod group;
mod group_file;
mod ids;
mod key;
mod local_model;
mod mcp;
mod memory;
mod memory_file;
mod message;
mod outside;
mod plan;
mod provider;
mod query;
mod question;
mod redacted;
mod request;
mod run;
mod schedule;
mod settings;
mod skill;
mod soul;
mod source;
mod step;
mod tool;
mod wire;

#[cfg(test)]
mod typescript;

pub use agent::{Agent, AgentState, Transition, TransitionCause};
pub use approval::{Approval, ApprovalState, Consent, Covers, Grant};
pub use attachment::{Attachment, AttachmentContent, AttachmentKind, PdfUnread, ReadFrom};
pub use backup::{
    Backup, BackupProgress, BackupWork, Renamed, Restore, Restored, StaysOut, StaysOutWhy,
    TakenCount, TakenIn, TakenKind,
};
pub use budget::{
    Budget, BudgetScope, BudgetState, BudgetUnit, Price, PriceChange, UsageBy, UsageRow,
};
pub use capability::{
    Capabilities, Capability, CapabilityKind, Need, NeedOf, RootLeftOut, RootTrouble,
};
pub use command::{Command, Target};
pub use decision::{Decision, Reason, Verdict};
pub use dialog::{Line, Speaker};
pub use doctor::{Check, CheckAbout, CheckKind, CheckState, Finding};
pub use draft::{Draft, Unsent, Written};
pub use event::{Event, Live, Record, Removed, Update, UseProgress, Waiting};
pub use fault::{Fault, FaultCode, FaultKind, ModelFileWrong, ModelTrouble, NoFile, SoulKept};
pub use feed::{
    Community, CommunityPatch, FeedDay, FeedEvent, FeedEventState, FeedFilter, FeedItem, FeedPlace,
    FeedQueue, FeedQuota, HeldAnswers, LeftOf, Moderated, Moderation, Post, PostView, Thread,
    Ticked, WouldAnswer,
};
pub use found::{Found, FoundItem, FoundWhat, Piece, Search, SearchIn};
pub use group::{
    Caps, Group, GroupKind, GroupPatch, GroupTemplates, History, Member, MemberPatch, Participant,
    TemplateMember, TemplateView, TurnPolicy,
};
pub use group_file::{GroupExport, GroupFormat, Occurrence};
pub use ids::{
    AgentId, CallId, CommunityId, FeedSourceId, GrantId, GroupId, MemoryId, MessageId, PassId,
    ProposalId, QuestionId, RequestId, RunId, ScheduleId,
};
pub use key::{Key, KeyHome, KeyPlace, Keys, SealedFile, Secret};
pub use local_model::{AboutModel, LocalModel, LocalModels};
pub use mcp::{
    FilledPrompt, McpArgument, McpImport, McpLeftOut, McpOffers, McpPatch, McpPlace, McpPrompt,
    McpResource, McpServer, McpSetup, McpState, McpTemplate, McpTool, McpValue,
};
pub use memory::{
    Consolidated, FoundMemories, ImportCutOff, Judgement, Memory, MemoryChange, MemoryDetail,
    MemoryFilter, MemoryHit, MemoryIndex, MemoryKind, MemoryPage, MemoryPatch, MemoryProgress,
    MemoryScope, MemoryScores, MemoryState, MemoryVersion, MemoryWork, NewMemory, Recalled, Source,
    Standing, Statement, Trust,
};
pub use memory_file::{
    GaveWay, LeftOut, LeftOutWhy, MemoryExport, MemoryFileWrong, MemoryFormat, MemoryImport,
    PartOfFile, PlaceInFile,
};
pub use message::{
    Author, Body, Forgetting, Message, Notice, Reaction, Reactions, Variant, Variants,
};
pub use outside::{
    GivenOutside, OpenGroup, OpenLine, OpenMemory, Pass, PassRights, SpokenBy, Wanted,
};
pub use plan::{Plan, PlanAction, PlanMode, PlanStep};
pub use provider::{
    Kept, KeptPart, LeftAlone, ModelInfo, ModelRole, Offer, Preset, Provider, ProviderKind,
};
pub use query::{
    AgentDetail, Difference, GroupView, Overview, Prompt, Query, Replayed, RunDetail, RunFilter,
    RunOnce, SoulDetail, WouldWake,
};
pub use question::{
    AskedLine, Asks, Choice, Field, Given, Question, QuestionAnswer, QuestionState, Takes,
    TextFormat,
};
pub use redacted::{REDACTED, redacted, redacted_in};
pub use request::{AnswerFormat, SentCall, SentImage, SentRequest, SentRole, SentTurn};
pub use run::{
    Cause, ContextSkill, ModelCall, Outcome, Run, RunContext, RunLimits, RunState, Usage,
};
pub use schedule::{
    ActiveHours, Became, CatchUp, Day, ReadTimes, Schedule, SchedulePlan, ScheduleTime,
    ScheduleView, ScheduledWork, TimeView, Times,
};
pub use settings::{
    Appearance, Approvals, BlockedUse, FeedRules, Language, Learning, Limits, Manners, ModelChoice,
    ResponseCache, Settings, SettingsPatch, Theme,
};
pub use skill::{Skill, SkillDetail, SkillFile, SkillHolder, SkillTool};
pub use soul::{
    CardFile, CardForm, CardLoss, CardUse, CheckedSoul, LeftPart, NameMistake, ProposalState, Soul,
    SoulCard, SoulDraft, SoulForm, SoulMistake, SoulProblem, SoulProposal, SoulSource,
    SoulStanding, SoulValue, SoulVersion, TakenPart, YamlCause,
};
pub use source::{EndedRuns, FeedSource, SourcePlan, SourceView, Watches, hook_key};
pub use step::{Step, StepKind};
pub use tool::{CallState, Effects, Risk, ToolCall, ToolSpec, ToolSpecs};
pub use wire::{Answer, Call, FromOwner, Mark, Reply, Request, ToOwner};
