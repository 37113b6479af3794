// Generated from crates/domain by its test `the_windows_types_are_up_to_date`.

export type AboutModel = { 
/**
 * The name that it gives itself.
 */
title: string | null, architecture: string | null, bytes: number, parameters: number, 
/**
 * How its numbers are stored, for example `Q4_K_M`.
 */
quantisation: string | null, 
/**
 * What it was made to read and write at once.
 */
context_tokens: number | null, 
/**
 * What it is given of that here.
 */
window_tokens: number, 
/**
 * It brings the template of its conversations along.
 */
has_template: boolean, 
/**
 * Why that template cannot be used: the conversation is told in ChatML then,
 * which the model may take badly.
 */
template_wrong: string | null, };

export type ActiveHours = { from: number, to: number, };

export type Agent = { id: AgentId, 
/**
 * Unique among agents that are not terminated; what an @mention names.
 */
name: string, 
/**
 * File stem of the soul, without `.md`.
 */
soul: string, soul_version: number, role: string, description: string, 
/**
 * BCP 47 tag of the language the agent prefers.
 */
language: string, 
/**
 * Seed of the generated avatar.
 */
avatar: string, 
/**
 * The agent's own choice of model; outranks the soul's.
 */
model: string | null, 
/**
 * Who delegates to it; it ends with its parent.
 */
parent: AgentId | null, state: AgentState, 
/**
 * Why the agent is in `error`, and what to do about it.
 */
problem: Fault | null, created_ms: number, };

export type AgentDetail = { agent: Agent, groups: Array<GroupId>, transitions: Array<Transition>, };

export type AgentId = string;

export type AgentState = "idle" | "running" | "waiting_approval" | "paused" | "error" | "terminated";

export type Answer = { id: RequestId, result: { Ok : Reply } | { Err : Fault }, };

export type AnswerFormat = { "kind": "gbnf", grammar: string, } | { "kind": "json_schema", schema: unknown, };

export type Appearance = { theme: Theme, language: Language, high_contrast: boolean, 
/**
 * How large everything in the window is drawn: one of `ZOOMS`.
 */
zoom_percent: number, };

export type Approval = { 
/**
 * The use that is asked about.
 */
call: CallId, run: RunId, agent: AgentId, group: GroupId, tool: string, arguments: unknown, 
/**
 * What exactly it would touch: the whole path of a file, an address.
 */
target: string | null, 
/**
 * A pattern that this target and those like it fit.
 */
like: string | null, 
/**
 * A hash of the tool, its schema, the arguments and the target, and of the text that
 * is changed there. Who answers says which they saw.
 */
binding: string, state: ApprovalState, asked_ms: number, 
/**
 * No answer by then is no.
 */
expires_ms: number, answered_ms: number | null, };

export type ApprovalState = "waiting" | "allowed" | "covered" | "used" | "denied" | "expired" | "withdrawn";

export type Approvals = { 
/**
 * How long a question waits. No answer is no.
 */
minutes: number, 
/**
 * Whether the system tells that something waits while no window is looked at.
 */
notifies: boolean, 
/**
 * What no agent does, whoever allows it.
 */
blocked: Array<BlockedUse>, 
/**
 * Hosts, as `HOST` or `HOST:PORT`, that agents may reach although they are on
 * this machine or in the network around it.
 */
near_hosts: Array<string>, };

export type AskedLine = { 
/**
 * Whether the model itself is to have said it.
 */
by_model: boolean, text: string, };

export type Asks = { "kind": "form", fields: Array<Field>, } | { "kind": "page", url: string, 
/**
 * Where that really leads.
 */
host: string, } | { "kind": "words", 
/**
 * As `provider/model`.
 */
model: string, system: string | null, messages: Array<AskedLine>, 
/**
 * The most that it may write.
 */
tokens: number, 
/**
 * The most that it may cost; `None` where the model has no price.
 */
microusd: number | null, };

export type Attachment = { 
/**
 * BLAKE3 of the bytes, in hexadecimal digits.
 */
hash: string, 
/**
 * The file's own name, without its folder.
 */
name: string, kind: AttachmentKind, bytes: number, 
/**
 * The server that it was read from; none for a file of the person's own.
 */
from?: ReadFrom, };

export type AttachmentContent = { kind: AttachmentKind, base64: string, };

export type AttachmentKind = "png" | "jpeg" | "gif" | "webp" | "text";

export type Author = { "kind": "user" } | { "kind": "agent", "id": AgentId } | { "kind": "outside", "id": PassId } | { "kind": "source", "id": FeedSourceId } | { "kind": "system" };

export type Backup = { path: string, made_ms: number, files: number, bytes: number, 
/**
 * Links and the like, which are no files.
 */
left_out: number, };

export type BackupProgress = { work: BackupWork, done_bytes: number, 
/**
 * As many as `done_bytes` when it has ended, however it did.
 */
of_bytes: number, };

export type BackupWork = "backing_up" | "restoring" | "taking_in";

export type Became = { "kind": "given", group: GroupId, message: MessageId, } | { "kind": "missed", times: number, } | { "kind": "skipped", why: Reason, };

export type BlockedUse = { 
/**
 * Its name; `*` is any tool.
 */
tool: string, 
/**
 * What the target fits, or the arguments where a tool has no target, or the text of
 * a program or one of its commands; `*` stands for any signs.
 */
pattern: string, 
/**
 * Only in this group, and in what agents do elsewhere because of what was said there.
 */
group?: GroupId, };

export type Body = { "kind": "text", 
/**
 * Markdown.
 */
text: string, 
/**
 * Stopped before the model had finished.
 */
cut_short: boolean, } | { "kind": "notice", notice: Notice, };

export type Budget = { scope: BudgetScope, 
/**
 * Tokens read and written.
 */
tokens: number | null, 
/**
 * Millionths of a US dollar.
 */
microusd: number | null, };

export type BudgetScope = { "kind": "message" } | { "kind": "run" } | { "kind": "day" } | { "kind": "any_agent" } | { "kind": "any_group" } | { "kind": "feed" } | { "kind": "agent", "id": AgentId } | { "kind": "group", "id": GroupId };

export type BudgetState = { budget: Budget, 
/**
 * Set by a person; else the default.
 */
set: boolean, 
/**
 * Today's, for a scope that counts by the day; 0 for the others.
 */
spent_tokens: number, 
/**
 * Of the calls whose price is known; `None` where there were calls and no
 * price of any of them is.
 */
spent_microusd: number | null, 
/**
 * Calls that cost nobody knows how much.
 */
unpriced_calls: number, 
/**
 * Promised to calls in progress.
 */
reserved_tokens: number, reserved_microusd: number, };

export type BudgetUnit = "tokens" | "microusd";

export type Call = { "command": Command } | { "query": Query };

export type CallId = string;

export type CallState = "refused" | "dispatched" | "succeeded" | "failed" | "denied" | "expired" | "blocked" | "skipped" | "cancelled" | "outcome_unknown";

export type Capabilities = { agent: AgentId, 
/**
 * The folders whose files are its to see.
 */
roots: Array<string>, 
/**
 * Those that its soul names and that it does not get.
 */
left_out: Array<RootLeftOut>, all: Array<Capability>, };

export type Capability = { kind: CapabilityKind, name: string, description: string, 
/**
 * `High` where a person is asked first.
 */
risk: Risk, 
/**
 * Whether the agent has it.
 */
there: boolean, needs: Array<Need>, };

export type CapabilityKind = "tool" | "server_tool" | "skill" | "delegate";

export type Caps = { 
/**
 * Agent messages that one user message may cause. In `rounds` it counts
 * per member, and thirty at the most.
 */
messages_per_post: number, 
/**
 * A reply's depth is its cause's depth plus one; a user message has 0.
 */
chain_depth: number, 
/**
 * Answers of the same two agents to each other with nobody and no tool's result
 * between them. Turns that the policy gives answer the person.
 */
pair_hops: number, 
/**
 * Runs of one agent within an hour, over all its groups.
 */
runs_per_hour: number, };

export type CardFile = { name: string, base64: string, };

export type CardForm = "card_v1" | "card_v2" | "card_v3" | "soul_md" | "identity_md";

export type CardLoss = "no_place" | "not_its_to_say" | "too_long" | "picture";

export type CardUse = "name" | "role" | "persona" | "example";

export type CatchUp = { "kind": "skip" } | { "kind": "once" } | { "kind": "all", most: number, };

export type Cause = { message: MessageId, author: Author, reason: Reason, };

export type Check = { 
/**
 * What was looked at: `database`, `starter model`, …
 */
name: string, state: CheckState, 
/**
 * What was found, in a sentence.
 */
detail: string, 
/**
 * What to do, where something can be done.
 */
fix: string, 
/**
 * The same for whoever says it in another language.
 */
kind?: CheckKind, };

export type CheckAbout = { "is": "system" } | { "is": "data_directory" } | { "is": "database" } | { "is": "souls" } | { "is": "skills" } | { "is": "profile" } | { "is": "engine" } | { "is": "keeper" } | { "is": "sandbox" } | { "is": "starter_model" } | { "is": "embedding_model" } | { "is": "onnx_runtime" } | { "is": "memory_index" } | { "is": "reranker" } | { "is": "memory_import" } | { "is": "prompts" } | { "is": "keyring" } | { "is": "default_model" } | { "is": "provider", name: string, } | { "is": "mcp_server", name: string, } | { "is": "agent", name: string, } | { "is": "source", name: string, } | { "is": "feed" };

export type CheckKind = { about: CheckAbout, finding: Finding, };

export type CheckState = "ok" | "degraded" | "broken";

export type CheckedSoul = { 
/**
 * With any of these the text is not a soul.
 */
errors: Array<SoulProblem>, 
/**
 * Also what it names and what is not there at the moment.
 */
warnings: Array<SoulProblem>, };

export type Choice = { value: string, 
/**
 * What a person reads; the value, where there is none.
 */
title: string | null, };

