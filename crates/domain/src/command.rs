//! Commands: everything a person can do.

use crate::{
    AgentId, Attachment, Budget, BudgetScope, CallId, CommunityId, CommunityPatch, Consent, Covers,
    FeedSourceId, GrantId, GroupFormat, GroupId, GroupPatch, History, Judgement, KeyHome, Line,
    McpPatch, McpSetup, MemberPatch, MemoryFilter, MemoryFormat, MemoryId, MemoryPatch,
    MemoryScope, MessageId, ModelRole, Moderation, NewMemory, PassId, PassRights, ProposalId,
    Provider, QuestionAnswer, QuestionId, RequestId, RunId, ScheduleId, SchedulePlan, Secret,
    SettingsPatch, SourcePlan, TurnPolicy, Unsent, Wanted, Written,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Command {
    // Groups and messages.
    /// Answered by the message.
    Post {
        group: GroupId,
        text: String,
        reply_to: Option<MessageId>,
        /// What it shows, kept before.
        #[serde(default)]
        #[ts(as = "Option<Vec<Attachment>>", optional)]
        attachments: Vec<Attachment>,
    },
    /// Says something else in the place of what the person had said: that is set
    /// aside with all that came after it, and can be shown again. What it answers
    /// stays. Answered by the new message.
    EditMessage {
        message: MessageId,
        text: String,
        attachments: Vec<Attachment>,
    },
    /// Has an agent answer again: what it said, and all that came after it, is set
    /// aside and can be shown again.
    AnswerAgain {
        message: MessageId,
    },
    /// Shows the branch of a conversation in which this message stands.
    ShowBranch {
        message: MessageId,
    },
    /// Makes a group with the same members and a copy of all up to this message. Answered by it.
    Fork {
        message: MessageId,
        name: Option<String>,
    },
    /// Takes a message's words away, everywhere and for ever, with what it showed,
    /// its copies in forks, and what was remembered of it. Answered by what stands in
    /// its place.
    ForgetMessage {
        message: MessageId,
    },
    /// Puts the person's reaction to a message, a post or a comment, or takes it back.
    React {
        item: MessageId,
        sign: String,
        on: bool,
    },
    /// Keeps what is being written, and what waits to be posted. What is given
    /// replaces what stands. Answered by all that is kept then.
    SaveDraft {
        group: GroupId,
        written: Option<Written>,
        /// These wait, from now on or as they are now.
        keep: Vec<Unsent>,
        /// These wait no longer.
        drop: Vec<RequestId>,
    },
    /// Posts a message that waits. Answered by the message.
    PostUnsent {
        group: GroupId,
        unsent: RequestId,
    },
    /// Keeps a picture or a text file for a message to show. Answered by the attachment.
    Attach {
        name: String,
        base64: String,
    },
    /// Answered by the group. Without a name it is called after its members.
    NewGroup {
        name: Option<String>,
        members: Vec<AgentId>,
        policy: Option<TurnPolicy>,
    },
    /// Makes a group as a template has it, with agents for those of its souls that have
    /// none. Answered by the group.
    NewGroupFrom {
        template: String,
        name: Option<String>,
    },
    EditGroup {
        group: GroupId,
        patch: GroupPatch,
    },
    /// Writes what stands in a conversation to a file that is not there yet. Answered
    /// by what it holds.
    ExportGroup {
        group: GroupId,
        path: String,
        format: GroupFormat,
    },
    AddMember {
        group: GroupId,
        agent: AgentId,
        sees: History,
    },
    RemoveMember {
        group: GroupId,
        agent: AgentId,
    },
    /// Takes back that an agent was taken out: it sits where it sat, and owes
    /// what it owed. Answered by the group.
    BringBack {
        group: GroupId,
        agent: AgentId,
    },
    EditMember {
        group: GroupId,
        agent: AgentId,
        patch: MemberPatch,
    },
    /// The person has seen the group up to this message.
    MarkRead {
        group: GroupId,
        seq: i64,
    },
    /// Gives the agent one turn now, whatever the policy says.
    SpeakNow {
        group: GroupId,
        agent: AgentId,
    },
    /// Ends the runs in progress; what was written so far is kept.
    Stop {
        target: Target,
    },

    // The feed.
    /// Answered by the community. Without members it is everybody's.
    NewCommunity {
        name: String,
        rules: String,
        members: Vec<AgentId>,
    },
    /// Answered by the community.
    EditCommunity {
        community: CommunityId,
        patch: CommunityPatch,
    },
    /// Answered by the post.
    WritePost {
        community: CommunityId,
        text: String,
    },
    /// Asks an agent to write a post. Answered by the post, which is yet to be
    /// written.
    AskForPost {
        community: CommunityId,
        agent: AgentId,
    },
    /// Answers a post or a comment. Answered by the message.
    Comment {
        to: MessageId,
        text: String,
    },
    Moderate {
        item: MessageId,
        how: Moderation,
        why: Option<String>,
    },
    /// Gives out what was written in the feed and not decided upon yet. Answered
    /// by what came of it.
    Tick,
    /// Has ticks come by themselves. What they may cost in a day is said with it,
    /// so that nobody turns it on without. Answered by the settings.
    TurnOnFeed {
        every_minutes: u32,
        tokens_a_day: i64,
        microusd_a_day: i64,
    },
    TurnOffFeed,
    /// Has an event that failed too often tried again.
    RetryFeedEvent {
        event: i64,
    },

    // Schedules.
    /// Answered by the schedule.
    NewSchedule {
        plan: SchedulePlan,
    },
    /// What is given replaces what stands. Answered by the schedule.
    EditSchedule {
        schedule: ScheduleId,
        plan: SchedulePlan,
    },
    /// Nothing is given until it goes on. Answered by the schedule.
    PauseSchedule {
        schedule: ScheduleId,
        paused: bool,
    },
    RemoveSchedule {
        schedule: ScheduleId,
    },
    /// Gives it now, beside its times. Answered by what the agent is told.
    RunSchedule {
        schedule: ScheduleId,
    },
    /// Has what happens told in the feed, from now on. Answered by the source.
    NewSource {
        plan: SourcePlan,
    },
    /// Answered by the source.
    SwitchSource {
        source: FeedSourceId,
        on: bool,
    },
    /// It tells nothing any more; what it wrote stays. Answered by the source.
    RemoveSource {
        source: FeedSourceId,
    },
    /// Has an agent tell what has happened since the last time. Answered by what it
    /// is told.
    AskForDigest {
        agent: AgentId,
    },
    /// Everybody rests: no turn goes on, no tick comes by itself, nothing is given by a
    /// schedule. Answered by the settings.
    PauseAll,
    /// Those who rested with it go on. Answered by the settings.
    ResumeAll,

    // Agents.
    /// Answered by the agent, with a direct group of its own.
    NewAgent {
        soul: String,
        name: Option<String>,
        model: Option<String>,
        /// Who delegates to it; it ends with its parent.
        #[serde(default)]
        parent: Option<AgentId>,
    },
    PauseAgent {
        agent: AgentId,
    },
    ResumeAgent {
        agent: AgentId,
    },
    TerminateAgent {
        agent: AgentId,
    },
    /// `None` goes back to what the soul says.
    SetAgentModel {
        agent: AgentId,
        model: Option<String>,
    },

    // What agents may do.
    /// Answers a question, for the use that `binding` stands for. What is allowed
    /// for longer than once holds for this agent, tool and group, and for what
    /// `covers` says: without it, for the same target, or for the same arguments
    /// where a tool has no target. Answered by the approval.
    AnswerApproval {
        call: CallId,
        binding: String,
        consent: Consent,
        covers: Option<Covers>,
    },
    RevokeGrant {
        grant: GrantId,
    },
    /// Says to an agent or a server what it wants to know. Answered by the question.
    AnswerQuestion {
        question: QuestionId,
        answer: QuestionAnswer,
    },

    // Interrupted runs.
    ResumeRun {
        run: RunId,
    },
    DropRun {
        run: RunId,
    },

    /// Has an agent answer a dialog of its own, apart from every group.
    /// Answered by what it said and did.
    RunOnce {
        agent: AgentId,
        dialog: Vec<Line>,
    },

    // Budgets.
    SetBudget {
        budget: Budget,
    },
    /// Goes back to the default, or for one agent or group to what holds for any.
    ResetBudget {
        scope: BudgetScope,
    },

    // Souls.
    /// Writes the file if it still has the hash that the edit started from;
    /// `None` for a new soul.
    SaveSoul {
        soul: String,
        text: String,
        base_hash: Option<String>,
    },
    /// Writes a soul for somebody of whom a name and a sentence are known; an agent
    /// with a model that can writes it. Nothing is saved. Answered by the draft.
    DraftSoul {
        name: String,
        sentence: String,
    },
    RollBackSoul {
        soul: String,
        version: i64,
    },
    /// Gives its file another name; its agents and its versions go along. Answered by it.
    RenameSoul {
        soul: String,
        to: String,
    },
    /// Takes it out of force and its file to the folder `deleted` beside; its versions stay.
    /// Refused while an agent lives by it. Answered by it.
    DeleteSoul {
        soul: String,
    },
    /// Puts back the file of one that was deleted, or its newest version. Answered by it.
    BringBackSoul {
        soul: String,
    },
    /// Writes what an agent proposed into the file, if the section still is as it was
    /// then. Answered by the soul.
    ApproveProposal {
        proposal: ProposalId,
    },
    /// The agent is told in the conversation where it proposed it.
    DeclineProposal {
        proposal: ProposalId,
    },

    // Memories, each answered by the memory as it is then; by a page of all where words say
    // several things, which are remembered each by itself.
    /// Answered by what stands for it now, new or not.
    AddMemory {
        memory: NewMemory,
    },
    EditMemory {
        memory: MemoryId,
        patch: MemoryPatch,
    },
    PinMemory {
        memory: MemoryId,
        pinned: bool,
    },
    JudgeMemory {
        memory: MemoryId,
        judgement: Judgement,
    },
    /// Says several in one: the first, with these words. The others give way to it.
    MergeMemories {
        memories: Vec<MemoryId>,
        text: String,
    },
    /// Takes its words away, everywhere and for ever.
    ForgetMemory {
        memory: MemoryId,
    },
    /// Takes the last change back.
    UndoMemory {
        memory: MemoryId,
    },
    /// Makes of what was remembered at different times what is worth keeping for
    /// long, or only says what it would do. Answered by what that is.
    ConsolidateMemories {
        preview: bool,
    },
    /// Throws the index away and makes it again, in the background.
    RebuildMemoryIndex,
    /// Takes in what is not there yet. The file lies where the owner of the workspace finds it.
    /// Answered by what came of it or, of a preview, which changes nothing, what would.
    ImportMemories {
        path: String,
        /// `None`: as the file looks.
        format: Option<MemoryFormat>,
        /// In place of what the file says.
        scope: Option<MemoryScope>,
        /// The person vouches for it: it is trusted as far as it says. Else nothing in it is.
        vouched: bool,
        preview: bool,
    },
    /// Goes on no more with an import that was cut off; what it took in stays.
    DropImport {
        path: String,
    },
    /// Writes a file that is not there yet. Answered by what it holds.
    ExportMemories {
        path: String,
        format: MemoryFormat,
        filter: MemoryFilter,
    },

    // The workspace as a whole.
    /// Writes a file that is not there yet, with everything of the workspace but its
    /// keys and what can be made again. Answered by what it holds.
    BackUp {
        path: String,
    },
    /// Looks through such a file, and has it put in place of what is here when the
    /// workspace is opened the next time. Answered by what that is.
    Restore {
        path: String,
    },
    /// Looks through such a file and lays it ready. Nothing comes of that until
    /// `RestoreLookedThrough`; with the next opening it is gone.
    LookThroughBackup {
        path: String,
    },
    /// Has what was looked through last put in place as `Restore` does.
    RestoreLookedThrough,
    /// What waits to be put in place, or was only looked through, is not.
    ForgetRestore,
    /// Takes what is in a backup of another workspace in, beside what is here.
    TakeIn {
        path: String,
        /// The person vouches for it: its memories are trusted as far as they were there.
        vouched: bool,
        /// Only says what would come of it.
        preview: bool,
        /// The hash of the one that was looked through: another is refused.
        looked_through: Option<String>,
    },

    // Models and settings.
    SaveProvider {
        provider: Provider,
        /// Is its own key from now on: both are kept, or neither.
        key: Option<Secret>,
        /// What was there when this was put together. Nothing is saved over another.
        replaces: Option<Box<Provider>>,
    },
    RemoveProvider {
        provider: String,
    },
    /// Puts a GGUF file on the list of models. Answered by what it is.
    AddModelFile {
        path: String,
    },
    /// Takes it off the list; the file stays.
    RemoveModelFile {
        path: String,
    },
    /// Says how much a model, as `provider/model`, reads and writes at once: comes
    /// before what its provider says. None takes that back. Answered by its provider.
    SetModelWindow {
        model: String,
        tokens: Option<u32>,
    },
    /// Forgets what models answered, which they would not be asked again within
    /// an hour. Answered by how many answers there were.
    ForgetAnswers,
    UseModel {
        role: ModelRole,
        model: String,
    },
    ChangeSettings {
        patch: SettingsPatch,
    },

    // Servers of the Model Context Protocol.
    /// Adds a server. One of this name is in its way unless it `replaces` that, with its keys.
    /// `values` are what variables or headers hold: what may be secret goes to the keys, under
    /// the name that the setup has for it or `mcp/SERVER/NAME`. Answered by the server.
    PutServer {
        setup: McpSetup,
        values: BTreeMap<String, Secret>,
        replaces: bool,
    },
    /// Takes in what the servers of another app are written down as. There may be
    /// secrets in it. Answered by what came of it or, of a preview, which changes
    /// nothing, what would.
    ImportServers {
        text: Secret,
        preview: bool,
    },
    /// Answered by the server.
    EditServer {
        server: String,
        patch: McpPatch,
    },
    /// Starts it anew; `sign_in` says that a person is there who may be shown the
    /// page where it lets us in. Answered by the server.
    ReloadServer {
        server: String,
        sign_in: bool,
    },
    /// With what it has among the keys; where that cannot be erased, nothing is done.
    RemoveServer {
        server: String,
        /// Takes that off the list without reaching its place, for a keyring that will
        /// not come back.
        #[serde(default)]
        forget: bool,
    },
    /// Reads something that a server has, and keeps it as it is now, for a message to
    /// show. Answered by the attachment.
    AttachResource {
        server: String,
        uri: String,
    },
    /// Has a server write one of its prompts, and keeps what goes along with it. Nothing
    /// is said. Answered by the filled prompt.
    FillPrompt {
        server: String,
        prompt: String,
        arguments: BTreeMap<String, String>,
    },

    // Programs from outside.
    /// Lets a program in, or has the pass of this name hold for what it says now.
    /// Answered by the pass.
    PutPass {
        rights: PassRights,
    },
    RevokePass {
        pass: PassId,
    },
    /// What the program asks for that goes by this name, as far as its pass goes.
    /// Answered by what it is given.
    FromOutside {
        pass: String,
        wanted: Wanted,
    },

    // Skills.
    /// Copies a folder with a SKILL.md to the skills. It lies where the owner of the
    /// workspace finds it. Answered by the skill.
    AddSkill {
        path: String,
    },
    /// Takes its folder away, for good.
    RemoveSkill {
        skill: String,
    },

    // Keys, each answered by how it stands with them then. A provider's own is
    // named `provider/NAME`.
    /// Keeps the value at home, in place of what had this name.
    SetKey {
        name: String,
        value: Secret,
    },
    /// From now on this key is what a variable of the owning process holds.
    UseVariable {
        name: String,
        variable: String,
    },
    RemoveKey {
        name: String,
        /// Takes it off the list without reaching its place, for a keyring
        /// that will not come back.
        forget: bool,
    },
    /// Makes this place the home, and moves there what lies in the other.
    MoveKeys {
        to: KeyHome,
    },
    /// The person wants a file sealed with this passphrase in place of the
    /// keyring, and was told what it means.
    SealKeys {
        passphrase: Secret,
    },
    UnlockKeys {
        passphrase: Secret,
    },
    LockKeys,
    ChangePassphrase {
        old: Secret,
        new: Secret,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum Target {
    Run(RunId),
    Group(GroupId),
}
