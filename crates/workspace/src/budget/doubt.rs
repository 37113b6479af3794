//! Calls of a model no call of which has ended yet.
//!
//! Pure. How far our count is off, the first bill says. Until then each of several calls
//! at the same time may turn out several times as large, and together they would pass a
//! limit by many times what one call can. So where a limit has no room for
//! that, the second waits for the first one's bill. One by itself goes on: it passes
//! the limit by what it is misjudged by, and no other follows.

use super::room::Limit;
use crate::metered::MOST_OVER;
use crate::prices;
use domain::Price;
use store::table::spend::{Account, Amount, Promise};

/// What servers have been seen to put before a request.
const OF_ITS_OWN: u32 = 16_384;

/// What the call, and those of its model that are in progress, may take more of the
/// account than they were promised; nothing where there are no others.
pub(super) fn of(
    open: &[Promise],
    own: &Promise,
    price: Option<&Price>,
    account: &Account,
) -> Amount {
    let is_beside = |other: &&Promise| {
        other.model == own.model && other.run != own.run && other.accounts.contains(account)
    };
    let beside: Vec<&Promise> = open.iter().filter(is_beside).collect();
    // What has nothing more to read is part of an answer that is being heard.
    if beside.is_empty() || own.input_tokens == 0 {
        return Amount::default();
    }
    beside.into_iter().chain([own]).fold(Amount::default(), |all, call| {
        let unknown = call.input_tokens.saturating_mul(MOST_OVER - 1).saturating_add(OF_ITS_OWN);
        let cost = price.map_or(0, |price| prices::most(price, unknown, 0));
        all.and(Amount { tokens: i64::from(unknown), microusd: cost, unpriced: 0 })
    })
}

/// Whether the limit would be passed if all of it came true.
pub(super) fn fills(limit: &Limit, used: Amount, amount: Amount, doubt: Amount) -> bool {
    doubt != Amount::default() && limit.exceeded(used, amount.and(doubt)).is_some()
}