export type Command = { "kind": "post", group: GroupId, text: string, reply_to: MessageId | null, 
/**
 * What it shows, kept before.
 */
attachments?: Array<Attachment>, } | { "kind": "edit_message", message: MessageId, text: string, attachments: Array<Attachment>, } | { "kind": "answer_again", message: MessageId, } | { "kind": "show_branch", message: MessageId, } | { "kind": "fork", message: MessageId, name: string | null, } | { "kind": "forget_message", message: MessageId, } | { "kind": "react", item: MessageId, sign: string, on: boolean, } | { "kind": "save_draft", group: GroupId, written: Written | null, 
/**
 * These wait, from now on or as they are now.
 */
keep: Array<Unsent>, 
/**
 * These wait no longer.
 */
drop: Array<RequestId>, } | { "kind": "post_unsent", group: GroupId, unsent: RequestId, } | { "kind": "attach", name: string, base64: string, } | { "kind": "new_group", name: string | null, members: Array<AgentId>, policy: TurnPolicy | null, } | { "kind": "new_group_from", template: string, name: string | null, } | { "kind": "edit_group", group: GroupId, patch: GroupPatch, } | { "kind": "export_group", group: GroupId, path: string, format: GroupFormat, } | { "kind": "add_member", group: GroupId, agent: AgentId, sees: History, } | { "kind": "remove_member", group: GroupId, agent: AgentId, } | { "kind": "bring_back", group: GroupId, agent: AgentId, } | { "kind": "edit_member", group: GroupId, agent: AgentId, patch: MemberPatch, } | { "kind": "mark_read", group: GroupId, seq: number, } | { "kind": "speak_now", group: GroupId, agent: AgentId, } | { "kind": "stop", target: Target, } | { "kind": "new_community", name: string, rules: string, members: Array<AgentId>, } | { "kind": "edit_community", community: CommunityId, patch: CommunityPatch, } | { "kind": "write_post", community: CommunityId, text: string, } | { "kind": "ask_for_post", community: CommunityId, agent: AgentId, } | { "kind": "comment", to: MessageId, text: string, } | { "kind": "moderate", item: MessageId, how: Moderation, why: string | null, } | { "kind": "tick" } | { "kind": "turn_on_feed", every_minutes: number, tokens_a_day: number, microusd_a_day: number, } | { "kind": "turn_off_feed" } | { "kind": "retry_feed_event", event: number, } | { "kind": "new_schedule", plan: SchedulePlan, } | { "kind": "edit_schedule", schedule: ScheduleId, plan: SchedulePlan, } | { "kind": "pause_schedule", schedule: ScheduleId, paused: boolean, } | { "kind": "remove_schedule", schedule: ScheduleId, } | { "kind": "run_schedule", schedule: ScheduleId, } | { "kind": "new_source", plan: SourcePlan, } | { "kind": "switch_source", source: FeedSourceId, on: boolean, } | { "kind": "remove_source", source: FeedSourceId, } | { "kind": "ask_for_digest", agent: AgentId, } | { "kind": "pause_all" } | { "kind": "resume_all" } | { "kind": "new_agent", soul: string, name: string | null, model: string | null, 
/**
 * Who delegates to it; it ends with its parent.
 */
parent: AgentId | null, } | { "kind": "pause_agent", agent: AgentId, } | { "kind": "resume_agent", agent: AgentId, } | { "kind": "terminate_agent", agent: AgentId, } | { "kind": "set_agent_model", agent: AgentId, model: string | null, } | { "kind": "answer_approval", call: CallId, binding: string, consent: Consent, covers: Covers | null, } | { "kind": "revoke_grant", grant: GrantId, } | { "kind": "answer_question", question: QuestionId, answer: QuestionAnswer, } | { "kind": "resume_run", run: RunId, } | { "kind": "drop_run", run: RunId, } | { "kind": "run_once", agent: AgentId, dialog: Array<Line>, } | { "kind": "set_budget", budget: Budget, } | { "kind": "reset_budget", scope: BudgetScope, } | { "kind": "save_soul", soul: string, text: string, base_hash: string | null, } | { "kind": "draft_soul", name: string, sentence: string, } | { "kind": "roll_back_soul", soul: string, version: number, } | { "kind": "rename_soul", soul: string, to: string, } | { "kind": "delete_soul", soul: string, } | { "kind": "bring_back_soul", soul: string, } | { "kind": "approve_proposal", proposal: ProposalId, } | { "kind": "decline_proposal", proposal: ProposalId, } | { "kind": "add_memory", memory: NewMemory, } | { "kind": "edit_memory", memory: MemoryId, patch: MemoryPatch, } | { "kind": "pin_memory", memory: MemoryId, pinned: boolean, } | { "kind": "judge_memory", memory: MemoryId, judgement: Judgement, } | { "kind": "merge_memories", memories: Array<MemoryId>, text: string, } | { "kind": "forget_memory", memory: MemoryId, } | { "kind": "undo_memory", memory: MemoryId, } | { "kind": "consolidate_memories", preview: boolean, } | { "kind": "rebuild_memory_index" } | { "kind": "import_memories", path: string, 
/**
 * `None`: as the file looks.
 */
format: MemoryFormat | null, 
/**
 * In place of what the file says.
 */
scope: MemoryScope | null, 
/**
 * The person vouches for it: it is trusted as far as it says. Else nothing in it is.
 */
vouched: boolean, preview: boolean, } | { "kind": "drop_import", path: string, } | { "kind": "export_memories", path: string, format: MemoryFormat, filter: MemoryFilter, } | { "kind": "back_up", path: string, } | { "kind": "restore", path: string, } | { "kind": "look_through_backup", path: string, } | { "kind": "restore_looked_through" } | { "kind": "forget_restore" } | { "kind": "take_in", path: string, 
/**
 * The person vouches for it: its memories are trusted as far as they were there.
 */
vouched: boolean, 
/**
 * Only says what would come of it.
 */
preview: boolean, 
/**
 * The hash of the one that was looked through: another is refused.
 */
looked_through: string | null, } | { "kind": "save_provider", provider: Provider, 
/**
 * Is its own key from now on: both are kept, or neither.
 */
key: Secret | null, 
/**
 * What was there when this was put together. Nothing is saved over another.
 */
replaces: Provider | null, } | { "kind": "remove_provider", provider: string, } | { "kind": "add_model_file", path: string, } | { "kind": "remove_model_file", path: string, } | { "kind": "set_model_window", model: string, tokens: number | null, } | { "kind": "forget_answers" } | { "kind": "use_model", role: ModelRole, model: string, } | { "kind": "change_settings", patch: SettingsPatch, } | { "kind": "put_server", setup: McpSetup, values: { [key in string]: Secret }, replaces: boolean, } | { "kind": "import_servers", text: Secret, preview: boolean, } | { "kind": "edit_server", server: string, patch: McpPatch, } | { "kind": "reload_server", server: string, sign_in: boolean, } | { "kind": "remove_server", server: string, 
/**
 * Takes that off the list without reaching its place, for a keyring that will
 * not come back.
 */
forget: boolean, } | { "kind": "attach_resource", server: string, uri: string, } | { "kind": "fill_prompt", server: string, prompt: string, arguments: { [key in string]: string }, } | { "kind": "put_pass", rights: PassRights, } | { "kind": "revoke_pass", pass: PassId, } | { "kind": "from_outside", pass: string, wanted: Wanted, } | { "kind": "add_skill", path: string, } | { "kind": "remove_skill", skill: string, } | { "kind": "set_key", name: string, value: Secret, } | { "kind": "use_variable", name: string, variable: string, } | { "kind": "remove_key", name: string, 
/**
 * Takes it off the list without reaching its place, for a keyring
 * that will not come back.
 */
forget: boolean, } | { "kind": "move_keys", to: KeyHome, } | { "kind": "seal_keys", passphrase: Secret, } | { "kind": "unlock_keys", passphrase: Secret, } | { "kind": "lock_keys" } | { "kind": "change_passphrase", old: Secret, new: Secret, };

export type Community = { id: CommunityId, name: string, 
/**
 * Read by whoever writes there.
 */
rules: string, 
/**
 * Who may be given something to answer; empty stands for every agent.
 */
members: Array<AgentId>, archived: boolean, created_ms: number, };

export type CommunityId = string;

export type CommunityPatch = { name?: string, rules?: string, members?: Array<AgentId>, archived?: boolean, };

export type Consent = "deny" | "once" | "session" | "always";

export type Consolidated = { 
/**
 * Memories that had changed since the last time.
 */
looked_at: number, 
/**
 * Two that say the same: the first says it from now on.
 */
merged: Array<[Memory, Memory]>, 
/**
 * What the person said of themselves in episodes.
 */
noticed: Array<NewMemory>, 
/**
 * What turns ask for so often that it counts for more.
 */
matters: Array<Memory>, 
/**
 * So many are left for the next time, because no more may give way at once.
 */
left: number, 
/**
 * So many cannot be compared before the model has made out what they mean.
 */
waiting: number, };

export type ContextSkill = { name: string, version: string, 
/**
 * Where it comes from: a file, or who serves it.
 */
source: string, 
/**
 * JSON Schema of what it takes.
 */
schema: unknown, };

export type Covers = { "kind": "arguments", arguments: unknown, } | { "kind": "same", target: string, } | { "kind": "target", pattern: string, } | { "kind": "any_use" };

export type Day = "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday";

export type Decision = { seq: number, group: GroupId, agent: AgentId, 
/**
 * The message that was decided upon.
 */
message: MessageId, root: MessageId, verdict: Verdict, reason: Reason, 
/**
 * The run in which the agent itself chose, if it was its choice.
 */
run: RunId | null, at_ms: number, };

export type Difference = { 
/**
 * The number of the step.
 */
n: number, 
/**
 * `None` where the record has ended already.
 */
stored: StepKind | null, 
/**
 * `None` where this time nothing more happened.
 */
again: StepKind | null, };

export type Draft = { group: GroupId, 
/**
 * What stands where the person writes.
 */
written: Written, 
/**
 * What goes out when the group is quiet, in this order.
 */
unsent: Array<Unsent>, };

export type Effects = "none" | "repeatable" | "once";

export type EndedRuns = "all" | "failed";

export type Event = { n: number, } & ({ "event": "saved", record: Record, } | { "event": "removed", removed: Removed, } | { "event": "live", live: Live, } | { "event": "waiting", waiting: Waiting, } | { "event": "use_progress", progress: UseProgress, } | { "event": "held_up", why: Fault | null, } | { "event": "memory_index", index: MemoryIndex, } | { "event": "memory_progress", progress: MemoryProgress, } | { "event": "backup_progress", progress: BackupProgress, } | { "event": "keys", keys: Keys, } | { "event": "servers", servers: Array<McpServer>, } | { "event": "skills", skills: Array<Skill>, } | { "event": "page", server: string, url: string, });

export type Fault = { code: FaultCode, 
/**
 * One sentence: what was tried and what is wrong with it.
 */
message: string, 
/**
 * One sentence: the next step. Empty when there is none.
 */
fix: string, 
/**
 * Which fault it is, where the window has words of its own for it.
 */
kind?: FaultKind, };

export type FaultCode = "bad_input" | "not_found" | "refused" | "budget" | "timed_out" | "conflict" | "no_model" | "key" | "provider" | "engine" | "storage" | "internal";

export type FaultKind = { "is": "disk_full" } | { "is": "disk_fails", detail: string, } | { "is": "database_damaged", path: string, detail: string, } | { "is": "database_newer", path: string, found: number, known: number, } | { "is": "database_no_file", path: string, found: NoFile, } | { "is": "database_forbidden", path: string, } | { "is": "database_emptied", path: string, 
/**
 * What is there beside it.
 */
beside: string, } | { "is": "log_damaged", path: string, log: string, 
/**
 * Where a copy of it is.
 */
kept: string, } | { "is": "database_read_only", detail: string, } | { "is": "database_unopenable", path: string, detail: string, } | { "is": "database_fails", detail: string, } | { "is": "backup_fails", path: string, detail: string, } | { "is": "backup_unknown", path: string, } | { "is": "backup_damaged", path: string, detail: string, } | { "is": "backup_replaced", path: string, } | { "is": "backup_newer", path: string, version: string, } | { "is": "folder_is_file", path: string, } | { "is": "folder_forbidden", path: string, } | { "is": "folder_read_only", path: string, } | { "is": "folder_full", path: string, } | { "is": "folder_unusable", path: string, detail: string, } | { "is": "socket_taken", path: string, } | { "is": "socket_fails", path: string, detail: string, } | { "is": "owner_silent", path: string, 
/**
 * Unknown where the lock does not say it.
 */
pid: number | null, } | { "is": "owner_foreign", path: string, } | { "is": "owner_gone" } | { "is": "owner_slow", seconds: number, } | { "is": "other_version", detail: string, } | { "is": "line_too_long" } | { "is": "workspace_closed" } | { "is": "keyring_locked" } | { "is": "keyring_absent", detail: string, } | { "is": "keyring_denied", detail: string, } | { "is": "keyring_silent", seconds: number, } | { "is": "keyring_lost", detail: string, } | { "is": "keyring_fails", detail: string, } | { "is": "sealed_locked" } | { "is": "sealed_missing", path: string, } | { "is": "sealed_exists", path: string, } | { "is": "sealed_newer", detail: string, } | { "is": "passphrase_wrong" } | { "is": "passphrase_short", least: number, } | { "is": "key_missing", name: string, } | { "is": "key_gone", name: string, } | { "is": "key_list_damaged", path: string, detail: string, } | { "is": "key_damaged", detail: string, } | { "is": "variable_unset", variable: string, } | { "is": "message_empty" } | { "is": "message_long", length: number, most: number, } | { "is": "attachment_large", name: string, bytes: number, most: number, } | { "is": "attachment_unfit", name: string, } | { "is": "attachment_empty", name: string, } | { "is": "attachment_damaged", name: string, } | { "is": "attachment_gone", name: string, } | { "is": "attachments_many", most: number, } | { "is": "memory_file", path: string, line: number | null, wrong: MemoryFileWrong, } | { "is": "pdf_unread", name: string, why: PdfUnread, } | { "is": "group_archived", group: string, } | { "is": "group_direct", group: string, } | { "is": "group_template_unknown", name: string, } | { "is": "group_template_wrong", path: string, detail: string, } | { "is": "community_name_taken", name: string, } | { "is": "community_archived", name: string, } | { "is": "thread_locked" } | { "is": "message_not_yours" } | { "is": "message_not_an_answer" } | { "is": "message_aside" } | { "is": "conversation_busy", group: string, } | { "is": "no_branches" } | { "is": "times_unread", words: string, } | { "is": "times_past" } | { "is": "zone_unknown", zone: string, } | { "is": "heartbeat_there", name: string, } | { "is": "heartbeat_of_soul", name: string, soul: string, } | { "is": "heartbeat_of_demo", name: string, } | { "is": "group_silent", group: string, } | { "is": "group_name_taken", name: string, } | { "is": "group_name_unfit", name: string, } | { "is": "group_name_of_agent", name: string, } | { "is": "group_direct_leave", group: string, } | { "is": "member_twice", name: string, } | { "is": "talkativeness_range", found: number, } | { "is": "group_without_agents" } | { "is": "group_last_agent", name: string, group: string, } | { "is": "not_in_group", group: string, } | { "is": "agent_ended", name: string, } | { "is": "agent_name_unfit", name: string, } | { "is": "your_name_taken", name: string, } | { "is": "agent_name_yours", name: string, } | { "is": "agent_name_taken", name: string, } | { "is": "agent_name_of_group", name: string, } | { "is": "agent_no_pause", name: string, state: AgentState, } | { "is": "agent_no_resume", name: string, state: AgentState, } | { "is": "agent_no_work", name: string, state: AgentState, } | { "is": "agent_paused", name: string, } | { "is": "agent_stopped", name: string, detail: string, } | { "is": "agent_quota", name: string, limit: number, } | { "is": "agent_over_budget", name: string, } | { "is": "over_budget", scope: BudgetScope, 
/**
 * Of whom it is, where it is one agent's or one group's.
 */
name: string | null, unit: BudgetUnit, limit: number, used: number, 
/**
 * At the most.
 */
needed: number, 
/**
 * The soul that says so, which nothing overrides that is set elsewhere.
 */
soul?: string, } | { "is": "agent_no_turn", name: string, } | { "is": "all_paused" } | { "is": "feed_item_removed" } | { "is": "feed_without_cap" } | { "is": "outcome_unknown", tool: string, } | { "is": "ended_too_often", times: number, } | { "is": "approval_over", how: ApprovalState, } | { "is": "approval_changed" } | { "is": "question_over", how: QuestionState, } | { "is": "answer_misfit", field: string, } | { "is": "pattern_misfit", pattern: string, } | { "is": "run_answered" } | { "is": "run_not_interrupted" } | { "is": "dialog_unended" } | { "is": "dialog_line_empty" } | { "is": "soul_unknown", name: string, } | { "is": "proposal_answered" } | { "is": "proposal_stale", name: string, section: string, 
/**
 * Empty where there is no such section.
 */
now: string, } | { "is": "soul_version_unknown", name: string, version: number, } | { "is": "soul_unusable", name: string, } | { "is": "soul_never_in_force", name: string, } | { "is": "soul_kept", name: string, other: string, why: SoulKept, } | { "is": "soul_name_unfit", name: string, better: string, } | { "is": "soul_too_large", name: string, most_kib: number, } | { "is": "soul_not_plain", name: string, } | { "is": "soul_changed", name: string, } | { "is": "soul_deleted", name: string, } | { "is": "souls_no_folder", path: string, } | { "is": "souls_forbidden" } | { "is": "souls_read_only" } | { "is": "souls_fail", detail: string, } | { "is": "stop_unsaved", detail: string, } | { "is": "model_unchosen" } | { "is": "model_makes_no_vectors", model: string, } | { "is": "model_unfit", model: string, known: string, } | { "is": "model_unlisted", model: string, known: string, } | { "is": "engine_missing", model: string, } | { "is": "model_gone", model: string, } | { "is": "model_window_unfit", model: string, least: number, most: number, } | { "is": "provider_unknown", name: string, } | { "is": "provider_name_built_in" } | { "is": "provider_changed", name: string, } | { "is": "key_of_another_server", name: string, server: string, } | { "is": "provider_name_unfit", name: string, } | { "is": "address_unfit", address: string, } | { "is": "address_holds_key" } | { "is": "model", trouble: ModelTrouble, } | { "is": "model_file", path: string, wrong: ModelFileWrong, } | { "is": "server_name_taken", name: string, } | { "is": "server_unknown", name: string, } | { "is": "server_unfit", detail: string, } | { "is": "server_failed", name: string, detail: string, } | { "is": "server_switched_off", name: string, } | { "is": "servers_unread", detail: string, } | { "is": "skill_unknown", name: string, } | { "is": "skill_taken", name: string, } | { "is": "skill_unfit", path: string, detail: string, } | { "is": "pass_name_unfit", name: string, } | { "is": "pass_name_taken", name: string, } | { "is": "source_name_unfit", name: string, } | { "is": "source_name_taken", name: string, } | { "is": "source_folder_away", path: string, detail: string, } | { "is": "source_folder_own", path: string, } | { "is": "source_folder_large", path: string, most: number, };

