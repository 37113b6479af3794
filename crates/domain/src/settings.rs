//! What a person can set for the whole workspace: a struct an area.

use crate::{GroupId, ModelRole, Price, PriceChange, Restored};
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
    /// What is said of a model by its name counts before what is said of several.
    pub prices: Vec<Price>,
    pub response_cache: ResponseCache,
    pub memory: Learning,
    pub approvals: Approvals,
    pub feed: FeedRules,
    pub manners: Manners,
    /// Everybody rests, by a command of its own.
    pub all_paused: bool,
    /// Why they do, where a backup was put in place and nobody has had them go on since.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub restored: Option<Restored>,
}

/// How the window behaves among the other programs of its person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Manners {
    /// Whoever closes the window leaves the agents at work.
    pub stays: bool,
    /// Whether the system tells that a turn failed or an agent stopped while no window is
    /// looked at.
    pub tells_trouble: bool,
}

impl Default for Manners {
    fn default() -> Self {
        Manners { stays: false, tells_trouble: true }
    }
}

/// What agents do in the feed by themselves, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct FeedRules {
    /// A tick comes by itself. Turned on by a command of its own, which says what
    /// it may cost.
    pub on: bool,
    pub every_minutes: u32,
    /// Agents that one post or comment is given to.
    pub answers_per_item: u32,
    /// Posts and comments that one agent is given within an hour.
    pub per_hour: u32,
    /// How long an agent is left alone in a thread after it was given something
    /// there, unless it is spoken to.
    pub rest_minutes: u32,
}

impl Default for FeedRules {
    fn default() -> Self {
        FeedRules {
            on: false,
            every_minutes: 30,
            answers_per_item: 2,
            per_hour: 12,
            rest_minutes: 10,
        }
    }
}

/// What a person is asked before tools are used, and what nobody has to be asked
/// about because it never happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Approvals {
    /// How long a question waits. No answer is no.
    pub minutes: u32,
    /// Whether the system tells that something waits while no window is looked at.
    pub notifies: bool,
    /// What no agent does, whoever allows it.
    pub blocked: Vec<BlockedUse>,
    /// Hosts, as `HOST` or `HOST:PORT`, that agents may reach although they are on
    /// this machine or in the network around it.
    pub near_hosts: Vec<String>,
}

impl Default for Approvals {
    fn default() -> Self {
        Approvals { minutes: 10, notifies: true, blocked: Vec::new(), near_hosts: Vec::new() }
    }
}

/// A tool with what it may not touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BlockedUse {
    /// Its name; `*` is any tool.
    pub tool: String,
    /// What the target fits, or the arguments where a tool has no target, or the text of
    /// a program or one of its commands; `*` stands for any signs.
    pub pattern: String,
    /// Only in this group, and in what agents do elsewhere because of what was said there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub group: Option<GroupId>,
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

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct Appearance {
    pub theme: Theme,
    pub language: Language,
    pub high_contrast: bool,
    /// How large everything in the window is drawn: one of `ZOOMS`.
    pub zoom_percent: u32,
}

impl Appearance {
    /// The steps by which everything becomes larger.
    pub const ZOOMS: [u32; 8] = [80, 90, 100, 110, 125, 150, 175, 200];
}

impl Default for Appearance {
    fn default() -> Self {
        Appearance {
            theme: Theme::default(),
            language: Language::default(),
            high_contrast: false,
            zoom_percent: 100,
        }
    }
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

impl ModelChoice {
    /// Each role, with the model that was chosen for it.
    pub fn named(&self) -> [(&'static str, Option<&str>); 5] {
        [
            ("default", self.default.as_deref()),
            ("fast", self.fast.as_deref()),
            ("reasoning", self.reasoning.as_deref()),
            ("embedding", self.embedding.as_deref()),
            ("fallback", self.fallback.as_deref()),
        ]
    }
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

/// One change: every area that is given replaces the one that stands. Of models and
/// prices, which several may set at once, one is changed and the others stay.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct SettingsPatch {
    pub your_name: Option<String>,
    pub appearance: Option<Appearance>,
    /// Nobody serves this role any more; `UseModel` says who does.
    pub no_model_for: Option<ModelRole>,
    pub limits: Option<Limits>,
    pub price: Option<PriceChange>,
    pub response_cache: Option<ResponseCache>,
    pub memory: Option<Learning>,
    pub approvals: Option<Approvals>,
    /// All but whether it is on.
    pub feed: Option<FeedRules>,
    pub manners: Option<Manners>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_from_before_there_was_a_size_have_everything_at_its_own() {
        let before = r#"{"appearance":{"theme":"dark","language":"zh","high_contrast":true}}"#;
        let appearance = Appearance {
            theme: Theme::Dark,
            language: Language::Zh,
            high_contrast: true,
            zoom_percent: 100,
        };
        assert_eq!(serde_json::from_str::<Settings>(before).unwrap().appearance, appearance);
        assert_eq!(serde_json::from_str::<Settings>("{}").unwrap(), Settings::default());
        assert!(Appearance::ZOOMS.contains(&Appearance::default().zoom_percent));
    }
}
