//! What each scope has spent, and what is promised to calls in progress.
//!
//! A call is promised its most before it is made, in the transaction that
//! checks the limits, and pays what it used when it has ended. There are as few
//! promises as calls in progress, so what they hold of an account is added up
//! whenever it is asked.

use crate::{Read, StoreError, Write, value};
use domain::RunId;
use rusqlite::{Row, params};
use uuid::Uuid;

/// A scope's name and the day it counts in, in days since 1970 UTC; day 0 for
/// a scope that ends by itself.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Account {
    pub scope: String,
    pub day: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Amount {
    pub tokens: i64,
    /// Of the calls whose price is known.
    pub microusd: i64,
    /// Calls that cost nobody knows how much.
    pub unpriced: i64,
}

impl Amount {
    /// `None` where there were calls and no price of any of them is known.
    pub fn money(self) -> Option<i64> {
        (self.unpriced == 0 || self.microusd > 0).then_some(self.microusd)
    }

    /// The larger of both in each.
    pub fn or_more(self, other: Amount) -> Amount {
        Amount {
            tokens: self.tokens.max(other.tokens),
            microusd: self.microusd.max(other.microusd),
            unpriced: self.unpriced.max(other.unpriced),
        }
    }

    /// Both together.
    pub fn and(self, more: Amount) -> Amount {
        Amount {
            tokens: self.tokens.saturating_add(more.tokens),
            microusd: self.microusd.saturating_add(more.microusd),
            unpriced: self.unpriced.saturating_add(more.unpriced),
        }
    }
}

/// What one call of a model may use at the most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Promise {
    pub id: Uuid,
    pub run: RunId,
    /// `provider/model`.
    pub model: String,
    pub accounts: Vec<Account>,
    pub input_tokens: u32,
    pub output_tokens: u32,
    /// `None` while no price of the model is known.
    pub microusd: Option<i64>,
}

impl Promise {
    pub fn amount(&self) -> Amount {
        let tokens = i64::from(self.input_tokens) + i64::from(self.output_tokens);
        let unpriced = i64::from(self.microusd.is_none());
        Amount { tokens, microusd: self.microusd.unwrap_or(0), unpriced }
    }
}

/// What an account has paid.
pub fn get(read: &Read<'_>, account: &Account) -> Result<Amount, StoreError> {
    let paid = read.one(
        "SELECT tokens, microusd, unpriced FROM spend WHERE scope = ?1 AND day = ?2",
        params![account.scope, account.day],
        |row| Ok(Amount { tokens: row.get(0)?, microusd: row.get(1)?, unpriced: row.get(2)? }),
    )?;
    Ok(paid.unwrap_or_default())
}

/// What these promises hold of an account.
pub fn held(promises: &[Promise], account: &Account) -> Amount {
    let its = promises.iter().filter(|promise| promise.accounts.contains(account));
    its.fold(Amount::default(), |held, promise| held.and(promise.amount()))
}

pub fn reserve(write: &mut Write<'_>, promise: &Promise) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO reservations (id, run, model, scopes, input_tokens, output_tokens, microusd)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute(params![
            promise.id,
            promise.run.0,
            promise.model,
            value::json(&promise.accounts)?,
            promise.input_tokens,
            promise.output_tokens,
            promise.microusd,
        ])?;
    Ok(())
}

/// Pays for a call that has ended. Gives false when it was paid before, or
/// never promised anything.
pub fn pay(write: &mut Write<'_>, id: Uuid, used: Amount) -> Result<bool, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM reservations WHERE id = ?1");
    let Some(promise) = write.one(&sql, [id], promise)? else { return Ok(false) };
    write.db.prepare_cached("DELETE FROM reservations WHERE id = ?1")?.execute([id])?;
    for account in &promise.accounts {
        book(write, account, used)?;
    }
    Ok(true)
}

/// The promises of calls that have not ended.
pub fn open(read: &Read<'_>) -> Result<Vec<Promise>, StoreError> {
    read.list(&format!("SELECT {COLUMNS} FROM reservations"), [], promise)
}

const COLUMNS: &str = "id, run, model, scopes, input_tokens, output_tokens, microusd";

fn promise(row: &Row<'_>) -> rusqlite::Result<Promise> {
    Ok(Promise {
        id: row.get(0)?,
        run: RunId(row.get(1)?),
        model: row.get(2)?,
        accounts: value::from_json(3, &row.get::<_, String>(3)?)?,
        input_tokens: row.get(4)?,
        output_tokens: row.get(5)?,
        microusd: row.get(6)?,
    })
}

/// For what was asked without a promise.
pub fn book(write: &mut Write<'_>, account: &Account, paid: Amount) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO spend (scope, day, tokens, microusd, unpriced) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (scope, day) DO UPDATE SET tokens = tokens + ?3, microusd = microusd + ?4,
                 unpriced = unpriced + ?5",
        )?
        .execute(params![account.scope, account.day, paid.tokens, paid.microusd, paid.unpriced])?;
    Ok(())
}
