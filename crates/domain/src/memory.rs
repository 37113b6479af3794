//! Memories: what is remembered, of whom, from where, and since when.

use crate::{AgentId, GroupId, MemoryId, MessageId, RunId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// One remembered statement, as it stands now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Memory {
    pub id: MemoryId,
    pub kind: MemoryKind,
    pub scope: MemoryScope,
    /// What is remembered, in a sentence.
    pub text: String,
    /// What it says of whom, if it is a statement of that form.
    pub statement: Option<Statement>,
    pub tags: Vec<String>,
    pub trust: Trust,
    /// 0 to 100. A person's own word is 80, what an agent notices 50.
    pub importance: u8,
    /// Recalled in every turn of those who may read it.
    pub pinned: bool,
    pub source: Source,
    /// When it was so in the world; `None`: not known, or still.
    pub valid_from_ms: Option<i64>,
    pub valid_to_ms: Option<i64>,
    pub created_at_ms: i64,
    pub changed_at_ms: i64,
    pub state: MemoryState,
    /// How many times it was said.
    pub evidence: u32,
    /// In how many turns it was recalled, and when last.
    pub recalled: u32,
    pub recalled_at_ms: Option<i64>,
    /// Grows by one with each change.
    pub version: u32,
}

impl Memory {
    /// Whether it was so once, and is no more. What happened from one time to another has
    /// happened for good.
    pub fn is_over(&self, now_ms: i64) -> bool {
        let happened = self.kind == MemoryKind::Episode && self.valid_from_ms.is_some();
        !happened && self.valid_to_ms.is_some_and(|end| end <= now_ms)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MemoryKind {
    /// What is so.
    Fact,
    /// What somebody likes, wants, or wants avoided.
    Preference,
    /// How something is done.
    Skill,
    /// Who is what to whom.
    Relationship,
    /// What happened or was said at a time.
    Episode,
    /// What many of them come to.
    Summary,
}

impl MemoryKind {
    pub const ALL: [MemoryKind; 6] = [
        MemoryKind::Fact,
        MemoryKind::Preference,
        MemoryKind::Skill,
        MemoryKind::Relationship,
        MemoryKind::Episode,
        MemoryKind::Summary,
    ];
}

/// Whom it concerns, which is also who may read it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum MemoryScope {
    /// About the person. Every agent reads it.
    User,
    /// About the work as a whole. Every agent reads it.
    Workspace,
    /// The agent's own. Nobody else reads it.
    Agent(AgentId),
    /// Of one conversation. Its members read it.
    Group(GroupId),
}

/// Subject, attribute and value: `user`, `lives in`, `Lisbon`. Two memories of
/// one subject and attribute in one scope cannot both hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Statement {
    pub subject: String,
    pub attribute: String,
    pub value: String,
}

/// How far it can be relied on: as far as its least trusted source. The least
/// comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Trust {
    /// What a tool, a file or a web page said. Never taken for true unasked.
    Untrusted,
    /// What an agent said or noticed.
    Agent,
    /// What the person said or wrote.
    Person,
}

/// Where it comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Source {
    pub message: Option<MessageId>,
    pub run: Option<RunId>,
    /// The tool whose result it was.
    pub tool: Option<String>,
    /// The file it was imported from.
    pub file: Option<String>,
    /// The conversation of that file in which it was said, by the file's name for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conversation: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "by", rename_all = "snake_case")]
pub enum MemoryState {
    /// It holds.
    Current,
    /// A newer one took its place.
    Superseded(MemoryId),
    /// It contradicts one that is more trusted, which still holds. A person decides.
    Contested(MemoryId),
    /// A person said that it was never so.
    Wrong,
    /// Its words are gone for ever; that there was one is not.
    Forgotten,
}

/// What a memory is made of, before it is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct NewMemory {
    pub kind: MemoryKind,
    pub scope: MemoryScope,
    pub text: String,
    #[serde(default)]
    pub statement: Option<Statement>,
    #[serde(default)]
    pub tags: Vec<String>,
    #[serde(default)]
    pub importance: Option<u8>,
    #[serde(default)]
    pub valid_from_ms: Option<i64>,
    #[serde(default)]
    pub valid_to_ms: Option<i64>,
}

/// How a memory looked after one change, and who made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryVersion {
    pub version: u32,
    pub at_ms: i64,
    pub change: MemoryChange,
    /// `None`: the person.
    pub by: Option<AgentId>,
    /// `None` once it is forgotten.
    pub memory: Option<Memory>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MemoryChange {
    Added,
    Edited,
    /// Said again, in the same or nearly the same words.
    Repeated,
    /// Said together with others, by this one of them.
    Merged,
    Superseded,
    Contested,
    /// It waited for a person, and what they said of another said enough of it.
    Settled,
    /// A person said that it was never so.
    Wrong,
    /// A person said that it is so no longer.
    Outdated,
    Pinned,
    Unpinned,
    Forgotten,
    Undone,
}

/// What is given replaces what stands.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct MemoryPatch {
    /// What new words state is made out of them, unless a statement is given with them.
    pub text: Option<String>,
    pub statement: Option<Statement>,
    pub kind: Option<MemoryKind>,
    pub scope: Option<MemoryScope>,
    pub tags: Option<Vec<String>>,
    pub importance: Option<u8>,
    /// When it began to be so; `Some(None)`: nobody knows.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub valid_from_ms: Option<Option<i64>>,
    /// When it ceased to be so; `Some(None)`: it has not.
    #[serde(deserialize_with = "given", skip_serializing_if = "Option::is_none")]
    pub valid_to_ms: Option<Option<i64>>,
}

