//! What each scope has spent, and what is promised to calls in progress.
//!
//! A call is promised its most before it is made, in the transaction that
//! checks the limits, and pays what it used when it has ended. A promise whose
//! process ended is paid in full: what the call used nobody knows.

use crate::{Read, StoreError, Write, value};
use domain::RunId;
use rusqlite::params;
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
    pub microusd: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spent {
    pub paid: Amount,
    pub reserved: Amount,
}

pub fn get(read: &Read<'_>, account: &Account) -> Result<Spent, StoreError> {
    let spent = read.one(
        "SELECT tokens, microusd, reserved_tokens, reserved_microusd FROM spend
         WHERE scope = ?1 AND day = ?2",
        params![account.scope, account.day],
        |row| {
            Ok(Spent {
                paid: Amount { tokens: row.get(0)?, microusd: row.get(1)? },
                reserved: Amount { tokens: row.get(2)?, microusd: row.get(3)? },
            })
        },
    )?;
    Ok(spent.unwrap_or_default())
}

pub fn reserve(
    write: &mut Write<'_>,
    id: Uuid,
    run: RunId,
    accounts: &[Account],
    amount: Amount,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO reservations (id, run, scopes, tokens, microusd) VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute(params![id, run.0, value::json(&accounts)?, amount.tokens, amount.microusd])?;
    for account in accounts {
        book(write, account, Amount::default(), amount)?;
    }
    Ok(())
}

/// Pays for a call that has ended. Does nothing when it was paid before.
pub fn pay(write: &mut Write<'_>, id: Uuid, used: Amount) -> Result<(), StoreError> {
    let Some((accounts, promised)) = take(write, id)? else { return Ok(()) };
    let back = Amount { tokens: -promised.tokens, microusd: -promised.microusd };
    for account in &accounts {
        book(write, account, used, back)?;
    }
    Ok(())
}

/// Pays every promise in full: the process that held them has ended.
pub fn pay_all(write: &mut Write<'_>) -> Result<(), StoreError> {
    let open = write.list("SELECT id, tokens, microusd FROM reservations", [], |row| {
        Ok((row.get::<_, Uuid>(0)?, Amount { tokens: row.get(1)?, microusd: row.get(2)? }))
    })?;
    open.into_iter().try_for_each(|(id, amount)| pay(write, id, amount))
}

fn take(write: &mut Write<'_>, id: Uuid) -> Result<Option<(Vec<Account>, Amount)>, StoreError> {
    write.one(
        "DELETE FROM reservations WHERE id = ?1 RETURNING scopes, tokens, microusd",
        [id],
        |row| {
            let accounts = value::from_json(0, &row.get::<_, String>(0)?)?;
            Ok((accounts, Amount { tokens: row.get(1)?, microusd: row.get(2)? }))
        },
    )
}

fn book(
    write: &mut Write<'_>,
    account: &Account,
    paid: Amount,
    reserved: Amount,
) -> Result<(), StoreError> {
    write
        .db
        .prepare_cached(
            "INSERT INTO spend (scope, day, tokens, microusd, reserved_tokens, reserved_microusd)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (scope, day) DO UPDATE SET tokens = tokens + ?3, microusd = microusd + ?4,
                 reserved_tokens = reserved_tokens + ?5, reserved_microusd = reserved_microusd + ?6",
        )?
        .execute(params![
            account.scope,
            account.day,
            paid.tokens,
            paid.microusd,
            reserved.tokens,
            reserved.microusd
        ])?;
    Ok(())
}
