//! What a fault is about, precisely enough to say it in other words.
//!
//! A fault's own sentences are English and name commands. The window says the
//! same in its reader's language and names its own buttons: it knows by the
//! kind which cause it is, and takes the values from it.

use super::{ModelFileWrong, ModelTrouble, NoFile, SoulKept};
use crate::{
    AgentState, ApprovalState, BudgetScope, BudgetUnit, MemoryFileWrong, PdfUnread, QuestionState,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `detail` is somebody else's English: SQLite's, the keyring's, the system's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum FaultKind {
    // The database, and the disk under it.
    DiskFull,
    DiskFails {
        detail: String,
    },
    DatabaseDamaged {
        path: String,
        detail: String,
    },
    DatabaseNewer {
        path: String,
        found: u32,
        known: u32,
    },
    /// Something stands in its place that is no file.
    DatabaseNoFile {
        path: String,
        found: NoFile,
    },
    /// This account may not read or write it.
    DatabaseForbidden {
        path: String,
    },
    /// It is empty, and what lies beside it says that it was not.
    DatabaseEmptied {
        path: String,
        /// What is there beside it.
        beside: String,
    },
    /// What was written last, in the log beside the database, cannot be read.
    LogDamaged {
        path: String,
        log: String,
        /// Where a copy of it is.
        kept: String,
    },
    DatabaseReadOnly {
        detail: String,
    },
    DatabaseUnopenable {
        path: String,
        detail: String,
    },
    DatabaseFails {
        detail: String,
    },
    BackupFails {
        path: String,
        detail: String,
    },
    /// A file that is no backup of a workspace.
    BackupUnknown {
        path: String,
    },
    BackupDamaged {
        path: String,
        detail: String,
    },
    /// It is not the one that was looked through.
    BackupReplaced {
        path: String,
    },
    BackupNewer {
        path: String,
        version: String,
    },

    // The data directory.
    FolderIsFile {
        path: String,
    },
    FolderForbidden {
        path: String,
    },
    FolderReadOnly {
        path: String,
    },
    FolderFull {
        path: String,
    },
    FolderUnusable {
        path: String,
        detail: String,
    },
    SocketTaken {
        path: String,
    },
    SocketFails {
        path: String,
        detail: String,
    },

    // The process that has the workspace open.
    OwnerSilent {
        path: String,
        /// Unknown where the lock does not say it.
        pid: Option<u32>,
    },
    OwnerForeign {
        path: String,
    },
    OwnerGone,
    OwnerSlow {
        seconds: u32,
    },
    OtherVersion {
        detail: String,
    },
    LineTooLong,
    WorkspaceClosed,

    // Keys and the places that they lie in.
    KeyringLocked,
    KeyringAbsent {
        detail: String,
    },
    KeyringDenied {
        detail: String,
    },
    KeyringSilent {
        seconds: u32,
    },
    KeyringLost {
        detail: String,
    },
    KeyringFails {
        detail: String,
    },
    SealedLocked,
    SealedMissing {
        path: String,
    },
    SealedExists {
        path: String,
    },
    SealedNewer {
        detail: String,
    },
    PassphraseWrong,
    PassphraseShort {
        least: u32,
    },
    /// It is kept nowhere.
    KeyMissing {
        name: String,
    },
    /// It is listed, and its place no longer holds it.
    KeyGone {
        name: String,
    },
    /// The list of keys cannot be read.
    KeyListDamaged {
        path: String,
        detail: String,
    },
    KeyDamaged {
        detail: String,
    },
    VariableUnset {
        variable: String,
    },

    // Messages and groups.
    MessageEmpty,
    MessageLong {
        length: u32,
        most: u32,
    },
    /// A file that a message was to show.
    AttachmentLarge {
        name: String,
        bytes: u32,
        most: u32,
    },
    /// Neither a picture nor a text.
    AttachmentUnfit {
        name: String,
    },
    AttachmentEmpty {
        name: String,
    },
    /// A picture that is cut off, or is none behind its first bytes.
    AttachmentDamaged {
        name: String,
    },
    AttachmentGone {
        name: String,
    },
    AttachmentsMany {
        most: u32,
    },
    /// A PDF whose text cannot be had.
    /// A file of memories or conversations elsewhere; `line` from 1.
    MemoryFile {
        path: String,
        line: Option<u32>,
        wrong: MemoryFileWrong,
    },
    PdfUnread {
        name: String,
        why: PdfUnread,
    },
    GroupArchived {
        group: String,
    },
    GroupDirect {
        group: String,
    },
    /// What a new group is to begin with.
    GroupTemplateUnknown {
        name: String,
    },
    /// The person's own, which cannot be used as it stands.
    GroupTemplateWrong {
        path: String,
        detail: String,
    },
    CommunityNameTaken {
        name: String,
    },
    CommunityArchived {
        name: String,
    },
    /// Nobody comments any more on that post.
    ThreadLocked,
    /// Only the person's own messages can be edited.
    MessageNotYours,
    MessageNotAnAnswer,
    /// It stands in a branch that is not shown.
    MessageAside,
    /// Somebody began to answer while the branch was to change.
    ConversationBusy {
        group: String,
    },
    /// Tasks and posts have none.
    NoBranches,
    /// The words of a schedule say no time that can be understood.
    TimesUnread {
        words: String,
    },
    /// What they say is over, or never comes.
    TimesPast,
    ZoneUnknown {
        zone: String,
    },
    /// An agent has one heartbeat.
    HeartbeatThere {
        name: String,
    },
    /// An agent's soul says its heartbeat, and only there it is changed.
    HeartbeatOfSoul {
        name: String,
        soul: String,
    },
    /// Its model can only talk, and would make up something to do.
    HeartbeatOfDemo {
        name: String,
    },
    GroupSilent {
        group: String,
    },
    GroupNameTaken {
        name: String,
    },
    GroupNameUnfit {
        name: String,
    },
    /// An agent is called that.
    GroupNameOfAgent {
        name: String,
    },
    GroupDirectLeave {
        group: String,
    },
    MemberTwice {
        name: String,
    },
    TalkativenessRange {
        found: u32,
    },
    GroupWithoutAgents,
    GroupLastAgent {
        name: String,
        group: String,
    },
    NotInGroup {
        group: String,
    },
    AgentEnded {
        name: String,
    },
    AgentNameUnfit {
        name: String,
    },
    /// The person would be called as an agent or a group is.
    YourNameTaken {
        name: String,
    },
    /// The agent would be called as the person is.
    AgentNameYours {
        name: String,
    },
    AgentNameTaken {
        name: String,
    },
    /// A group is called that.
    AgentNameOfGroup {
        name: String,
    },
    AgentNoPause {
        name: String,
        state: AgentState,
    },
    AgentNoResume {
        name: String,
        state: AgentState,
    },
    AgentNoWork {
        name: String,
        state: AgentState,
    },
    AgentPaused {
        name: String,
    },
    AgentStopped {
        name: String,
        detail: String,
    },
    AgentQuota {
        name: String,
        limit: u32,
    },
    AgentOverBudget {
        name: String,
    },
    /// A limit has no room for the next call.
    OverBudget {
        scope: BudgetScope,
        /// Of whom it is, where it is one agent's or one group's.
        name: Option<String>,
        unit: BudgetUnit,
        limit: i64,
        used: i64,
        /// At the most.
        needed: i64,
        /// The soul that says so, which nothing overrides that is set elsewhere.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional)]
        soul: Option<String>,
    },
    AgentNoTurn {
        name: String,
    },
    AllPaused,
    /// A post or a comment whose words are gone.
    FeedItemRemoved,
    /// Ticks come by themselves, and what they may cost was to have no end.
    FeedWithoutCap,

    // Runs.
    /// Coterie ended while the tool ran.
    OutcomeUnknown {
        tool: String,
    },
    EndedTooOften {
        times: u32,
    },
    /// It was answered, or the answer came too late.
    ApprovalOver {
        how: ApprovalState,
    },
    ApprovalChanged,
    /// It was answered, or the answer came too late.
    QuestionOver {
        how: QuestionState,
    },
    /// What was entered in this field is not what it takes.
    AnswerMisfit {
        field: String,
    },
    /// A pattern that what is asked about does not fit.
    PatternMisfit {
        pattern: String,
    },
    RunAnswered,
    RunNotInterrupted,
    DialogUnended,
    DialogLineEmpty,

    // Souls.
    SoulUnknown {
        name: String,
    },
    /// What an agent proposed was answered already, or replaced by it.
    ProposalAnswered,
    /// What it would replace is not what stands there now.
    ProposalStale {
        name: String,
        section: String,
        /// Empty where there is no such section.
        now: String,
    },
    SoulVersionUnknown {
        name: String,
        version: i64,
    },
    /// Of its file nothing is read, so nothing is written over it.
    SoulUnusable {
        name: String,
    },
    /// No version of it was ever valid.
    SoulNeverInForce {
        name: String,
    },
    SoulKept {
        name: String,
        other: String,
        why: SoulKept,
    },
    SoulNameUnfit {
        name: String,
        better: String,
    },
    SoulTooLarge {
        name: String,
        most_kib: u32,
    },
    SoulNotPlain {
        name: String,
    },
    SoulChanged {
        name: String,
    },
    SoulDeleted {
        name: String,
    },
    SoulsNoFolder {
        path: String,
    },
    SoulsForbidden,
    SoulsReadOnly,
    SoulsFail {
        detail: String,
    },
    /// Stopped, but that is not on the disk yet.
    StopUnsaved {
        detail: String,
    },

    // Models and who serves them.
    ModelUnchosen,
    /// What is to compare texts makes no vectors.
    ModelMakesNoVectors {
        model: String,
    },
    /// Neither a role nor a model of a provider.
    ModelUnfit {
        model: String,
        known: String,
    },
    /// Its provider has others.
    ModelUnlisted {
        model: String,
        known: String,
    },
    /// The engine that it needs is missing.
    EngineMissing {
        model: String,
    },
    /// The file that it is in is missing.
    ModelGone {
        model: String,
    },
    /// How much it is to read at once is more or less than it can.
    ModelWindowUnfit {
        model: String,
        least: u32,
        most: u32,
    },
    ProviderUnknown {
        name: String,
    },
    /// The engine that is built in has its name to itself.
    ProviderNameBuiltIn,
    /// Somebody else changed or removed it meanwhile.
    ProviderChanged {
        name: String,
    },
    /// It was entered for this server, and is shown to no other.
    KeyOfAnotherServer {
        name: String,
        server: String,
    },
    ProviderNameUnfit {
        name: String,
    },
    AddressUnfit {
        address: String,
    },
    /// An address is kept and shown; a key in it would be too.
    AddressHoldsKey,
    /// A call of a model failed; the fault's own sentences say more.
    Model {
        trouble: ModelTrouble,
    },
    ModelFile {
        path: String,
        wrong: ModelFileWrong,
    },

    // Servers of the Model Context Protocol.
    /// There is one of this name already.
    ServerNameTaken {
        name: String,
    },
    ServerUnknown {
        name: String,
    },
    /// It cannot be set up like this.
    ServerUnfit {
        detail: String,
    },
    /// It was asked for something, and did not do it.
    ServerFailed {
        name: String,
        detail: String,
    },
    /// It is switched off, so nobody can ask it.
    ServerSwitchedOff {
        name: String,
    },
    /// What was to be taken in says nothing of servers.
    ServersUnread {
        detail: String,
    },

    // Skills.
    SkillUnknown {
        name: String,
    },
    /// There is one of this name already.
    SkillTaken {
        name: String,
    },
    /// A folder cannot be taken in as it is.
    SkillUnfit {
        path: String,
        detail: String,
    },

    // Programs from outside.
    PassNameUnfit {
        name: String,
    },
    /// The person, an agent or a group is called that.
    PassNameTaken {
        name: String,
    },

    // What is told in the feed by itself.
    SourceNameUnfit {
        name: String,
    },
    /// The person, an agent, a group or another source is called that.
    SourceNameTaken {
        name: String,
    },
    /// It is not there, or cannot be read.
    SourceFolderAway {
        path: String,
        detail: String,
    },
    /// The workspace writes there itself.
    SourceFolderOwn {
        path: String,
    },
    /// More files than are looked after.
    SourceFolderLarge {
        path: String,
        most: u32,
    },
}