/// What is given as nothing is given all the same.
fn given<'de, D, T>(value: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Deserialize<'de>,
{
    T::deserialize(value).map(Some)
}

/// What a person thinks of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Judgement {
    /// Of a contested one: it holds, and what it contradicts does not.
    Right,
    /// It was never so.
    Wrong,
    /// It was so, and is no longer.
    Outdated,
}

/// Which memories are looked at; an empty list leaves nothing out.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct MemoryFilter {
    #[ts(as = "Option<Vec<MemoryKind>>", optional)]
    pub kinds: Vec<MemoryKind>,
    #[ts(as = "Option<Vec<MemoryScope>>", optional)]
    pub scopes: Vec<MemoryScope>,
    /// What this agent reads.
    pub agent: Option<AgentId>,
    pub tag: Option<String>,
    /// Only those that are read in every turn.
    #[ts(as = "Option<bool>", optional)]
    pub pinned: bool,
    /// By when it was so or, where nobody knows, when it was written down. What has no end
    /// counts by its beginning.
    pub since_ms: Option<i64>,
    pub until_ms: Option<i64>,
    #[ts(as = "Option<Standing>", optional)]
    pub standing: Standing,
}

/// Whether it holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It holds now.
    #[default]
    Holding,
    /// It waits for a person to say which of two holds.
    Contested,
    /// It held once, or was taken to.
    Past,
    /// Any, the forgotten too.
    Any,
}

/// A page of memories, the last changed first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryPage {
    pub memories: Vec<Memory>,
    /// How many there are, on all pages.
    pub total: u32,
    /// The next page is that before this point; `None` after the last.
    pub next: Option<i64>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct FoundMemories {
    /// The best first.
    pub hits: Vec<MemoryHit>,
    /// Why words alone were compared and not what they mean, if that is so.
    pub words_only: Option<String>,
    /// The same search finds more when the index is told of next: the model that
    /// compares meanings is on its way.
    pub to_come: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryHit {
    pub memory: Memory,
    pub scores: MemoryScores,
}

/// Where a score comes from. Higher is better; comparable within one search.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryScores {
    /// What it was ranked by.
    pub total: f32,
    /// BM25 of the words that both have; 0 for none.
    pub words: f32,
    /// Cosine of the two vectors; `None` without vectors.
    pub meaning: Option<f32>,
    /// Both, each set to the range of what was found, and weighed: 0 to 1.
    pub fused: f32,
    /// In a turn: what age, importance and how often it was said make of it, as a
    /// factor between 0.9 and 1.1.
    pub weight: f32,
    /// What the person's own reranker says, where there is one: it decided the
    /// order of the best, which share their totals out anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub reranked: Option<f32>,
    /// How much more it has to do with what was looked for, in meaning and in words,
    /// than the nearest of as many texts would have by chance: from 0 on it concerns it,
    /// and a turn may be reminded of it. `None` without vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub apart: Option<f32>,
}

/// A memory that an agent read in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Recalled {
    pub memory: MemoryId,
    /// As it was then.
    pub version: u32,
    pub pinned: bool,
    /// `None` for one that was not looked for: it is pinned, or fitted what was said a
    /// moment before.
    pub scores: Option<MemoryScores>,
}

/// Everything about one memory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct MemoryDetail {
    pub memory: Memory,
    /// The first version first.
    pub versions: Vec<MemoryVersion>,
    /// Those that it took the place of, took its place, or contradict it.
    pub related: Vec<Memory>,
    /// The runs that read it, the newest first.
    pub recalled_by: Vec<RunId>,
}

/// What was made, or would be made, of what was remembered at different times.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
pub struct Consolidated {
    /// Memories that had changed since the last time.
    pub looked_at: u32,
    /// Two that say the same: the first says it from now on.
    pub merged: Vec<(Memory, Memory)>,
    /// What the person said of themselves in episodes.
    pub noticed: Vec<NewMemory>,
    /// What turns ask for so often that it counts for more.
    pub matters: Vec<Memory>,
    /// So many are left for the next time, because no more may give way at once.
    pub left: u32,
    /// So many cannot be compared before the model has made out what they mean.
    #[serde(default)]
    pub waiting: u32,
}

/// How far the index is with what is remembered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryIndex {
    pub memories: u32,
    /// Can be found by their words.
    pub words: u32,
    /// Can be found by what they mean.
    pub meaning: u32,
    /// So many more are found by their words alone, as the model makes nothing of them.
    #[serde(default)]
    pub left_out: u32,
    /// Whose vectors they are.
    pub model: String,
    /// Why words alone are compared, if that is so.
    pub words_only: Option<String>,
    /// Why it was made again since the start, if it was.
    pub made_again: Option<String>,
    /// Imports that were cut off and cannot go on as yet.
    #[serde(default)]
    pub cut_off: Vec<ImportCutOff>,
}

/// An import that the end of a process cut off, and that could not be taken up since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ImportCutOff {
    pub path: String,
    /// It is tried again at each start, and when the file is taken in once more.
    pub why: String,
}

/// How far something is with many memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct MemoryProgress {
    pub work: MemoryWork,
    pub done: u32,
    /// As many as `done` when it has ended, however it did.
    pub of: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum MemoryWork {
    Importing,
    Exporting,
    Consolidating,
}