export type FeedDay = { 
/**
 * `2026-11-21`, from midnight to midnight UTC, as budgets count days.
 */
day: string, who: Author, 
/**
 * Posts and comments that they wrote, also those that are out of sight now.
 */
posts: number, comments: number, 
/**
 * Posts and comments that the agent was given to answer.
 */
given: number, 
/**
 * Those that it was not, whatever the reason.
 */
refused: number, };

export type FeedEvent = { seq: number, item: MessageId, group: GroupId, state: FeedEventState, 
/**
 * How often it was taken up, counted before it is.
 */
tries: number, 
/**
 * What went wrong the last time.
 */
fault: Fault | null, at_ms: number, };

export type FeedEventState = "waiting" | "taken" | "done" | "dead";

export type FeedFilter = { 
/**
 * `None` for all that are not archived.
 */
community?: CommunityId, 
/**
 * Who wrote the post; what is said about it is anybody's.
 */
author?: Author, 
/**
 * Only those with something in them that the person has not seen.
 */
unread?: boolean, };

export type FeedItem = { message: Message, 
/**
 * Kept out of sight; agents do not read it either.
 */
hidden: boolean, reactions: Array<Reaction>, 
/**
 * To it: that many agents may still be given it, beside those whom it names.
 */
answers: LeftOf, 
/**
 * How far it is with deciding who answers it; `None` where nobody is to.
 */
event: FeedEventState | null, };

export type FeedPlace = { "kind": "post", community: CommunityId | null, } | { "kind": "comment", to: MessageId, };

export type FeedQueue = { waiting: number, taken: number, done: number, 
/**
 * Those that could not be given out, oldest first: they are tried again, or wait for the
 * person after too many tries.
 */
failed: Array<FeedEvent>, 
/**
 * Answers that are owed and on their way, over all threads.
 */
answers_to_come: number, 
/**
 * What waits does so for want of room in this budget.
 */
no_room: BudgetScope | null, 
/**
 * Answers that agents owe that rest: they give them when they go on.
 */
held: Array<HeldAnswers>, 
/**
 * Answers that came to nothing when Coterie ended; a person takes them up again.
 */
interrupted: Array<Run>, 
/**
 * What each agent may still be given in this hour.
 */
quotas: Array<FeedQuota>, 
/**
 * Templates of the person's own that are not used, and why.
 */
problems: Array<string>, 
/**
 * Ticks are to come by themselves, and none does: what they may cost has no end.
 */
without_cap: boolean, 
/**
 * When the next tick comes by itself, if any does.
 */
next_tick_ms: number | null, };

export type FeedQuota = { agent: AgentId, left: number, of: number, };

export type FeedRules = { 
/**
 * A tick comes by itself. Turned on by a command of its own, which says what
 * it may cost.
 */
on: boolean, every_minutes: number, 
/**
 * Agents that one post or comment is given to.
 */
answers_per_item: number, 
/**
 * Posts and comments that one agent is given within an hour.
 */
per_hour: number, 
/**
 * How long an agent is left alone in a thread after it was given something
 * there, unless it is spoken to.
 */
rest_minutes: number, };

export type FeedSource = { id: FeedSourceId, plan: SourcePlan, 
/**
 * What happens while it is off is never told.
 */
on: boolean, 
/**
 * How many posts it has written.
 */
posts: number, posted_ms: number | null, created_ms: number, 
/**
 * Since then it tells nothing; its name stays with what it wrote.
 */
removed_ms: number | null, };

export type FeedSourceId = string;

export type Field = { 
/**
 * What the answer calls it.
 */
name: string, 
/**
 * What a person reads; the name, where there is none.
 */
title: string | null, about: string | null, required: boolean, takes: Takes, 
/**
 * What it holds at first.
 */
default: unknown, 
/**
 * Its name says that a password or a key is to be entered, which no form is
 * for.
 */
sounds_secret: boolean, };

export type FilledPrompt = { text: string, 
/**
 * What goes along with it.
 */
attachments: Array<Attachment>, };

export type Finding = { "is": "at", path: string, } | { "is": "fault", fault: Fault, } | { "is": "damaged", detail: string, } | { "is": "system_untried", system: string, } | { "is": "souls_in_force", count: number, path: string, } | { "is": "soul_not_in_force", path: string, problem: SoulProblem | null, version: number, } | { "is": "skills_in_force", count: number, path: string, } | { "is": "skill_not_in_force", path: string, problem: SoulProblem, kept: boolean, } | { "is": "profile_unreadable", path: string, detail: string, } | { "is": "profile_long", path: string, tokens: number, most: number, } | { "is": "profile_empty", path: string, } | { "is": "part_missing", path: string, } | { "is": "part_cut", path: string, found_bytes: number, shipped_bytes: number, } | { "is": "part_changed", path: string, } | { "is": "confines" } | { "is": "confines_without_marks" } | { "is": "confines_on_mac" } | { "is": "unconfined", detail: string, } | { "is": "memories_found", memories: number, meaning: number, } | { "is": "words_only", memories: number, detail: string, } | { "is": "embedder_away", memories: number, model: string, detail: string, } | { "is": "reranker_unused", path: string, detail: string, } | { "is": "import_cut_off", path: string, detail: string, } | { "is": "feed_stuck", events: number, detail: string, } | { "is": "prompt_unused", detail: string, } | { "is": "keyring_works", name: string, keys: number, } | { "is": "keys_apart", keys: number, } | { "is": "sealed_open", keys: number, } | { "is": "sealed_locked", keys: number, } | { "is": "sealed_gone" } | { "is": "model", model: string, } | { "is": "model_demo", model: string, } | { "is": "model_unlisted", model: string, } | { "is": "nobody_answers", fault: Fault, } | { "is": "provider_answers", models: number, 
/**
 * It tells them to anybody, so its key is not checked by that.
 */
tells_anybody: boolean, 
/**
 * Calls did not reach it, and for so long none is tried.
 */
left_alone_seconds: number | null, } | { "is": "server_ready", tools: number, } | { "is": "server_off" } | { "is": "server_starting" } | { "is": "server_sign_in" } | { "is": "server_away", detail: string, } | { "is": "agent_stopped", fault: Fault, };

export type Forgetting = { message: Message, 
/**
 * The same in conversations that one was forked from, or forked into.
 */
copies: Array<Message>, 
/**
 * What was remembered of it.
 */
memories: Array<Memory>, };

export type Found = { 
/**
 * Those of a kind together, the best of each first.
 */
items: Array<FoundItem>, 
/**
 * So many messages, runs and memories have yet to be read by an index: what
 * they say is not found so far.
 */
unread: number, };

export type FoundItem = { 
/**
 * A part of its text, cut where the words stand that were looked for.
 */
snippet: Array<Piece>, at_ms: number, } & ({ "kind": "message", message: MessageId, seq: number, group: GroupId, author: Author, 
/**
 * The run that wrote it.
 */
run: RunId | null, } | { "kind": "memory", memory: Memory, } | { "kind": "run", run: Run, });

export type FoundMemories = { 
/**
 * The best first.
 */
hits: Array<MemoryHit>, 
/**
 * Why words alone were compared and not what they mean, if that is so.
 */
words_only: string | null, 
/**
 * The same search finds more when the index is told of next: the model that
 * compares meanings is on its way.
 */
to_come: boolean, };

export type FromOwner = { "answer": Answer } | { "event": Event } | { "resync": { now: Mark, } };

export type GaveWay = { was: string, now: string, };

export type Given = { "kind": "values", values: { [name: string]: unknown }, } | { "kind": "message", message: MessageId, };

export type GivenOutside = { "kind": "groups", "data": Array<OpenGroup> } | { "kind": "log", "data": Array<OpenLine> } | { "kind": "memory", "data": Array<OpenMemory> } | { "kind": "said", "data": Message };

export type Grant = { id: GrantId, agent: AgentId, group: GroupId, 
/**
 * For whoever of this soul works for the agent there; without it, for the agent itself.
 */
soul: string | null, tool: string, covers: Covers, 
/**
 * Until it is revoked; else until Coterie ends.
 */
always: boolean, 
/**
 * The hash of the tool's schema: a tool that takes something else by now is
 * another tool.
 */
schema: string, at_ms: number, used_ms: number | null, uses: number, };

export type GrantId = string;

export type Group = { id: GroupId, name: string, kind: GroupKind, policy: TurnPolicy, 
/**
 * Who answers when nobody is mentioned; the first member when `None`.
 */
default_agent: AgentId | null, 
/**
 * Who names the next speaker in `supervisor`; the default agent when
 * `None`.
 */
supervisor: AgentId | null, caps: Caps, archived: boolean, created_ms: number, 
/**
 * The budget that has stopped it, and what to do about it: what is owed there waits.
 */
problem?: Fault, };

export type GroupExport = { path: string, format: GroupFormat, messages: number, };

export type GroupFormat = "markdown" | "json";

export type GroupId = string;

export type GroupKind = "direct" | "group" | "task" | "post";

export type GroupPatch = { name?: string, policy?: TurnPolicy, default_agent?: AgentId, supervisor?: AgentId, caps?: Caps, archived?: boolean, };

export type GroupTemplates = { templates: Array<TemplateView>, 
/**
 * Why files of the person's own are not among them.
 */
wrong: Array<Fault>, };

export type GroupView = { group: Group, members: Array<Member>, last: Message | null, 
/**
 * Agent messages since the person last spoke, for "7 of 10 left".
 */
messages_since_post: number, 
/**
 * Answers that are owed and on their way; 0 when the group is quiet.
 */
answers_to_come: number, };

export type HeldAnswers = { agent: AgentId, answers: number, };

export type History = { "kind": "all" } | { "kind": "last", messages: number, } | { "kind": "nothing" };

export type ImportCutOff = { path: string, 
/**
 * It is tried again at each start, and when the file is taken in once more.
 */
why: string, };

export type Judgement = "right" | "wrong" | "outdated";

export type Kept = { by: ProviderKind, model: string, 
/**
 * The whole answer in the order in which it was written.
 */
parts: Array<KeptPart>, };

export type KeptPart = { "part": "text", bytes: number, seal: string | null, } | { "part": "call", id: string, seal: string | null, } | { "part": "own", json: string, };

export type Key = { 
/**
 * A provider's own is called `provider/NAME`.
 */
name: string, place: KeyPlace, 
/**
 * Its last four characters, where it is long enough to show them.
 */
ends_with: string | null, set_ms: number, 
/**
 * To the minute.
 */
used_ms: number | null, 
/**
 * The providers that are asked with it.
 */
used_by: Array<string>, 
/**
 * The server that it was entered for, as `https://host:port`, where no provider is
 * asked with it any more.
 */
only_for: string | null, };

export type KeyHome = "keyring" | "sealed";

export type KeyPlace = { "kind": "keyring" } | { "kind": "sealed" } | { "kind": "variable", variable: string, };

export type Keys = { keys: Array<Key>, 
/**
 * Why nobody knows which keys there are; none when that is known.
 */
list: Fault | null, home: KeyHome, 
/**
 * Why the keyring cannot be used, as far as that is known; none when it can.
 */
keyring: Fault | null, 
/**
 * What people call the keyring on this system.
 */
keyring_name: string, sealed: SealedFile, 
/**
 * How many lie in the other place than at home.
 */
to_be_moved: number, 
/**
 * How many still lie where the data directory keeps them that this one is a copy of.
 * Each gets a place of its own when it is read.
 */
lent: number, 
/**
 * Values that were removed or replaced while their place could not be reached, and
 * are erased when it can.
 */
to_be_erased: number, };

export type Language = "system" | "en" | "zh";

export type Learning = { 
/**
 * What a person says of themselves is noticed by plain rules.
 */
notices: boolean, 
/**
 * The fast model, if one is chosen, looks back at conversations that rest.
 */
looks_back: boolean, 
/**
 * A turn is reminded of what fits it.
 */
reminds: boolean, };

