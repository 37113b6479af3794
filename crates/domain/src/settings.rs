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

/// Which model serves which role, as `provider/model`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct ModelChoice {
    pub default: Option<String>,
    pub fast: Option<String>,
    pub reasoning: Option<String>,
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
}
