//! What the models of providers used that compare texts. No run asks them, and no agent
//! pays.

use crate::{StoreError, Write};
use rusqlite::params;

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct VectorUsage {
    /// `provider/model`.
    pub model: String,
    pub input_tokens: u32,
    /// `None` while no price of the model is known.
    pub cost_microusd: Option<i64>,
    /// The provider did not say; this is our own count.
    pub estimated: bool,
    pub at_ms: i64,
}

pub fn add(write: &mut Write<'_>, used: &VectorUsage) -> Result<(), StoreError> {
    let add = "INSERT INTO vector_usage (model, input_tokens, cost_microusd, estimated, at_ms)
         VALUES (?1, ?2, ?3, ?4, ?5)";
    write.db.prepare_cached(add)?.execute(params![
        used.model,
        used.input_tokens,
        used.cost_microusd,
        used.estimated,
        used.at_ms,
    ])?;
    Ok(())
}
