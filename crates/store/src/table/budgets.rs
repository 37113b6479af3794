//! Limits that a person has set.

use crate::{Read, StoreError, Write, value};
use domain::{Budget, BudgetScope};
use rusqlite::params;

pub fn all(read: &Read<'_>) -> Result<Vec<Budget>, StoreError> {
    read.list("SELECT scope, tokens, microusd FROM budgets ORDER BY scope", [], |row| {
        Ok(Budget {
            scope: value::from_json(0, &row.get::<_, String>(0)?)?,
            tokens: row.get(1)?,
            microusd: row.get(2)?,
        })
    })
}

pub fn put(write: &mut Write<'_>, budget: &Budget) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT OR REPLACE INTO budgets (scope, tokens, microusd) VALUES (?1, ?2, ?3)",
        )?
        .execute(params![value::json(&budget.scope)?, budget.tokens, budget.microusd])?;
    Ok(())
}

pub fn remove(write: &mut Write<'_>, scope: BudgetScope) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached("DELETE FROM budgets WHERE scope = ?1")?
        .execute([value::json(&scope)?])?;
    Ok(())
}
