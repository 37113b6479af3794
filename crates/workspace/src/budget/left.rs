//! What is left for the answers to something that is said, before anybody is
//! woken by it.
//!
//! What has been spent counts, and the first answers of those who were woken before
//! and have asked for nothing yet. What calls in progress hold comes back, and who is
//! woken waits for it. An agent's own budget is not looked at here: who
//! has used that up says so itself, and is woken for that.

use super::in_force::InForce;
use super::room::Limit;
use domain::{BudgetScope, Fault, GroupId, MessageId};
use store::Read;
use store::table::spend::{self, Amount};

/// Of the budgets that all who are woken together draw on.
#[derive(Clone)]
pub(crate) struct Left {
    /// Each with what was spent of it and what has been taken since.
    of: Vec<(Limit, Amount)>,
}

impl Left {
    /// `root` is the person's message that it all came of; `None` is one that they
    /// have not posted yet.
    pub(crate) fn of(
        read: &Read<'_>,
        group: GroupId,
        root: Option<MessageId>,
        now: i64,
    ) -> Result<Left, Fault> {
        let limits = InForce::read(read)?;
        let all = [limits.of_day(now), limits.of_group(group, now), limits.of_message(root)];
        let paid = |limit: Limit| spend::get(read, &limit.account).map(|paid| (limit, paid));
        Ok(Left { of: all.into_iter().map(paid).collect::<Result<_, _>>()? })
    }

    /// Of the feed, without what calls in progress may use.
    pub(crate) fn of_feed(read: &Read<'_>, now: i64) -> Result<Left, Fault> {
        let limits = InForce::read(read)?;
        let open = spend::open(read)?;
        let used = |limit: Limit| {
            let paid = spend::get(read, &limit.account)?;
            let held = spend::held(&open, &limit.account);
            Ok::<_, Fault>((limit, paid.and(held)))
        };
        let all = [limits.of_feed(now), limits.of_day(now)];
        Ok(Left { of: all.into_iter().map(used).collect::<Result<_, _>>()? })
    }

    /// Whether any of the budgets ends.
    pub(crate) fn is_limited(&self) -> bool {
        let ends = |limit: &Limit| limit.budget.tokens.or(limit.budget.microusd).is_some();
        self.of.iter().any(|(limit, _)| ends(limit))
    }

    /// What somebody may use who was woken before: it comes first, whatever is left
    /// for others. `by_the_same` says that it was by the same message of a person.
    pub(crate) fn set_aside(&mut self, amount: Amount, by_the_same: bool) {
        for (limit, used) in &mut self.of {
            if by_the_same || limit.budget.scope != BudgetScope::Message {
                add(used, amount);
            }
        }
    }

    /// Takes what an answer may use, or says which budget may not have it.
    pub(crate) fn take(&mut self, amount: Amount) -> Result<(), BudgetScope> {
        let short = self.of.iter().find(|(limit, used)| limit.exceeded(*used, amount).is_some());
        if let Some((limit, _)) = short {
            return Err(limit.budget.scope);
        }
        self.of.iter_mut().for_each(|(_, used)| add(used, amount));
        Ok(())
    }
}

fn add(used: &mut Amount, amount: Amount) {
    used.tokens = used.tokens.saturating_add(amount.tokens);
    used.microusd = used.microusd.saturating_add(amount.microusd);
}
