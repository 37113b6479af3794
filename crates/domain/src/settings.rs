//! What a person can set for the whole workspace: a struct an area.

use crate::Price;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Settings {
    /// What agents call the person; empty until told.
    pub your_name: String,
    pub appearance: Appearance,
    pub models: ModelChoice,
    pub limits: Limits,
    /// The first that fits a model is its price.
    pub prices: Vec<Price>,
    pub response_cache: ResponseCache,
    pub memory: Learning,
}

/// What is remembered unasked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Learning {
    /// What a person says of themselves is noticed by plain rules.
    pub notices: bool,
    /// The fast model, if one is chosen, looks back at conversations that rest.
    pub looks_back: bool,
    /// A turn is reminded of what fits it.
    pub reminds: bool,
}

impl Default for Learning {
    fn default() -> Self {
        Learning { notices: true, looks_back: true, reminds: true }
    }
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Appearance {
    pub theme: Theme,
    pub language: Language,
    pub high_contrast: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    #[default]
    System,
    En,
    Zh,
}

/// Which model serves which role, as `provider/model`. A role without one is
/// served by the default.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ModelChoice {
    /// Answers.
    pub default: Option<String>,
    /// Summaries and other housekeeping.
    pub fast: Option<String>,
    /// Plans, and supervisors' decisions.
    pub reasoning: Option<String>,
    /// What texts are compared with.
    pub embedding: Option<String>,
    /// Goes on in the place of a model that fails for good.
    pub fallback: Option<String>,
}

/// What a model is not asked twice within an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ResponseCache {
    /// Plans, decisions and summaries: what is asked for the likeliest answer.
    pub on: bool,
    /// Answers too that chance has a part in.
    pub sampled: bool,
}

impl Default for ResponseCache {
    fn default() -> Self {
        ResponseCache { on: true, sampled: false }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Limits {
    /// Model calls at the same time, over all agents.
    pub max_concurrent: u32,
    /// Longest message a person or an agent may post.
    pub message_characters: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { max_concurrent: 4, message_characters: 32_000 }
    }
}

/// One change: every area that is given replaces the one that stands.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct SettingsPatch {
    pub your_name: Option<String>,
    pub appearance: Option<Appearance>,
    pub models: Option<ModelChoice>,
    pub limits: Option<Limits>,
    pub prices: Option<Vec<Price>>,
    pub response_cache: Option<ResponseCache>,
    pub memory: Option<Learning>,
}
