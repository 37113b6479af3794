//! What each model call used.

use crate::{StoreError, Write};
use domain::Run;
use rusqlite::params;

pub fn add(write: &mut Write<'_>, run: &Run, at_ms: i64) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO usage (run, agent, group_id, model, input_tokens, output_tokens, cached_tokens, at_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
        )?
        .execute(params![
            run.id.0,
            run.agent.0,
            run.group.0,
            run.model,
            run.usage.input_tokens,
            run.usage.output_tokens,
            run.usage.cached_tokens,
            at_ms,
        ])?;
    Ok(())
}