export type LeftAlone = { provider: string, for_ms: number, };

export type LeftOf = { left: number, of: number, };

export type LeftOut = { place: PlaceInFile, why: LeftOutWhy, };

export type LeftOutWhy = { "is": "no_conversation" } | { "is": "shown", files: number, } | { "is": "nothing_said", title: string, } | { "is": "file", wrong: MemoryFileWrong, } | { "is": "too_many_files" } | { "is": "folder_too_deep" } | { "is": "of_soul" } | { "is": "of_skill" } | { "is": "other_file" } | { "is": "forgotten" } | { "is": "other_words", text: string, } | { "is": "no_reader" } | { "is": "no_time" } | { "is": "unfit", detail: string, };

export type LeftPart = { part: string, why: CardLoss, };

export type Limits = { 
/**
 * Model calls at the same time, over all agents.
 */
max_concurrent: number, 
/**
 * Longest message a person or an agent may post.
 */
message_characters: number, };

export type Line = { role: Speaker, content: string, };

export type Live = { run: RunId, agent: AgentId, group: GroupId, 
/**
 * Where this piece begins, in UTF-16 units since the run's start; 0 says
 * that everything before it is void.
 */
offset: number, text: string, reasoning: string, };

export type LocalModel = { 
/**
 * `provider/model`, as roles name it.
 */
model: string, path: string, 
/**
 * It came with Coterie and is not on a person's own list.
 */
ships: boolean, 
/**
 * What is known of it; nothing where the file cannot be read.
 */
about: AboutModel | null, 
/**
 * Why it cannot be used.
 */
wrong: Fault | null, };

export type LocalModels = { models: Array<LocalModel>, 
/**
 * Whether this build of the engine can use a graphics processor.
 */
gpu: boolean, };

export type Manners = { 
/**
 * Whoever closes the window leaves the agents at work.
 */
stays: boolean, 
/**
 * Whether the system tells that a turn failed or an agent stopped while no window is
 * looked at.
 */
tells_trouble: boolean, };

export type Mark = { 
/**
 * Counts the owners the workspace has had.
 */
epoch: number, n: number, };

export type McpArgument = { name: string, description: string | null, required: boolean, };

export type McpImport = { taken: Array<McpSetup>, 
/**
 * What went to the keys, by its names there.
 */
keys: Array<string>, 
/**
 * What has to be entered yet, under these names, before its server starts.
 */
missing: Array<string>, left_out: Array<McpLeftOut>, };

export type McpLeftOut = { name: string, why: string, };

export type McpOffers = { resources: Array<McpResource>, templates: Array<McpTemplate>, prompts: Array<McpPrompt>, };

export type McpPatch = { on?: boolean, trusted?: boolean, may_sample?: boolean, 
/**
 * Its own names for tools, and whether agents are offered them.
 */
tools?: { [key in string]: boolean }, };

export type McpPlace = { "kind": "program", command: string, arguments: Array<string>, 
/**
 * Besides the few variables that every program gets.
 */
environment: { [key in string]: McpValue }, 
/**
 * Where it starts; the person's own folder, if there is none.
 */
folder: string | null, } | { "kind": "address", url: string, headers: { [key in string]: McpValue }, };

export type McpPrompt = { name: string, title: string | null, description: string | null, arguments: Array<McpArgument>, };

export type McpResource = { uri: string, name: string, title: string | null, description: string | null, mime_type: string | null, bytes: number | null, };

export type McpServer = { setup: McpSetup, state: McpState, 
/**
 * Those that it has, or had when it was there last.
 */
tools: Array<McpTool>, 
/**
 * Of its process and all that this started.
 */
memory_bytes: number | null, };

export type McpSetup = { 
/**
 * Letters, digits and `-`; stands before `__` in the names of its tools.
 */
name: string, 
/**
 * What it is called where it came from, if its name cannot say that.
 */
title?: string, place: McpPlace, 
/**
 * Whether it runs.
 */
on: boolean, 
/**
 * Whether what it claims of its tools is believed.
 */
trusted: boolean, 
/**
 * Whether it may ask for words of a model, each time past the person.
 */
may_sample: boolean, 
/**
 * Its tools that nobody is offered.
 */
switched_off: Array<string>, };

export type McpState = { "is": "off" } | { "is": "asleep" } | { "is": "starting" } | { "is": "ready", title: string | null, version: string | null, 
/**
 * Of the protocol, as its date.
 */
era: string, } | { "is": "resting", why: string, failed: number, for_ms: number, } | { "is": "sign_in", why: string, } | { "is": "failed", why: string, };

export type McpTemplate = { uri_template: string, name: string, description: string | null, };

export type McpTool = { 
/**
 * As the server knows it.
 */
name: string, 
/**
 * As souls and agents know it.
 */
offered_as: string, description: string, on: boolean, 
/**
 * The server claims that it only looks; nobody has checked that.
 */
looks_only: boolean, 
/**
 * Why no agent can be offered it.
 */
unfit: string | null, };

export type McpValue = { "kind": "plain", value: string, } | { "kind": "key", key: string, } | { "kind": "variable", variable: string, };

export type Member = { group: GroupId, who: Participant, 
/**
 * Position among the members, for `rounds` and for the roster.
 */
position: number, muted: boolean, 
/**
 * How likely it is to speak in `weighted`, from 0 to 100; what its soul
 * says when `None`.
 */
talkativeness: number | null, 
/**
 * The last message `seq` consumed here: by an agent's settled turn, or
 * by the person's eyes.
 */
cursor: number, 
/**
 * Messages up to this `seq` stay hidden from this member.
 */
joined_after: number, };

export type MemberPatch = { muted?: boolean, 
/**
 * From 0 to 100.
 */
talkativeness?: number, position?: number, };

export type Memory = { id: MemoryId, kind: MemoryKind, scope: MemoryScope, 
/**
 * What is remembered, in a sentence.
 */
text: string, 
/**
 * What it says of whom, if it is a statement of that form.
 */
statement: Statement | null, tags: Array<string>, trust: Trust, 
/**
 * 0 to 100. A person's own word is 80, what an agent notices 50.
 */
importance: number, 
/**
 * Recalled in every turn of those who may read it.
 */
pinned: boolean, source: Source, 
/**
 * When it was so in the world; `None`: not known, or still.
 */
valid_from_ms: number | null, valid_to_ms: number | null, created_at_ms: number, changed_at_ms: number, state: MemoryState, 
/**
 * How many times it was said.
 */
evidence: number, 
/**
 * In how many turns it was recalled, and when last.
 */
recalled: number, recalled_at_ms: number | null, 
/**
 * Grows by one with each change.
 */
version: number, };

export type MemoryChange = "added" | "edited" | "repeated" | "merged" | "superseded" | "contested" | "settled" | "wrong" | "outdated" | "pinned" | "unpinned" | "forgotten" | "undone";

export type MemoryDetail = { memory: Memory, 
/**
 * The first version first.
 */
versions: Array<MemoryVersion>, 
/**
 * Those that it took the place of, took its place, or contradict it.
 */
related: Array<Memory>, 
/**
 * The runs that read it, the newest first.
 */
recalled_by: Array<RunId>, };

export type MemoryExport = { path: string, format: MemoryFormat, memories: number, };

export type MemoryFileWrong = { "is": "no_whole_path" } | { "is": "missing" } | { "is": "fails", detail: string, } | { "is": "no_file" } | { "is": "empty_folder" } | { "is": "no_memories" } | { "is": "packed" } | { "is": "utf16" } | { "is": "no_text" } | { "is": "web_page" } | { "is": "chat_of_character" } | { "is": "empty_list" } | { "is": "no_conversations" } | { "is": "too_long", most_mb: number, } | { "is": "line_too_long", most_mb: number, } | { "is": "no_utf8" } | { "is": "no_memory", detail: string, } | { "is": "without_text" } | { "is": "cut_off" } | { "is": "no_json", column: number, detail: string, };

export type MemoryFilter = { kinds?: Array<MemoryKind>, scopes?: Array<MemoryScope>, 
/**
 * What this agent reads.
 */
agent?: AgentId, tag?: string, 
/**
 * Only those that are read in every turn.
 */
pinned?: boolean, 
/**
 * By when it was so or, where nobody knows, when it was written down. What has no end
 * counts by its beginning.
 */
since_ms?: number, until_ms?: number, standing?: Standing, };

export type MemoryFormat = "jsonl" | "markdown" | "memory_md" | "chatgpt" | "claude";

export type MemoryHit = { memory: Memory, scores: MemoryScores, };

export type MemoryId = string;

export type MemoryImport = { format: MemoryFormat, 
/**
 * Nothing in the file is trusted more than so.
 */
trust: Trust, 
/**
 * In the file.
 */
found: number, 
/**
 * New here, the contested with them.
 */
added: number, 
/**
 * There already, or more than once in the file.
 */
repeated: number, 
/**
 * Contradict one that is more trusted, and wait for a person.
 */
contested: number, 
/**
 * Memories that were here before and do not hold any more because of one that is added.
 */
gave_way: Array<GaveWay>, left_out: number, 
/**
 * Why, of the first of them.
 */
reasons: Array<LeftOut>, 
/**
 * In a preview, the first that would be added.
 */
samples: Array<NewMemory>, };

export type MemoryIndex = { memories: number, 
/**
 * Can be found by their words.
 */
words: number, 
/**
 * Can be found by what they mean.
 */
meaning: number, 
/**
 * So many more are found by their words alone, as the model makes nothing of them.
 */
left_out: number, 
/**
 * Whose vectors they are.
 */
model: string, 
/**
 * Why words alone are compared, if that is so.
 */
words_only: string | null, 
/**
 * Why it was made again since the start, if it was.
 */
made_again: string | null, 
/**
 * Imports that were cut off and cannot go on as yet.
 */
cut_off: Array<ImportCutOff>, };

export type MemoryKind = "fact" | "preference" | "skill" | "relationship" | "episode" | "summary";

export type MemoryPage = { memories: Array<Memory>, 
/**
 * How many there are, on all pages.
 */
total: number, 
/**
 * The next page is that before this point; `None` after the last.
 */
next: number | null, };

export type MemoryPatch = { 
/**
 * What new words state is made out of them, unless a statement is given with them.
 */
text?: string, statement?: Statement, kind?: MemoryKind, scope?: MemoryScope, tags?: Array<string>, importance?: number, 
/**
 * When it began to be so; `Some(None)`: nobody knows.
 */
valid_from_ms?: number | null, 
/**
 * When it ceased to be so; `Some(None)`: it has not.
 */
valid_to_ms?: number | null, };

export type MemoryProgress = { work: MemoryWork, done: number, 
/**
 * As many as `done` when it has ended, however it did.
 */
of: number, };

export type MemoryScope = { "kind": "user" } | { "kind": "workspace" } | { "kind": "agent", "id": AgentId } | { "kind": "group", "id": GroupId };

export type MemoryScores = { 
/**
 * What it was ranked by.
 */
total: number, 
/**
 * BM25 of the words that both have; 0 for none.
 */
words: number, 
/**
 * Cosine of the two vectors; `None` without vectors.
 */
meaning: number | null, 
/**
 * Both, each set to the range of what was found, and weighed: 0 to 1.
 */
fused: number, 
/**
 * In a turn: what age, importance and how often it was said make of it, as a
 * factor between 0.9 and 1.1.
 */
weight: number, 
/**
 * What the person's own reranker says, where there is one: it decided the
 * order of the best, which share their totals out anew.
 */
reranked?: number, 
/**
 * How much more it has to do with what was looked for, in meaning and in words,
 * than the nearest of as many texts would have by chance: from 0 on it concerns it,
 * and a turn may be reminded of it. `None` without vectors.
 */
apart?: number, };

export type MemoryState = { "kind": "current" } | { "kind": "superseded", "by": MemoryId } | { "kind": "contested", "by": MemoryId } | { "kind": "wrong" } | { "kind": "forgotten" };

export type MemoryVersion = { version: number, at_ms: number, change: MemoryChange, 
/**
 * `None`: the person.
 */
by: AgentId | null, 
/**
 * `None` once it is forgotten.
 */
memory: Memory | null, };

export type MemoryWork = "importing" | "exporting" | "consolidating";

export type Message = { 
/**
 * Order over the whole workspace.
 */
seq: number, id: MessageId, group: GroupId, 
/**
 * The message this one answers or quotes.
 */
parent: MessageId | null, 
/**
 * A fact set by the runtime, never read out of a model's text.
 */
author: Author, body: Body, 
/**
 * What it shows beside its words, in the person's order.
 */
attachments?: Array<Attachment>, 
/**
 * 0 for a person's message; a reply has its cause's depth plus one.
 */
chain_depth: number, 
/**
 * The person's message that everything since goes back to.
 */
root: MessageId, 
/**
 * The run that wrote it.
 */
run: RunId | null, at_ms: number, };

export type MessageId = string;

export type ModelCall = { 
/**
 * `provider/model`.
 */
model: string, usage: Usage, 
/**
 * The provider did not say; this is our own count.
 */
estimated: boolean, 
/**
 * `None` while no price of the model is known.
 */
cost_microusd: number | null, 
/**
 * From the question to the first sign of an answer; `None` where none came.
 */
first_token_ms: number | null, 
/**
 * From the question to the end; `None` for a call whose process ended.
 */
took_ms: number | null, ended_ms: number, };

export type ModelChoice = { 
/**
 * Answers.
 */
default: string | null, 
/**
 * Summaries and other housekeeping.
 */
fast: string | null, 
/**
 * Plans, and supervisors' decisions.
 */
reasoning: string | null, 
/**
 * What texts are compared with.
 */
embedding: string | null, 
/**
 * Goes on in the place of a model that fails for good.
 */
fallback: string | null, };

