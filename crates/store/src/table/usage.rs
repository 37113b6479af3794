//! What each model call used.

use crate::{Read, StoreError, Write};
use domain::{Run, RunId, Usage, UsageBy, UsageRow};
use rusqlite::params;

/// One call of the model.
#[derive(Debug, Clone, PartialEq)]
pub struct Used {
    /// `provider/model`.
    pub model: String,
    pub usage: Usage,
    /// `None` while no price of the model is known.
    pub cost_microusd: Option<i64>,
    /// The provider did not say; this is our own count.
    pub estimated: bool,
}

pub fn add(write: &mut Write<'_>, run: &Run, used: &Used, at_ms: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO usage (run, agent, group_id, model, input_tokens, output_tokens, cached_tokens,
                cost_microusd, estimated, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            run.id.0,
            run.agent.0,
            run.group.0,
            used.model,
            used.usage.input_tokens,
            used.usage.output_tokens,
            used.usage.cached_tokens,
            used.cost_microusd,
            used.estimated,
            at_ms,
        ])?;
    Ok(())
}

/// What all calls of a run used, and what those cost whose price is known.
pub fn of_run(read: &Read<'_>, run: RunId) -> Result<(Usage, Option<i64>), StoreError> {
    let sums = read.one(
        "SELECT sum(input_tokens), sum(output_tokens), sum(cached_tokens), sum(cost_microusd)
         FROM usage WHERE run = ?1",
        [run.0],
        |row| {
            let tokens = |column| {
                let sum: Option<i64> = row.get(column)?;
                Ok::<_, rusqlite::Error>(sum.map(|sum| u32::try_from(sum).unwrap_or(u32::MAX)))
            };
            let usage = Usage {
                input_tokens: tokens(0)?,
                output_tokens: tokens(1)?,
                cached_tokens: tokens(2)?,
            };
            Ok((usage, row.get(3)?))
        },
    )?;
    Ok(sums.unwrap_or_default())
}

/// Sums since a time, the largest first; days newest first.
pub fn sums(read: &Read<'_>, by: UsageBy, since_ms: i64) -> Result<Vec<UsageRow>, StoreError> {
    let (key, order) = match by {
        UsageBy::Agent => ("agent", "2 DESC"),
        UsageBy::Group => ("group_id", "2 DESC"),
        UsageBy::Model => ("model", "2 DESC"),
        UsageBy::Day => ("date(at_ms / 1000, 'unixepoch')", "1 DESC"),
    };
    let sql = format!(
        "SELECT {key}, coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0), count(*),
             coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
             coalesce(sum(cached_tokens), 0), coalesce(sum(cost_microusd), 0)
         FROM usage WHERE at_ms >= ?1 GROUP BY 1 ORDER BY {order}"
    );
    read.list(&sql, [since_ms], |row| {
        let key = match by {
            UsageBy::Agent | UsageBy::Group => row.get::<_, uuid::Uuid>(0)?.to_string(),
            UsageBy::Model | UsageBy::Day => row.get(0)?,
        };
        Ok(UsageRow {
            key,
            calls: row.get(2)?,
            input_tokens: row.get(3)?,
            output_tokens: row.get(4)?,
            cached_tokens: row.get(5)?,
            cost_microusd: row.get(6)?,
        })
    })
}
