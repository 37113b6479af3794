//! What each model call used.

use crate::{Read, StoreError, Write};
use domain::{ModelCall, Run, RunId, Usage, UsageBy, UsageRow};
use rusqlite::{Row, params};

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
    /// From the question to the first sign of an answer.
    pub first_token_ms: Option<i64>,
    /// From the question to the end.
    pub took_ms: Option<i64>,
}

impl Used {
    /// Whether it cost nobody knows how much. What used nothing cost nothing.
    pub fn is_unpriced(&self) -> bool {
        let used = self.usage.input_tokens.is_some() || self.usage.output_tokens.is_some();
        used && self.cost_microusd.is_none()
    }
}

pub fn add(write: &mut Write<'_>, run: &Run, used: &Used, at_ms: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO usage (run, agent, group_id, model, input_tokens, output_tokens, cached_tokens,
                cache_write_tokens, cost_microusd, estimated, first_token_ms, took_ms, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?
        .execute(params![
            run.id.0,
            run.agent.0,
            run.group.0,
            used.model,
            used.usage.input_tokens,
            used.usage.output_tokens,
            used.usage.cached_tokens,
            used.usage.cache_write_tokens,
            used.cost_microusd,
            used.estimated,
            used.first_token_ms,
            used.took_ms,
            at_ms,
        ])?;
    Ok(())
}

/// Whether any call of the model, `provider/model`, has ended.
pub fn any_of(read: &Read<'_>, model: &str) -> Result<bool, StoreError> {
    let any = read.one("SELECT 1 FROM usage WHERE model = ?1 LIMIT 1", [model], |_| Ok(()))?;
    Ok(any.is_some())
}

/// What all calls of a run used, and what those cost whose price is known.
pub fn of_run(read: &Read<'_>, run: RunId) -> Result<(Usage, Option<i64>), StoreError> {
    let sums = read.one(
        "SELECT sum(input_tokens), sum(output_tokens), sum(cached_tokens), sum(cache_write_tokens),
             sum(cost_microusd)
         FROM usage WHERE run = ?1",
        [run.0],
        |row| Ok((tokens(row, 0)?, row.get(4)?)),
    )?;
    Ok(sums.unwrap_or_default())
}

/// Each call that a run has paid for, oldest first.
pub fn calls_of_run(read: &Read<'_>, run: RunId) -> Result<Vec<ModelCall>, StoreError> {
    read.list(
        "SELECT input_tokens, output_tokens, cached_tokens, cache_write_tokens, model, estimated,
             cost_microusd, first_token_ms, took_ms, at_ms
         FROM usage WHERE run = ?1 ORDER BY seq",
        [run.0],
        |row| {
            Ok(ModelCall {
                usage: tokens(row, 0)?,
                model: row.get(4)?,
                estimated: row.get(5)?,
                cost_microusd: row.get(6)?,
                first_token_ms: row.get(7)?,
                took_ms: row.get(8)?,
                ended_ms: row.get(9)?,
            })
        },
    )
}

/// Four columns from this one on.
fn tokens(row: &Row<'_>, first: usize) -> rusqlite::Result<Usage> {
    let tokens = |column| {
        let sum: Option<i64> = row.get(first + column)?;
        Ok::<_, rusqlite::Error>(sum.map(|sum| u32::try_from(sum).unwrap_or(u32::MAX)))
    };
    Ok(Usage {
        input_tokens: tokens(0)?,
        output_tokens: tokens(1)?,
        cached_tokens: tokens(2)?,
        cache_write_tokens: tokens(3)?,
    })
}

/// Sums since a time, the largest first; days newest first.
pub fn sums(read: &Read<'_>, by: UsageBy, since_ms: i64) -> Result<Vec<UsageRow>, StoreError> {
    let (key, order) = match by {
        UsageBy::Agent => ("agent", "2 DESC"),
        UsageBy::Group => ("group_id", "2 DESC"),
        UsageBy::Model => ("model", "2 DESC"),
        UsageBy::Day => ("date(at_ms / 1000, 'unixepoch')", "1 DESC"),
    };
    // Of nobody: what no run asked for is on a model's account and a day's.
    let of_nobody = match by {
        UsageBy::Agent | UsageBy::Group => "",
        UsageBy::Model | UsageBy::Day => {
            "UNION ALL SELECT NULL, NULL, model, input_tokens, NULL, NULL, NULL, cost_microusd,
                 estimated, at_ms
             FROM vector_usage"
        }
    };
    let sql = format!(
        "SELECT {key}, coalesce(sum(input_tokens), 0) + coalesce(sum(output_tokens), 0), count(*),
             coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0),
             sum(cached_tokens), sum(cache_write_tokens),
             sum(cost_microusd),
             count(*) FILTER (WHERE cost_microusd IS NULL
                 AND (input_tokens IS NOT NULL OR output_tokens IS NOT NULL)),
             count(*) FILTER (WHERE estimated)
         FROM (SELECT agent, group_id, model, input_tokens, output_tokens, cached_tokens,
                 cache_write_tokens, cost_microusd, estimated, at_ms
             FROM usage {of_nobody})
         WHERE at_ms >= ?1 GROUP BY 1 ORDER BY {order}"
    );
    read.list(&sql, [since_ms], |row| {
        let key = match by {
            UsageBy::Agent | UsageBy::Group => row.get::<_, uuid::Uuid>(0)?.to_string(),
            UsageBy::Model | UsageBy::Day => row.get(0)?,
        };
        let (known, unpriced_calls): (Option<i64>, u32) = (row.get(7)?, row.get(8)?);
        Ok(UsageRow {
            key,
            calls: row.get(2)?,
            input_tokens: row.get(3)?,
            output_tokens: row.get(4)?,
            cached_tokens: row.get(5)?,
            cache_write_tokens: row.get(6)?,
            // Where nothing was used, nothing was paid.
            cost_microusd: known.or((unpriced_calls == 0).then_some(0)),
            unpriced_calls,
            estimated_calls: row.get(9)?,
        })
    })
}
