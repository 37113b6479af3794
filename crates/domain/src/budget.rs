//! Budgets: limits that are checked before anything is spent.

use crate::{AgentId, GroupId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a limit is about. A day begins at midnight UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
#[serde(tag = "kind", content = "id", rename_all = "snake_case")]
pub enum BudgetScope {
    /// Everything that one message of a person causes.
    Message,
    /// One run of one agent.
    Run,
    /// All agents together in a day.
    Day,
    /// Each agent in a day, its children's work included.
    AnyAgent,
    /// Each group in a day.
    AnyGroup,
    /// Everything that agents do in the feed in a day.
    Feed,
    /// This agent in a day, instead of what holds for any.
    Agent(AgentId),
    /// This group in a day, instead of what holds for any.
    Group(GroupId),
}

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum BudgetUnit {
    /// Read and written.
    Tokens,
    /// Millionths of a US dollar.
    Microusd,
}

/// The most that may be spent. `None` is no limit, which a person has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Budget {
    pub scope: BudgetScope,
    /// Tokens read and written.
    pub tokens: Option<i64>,
    /// Millionths of a US dollar.
    pub microusd: Option<i64>,
}

/// A limit, and how much of it is gone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct BudgetState {
    pub budget: Budget,
    /// Set by a person; else the default.
    pub set: bool,
    /// Today's, for a scope that counts by the day; 0 for the others.
    pub spent_tokens: i64,
    /// Of the calls whose price is known; `None` where there were calls and no
    /// price of any of them is.
    pub spent_microusd: Option<i64>,
    /// Calls that cost nobody knows how much.
    pub unpriced_calls: u32,
    /// Promised to calls in progress.
    pub reserved_tokens: i64,
    pub reserved_microusd: i64,
}

/// What a model costs, in millionths of a US dollar for a million tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct Price {
    /// `provider/model`; a `*` at the end stands for whatever follows.
    pub model: String,
    pub input_microusd: i64,
    /// Input that the provider took from its prompt cache; as other input when
    /// absent.
    pub cached_microusd: Option<i64>,
    /// Input that the provider put into its prompt cache; as other input when
    /// absent.
    #[serde(default)]
    pub cache_write_microusd: Option<i64>,
    pub output_microusd: i64,
    /// The day on which this was its price, as `2026-11-21`.
    #[serde(default)]
    pub as_of: Option<String>,
    /// Its provider says so, or else the table that ships, and may say otherwise when
    /// it is asked again. What a person says holds.
    #[serde(default)]
    pub by_provider: bool,
}

/// One change of the table of prices.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, TS)]
#[serde(default)]
#[ts(optional_fields)]
pub struct PriceChange {
    /// What is said of this goes, and was said before.
    pub without: Option<String>,
    /// In its place, or in that of what was said of the same, or at the end.
    pub put: Option<Price>,
}

impl From<Price> for PriceChange {
    fn from(price: Price) -> Self {
        PriceChange { without: None, put: Some(price) }
    }
}

/// What was used, over some rows of the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct UsageRow {
    /// An id, a model's name or a day (`2026-11-21`), by what was asked.
    pub key: String,
    pub calls: u32,
    pub input_tokens: i64,
    pub output_tokens: i64,
    /// Of the input; `None` where no provider said how much.
    pub cached_tokens: Option<i64>,
    /// Likewise.
    pub cache_write_tokens: Option<i64>,
    /// Of the calls whose price is known; `None` where no price of any is.
    pub cost_microusd: Option<i64>,
    /// Calls that cost nobody knows how much.
    pub unpriced_calls: u32,
    /// Calls whose tokens are our own count: the provider did not say.
    #[serde(default)]
    pub estimated_calls: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum UsageBy {
    Agent,
    Model,
    Group,
    Day,
}