export type ModelFileWrong = "missing" | "no_model" | "cut_off" | "unusable";

export type ModelInfo = { 
/**
 * The provider's own name for it.
 */
name: string, 
/**
 * How much it reads and writes at once, as its provider says.
 */
context_tokens: number | null, 
/**
 * The same as a person wants it, whatever the provider says.
 */
chosen_tokens: number | null, 
/**
 * Small and for looking around only; the window says so.
 */
demo: boolean, };

export type ModelRole = "default" | "fast" | "reasoning" | "embedding" | "fallback";

export type ModelTrouble = "away" | "broken" | "wordless" | "endless" | "busy" | "failing" | "key" | "unknown" | "too_long" | "no_sight" | "no_tools" | "refused" | "withheld" | "engine" | "file" | "turn_budget" | "day_budget";

export type Moderated = { item: MessageId, how: Moderation, why: string | null, at_ms: number, };

export type Moderation = "hide" | "show" | "lock" | "unlock" | "remove";

export type NameMistake = { "is": "not_utf8" } | { "is": "ending" } | { "is": "empty" } | { "is": "space" } | { "is": "dot" } | { "is": "mark" } | { "is": "character", character: string, } | { "is": "unseen", code: string, } | { "is": "long", length: number, most: number, } | { "is": "bytes", length: number, most: number, };

export type Need = { what: NeedOf, met: boolean, };

export type NeedOf = { "is": "known" } | { "is": "allowed" } | { "is": "given" } | { "is": "model" } | { "is": "folder" } | { "is": "sandbox", detail: string, } | { "is": "program", name: string, } | { "is": "delegate" } | { "is": "skill" } | { "is": "resources" } | { "is": "server", name: string, detail: string, } | { "is": "unblocked", group: string, } | { "is": "switched_on", server: string, } | { "is": "room", server: string, } | { "is": "valid", path: string, detail: string, } | { "is": "tool", name: string, };

export type NewMemory = { kind: MemoryKind, scope: MemoryScope, text: string, statement: Statement | null, tags: Array<string>, importance: number | null, valid_from_ms: number | null, valid_to_ms: number | null, };

export type NoFile = "folder" | "pipe" | "socket" | "device" | "other";

export type Notice = { "kind": "joined", agent: AgentId, 
/**
 * How many earlier messages the newcomer sees; `None` for all.
 */
sees: number | null, } | { "kind": "left", agent: AgentId, } | { "kind": "soul_changed", agent: AgentId, 
/**
 * 0 where this was in another workspace: its versions are not here.
 */
version: number, } | { "kind": "soul_missing", agent: AgentId, soul: string, } | { "kind": "proposal_declined", agent: AgentId, section: string, 
/**
 * The same as agents read it.
 */
text: string, } | { "kind": "policy_changed", policy: TurnPolicy, } | { "kind": "run_failed", agent: AgentId, fault: Fault, } | { "kind": "stood_in", agent: AgentId, 
/**
 * `provider/model`.
 */
model: string, by: string, 
/**
 * Why it cannot be asked.
 */
fault: Fault, } | { "kind": "asked_to_post", agent: AgentId, } | { "kind": "scheduled", agent: AgentId, schedule: ScheduleId, text: string, } | { "kind": "heartbeat", agent: AgentId, } | { "kind": "asked_for_digest", agent: AgentId, since_ms: number, } | { "kind": "asked_to_forget", 
/**
 * How many memories say it.
 */
found: number, 
/**
 * Some of them.
 */
memories: Array<MemoryId>, } | { "kind": "secret_not_kept" } | { "kind": "removed" };

export type Occurrence = { message: MessageId, seq: number, };

export type Offer = { name: string, 
/**
 * What people call it: Ollama, LM Studio, llama-server.
 */
title: string, kind: ProviderKind, base_url: string, models: Array<ModelInfo>, };

export type OpenGroup = { id: GroupId, name: string, 
/**
 * The agents in it, by their names.
 */
agents: Array<string>, may_read: boolean, may_say: boolean, };

export type OpenLine = { 
/**
 * Its place in the order of all messages.
 */
number: number, who: string, by: SpokenBy, said: string, at_ms: number, };

export type OpenMemory = { text: string, trust: Trust, at_ms: number, };

export type Outcome = { "kind": "replied", message: MessageId, 
/**
 * It had found no answer, and says so.
 */
gave_up: boolean, } | { "kind": "silent", reason: Reason, } | { "kind": "failed", fault: Fault, };

export type Overview = { 
/**
 * Events after this mark are news to whoever got this overview.
 */
mark: Mark, settings: Settings, agents: Array<Agent>, groups: Array<GroupView>, souls: Array<Soul>, providers: Array<Provider>, 
/**
 * Runs that are going on or were interrupted.
 */
open_runs: Array<Run>, 
/**
 * Those of them that wait for their turn to ask a model.
 */
waiting: Array<Waiting>, 
/**
 * The starter model can answer without anything being set up.
 */
starter_model: string | null, data_dir: string, 
/**
 * Why turns wait: the disk takes nothing.
 */
held_up: Fault | null, keys: Keys, 
/**
 * What was written and not said yet, of groups where there is such.
 */
drafts: Array<Draft>, 
/**
 * What a person is asked at the moment, oldest first.
 */
approvals: Array<Approval>, 
/**
 * What agents and servers want to know at the moment, oldest first.
 */
questions: Array<Question>, 
/**
 * What agents may do without asking.
 */
grants: Array<Grant>, 
/**
 * What programs from outside may do; the revoked too, since their names stand
 * beside what they said.
 */
passes: Array<Pass>, 
/**
 * What is told in the feed by itself; the removed too, since their names stand
 * beside what they wrote.
 */
sources: Array<FeedSource>, 
/**
 * What agents propose for their souls, and nobody has answered, oldest first.
 */
proposals: Array<SoulProposal>, servers: Array<McpServer>, skills: Array<Skill>, };

export type PartOfFile = { "is": "line", "number": number } | { "is": "conversation", "number": number };

export type Participant = { "kind": "user" } | { "kind": "agent", "id": AgentId };

export type Pass = { id: PassId, at_ms: number, used_ms: number | null, uses: number, 
/**
 * Since then it may do nothing; its name stays with what it said.
 */
revoked_ms: number | null, 
/**
 * What the program is called where people and agents read what it says.
 */
name: string, 
/**
 * The groups that it may read.
 */
reads: Array<GroupId>, 
/**
 * The groups that it may say something in.
 */
says: Array<GroupId>, 
/**
 * What it may search of all that is remembered.
 */
memory: Array<MemoryScope>, 
/**
 * How much it may say within an hour, in all groups together.
 */
says_per_hour: number, };

export type PassId = string;

export type PassRights = { 
/**
 * What the program is called where people and agents read what it says.
 */
name: string, 
/**
 * The groups that it may read.
 */
reads: Array<GroupId>, 
/**
 * The groups that it may say something in.
 */
says: Array<GroupId>, 
/**
 * What it may search of all that is remembered.
 */
memory: Array<MemoryScope>, 
/**
 * How much it may say within an hour, in all groups together.
 */
says_per_hour: number, };

export type PdfUnread = "locked" | "no_text" | "damaged" | "heavy" | "no_reader";

export type Piece = { text: string, 
/**
 * It is what was looked for.
 */
found: boolean, };

export type PlaceInFile = { 
/**
 * From the folder on, where a folder was given; `…` for all that were not looked at.
 */
file: string | null, part: PartOfFile | null, };

export type Plan = { steps: Array<PlanStep>, };

export type PlanAction = { "kind": "tool", tool: string, 
/**
 * Text may name an earlier step's result as `{{id}}`.
 */
arguments: unknown, } | { "kind": "reply", 
/**
 * What the answer is to say.
 */
about: string, };

export type PlanMode = "never" | "auto" | "always";

export type PlanStep = { 
/**
 * Unique within the plan.
 */
id: string, action: PlanAction, 
/**
 * Steps that must have ended before this one begins.
 */
after: Array<string>, 
/**
 * When it fails, what follows from it is not tried.
 */
required: boolean, };

export type Post = { 
/**
 * Order over the whole feed.
 */
seq: number, group: GroupId, community: CommunityId, 
/**
 * The post itself; `None` until the agent has written it that was asked to.
 */
message: MessageId | null, 
/**
 * Nobody comments any more.
 */
locked: boolean, at_ms: number, };

export type PostView = { post: Post, 
/**
 * `None` while it is being written.
 */
item: FeedItem | null, comments: number, 
/**
 * Of the post and its comments, those that the person has not seen.
 */
unread: number, 
/**
 * Answers that are owed and on their way.
 */
answers_to_come: number, 
/**
 * And those that do not come by themselves: their agent rests, or they were interrupted.
 */
answers_held: number, last_ms: number, };

export type Preset = { 
/**
 * What a provider made from it is called.
 */
name: string, 
/**
 * What people call it.
 */
title: string, kind: ProviderKind, base_url: string, 
/**
 * The variable that usually holds its key; none for one that wants none.
 */
key_env: string | null, 
/**
 * Where a person gets a key.
 */
key_page: string | null, };

export type Price = { 
/**
 * `provider/model`; a `*` at the end stands for whatever follows.
 */
model: string, input_microusd: number, 
/**
 * Input that the provider took from its prompt cache; as other input when
 * absent.
 */
cached_microusd: number | null, 
/**
 * Input that the provider put into its prompt cache; as other input when
 * absent.
 */
cache_write_microusd: number | null, output_microusd: number, 
/**
 * The day on which this was its price, as `2026-11-21`.
 */
as_of: string | null, 
/**
 * Its provider says so, or else the table that ships, and may say otherwise when
 * it is asked again. What a person says holds.
 */
by_provider: boolean, };

export type PriceChange = { 
/**
 * What is said of this goes, and was said before.
 */
without?: string, 
/**
 * In its place, or in that of what was said of the same, or at the end.
 */
put?: Price, };

export type Prompt = { text: string, 
/**
 * Counted by rule of thumb: characters over four, Han characters one each.
 */
tokens: number, };

export type ProposalId = string;

export type ProposalState = "waiting" | "approved" | "declined" | "replaced";

export type Provider = { 
/**
 * The part before the slash in `provider/model`.
 */
name: string, kind: ProviderKind, 
/**
 * Where its interface begins, for example `http://127.0.0.1:11434/v1`.
 */
base_url: string | null, 
/**
 * The environment variable of the owning process that holds its key.
 */
key_env: string | null, 
/**
 * The name of the stored key that it is asked with; comes before the
 * variable.
 */
key: string | null, models: Array<ModelInfo>, };

export type ProviderKind = "openai" | "anthropic" | "gemini" | "ollama" | "local" | "scripted";

export type Query = { "kind": "overview" } | { "kind": "messages", group: GroupId, before: number | null, limit: number, } | { "kind": "message", message: MessageId, } | { "kind": "occurrences", group: GroupId, text: string, limit: number, } | { "kind": "group_templates" } | { "kind": "attachment", hash: string, } | { "kind": "decisions", group: GroupId, message: MessageId | null, limit: number, } | { "kind": "agent", agent: AgentId, } | { "kind": "agents" } | { "kind": "last_runs" } | { "kind": "runs", filter: RunFilter, before: number | null, limit: number, } | { "kind": "run", run: RunId, } | { "kind": "sent_request", run: RunId, n: number, } | { "kind": "replay", run: RunId, } | { "kind": "approvals", limit: number, } | { "kind": "forgetting", message: MessageId, } | { "kind": "reactions", group: GroupId, } | { "kind": "variants", group: GroupId, } | { "kind": "questions", limit: number, } | { "kind": "grants" } | { "kind": "passes" } | { "kind": "soul", soul: string, } | { "kind": "soul_version", soul: string, version: number, } | { "kind": "check_soul", soul: string, text: string, } | { "kind": "read_card", files: Array<CardFile>, } | { "kind": "prompt", agent: AgentId, group: GroupId, 
/**
 * As it would be if this were saved as the text of its soul.
 */
soul?: string, } | { "kind": "would_wake", group: GroupId, text: string, reply_to: MessageId | null, } | { "kind": "memories", filter: MemoryFilter, before: number | null, limit: number, } | { "kind": "search_memories", text: string, filter: MemoryFilter, limit: number, 
/**
 * Leaves out what scores less.
 */
min_score: number | null, 
/**
 * By words alone while the model that compares meanings is still to be
 * loaded, rather than after that.
 */
at_once?: boolean, } | { "kind": "memory", memory: MemoryId, } | { "kind": "memory_index" } | { "kind": "search", search: Search, } | { "kind": "communities" } | { "kind": "feed", filter: FeedFilter, before: number | null, limit: number, } | { "kind": "thread", post: GroupId, } | { "kind": "feed_item", seq: number, } | { "kind": "feed_queue" } | { "kind": "would_answer", place: FeedPlace, text: string, } | { "kind": "feed_activity", community: CommunityId | null, since_ms: number, } | { "kind": "schedules" } | { "kind": "sources" } | { "kind": "read_times", words: string, 
/**
 * Empty stands for the machine's.
 */
zone: string, hours: ActiveHours | null, } | { "kind": "budgets" } | { "kind": "usage", by: UsageBy, since_ms: number, } | { "kind": "models_of", provider: Provider, 
/**
 * Is tried in place of its own, and kept nowhere.
 */
key: Secret | null, } | { "kind": "vector_models" } | { "kind": "local_models" } | { "kind": "left_alone" } | { "kind": "discover" } | { "kind": "presets" } | { "kind": "keys", 
/**
 * Asks the keyring whether it can be used, which may take seconds.
 */
check: boolean, } | { "kind": "servers" } | { "kind": "server_offers", server: string, } | { "kind": "server_log", server: string, } | { "kind": "skills" } | { "kind": "skill", skill: string, } | { "kind": "capabilities", agent: AgentId, } | { "kind": "replaced", call: CallId, } | { "kind": "doctor" };

