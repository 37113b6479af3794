//! A copy of the whole workspace in one file, and what is put in place from one.

use crate::GaveWay;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Backup {
    pub path: String,
    pub made_ms: i64,
    pub files: u32,
    pub bytes: u64,
    /// Links and the like, which are no files.
    pub left_out: u32,
}

/// A backup that was found whole, and is put in place of what is here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Restore {
    pub path: String,
    pub made_ms: i64,
    /// Of the Coterie that made it.
    pub version: String,
    pub files: u32,
    pub bytes: u64,
    /// Where what was here lies then; none where nothing was.
    pub replaced: Option<String>,
    /// Else it is put in place when the workspace is opened the next time.
    pub in_place: bool,
}

/// What a backup has put in the workspace's place, told until everybody goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Restored {
    /// When the backup was made; none where that was laid ready by an earlier Coterie.
    pub made_ms: Option<i64>,
    pub at_ms: i64,
    /// Those who live.
    pub agents: u32,
    /// Of people and agents.
    pub messages: u32,
    /// Where what was here lies now; none where nothing was.
    pub replaced: Option<String>,
}

/// What was taken in of another workspace beside what is here or, of a preview, what would be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TakenIn {
    pub path: String,
    pub made_ms: i64,
    /// Of the Coterie that made it.
    pub version: String,
    /// Of the file.
    pub hash: String,
    /// Of each kind that there is anything of.
    pub counts: Vec<TakenCount>,
    /// Why what is left out is, by kind.
    pub stays_out: Vec<StaysOut>,
    /// What has another name here, since its own is somebody else's.
    pub renamed: Vec<Renamed>,
    /// The memories here that do not hold any more because of one that came.
    pub gave_way: Vec<GaveWay>,
    /// How many of its memories contradict one that is here and wait for the person, also of
    /// those that were here already.
    pub contested: u32,
    /// How many of those that were here already are trusted more from now on.
    pub vouched: u32,
    /// The files among it, by where they lie here.
    pub files: Vec<String>,
    /// Nothing was changed.
    pub preview: bool,
}

/// What became of all things of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TakenCount {
    pub what: TakenKind,
    pub new: u32,
    /// Was here already, the same as there, and is left as it is.
    pub here: u32,
    /// [`StaysOut`] says why.
    pub left_out: u32,
}

/// Things of a kind that are left out for one reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct StaysOut {
    pub what: TakenKind,
    pub why: StaysOutWhy,
    pub things: u32,
    /// What the first of them are called; of messages, their conversations; of what is
    /// forgotten, nothing.
    pub names: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StaysOutWhy {
    /// Nothing was said or posted in it.
    Empty,
    /// Every workspace has such an agent, and nothing that comes in is of it.
    Unneeded,
    /// Agents said it to each other about a task, which is part of a turn.
    OfTask,
    /// Their conversation is otherwise here: it went on, or was changed.
    WentOn,
    /// No soul can be made of it.
    Unreadable,
    /// Something else has its name here.
    NameTaken,
    /// It is the folder of an agent who stays out.
    OfNobody,
    /// The memory is here in other words.
    OtherWords,
    /// The person has forgotten it here.
    Forgotten,
    /// Who may read it is not here.
    NoReader,
    /// It can be no memory here.
    Unfit,
}

/// A kind of thing that is taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum TakenKind {
    Soul,
    Agent,
    Conversation,
    Message,
    Community,
    Post,
    Memory,
    /// A skill, a prompt, a template, or an agent's folder.
    File,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Renamed {
    pub what: TakenKind,
    pub from: String,
    pub to: String,
}

/// How far a copy of the workspace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BackupProgress {
    pub work: BackupWork,
    pub done_bytes: u64,
    /// As many as `done_bytes` when it has ended, however it did.
    pub of_bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BackupWork {
    BackingUp,
    Restoring,
    TakingIn,
}
