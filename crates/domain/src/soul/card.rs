//! Characters of other programs, and souls that are yet to be saved.

use crate::{AgentId, Fault};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A file that describes somebody: a character card, or a Markdown file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct CardFile {
    pub name: String,
    pub base64: String,
}

/// Somebody whom other programs' files describe, as a soul that is not saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct SoulCard {
    /// Of each file, in their order.
    pub forms: Vec<CardForm>,
    pub name: String,
    /// A valid soul's file, whole.
    pub text: String,
    pub taken: Vec<TakenPart>,
    pub left_out: Vec<LeftPart>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CardForm {
    /// Character cards, by the version of their format.
    CardV1,
    CardV2,
    CardV3,
    SoulMd,
    IdentityMd,
}

/// Something of a file that stands in the soul.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct TakenPart {
    /// As the file calls it.
    pub part: String,
    pub became: CardUse,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CardUse {
    Name,
    Role,
    Persona,
    /// How it speaks.
    Example,
}

/// Something of a file that does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct LeftPart {
    pub part: String,
    pub why: CardLoss,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum CardLoss {
    /// Souls have nothing like it.
    NoPlace,
    /// Files of others say nothing about what agents may use or do.
    NotItsToSay,
    TooLong,
    /// The picture that a card is: agents' own are drawn after their names.
    Picture,
}

/// A soul for a name and a sentence, not saved.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
pub struct SoulDraft {
    /// A valid soul's file, whole.
    pub text: String,
    /// Who wrote it; `None` where the sentence stands in the usual soul.
    pub by: Option<AgentId>,
    /// Why nobody wrote it, where somebody was asked.
    pub why_not: Option<Fault>,
}