export type Question = { id: QuestionId, 
/**
 * The use that waits.
 */
call: CallId, run: RunId, agent: AgentId, group: GroupId, 
/**
 * Who asks; the agent itself, where no server does.
 */
server: string | null, 
/**
 * In the words of whoever asks.
 */
text: string, asks: Asks, state: QuestionState, 
/**
 * Without what was entered in fields that sound like a secret.
 */
given: Given | null, asked_ms: number, 
/**
 * Nobody waits for an answer after that.
 */
expires_ms: number, answered_ms: number | null, };

export type QuestionAnswer = { "kind": "given", values: { [name: string]: unknown }, } | { "kind": "declined" } | { "kind": "dismissed" };

export type QuestionId = string;

export type QuestionState = "waiting" | "answered" | "declined" | "dismissed" | "expired" | "withdrawn";

export type Reaction = { item: MessageId, who: Participant, 
/**
 * An emoji, or a word.
 */
sign: string, };

export type Reactions = { group: GroupId, item: MessageId, 
/**
 * In the order in which they came.
 */
all: Array<Reaction>, };

export type ReadFrom = { server: string, uri: string, };

export type ReadTimes = { times: Times, 
/**
 * The zone that they are in, by its name.
 */
zone: string, 
/**
 * The next three.
 */
next: Array<number>, };

export type Reason = { "kind": "default_responder" } | { "kind": "mentioned" } | { "kind": "turn", round: number, } | { "kind": "broadcast" } | { "kind": "asked_by_user" } | { "kind": "next_in_order" } | { "kind": "drawn", weight: number, of: number, roll: number, } | { "kind": "supervising", round: number, } | { "kind": "looking_back" } | { "kind": "chosen_by_supervisor", by: AgentId, round: number, } | { "kind": "supervisor_failed", round: number, } | { "kind": "delegated", by: AgentId, } | { "kind": "replied_to" } | { "kind": "interested", interest: string, percent: number | null, } | { "kind": "nobody_else" } | { "kind": "asked_to_post" } | { "kind": "scheduled" } | { "kind": "heartbeat" } | { "kind": "asked_for_digest" } | { "kind": "not_mentioned" } | { "kind": "not_the_default_responder" } | { "kind": "not_its_turn" } | { "kind": "not_drawn", weight: number, of: number, roll: number, } | { "kind": "not_chosen", by: AgentId, } | { "kind": "supervisor_ended" } | { "kind": "only_when_asked" } | { "kind": "muted" } | { "kind": "nobody_addressed" } | { "kind": "chose_silence", why: string | null, } | { "kind": "reacted", sign: string, } | { "kind": "spoke_for_another", name: string, } | { "kind": "bare_acknowledgement" } | { "kind": "near_duplicate" } | { "kind": "chain_depth", limit: number, } | { "kind": "message_cap", limit: number, } | { "kind": "pair_hops", limit: number, with: AgentId, } | { "kind": "hourly_quota", limit: number, } | { "kind": "over_budget", scope: BudgetScope, } | { "kind": "superseded" } | { "kind": "policy_changed" } | { "kind": "set_aside" } | { "kind": "answers_question" } | { "kind": "stopped_by_user" } | { "kind": "left_the_group" } | { "kind": "archived" } | { "kind": "terminated" } | { "kind": "failed" } | { "kind": "not_interested" } | { "kind": "cooling_down", minutes: number, } | { "kind": "enough_answers", limit: number, } | { "kind": "feed_quota", limit: number, } | { "kind": "thread_locked" } | { "kind": "out_of_sight" } | { "kind": "unreadable" } | { "kind": "out_of_persona" } | { "kind": "unknown_language" } | { "kind": "not_in_community" } | { "kind": "demo_model" } | { "kind": "busy" } | { "kind": "paused" } | { "kind": "in_error" } | { "kind": "no_room_yet", scope: BudgetScope, tokens: number, microusd: number, };

export type Recalled = { memory: MemoryId, 
/**
 * As it was then.
 */
version: number, pinned: boolean, 
/**
 * `None` for one that was not looked for: it is pinned, or fitted what was said a
 * moment before.
 */
scores: MemoryScores | null, };

export type Record = { "table": "agent", "row": Agent } | { "table": "group", "row": Group } | { "table": "member", "row": Member } | { "table": "message", "row": Message } | { "table": "reactions", "row": Reactions } | { "table": "decision", "row": Decision } | { "table": "run", "row": Run } | { "table": "step", "row": Step } | { "table": "soul", "row": Soul } | { "table": "provider", "row": Provider } | { "table": "settings", "row": Settings } | { "table": "memory", "row": Memory } | { "table": "approval", "row": Approval } | { "table": "grant", "row": Grant } | { "table": "pass", "row": Pass } | { "table": "question", "row": Question } | { "table": "community", "row": Community } | { "table": "post", "row": Post } | { "table": "branch", "row": GroupId } | { "table": "schedule", "row": Schedule } | { "table": "source", "row": FeedSource } | { "table": "proposal", "row": SoulProposal };

export type Removed = { "table": "member", group: GroupId, who: Participant, } | { "table": "provider", name: string, } | { "table": "soul", name: string, } | { "table": "grant", id: GrantId, } | { "table": "schedule", id: ScheduleId, };

export type Renamed = { what: TakenKind, from: string, to: string, };

export type Replayed = { 
/**
 * Steps of the agent's own that are on record.
 */
steps: number, 
/**
 * Where it first went another way; `None` when all was the same.
 */
difference: Difference | null, };

export type Reply = { "kind": "done" } | { "kind": "overview", "data": Overview } | { "kind": "message", "data": Message } | { "kind": "draft", "data": Draft } | { "kind": "messages", "data": Array<Message> } | { "kind": "occurrences", "data": Array<Occurrence> } | { "kind": "attachment", "data": Attachment } | { "kind": "attachment_content", "data": AttachmentContent } | { "kind": "decisions", "data": Array<Decision> } | { "kind": "group", "data": GroupView } | { "kind": "group_export", "data": GroupExport } | { "kind": "group_templates", "data": GroupTemplates } | { "kind": "agent", "data": Agent } | { "kind": "agents", "data": Array<Agent> } | { "kind": "agent_detail", "data": AgentDetail } | { "kind": "run", "data": Run } | { "kind": "runs", "data": Array<Run> } | { "kind": "run_detail", "data": RunDetail } | { "kind": "soul", "data": Soul } | { "kind": "soul_detail", "data": SoulDetail } | { "kind": "soul_version", "data": SoulVersion } | { "kind": "soul_checked", "data": CheckedSoul } | { "kind": "soul_card", "data": SoulCard } | { "kind": "soul_draft", "data": SoulDraft } | { "kind": "prompt", "data": Prompt } | { "kind": "would_wake", "data": WouldWake } | { "kind": "provider", "data": Provider } | { "kind": "models", "data": Array<ModelInfo> } | { "kind": "local_model", "data": LocalModel } | { "kind": "vector_models", "data": Array<string> } | { "kind": "local_models", "data": LocalModels } | { "kind": "forgotten", "data": number } | { "kind": "left_alone", "data": Array<LeftAlone> } | { "kind": "offers", "data": Array<Offer> } | { "kind": "presets", "data": Array<Preset> } | { "kind": "keys", "data": Keys } | { "kind": "approval", "data": Approval } | { "kind": "approvals", "data": Array<Approval> } | { "kind": "grants", "data": Array<Grant> } | { "kind": "pass", "data": Pass } | { "kind": "passes", "data": Array<Pass> } | { "kind": "outside", "data": GivenOutside } | { "kind": "question", "data": Question } | { "kind": "questions", "data": Array<Question> } | { "kind": "variants", "data": Array<Variants> } | { "kind": "forgetting", "data": Forgetting } | { "kind": "reactions", "data": Array<Reaction> } | { "kind": "settings", "data": Settings } | { "kind": "budgets", "data": Array<BudgetState> } | { "kind": "usage", "data": Array<UsageRow> } | { "kind": "run_once", "data": RunOnce } | { "kind": "memory", "data": Memory } | { "kind": "memories", "data": MemoryPage } | { "kind": "found_memories", "data": FoundMemories } | { "kind": "memory_detail", "data": MemoryDetail } | { "kind": "memory_index", "data": MemoryIndex } | { "kind": "found", "data": Found } | { "kind": "consolidated", "data": Consolidated } | { "kind": "memory_import", "data": MemoryImport } | { "kind": "memory_export", "data": MemoryExport } | { "kind": "backup", "data": Backup } | { "kind": "restore", "data": Restore } | { "kind": "taken_in", "data": TakenIn } | { "kind": "replayed", "data": Replayed } | { "kind": "sent_request", "data": SentRequest } | { "kind": "server", "data": McpServer } | { "kind": "servers", "data": Array<McpServer> } | { "kind": "community", "data": Community } | { "kind": "communities", "data": Array<Community> } | { "kind": "post", "data": PostView } | { "kind": "posts", "data": Array<PostView> } | { "kind": "thread", "data": Thread } | { "kind": "would_answer", "data": WouldAnswer } | { "kind": "feed_queue", "data": FeedQueue } | { "kind": "feed_activity", "data": Array<FeedDay> } | { "kind": "ticked", "data": Ticked } | { "kind": "schedule", "data": Schedule } | { "kind": "schedules", "data": Array<ScheduleView> } | { "kind": "read_times", "data": ReadTimes } | { "kind": "source", "data": FeedSource } | { "kind": "sources", "data": Array<SourceView> } | { "kind": "servers_imported", "data": McpImport } | { "kind": "server_offers", "data": McpOffers } | { "kind": "filled_prompt", "data": FilledPrompt } | { "kind": "skill", "data": Skill } | { "kind": "skills", "data": Array<Skill> } | { "kind": "skill_detail", "data": SkillDetail } | { "kind": "capabilities", "data": Capabilities } | { "kind": "replaced", "data": string | null } | { "kind": "lines", "data": Array<string> } | { "kind": "checks", "data": Array<Check> };

export type Request = { id: RequestId, call: Call, };

export type RequestId = string;

export type ResponseCache = { 
/**
 * Plans, decisions and summaries: what is asked for the likeliest answer.
 */
on: boolean, 
/**
 * Answers too that chance has a part in.
 */
sampled: boolean, };

export type Restore = { path: string, made_ms: number, 
/**
 * Of the Coterie that made it.
 */
version: string, files: number, bytes: number, 
/**
 * Where what was here lies then; none where nothing was.
 */
replaced: string | null, 
/**
 * Else it is put in place when the workspace is opened the next time.
 */
in_place: boolean, };

export type Restored = { 
/**
 * When the backup was made; none where that was laid ready by an earlier Coterie.
 */
made_ms: number | null, at_ms: number, 
/**
 * Those who live.
 */
agents: number, 
/**
 * Of people and agents.
 */
messages: number, 
/**
 * Where what was here lies now; none where nothing was.
 */
replaced: string | null, };

export type Risk = "low" | "high";

export type RootLeftOut = { root: string, why: RootTrouble, };

export type RootTrouble = "missing" | "link";

export type Run = { 
/**
 * Order over the whole workspace.
 */
seq: number, id: RunId, agent: AgentId, group: GroupId, state: RunState, cause: Cause, root: MessageId, 
/**
 * Chain depth of the reply this run may write.
 */
depth: number, 
/**
 * `provider/model`, as asked.
 */
model: string, 
/**
 * The one that was asked in its place, since it could not answer.
 */
asked_instead: string | null, soul_version: number, 
/**
 * The turn consumes the group's messages after the first and up to the
 * second `seq`.
 */
reads_after: number, reads_to: number, 
/**
 * Over all calls of the model.
 */
usage: Usage, 
/**
 * Some of that, and so of what it cost, is our own count: the provider did
 * not say.
 */
estimated: boolean, 
/**
 * `None` while no price of the model is known.
 */
cost_microusd: number | null, outcome: Outcome | null, 
/**
 * Which try this is, counted before it starts.
 */
attempt: number, 
/**
 * The interrupted run that this one does again.
 */
resumes: RunId | null, started_ms: number, first_token_ms: number | null, ended_ms: number | null, };

export type RunContext = { 
/**
 * The folder of the workspace it was in.
 */
workspace: string, 
/**
 * What agents call the person.
 */
user: string, agent_name: string, agent_role: string, 
/**
 * BCP 47 tag of the language that the agent prefers.
 */
agent_language: string, 
/**
 * The model that a person chose for the agent, instead of what its soul
 * says.
 */
agent_model: string | null, 
/**
 * Who delegates to it.
 */
parent: AgentId | null, soul: string, soul_version: number, soul_hash: string, group_name: string, 
/**
 * Everybody else in the group, the person included.
 */
members: Array<string>, 
/**
 * Those of them who have a role, with it, as the prompt lists them: `Bo, Sceptic`.
 */
members_with_role: Array<string>, 
/**
 * Who was there before: their words stand there still, and might be carried on.
 */
members_before?: Array<string>, policy: TurnPolicy, caps: Caps, model: string, 
/**
 * Who plans, where it is another model.
 */
plans_with: string | null, 
/**
 * Who goes on when the model fails for good.
 */
fallback: string | null, temperature: number, max_tokens: number, limits: RunLimits, 
/**
 * What it may use, by name.
 */
tools: Array<ToolSpec>, 
/**
 * Skills that were active.
 */
skills: Array<ContextSkill>, 
/**
 * MCP servers that it could reach, by name.
 */
mcp_servers: Array<string>, 
/**
 * The folders whose files are its to see.
 */
roots: Array<string>, 
/**
 * The exact system prompt.
 */
system_prompt: string, 
/**
 * Where the things are shown that it was told of by a number; the first is that of 1.
 */
links?: Array<string>, };

