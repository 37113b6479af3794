//! Whether a limit has room for a call.
//!
//! Pure. What has been promised to calls in progress is as good as used while
//! it lasts, but it is no reason to give up: most of it comes back.

use domain::{Budget, BudgetUnit};
use store::table::spend::{Account, Amount};

/// What a call falls under: a limit, and where it counts.
#[derive(Clone)]
pub(super) struct Limit {
    pub budget: Budget,
    pub account: Account,
}

/// What a limit has for a call.
pub(super) enum Room {
    Enough,
    /// There will be, if others use little of what they were promised.
    Later,
    Never(Over),
}

/// By how much a call would go over a limit.
pub(super) struct Over {
    pub unit: BudgetUnit,
    pub limit: i64,
    pub used: i64,
    pub needed: i64,
}

impl Limit {
    pub(super) fn room(&self, paid: Amount, held: Amount, amount: Amount) -> Room {
        if let Some(over) = self.exceeded(paid, amount) {
            return Room::Never(over);
        }
        match self.exceeded(paid.and(held), amount) {
            Some(_) => Room::Later,
            None => Room::Enough,
        }
    }

    /// What costs nothing, or nobody knows how much, is held to tokens alone; but where
    /// nothing may be spent, what nobody knows the price of may not be had.
    pub(super) fn exceeded(&self, used: Amount, amount: Amount) -> Option<Over> {
        let over = |unit, limit: Option<i64>, used: i64, needed: i64| {
            let limit = limit?;
            let over = needed > 0 && used.saturating_add(needed) > limit;
            over.then_some(Over { unit, limit, used, needed })
        };
        let Budget { tokens, microusd, .. } = self.budget;
        if microusd == Some(0) && amount.unpriced > 0 {
            return Some(Over { unit: BudgetUnit::Microusd, limit: 0, used: 0, needed: 1 });
        }
        over(BudgetUnit::Tokens, tokens, used.tokens, amount.tokens)
            .or_else(|| over(BudgetUnit::Microusd, microusd, used.microusd, amount.microusd))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::BudgetScope;
    use proptest::prelude::*;

    /// A call: what was thought that it reads, what it may write, and what it
    /// read and wrote in the end, in parts of a thousand of those.
    #[derive(Debug, Clone)]
    struct Call {
        thought: i64,
        may_write: i64,
        read: i64,
        wrote: i64,
        ends_late: bool,
    }

    fn call() -> impl Strategy<Value = Call> {
        (0..5_000_i64, 1..2_000_i64, 0..=1000_i64, 0..=1000_i64, any::<bool>()).prop_map(
            |(thought, may_write, read, wrote, ends_late)| Call {
                thought,
                may_write,
                read: thought * read / 1000,
                wrote: may_write * wrote / 1000,
                ends_late,
            },
        )
    }

    proptest! {
        #[test]
        fn no_limit_is_passed_by_more_than_one_calls_max_tokens(
            tokens in 0..50_000_i64,
            misjudged in 0..=1000_i64,
            calls in prop::collection::vec(call(), 1..60),
        ) {
            let account = Account { scope: String::new(), day: 0 };
            let budget = Budget { scope: BudgetScope::Day, tokens: Some(tokens), microusd: None };
            let limit = Limit { budget, account };
            let (mut paid, mut held, mut late) = (Amount::default(), Amount::default(), Vec::new());
            let mut largest = 0;
            // The last call reads more than was thought, by up to what it may write.
            let last = calls.len() - 1;
            for (n, call) in calls.into_iter().enumerate() {
                let needed = call.thought + call.may_write;
                let amount = Amount { tokens: needed, ..Amount::default() };
                if !matches!(limit.room(paid, held, amount), Room::Enough) {
                    continue;
                }
                held.tokens += needed;
                let excess = if n == last { call.may_write * misjudged / 1000 } else { 0 };
                let used = call.read + call.wrote + excess;
                largest = largest.max(call.may_write);
                if call.ends_late {
                    late.push((needed, used));
                } else {
                    held.tokens -= needed;
                    paid.tokens += used;
                }
            }
            for (needed, used) in late {
                held.tokens -= needed;
                paid.tokens += used;
            }
            prop_assert_eq!(held.tokens, 0);
            prop_assert!(paid.tokens <= tokens + largest);
        }
    }
}
