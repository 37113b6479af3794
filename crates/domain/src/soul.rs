//! Souls: who an agent is, as a Markdown file.

mod card;
mod mistake;

pub use card::{CardFile, CardForm, CardLoss, CardUse, LeftPart, SoulCard, SoulDraft, TakenPart};
pub use mistake::{NameMistake, SoulForm, SoulMistake, SoulValue, YamlCause};

use crate::{AgentId, GroupId, ProposalId, RunId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A soul file and the version of it that is in force.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct Soul {
    /// File stem: `ada` for `souls/ada.md`.
    pub name: String,
    pub path: String,
    /// The version in force: the last one that was valid.
    pub version: i64,
    /// blake3 of the text in force, hexadecimal; empty while none is.
    pub hash: String,
    /// blake3 of what is in the file now; differs from `hash` while the file
    /// has a problem. `None` when nothing is read out of it: without a problem
    /// the file is gone, with one it is there and cannot be used.
    pub file_hash: Option<String>,
    /// Why what is in the file is not in force.
    pub problem: Option<SoulProblem>,
    pub warnings: Vec<SoulProblem>,
    pub updated_ms: i64,
}

/// How a soul's file stands to what is in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SoulStanding<'a> {
    InForce,
    /// Its text has a mistake, at one place.
    Wrong(&'a SoulProblem),
    /// The file is there, and for its name, its kind or its owner nothing is
    /// read out of it. The problem's place says nothing.
    Unusable(&'a SoulProblem),
    Gone,
    /// A person took it out of force, and its versions are kept.
    Deleted,
}

impl Soul {
    pub fn standing(&self) -> SoulStanding<'_> {
        match (&self.problem, &self.file_hash) {
            (None, Some(_)) => SoulStanding::InForce,
            (Some(problem), Some(_)) => SoulStanding::Wrong(problem),
            (Some(problem), None) => SoulStanding::Unusable(problem),
            (None, None) if self.version > 0 && self.hash.is_empty() => SoulStanding::Deleted,
            (None, None) => SoulStanding::Gone,
        }
    }
}

/// Something wrong at one place of a soul file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SoulProblem {
    /// Both count from 1.
    pub line: u32,
    pub column: u32,
    /// One sentence in English.
    pub message: String,
    /// Which mistake it is, for whoever says it in another language.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "crate::fault::record")]
    #[ts(as = "Option<SoulMistake>", optional)]
    pub kind: Option<Box<SoulMistake>>,
}

/// What is to be said about a text, each list in the order of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct CheckedSoul {
    /// With any of these the text is not a soul.
    pub errors: Vec<SoulProblem>,
    /// Also what it names and what is not there at the moment.
    pub warnings: Vec<SoulProblem>,
}

/// One version of a soul's text, kept for ever.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SoulVersion {
    pub soul: String,
    pub version: i64,
    pub hash: String,
    pub text: String,
    pub source: SoulSource,
    pub at_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum SoulSource {
    /// Came with Coterie.
    Bundled,
    /// Saved in Coterie's own editor.
    Editor,
    /// The file changed on disk.
    File,
    Rollback,
    /// Its agent proposed it, and the person said yes.
    Proposal,
}

/// A new text for one section of a soul, as an agent of that soul would have it. It
/// changes nothing until a person approves it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SoulProposal {
    pub id: ProposalId,
    pub soul: String,
    pub agent: AgentId,
    pub group: GroupId,
    pub run: RunId,
    /// Its heading; empty for what stands before the first one.
    pub section: String,
    /// What stood there then; `None` where there was no such section.
    pub before: Option<String>,
    pub text: String,
    pub why: String,
    /// The tool that had shown the agent something in that turn.
    pub after_tool: Option<String>,
    pub state: ProposalState,
    pub at_ms: i64,
    pub answered_ms: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ProposalState {
    Waiting,
    Approved,
    Declined,
    /// The same section was proposed again.
    Replaced,
}