export type RunDetail = { run: Run, context: RunContext, steps: Array<Step>, 
/**
 * What was decided about the message that caused it.
 */
decisions: Array<Decision>, 
/**
 * Every call of a model that was paid for, oldest first.
 */
calls: Array<ModelCall>, 
/**
 * How many requests it has sent to models; each can be asked for.
 */
sent: number, };

export type RunFilter = { agent?: AgentId, group?: GroupId, state?: RunState, };

export type RunId = string;

export type RunLimits = { 
/**
 * Times that the model is asked, the final answer included.
 */
max_iterations: number, max_replan_attempts: number, 
/**
 * Calls of one answer are made at the same time.
 */
parallel_tools: boolean, plan: PlanMode, };

export type RunOnce = { run: Run, 
/**
 * `None` when the agent chose silence, or failed.
 */
reply: string | null, steps: Array<Step>, };

export type RunState = "running" | "settled" | "failed" | "stopped" | "interrupted" | "resumed" | "dropped";

export type Schedule = { id: ScheduleId, plan: SchedulePlan, 
/**
 * What the plan's words say.
 */
times: Times, 
/**
 * An agent, where a person allowed its wish.
 */
made_by: Participant, 
/**
 * The agent's soul says it: it is changed in the soul's file alone.
 */
of_soul?: boolean, paused: boolean, 
/**
 * `None` when it is over.
 */
next_ms: number | null, created_ms: number, };

export type ScheduleId = string;

export type SchedulePlan = { agent: AgentId, work: ScheduledWork, 
/**
 * A sentence such as `every weekday at 9`, or a cron expression.
 */
words: string, 
/**
 * By its name, such as `Asia/Shanghai`; empty stands for the machine's.
 */
zone: string, 
/**
 * Nothing is given outside of these.
 */
hours: ActiveHours | null, catch_up: CatchUp, };

export type ScheduleTime = { schedule: ScheduleId, due_ms: number, at_ms: number, became: Became, };

export type ScheduleView = { schedule: Schedule, 
/**
 * The next three.
 */
next: Array<number>, 
/**
 * What became of the last ones, the newest first.
 */
lately: Array<TimeView>, 
/**
 * Why none of its times is given as things stand.
 */
skipped: Reason | null, };

export type ScheduledWork = { "kind": "say", group: GroupId, text: string, } | { "kind": "post", community: CommunityId, text: string, } | { "kind": "heartbeat" } | { "kind": "digest" };

export type SealedFile = "absent" | "locked" | "open";

export type Search = { 
/**
 * The last word may still be being written.
 */
text: string, 
/**
 * Empty: everywhere.
 */
in: Array<SearchIn>, 
/**
 * Only what stands in this group: its messages, its runs, its memories.
 */
group: GroupId | null, 
/**
 * Only what is this agent's: its messages, its runs, its own memories.
 */
agent: AgentId | null, 
/**
 * The most that is given of each kind.
 */
limit: number, };

export type SearchIn = "messages" | "memories" | "runs";

export type Secret = string;

export type SentCall = { id: string, name: string, 
/**
 * JSON text, as the model wrote it.
 */
arguments: string, };

export type SentImage = { media_type: string, 
/**
 * Of the base64 text.
 */
bytes: number, };

export type SentRequest = { 
/**
 * Counts the requests of its run, from 1.
 */
n: number, 
/**
 * `provider/model`.
 */
model: string, 
/**
 * The system prompt first, then the conversation, oldest first.
 */
turns: Array<SentTurn>, 
/**
 * What the model was told that it may call, by name.
 */
tools: Array<ToolSpec>, temperature: number, max_tokens: number, 
/**
 * The answer ends before any of these.
 */
stop: Array<string>, seed: number | null, 
/**
 * What the answer had to match; `None` leaves it to the model.
 */
format: AnswerFormat | null, at_ms: number, };

export type SentRole = "system" | "user" | "assistant" | "tool";

export type SentTurn = { role: SentRole, content: string, 
/**
 * What an assistant called.
 */
calls: Array<SentCall>, 
/**
 * The id of the call whose result this is.
 */
answers: string | null, images: Array<SentImage>, 
/**
 * What the model got back that it had asked to be kept.
 */
kept: Kept | null, };

export type Settings = { 
/**
 * What agents call the person; empty until told.
 */
your_name: string, appearance: Appearance, models: ModelChoice, limits: Limits, 
/**
 * What is said of a model by its name counts before what is said of several.
 */
prices: Array<Price>, response_cache: ResponseCache, memory: Learning, approvals: Approvals, feed: FeedRules, manners: Manners, 
/**
 * Everybody rests, by a command of its own.
 */
all_paused: boolean, 
/**
 * Why they do, where a backup was put in place and nobody has had them go on since.
 */
restored?: Restored, };

export type SettingsPatch = { your_name?: string, appearance?: Appearance, 
/**
 * Nobody serves this role any more; `UseModel` says who does.
 */
no_model_for?: ModelRole, limits?: Limits, price?: PriceChange, response_cache?: ResponseCache, memory?: Learning, approvals?: Approvals, 
/**
 * All but whether it is on.
 */
feed?: FeedRules, manners?: Manners, };

export type Skill = { 
/**
 * That of its folder: small letters, digits and hyphens.
 */
name: string, 
/**
 * Of its SKILL.md.
 */
path: string, 
/**
 * What it does, and when to use it.
 */
description: string, license: string | null, 
/**
 * What it says that it needs around it, in its author's words.
 */
compatibility: string | null, metadata: { [key in string]: string }, 
/**
 * The tools that it says it uses. That gives them to nobody.
 */
tools: Array<SkillTool>, 
/**
 * blake3 of the text in force, hexadecimal; `None` while it was never valid.
 */
hash: string | null, 
/**
 * Why what is in the file is not in force.
 */
problem: SoulProblem | null, warnings: Array<SoulProblem>, 
/**
 * The living agents whose souls name it.
 */
agents: Array<SkillHolder>, };

export type SkillDetail = { skill: Skill, 
/**
 * What is in its SKILL.md now, valid or not.
 */
text: string, 
/**
 * What else lies in its folder.
 */
files: Array<SkillFile>, };

export type SkillFile = { 
/**
 * Inside of the folder, with `/` between its parts.
 */
path: string, bytes: number, };

export type SkillHolder = { agent: AgentId, 
/**
 * The tools, as they are called here, that the skill uses and the agent has not.
 */
lacks: Array<string>, };

export type SkillTool = { said: string, 
/**
 * The same as it is called here; `None` when no tool here is that.
 */
tool: string | null, };

export type Soul = { 
/**
 * File stem: `ada` for `souls/ada.md`.
 */
name: string, path: string, 
/**
 * The version in force: the last one that was valid.
 */
version: number, 
/**
 * blake3 of the text in force, hexadecimal; empty while none is.
 */
hash: string, 
/**
 * blake3 of what is in the file now; differs from `hash` while the file
 * has a problem. `None` when nothing is read out of it: without a problem
 * the file is gone, with one it is there and cannot be used.
 */
file_hash: string | null, 
/**
 * Why what is in the file is not in force.
 */
problem: SoulProblem | null, warnings: Array<SoulProblem>, updated_ms: number, };

export type SoulCard = { 
/**
 * Of each file, in their order.
 */
forms: Array<CardForm>, name: string, 
/**
 * A valid soul's file, whole.
 */
text: string, taken: Array<TakenPart>, left_out: Array<LeftPart>, };

export type SoulDetail = { soul: Soul, 
/**
 * What is in the file now, valid or not.
 */
text: string, 
/**
 * Newest first, without their texts.
 */
versions: Array<SoulVersion>, };

export type SoulDraft = { 
/**
 * A valid soul's file, whole.
 */
text: string, 
/**
 * Who wrote it; `None` where the sentence stands in the usual soul.
 */
by: AgentId | null, 
/**
 * Why nobody wrote it, where somebody was asked.
 */
why_not: Fault | null, };

export type SoulForm = { "is": "text" } | { "is": "list" } | { "is": "block" } | { "is": "truth" } | { "is": "language" } | { "is": "model" } | { "is": "fallback" } | { "is": "plan" } | { "is": "heartbeat" } | { "is": "limit" } | { "is": "number", from: number, to: number, } | { "is": "whole", from: number, to: number, };

export type SoulKept = "worn" | "name_taken" | "file_gone";

export type SoulMistake = { "is": "file_name", wrong: NameMistake, 
/**
 * One that would do, with its ending.
 */
better: string, } | { "is": "other_capitals", file: string, counts: string, } | { "is": "other_file_composed" } | { "is": "other_file_decomposed" } | { "is": "not_plain" } | { "is": "forbidden" } | { "is": "unreadable", detail: string, } | { "is": "too_large", most_kib: number, } | { "is": "utf16" } | { "is": "not_utf8" } | { "is": "control_character", code: string, } | { "is": "persona_empty" } | { "is": "front_unended" } | { "is": "front_late" } | { "is": "front_twice" } | { "is": "front_form", found: SoulValue, } | { "is": "front_long" } | { "is": "anchors" } | { "is": "tags" } | { "is": "yaml", cause: YamlCause | null, detail: string, } | { "is": "too_deep", most: number, } | { "is": "key_twice", key: string, line: number, } | { "is": "key_unfit" } | { "is": "control_in_value", code: string, } | { "is": "field_unknown", field: string, } | { "is": "field_misspelt", field: string, close: string, } | { "is": "field_form", field: string, form: SoulForm, found: SoulValue, } | { "is": "field_range", field: string, from: number, to: number, found: SoulValue, } | { "is": "field_unquoted", field: string, found: SoulValue, } | { "is": "item_unquoted", field: string, found: SoulValue, } | { "is": "item_form", field: string, found: SoulValue, } | { "is": "field_lines", field: string, } | { "is": "field_long", field: string, length: number, most: number, } | { "is": "name_length", most: number, found: SoulValue, } | { "is": "name_has", character: string, found: SoulValue, } | { "is": "name_reserved", found: SoulValue, } | { "is": "name_spaces", found: SoulValue, } | { "is": "limit_unknown", field: string, known: string, } | { "is": "policy_idle", field: string, } | { "is": "policy_unknown", field: string, known: string, } | { "is": "policy_asks_anyway" } | { "is": "delegates_idle" } | { "is": "tool_missing", name: string, close: string | null, } | { "is": "tool_not_now", name: string, server: string, close: string | null, } | { "is": "skill_missing", name: string, close: string | null, } | { "is": "server_missing", name: string, close: string | null, } | { "is": "delegate_missing", name: string, close: string | null, } | { "is": "skill_no_file" } | { "is": "skill_link" } | { "is": "skill_large", most_kib: number, } | { "is": "skill_no_front" } | { "is": "skill_body_empty" } | { "is": "skill_field_missing", field: string, } | { "is": "skill_field_unknown", field: string, } | { "is": "skill_name", most: number, found: SoulValue, } | { "is": "skill_other_name", folder: string, name: string, };

export type SoulProblem = { 
/**
 * Both count from 1.
 */
line: number, column: number, 
/**
 * One sentence in English.
 */
message: string, 
/**
 * Which mistake it is, for whoever says it in another language.
 */
kind?: SoulMistake, };

export type SoulProposal = { id: ProposalId, soul: string, agent: AgentId, group: GroupId, run: RunId, 
/**
 * Its heading; empty for what stands before the first one.
 */
section: string, 
/**
 * What stood there then; `None` where there was no such section.
 */
before: string | null, text: string, why: string, 
/**
 * The tool that had shown the agent something in that turn.
 */
after_tool: string | null, state: ProposalState, at_ms: number, answered_ms: number | null, };

export type SoulSource = "bundled" | "editor" | "file" | "rollback" | "proposal";

export type SoulValue = { "is": "nothing" } | { "is": "empty_text" } | { "is": "list" } | { "is": "block" } | { "is": "word", text: string, } | { "is": "text", text: string, };

export type SoulVersion = { soul: string, version: number, hash: string, text: string, source: SoulSource, at_ms: number, };

export type Source = { message: MessageId | null, run: RunId | null, 
/**
 * The tool whose result it was.
 */
tool: string | null, 
/**
 * The file it was imported from.
 */
file: string | null, 
/**
 * The conversation of that file in which it was said, by the file's name for it.
 */
conversation?: string, };

export type SourcePlan = { 
/**
 * What it is called where people and agents read what it writes.
 */
name: string, 
/**
 * Where it writes.
 */
community: CommunityId, watches: Watches, 
/**
 * How many posts it may write within an hour. What happens beyond that is told
 * together, as soon as it may write again.
 */
per_hour: number, };

export type SourceView = { source: FeedSource, 
/**
 * Why it cannot look at what it is to tell of.
 */
problem: Fault | null, 
/**
 * It has written as much as it may within an hour, and more has happened.
 */
held_back: boolean, 
/**
 * Where programs send what it is to tell, of one that hears them.
 */
address: string | null, };

export type Speaker = "user" | "assistant";

export type SpokenBy = "person" | "agent" | "program";

export type Standing = "holding" | "contested" | "past" | "any";

export type Statement = { subject: string, attribute: string, value: string, };

export type StaysOut = { what: TakenKind, why: StaysOutWhy, things: number, 
/**
 * What the first of them are called; of messages, their conversations; of what is
 * forgotten, nothing.
 */
names: Array<string>, };

