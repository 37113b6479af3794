//! `coterie usage`: what the models used, and what it cost.

use crate::money::{self, Cost};
use crate::names::Names;
use crate::screen::Failure;
use crate::session::{Session, answered};
use crate::table::table;
use clap::Args;
use domain::{AgentId, GroupId, Query, UsageBy, UsageRow};

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
    let cost = Cost::since(session, &names, since_ms).await?;
    session.screen.many(&rows, |paint| {
        let heads = [head(by), "calls", "read", "of it cached", "written", "cost"];
        table(paint, heads, rows.iter().map(|row| line(row, by, &names, &cost)).collect())
    });
    Ok(())
}

fn head(by: UsageBy) -> &'static str {
    match by {
        UsageBy::Agent => "agent",
        UsageBy::Model => "model",
        UsageBy::Group => "group",
        UsageBy::Day => "day",
    }
}

fn line(row: &UsageRow, by: UsageBy, names: &Names, cost: &Cost) -> [String; 6] {
    let name = match by {
        UsageBy::Agent => row.key.parse().map(|id| names.agent_name(AgentId(id))).ok(),
        UsageBy::Group => row.key.parse().map(|id| names.group_name_of(GroupId(id))).ok(),
        UsageBy::Model | UsageBy::Day => None,
    };
    [
        name.unwrap_or_else(|| row.key.clone()),
        row.calls.to_string(),
        row.input_tokens.to_string(),
        row.cached_tokens.to_string(),
        row.output_tokens.to_string(),
        match by {
            UsageBy::Model => cost.of_model(row),
            UsageBy::Agent | UsageBy::Group | UsageBy::Day => {
                cost.of(row.cost_microusd, row.input_tokens + row.output_tokens)
            }
        },
    ]
}
