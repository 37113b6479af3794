//! Which limits are in force, and on which account each one counts.

use super::room::Limit;
use super::{DOLLAR, soul};
use crate::shared::Shared;
use domain::{Agent, AgentId, Budget, BudgetScope, GroupId, MessageId, Run};
use store::table::spend::Account;
use store::table::{agents, budgets, messages, runs};
use store::{Read, StoreError};

/// What holds until a person says something else.
pub(super) const DEFAULTS: [Budget; 6] = [
    usual(BudgetScope::Message, Some(400_000), DOLLAR),
    usual(BudgetScope::Run, Some(200_000), DOLLAR / 2),
    usual(BudgetScope::AnyAgent, None, DOLLAR),
    usual(BudgetScope::AnyGroup, None, 2 * DOLLAR),
    usual(BudgetScope::Day, None, 5 * DOLLAR),
    usual(BudgetScope::Feed, Some(400_000), DOLLAR / 2),
];

const fn usual(scope: BudgetScope, tokens: Option<i64>, microusd: i64) -> Budget {
    Budget { scope, tokens, microusd: Some(microusd) }
}

/// The limits in force: an agent's or a group's own, else what its soul says,
/// else what holds for any, else the default.
pub(super) struct InForce {
    /// What a person has said.
    pub set: Vec<Budget>,
}

impl InForce {
    pub(super) fn read(read: &Read<'_>) -> Result<InForce, StoreError> {
        Ok(InForce { set: budgets::all(read)? })
    }

    pub(super) fn set(&self, scope: BudgetScope) -> Option<Budget> {
        self.set.iter().copied().find(|budget| budget.scope == scope)
    }

    fn of(&self, scope: BudgetScope) -> Budget {
        let usual = DEFAULTS.iter().copied().find(|budget| budget.scope == scope);
        self.set(scope).or(usual).unwrap_or(Budget { scope, tokens: None, microusd: None })
    }

    pub(super) fn of_day(&self, now: i64) -> Limit {
        Limit { budget: self.of(BudgetScope::Day), account: account_of_everybody(now) }
    }

    /// The agent's, and those of everybody it works for.
    pub(super) fn of_family(
        &self,
        read: &Read<'_>,
        shared: &Shared,
        agent: Agent,
        now: i64,
    ) -> Result<Vec<Limit>, StoreError> {
        let (mut limits, mut next) = (Vec::new(), Some(agent));
        while let Some(agent) = next {
            let budget = self.of_agent(shared, &agent);
            limits.push(Limit { budget, account: account_of_agent(agent.id, now) });
            next = agent.parent.map(|parent| agents::get(read, parent)).transpose()?;
        }
        Ok(limits)
    }

    pub(super) fn of_agent(&self, shared: &Shared, agent: &Agent) -> Budget {
        let scope = BudgetScope::Agent(agent.id);
        self.set(scope).unwrap_or_else(|| {
            let any = Budget { scope, ..self.of(BudgetScope::AnyAgent) };
            soul::per_day(shared, agent).map_or(any, |said| said.over(any))
        })
    }

    /// Of the group where the run is, and of the one where it all began.
    pub(super) fn of_groups(
        &self,
        read: &Read<'_>,
        group: GroupId,
        root: MessageId,
        now: i64,
    ) -> Result<Vec<Limit>, StoreError> {
        let began = messages::find(read, root)?.map(|root| root.group);
        let both = [Some(group), began.filter(|began| *began != group)];
        Ok(both.into_iter().flatten().map(|group| self.of_group(group, now)).collect())
    }

    pub(super) fn of_group(&self, group: GroupId, now: i64) -> Limit {
        let scope = BudgetScope::Group(group);
        let any = || Budget { scope, ..self.of(BudgetScope::AnyGroup) };
        let budget = self.set(scope).unwrap_or_else(any);
        Limit { budget, account: account_of_group(group, now) }
    }

    pub(super) fn of_feed(&self, now: i64) -> Limit {
        Limit { budget: self.of(BudgetScope::Feed), account: account_of_feed(now) }
    }

    /// Of what comes of a person's message; without one, of the next that they post.
    pub(super) fn of_message(&self, root: Option<MessageId>) -> Limit {
        let name = root.map_or_else(|| "new".to_owned(), |root| root.to_string());
        let account = Account { scope: format!("message/{name}"), day: 0 };
        Limit { budget: self.of(BudgetScope::Message), account }
    }

    /// Tries of the same turn count together, also when the process ended
    /// between them.
    pub(super) fn of_run(
        &self,
        read: &Read<'_>,
        shared: &Shared,
        agent: &Agent,
        run: &Run,
    ) -> Result<Limit, StoreError> {
        let (mut first, mut earlier) = (run.id, run.resumes);
        while let Some(id) = earlier {
            first = id;
            earlier = runs::get(read, id)?.resumes;
        }
        let usual = self.of(BudgetScope::Run);
        let budget = soul::per_run(shared, agent).map_or(usual, |said| said.over(usual));
        Ok(Limit { budget, account: Account { scope: format!("run/{first}"), day: 0 } })
    }
}

pub(super) fn account_of_everybody(now: i64) -> Account {
    Account { scope: "all".to_owned(), day: day_of(now) }
}

pub(super) fn account_of_feed(now: i64) -> Account {
    Account { scope: "feed".to_owned(), day: day_of(now) }
}

pub(super) fn account_of_agent(agent: AgentId, now: i64) -> Account {
    Account { scope: format!("agent/{agent}"), day: day_of(now) }
}

pub(super) fn account_of_group(group: GroupId, now: i64) -> Account {
    Account { scope: format!("group/{group}"), day: day_of(now) }
}

/// Days are counted as UTC has them, so that none is longer than another.
pub(super) fn day_of(at_ms: i64) -> i64 {
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    at_ms.div_euclid(DAY_MS)
}