export type StaysOutWhy = "empty" | "unneeded" | "of_task" | "went_on" | "unreadable" | "name_taken" | "of_nobody" | "other_words" | "forgotten" | "no_reader" | "unfit";

export type Step = { run: RunId, 
/**
 * Counts from 1 within the run.
 */
n: number, at_ms: number, } & ({ "step": "woken", by: MessageId, } | { "step": "decided", verdict: Verdict, reason: Reason, } | { "step": "brief_built", messages: number, characters: number, } | { "step": "recalled", query: string, memories: Array<Recalled>, 
/**
 * Why words alone were compared, if that is so.
 */
words_only: string | null, } | { "step": "model_called", model: string, } | { "step": "stood_in_line", waited_ms: number, } | { "step": "delta", text: string, reasoning: string, } | { "step": "spoke_for_another", text: string, } | { "step": "kept", kept: Kept, } | { "step": "usage_recorded", usage: Usage, } | { "step": "folded", 
/**
 * The last message that the summary stands for; 0 where none does.
 */
upto: number, 
/**
 * Messages behind it that are neither in a summary nor read.
 */
left_out: number, tokens_before: number, tokens_after: number, } | { "step": "planned", plan: Plan, } | { "step": "replanned", attempt: number, because: string, } | { "step": "tool_proposed", call: CallId, model_id: string, tool: string, 
/**
 * As the model wrote them, valid JSON or not.
 */
arguments: string, } | { "step": "approval_asked", call: CallId, expires_ms: number, } | { "step": "approval_ended", call: CallId, state: ApprovalState, } | { "step": "granted", call: CallId, grant: GrantId, } | { "step": "tool_dispatched", call: CallId, } | { "step": "tool_returned", call: CallId, state: CallState, 
/**
 * What the model reads about it.
 */
text: string, } | { "step": "steered", messages: Array<MessageId>, 
/**
 * As the model read them.
 */
text: string, } | { "step": "reflected", memories: Array<MemoryId>, } | { "step": "message_posted", message: MessageId, } | { "step": "retried", fault: Fault, attempt: number, after_ms: number, 
/**
 * Words of it were shown; those of the next try take their place.
 */
replaces: boolean, } | { "step": "fell_back", 
/**
 * Both as `provider/model`.
 */
from: string, to: string, fault: Fault, 
/**
 * Words of the first were shown; those of the other take their place.
 */
replaces: boolean, } | { "step": "from_cache", model: string, asked_ms: number, } | { "step": "interrupted" } | { "step": "resumed", by: RunId, } | { "step": "settled", outcome: Outcome, });

export type StepKind = { "step": "woken", by: MessageId, } | { "step": "decided", verdict: Verdict, reason: Reason, } | { "step": "brief_built", messages: number, characters: number, } | { "step": "recalled", query: string, memories: Array<Recalled>, 
/**
 * Why words alone were compared, if that is so.
 */
words_only: string | null, } | { "step": "model_called", model: string, } | { "step": "stood_in_line", waited_ms: number, } | { "step": "delta", text: string, reasoning: string, } | { "step": "spoke_for_another", text: string, } | { "step": "kept", kept: Kept, } | { "step": "usage_recorded", usage: Usage, } | { "step": "folded", 
/**
 * The last message that the summary stands for; 0 where none does.
 */
upto: number, 
/**
 * Messages behind it that are neither in a summary nor read.
 */
left_out: number, tokens_before: number, tokens_after: number, } | { "step": "planned", plan: Plan, } | { "step": "replanned", attempt: number, because: string, } | { "step": "tool_proposed", call: CallId, model_id: string, tool: string, 
/**
 * As the model wrote them, valid JSON or not.
 */
arguments: string, } | { "step": "approval_asked", call: CallId, expires_ms: number, } | { "step": "approval_ended", call: CallId, state: ApprovalState, } | { "step": "granted", call: CallId, grant: GrantId, } | { "step": "tool_dispatched", call: CallId, } | { "step": "tool_returned", call: CallId, state: CallState, 
/**
 * What the model reads about it.
 */
text: string, } | { "step": "steered", messages: Array<MessageId>, 
/**
 * As the model read them.
 */
text: string, } | { "step": "reflected", memories: Array<MemoryId>, } | { "step": "message_posted", message: MessageId, } | { "step": "retried", fault: Fault, attempt: number, after_ms: number, 
/**
 * Words of it were shown; those of the next try take their place.
 */
replaces: boolean, } | { "step": "fell_back", 
/**
 * Both as `provider/model`.
 */
from: string, to: string, fault: Fault, 
/**
 * Words of the first were shown; those of the other take their place.
 */
replaces: boolean, } | { "step": "from_cache", model: string, asked_ms: number, } | { "step": "interrupted" } | { "step": "resumed", by: RunId, } | { "step": "settled", outcome: Outcome, };

export type TakenCount = { what: TakenKind, new: number, 
/**
 * Was here already, the same as there, and is left as it is.
 */
here: number, 
/**
 * [`StaysOut`] says why.
 */
left_out: number, };

export type TakenIn = { path: string, made_ms: number, 
/**
 * Of the Coterie that made it.
 */
version: string, 
/**
 * Of the file.
 */
hash: string, 
/**
 * Of each kind that there is anything of.
 */
counts: Array<TakenCount>, 
/**
 * Why what is left out is, by kind.
 */
stays_out: Array<StaysOut>, 
/**
 * What has another name here, since its own is somebody else's.
 */
renamed: Array<Renamed>, 
/**
 * The memories here that do not hold any more because of one that came.
 */
gave_way: Array<GaveWay>, 
/**
 * How many of its memories contradict one that is here and wait for the person, also of
 * those that were here already.
 */
contested: number, 
/**
 * How many of those that were here already are trusted more from now on.
 */
vouched: number, 
/**
 * The files among it, by where they lie here.
 */
files: Array<string>, 
/**
 * Nothing was changed.
 */
preview: boolean, };

export type TakenKind = "soul" | "agent" | "conversation" | "message" | "community" | "post" | "memory" | "file";

export type TakenPart = { 
/**
 * As the file calls it.
 */
part: string, became: CardUse, };

export type Takes = { "kind": "text", format: TextFormat | null, least: number | null, most: number | null, } | { "kind": "number", whole: boolean, least: number | null, most: number | null, } | { "kind": "yes_no" } | { "kind": "choice", options: Array<Choice>, several: boolean, least: number | null, most: number | null, };

export type Target = { "kind": "run", "id": RunId } | { "kind": "group", "id": GroupId };

export type TemplateMember = { soul: string, 
/**
 * As the agent is called, or would be.
 */
name: string, 
/**
 * `None` where one is made for the group.
 */
agent: AgentId | null, };

export type TemplateView = { 
/**
 * What commands call it: the stem of its file.
 */
template: string, title: string, 
/**
 * One sentence; may be empty in the person's own.
 */
about: string, 
/**
 * A file in the workspace; the others ship with Coterie.
 */
is_own: boolean, policy: TurnPolicy, caps: Caps, 
/**
 * In their order.
 */
members: Array<TemplateMember>, 
/**
 * Who names the next speaker, by the soul.
 */
supervisor: string | null, };

export type TextFormat = "email" | "uri" | "date" | "date_time";

export type Theme = "system" | "light" | "dark";

export type Thread = { view: PostView, comments: Array<FeedItem>, 
/**
 * By agents, until a person speaks again.
 */
answers: LeftOf, 
/**
 * What a person did to keep order in it.
 */
moderated: Array<Moderated>, };

export type Ticked = { 
/**
 * Posts and comments that were decided upon.
 */
events: number, 
/**
 * Answers that were given out.
 */
woken: number, 
/**
 * Events that failed and are tried again, or wait for a person.
 */
failed: number, 
/**
 * Posts and comments that wait, because what the feed may use today has no room for
 * another answer.
 */
without_room: number, 
/**
 * Those of people and sources that wait, because who is to answer was given as much as
 * may be within an hour.
 */
out_of_quota: number, };

export type TimeView = { time: ScheduleTime, 
/**
 * The run that came of it, and what it came to.
 */
run: RunId | null, outcome: Outcome | null, };

export type Times = { "kind": "once", at_ms: number, } | { "kind": "every", minutes: number, from_ms: number, } | { "kind": "days", days: Array<Day>, minute: number, } | { "kind": "cron", expression: string, };

export type ToOwner = { "request": Request } | { "subscribe": { after: Mark | null, } };

export type ToolSpec = { 
/**
 * Letters, digits, `_` and `-`; at most 64.
 */
name: string, 
/**
 * What it does and when to use it, for the model to read.
 */
description: string, 
/**
 * JSON Schema, draft 2020-12, of an object.
 */
input: unknown, effects: Effects, risk: Risk, };

export type Transition = { seq: number, agent: AgentId, 
/**
 * `None` for the first one.
 */
from: AgentState | null, to: AgentState, cause: TransitionCause, at_ms: number, };

export type TransitionCause = { "kind": "created" } | { "kind": "woken" } | { "kind": "settled" } | { "kind": "failed", fault: Fault, } | { "kind": "asked_first" } | { "kind": "answer_came" } | { "kind": "paused_by_user" } | { "kind": "resumed_by_user" } | { "kind": "all_paused" } | { "kind": "all_resumed" } | { "kind": "new_day" } | { "kind": "restarted" } | { "kind": "terminated_by_user" } | { "kind": "task_ended" } | { "kind": "parent_terminated" } | { "kind": "process_ended" };

export type Trust = "untrusted" | "agent" | "person";

export type TurnPolicy = "default_responder" | "mention" | "rounds" | "round_robin" | "weighted" | "supervisor" | "broadcast" | "manual";

export type Unsent = { 
/**
 * The message's own id, so that it is posted once, whoever posts it.
 */
id: RequestId, 
/**
 * It was refused once, so it goes out only when the person sends it.
 */
held: boolean, text: string, 
/**
 * The message that it quotes and answers.
 */
reply_to: MessageId | null, attachments: Array<Attachment>, };

export type Usage = { input_tokens: number | null, output_tokens: number | null, 
/**
 * Input tokens that the provider took from its prompt cache.
 */
cached_tokens: number | null, 
/**
 * Input tokens that the provider put into its prompt cache.
 */
cache_write_tokens: number | null, };

export type UsageBy = "agent" | "model" | "group" | "day";

export type UsageRow = { 
/**
 * An id, a model's name or a day (`2026-11-21`), by what was asked.
 */
key: string, calls: number, input_tokens: number, output_tokens: number, 
/**
 * Of the input; `None` where no provider said how much.
 */
cached_tokens: number | null, 
/**
 * Likewise.
 */
cache_write_tokens: number | null, 
/**
 * Of the calls whose price is known; `None` where no price of any is.
 */
cost_microusd: number | null, 
/**
 * Calls that cost nobody knows how much.
 */
unpriced_calls: number, 
/**
 * Calls whose tokens are our own count: the provider did not say.
 */
estimated_calls: number, };

export type UseProgress = { run: RunId, call: CallId, done: number, 
/**
 * `None` where nobody knows how much there is to do.
 */
total: number | null, message: string | null, };

export type Variant = { message: MessageId, seq: number, };

export type Variants = { shown: MessageId, 
/**
 * In the order in which they were written.
 */
all: Array<Variant>, };

export type Verdict = "speak" | "pass" | "wait";

export type Waiting = { run: RunId, 
/**
 * 1 is next; 0 says that it waits no longer.
 */
position: number, 
/**
 * What it waits for: until calls in progress give back what they hold of
 * this budget, or, where there is none, for a place among the calls.
 */
budget: BudgetScope | null, };

export type Wanted = { "kind": "groups" } | { "kind": "log", group: string, after: number | null, limit: number, } | { "kind": "memory", text: string, limit: number, } | { "kind": "say", group: string, text: string, };

export type Watches = { "kind": "files", folder: string, } | { "kind": "runs", which: EndedRuns, } | { "kind": "contradictions" } | { "kind": "hook" };

export type WouldAnswer = { 
/**
 * As soon as it is written: those whom it names.
 */
at_once: Array<AgentId>, 
/**
 * Beside those, at a tick, in the order in which they would.
 */
by_tick: Array<AgentId>, 
/**
 * For whom it waits: who rests, or was given as much as may be for now.
 */
later: Array<AgentId>, 
/**
 * Of the answers of those who are woken, at the most. The cost is `None` when a price
 * is missing.
 */
tokens_at_most: number, microusd_at_most: number | null, 
/**
 * Who would answer too, but is not woken: what is left of the budget `over`
 * may not be enough for them as well.
 */
beyond: Array<AgentId>, over: BudgetScope | null, 
/**
 * The budget that has no room today for what a tick would give out: that waits.
 */
no_room: BudgetScope | null, };

export type WouldWake = { 
/**
 * In the order in which they would speak.
 */
agents: Array<AgentId>, 
/**
 * At the most, when the policy goes on after the first answers.
 */
messages_at_most: number, 
/**
 * The policy gives others their turns after these.
 */
hands_on: boolean, 
/**
 * Of the first answers of these agents, at the most; where turns are handed on, of all
 * messages until the group falls quiet. The cost is `None` when a price is missing.
 */
tokens_at_most: number, microusd_at_most: number | null, 
/**
 * Who would answer too, but is not woken: what is left of the budget `over`
 * may not be enough for them as well.
 */
beyond: Array<AgentId>, over: BudgetScope | null, };

export type Written = { text: string, 
/**
 * The message that it quotes and answers.
 */
reply_to: MessageId | null, attachments: Array<Attachment>, };

export type YamlCause = "star_quotes" | "colon_quotes" | "colon_missing" | "columns" | "dash_quotes" | "first_quotes" | "backslash" | "quotes_end" | "quote_open" | "bracket_open" | "tab";
