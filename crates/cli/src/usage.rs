//! `coterie usage`: what the models used, and what it cost.
//!
//! What a provider did not count, Coterie did by rule of thumb: such a number,
//! and every sum that it is in, has `≈` in front, and words that say so.

use crate::money;
use crate::names::Names;
use crate::screen::{Failure, Paint};
use crate::session::{Session, answered};
use crate::table::table;
use crate::words;
use clap::Args;
use domain::{AgentId, GroupId, ModelCall, Query, Usage as Tokens, UsageBy, UsageRow};

#[derive(Args)]
pub(crate) struct Usage {
    /// agent, model, group or day
    #[arg(long, value_parser = by, default_value = "agent")]
    by: UsageBy,
    /// Of how many days, today included
    #[arg(long, value_name = "DAYS", default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..))]
    since: u32,
}

fn by(word: &str) -> Result<UsageBy, String> {
    serde_json::from_value(word.into())
        .map_err(|_| "choose one of agent, model, group, day".to_owned())
}

pub(crate) async fn run(session: &Session, usage: Usage) -> Result<(), Failure> {
    let Usage { by, since } = usage;
    let since_ms = money::today_ms() - (i64::from(since) - 1) * money::DAY_MS;
    let rows = answered!(session.ask(Query::Usage { by, since_ms }).await?, Usage)?;
    let names = session.names().await?;
    session.screen.many(&rows, |paint| {
        let counts = ["calls", "read", "out of the cache", "into the cache", "written", "cost"];
        let [calls, read, from_cache, to_cache, written, cost] = counts;
        let heads = [head(by), calls, read, from_cache, to_cache, written, cost, ""];
        table(paint, heads, rows.iter().map(|row| line(row, by, &names)).collect())
    });
    Ok(())
}

/// A line each: what it was charged, and how long it took.
pub(crate) fn calls(paint: Paint, calls: &[ModelCall]) -> String {
    let time = |ms: Option<i64>| ms.map_or(String::new(), words::duration);
    let rows = calls.iter().map(|call| {
        let is_used = call.usage.input_tokens.is_some() || call.usage.output_tokens.is_some();
        let note = if call.estimated { "estimated: without a count that can be right" } else { "" };
        let paid = money::paid(call.cost_microusd.or((!is_used).then_some(0)), 0);
        [
            call.model.clone(),
            marked(words::usage(&call.usage), call.estimated),
            said(call.usage.cached_tokens),
            marked(paid, call.estimated && call.cost_microusd.is_some()),
            time(call.first_token_ms),
            time(call.took_ms),
            note.to_owned(),
        ]
    });
    let heads = ["call", "tokens", "out of the cache", "cost", "first sign", "whole", ""];
    table(paint, heads, rows.collect())
}

/// What all calls of a run read and wrote.
pub(crate) fn tokens(usage: &Tokens, estimated: bool) -> String {
    let said = words::usage(usage);
    match estimated {
        true => format!("{}, at least in part estimated", marked(said, true)),
        false => said,
    }
}

/// What nobody said is no 0.
fn said(tokens: Option<impl ToString>) -> String {
    tokens.map_or(String::new(), |tokens| tokens.to_string())
}

/// A number, or a sum, with the sign of one that was not counted.
pub(crate) fn marked(number: String, estimated: bool) -> String {
    if estimated { format!("≈{number}") } else { number }
}

fn head(by: UsageBy) -> &'static str {
    match by {
        UsageBy::Agent => "agent",
        UsageBy::Model => "model",
        UsageBy::Group => "group",
        UsageBy::Day => "day",
    }
}

fn line(row: &UsageRow, by: UsageBy, names: &Names) -> [String; 8] {
    let name = match by {
        UsageBy::Agent => row.key.parse().map(|id| names.agent_name(AgentId(id))).ok(),
        UsageBy::Group => row.key.parse().map(|id| names.group_name_of(GroupId(id))).ok(),
        UsageBy::Model | UsageBy::Day => None,
    };
    let is_estimated = row.estimated_calls > 0;
    [
        name.unwrap_or_else(|| row.key.clone()),
        row.calls.to_string(),
        marked(row.input_tokens.to_string(), is_estimated),
        said(row.cached_tokens),
        said(row.cache_write_tokens),
        marked(row.output_tokens.to_string(), is_estimated),
        marked(
            money::paid(row.cost_microusd, row.unpriced_calls),
            is_estimated && row.cost_microusd.is_some(),
        ),
        match row.estimated_calls {
            0 => String::new(),
            n if n == row.calls => "estimated".to_owned(),
            n => format!("{n} of {} calls estimated", row.calls),
        },
    ]
}
