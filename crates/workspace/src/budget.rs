//! Limits on what agents spend, on by default, checked before each call.

use crate::shared::Shared;
use domain::{AgentId, Budget, BudgetScope, BudgetState, Fault, GroupId};
use std::sync::Arc;
use store::table::spend::{self, Account};
use store::table::{agents, budgets, groups};
use store::{Durability, Read};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const DOLLAR: i64 = 1_000_000;

/// What holds until a person says something else.
const DEFAULTS: [Budget; 5] = [
    usual(BudgetScope::Message, Some(400_000), DOLLAR),
    usual(BudgetScope::Run, Some(200_000), DOLLAR / 2),
    usual(BudgetScope::AnyAgent, None, DOLLAR),
    usual(BudgetScope::AnyGroup, None, 2 * DOLLAR),
    usual(BudgetScope::Day, None, 5 * DOLLAR),
];

const fn usual(scope: BudgetScope, tokens: Option<i64>, microusd: i64) -> Budget {
    Budget { scope, tokens, microusd: Some(microusd) }
}

pub(crate) async fn set(shared: &Arc<Shared>, budget: Budget) -> Result<(), Fault> {
    let bounded = |limit: Option<i64>| limit.is_none_or(|limit| limit >= 0);
    if !bounded(budget.tokens) || !bounded(budget.microusd) {
        return Err(Fault::bad_input(
            "a budget cannot be below zero",
            "give 0 to spend nothing, or say off for no limit",
        ));
    }
    shared
        .store
        .write(Durability::Power, move |write| {
            match budget.scope {
                BudgetScope::Agent(agent) => drop(agents::get(write, agent)?),
                BudgetScope::Group(group) => drop(groups::get(write, group)?),
                BudgetScope::Message
                | BudgetScope::Run
                | BudgetScope::Day
                | BudgetScope::AnyAgent
                | BudgetScope::AnyGroup => {}
            }
            Ok(budgets::put(write, &budget)?)
        })
        .await
}

pub(crate) async fn reset(shared: &Arc<Shared>, scope: BudgetScope) -> Result<(), Fault> {
    let work = move |write: &mut store::Write<'_>| Ok::<_, Fault>(budgets::remove(write, scope)?);
    shared.store.write(Durability::Power, work).await
}

/// Every limit, the defaults first, with today's spending.
pub(crate) fn all(shared: &Shared) -> Result<Vec<BudgetState>, Fault> {
    let day = day_of(shared.now_ms());
    shared.store.read(|read| {
        let set = budgets::all(read)?;
        let is_default = |scope| DEFAULTS.iter().any(|usual| usual.scope == scope);
        let usual = DEFAULTS.iter().map(|usual| {
            let own = set.iter().find(|budget| budget.scope == usual.scope);
            (own.copied().unwrap_or(*usual), own.is_some())
        });
        let more = set.iter().filter(|budget| !is_default(budget.scope));
        let more = more.map(|budget| (*budget, true));
        usual.chain(more).map(|(budget, set)| state(read, budget, set, day)).collect()
    })
}

fn state(read: &Read<'_>, budget: Budget, set: bool, day: i64) -> Result<BudgetState, Fault> {
    let spent = match account(budget.scope, day) {
        Some(account) => spend::get(read, &account)?,
        None => spend::Spent::default(),
    };
    Ok(BudgetState {
        budget,
        set,
        spent_tokens: spent.paid.tokens,
        spent_microusd: spent.paid.microusd,
        reserved_tokens: spent.reserved.tokens,
        reserved_microusd: spent.reserved.microusd,
    })
}

/// Where a scope's spending of a day stands, if it has one place.
fn account(scope: BudgetScope, day: i64) -> Option<Account> {
    let scope = match scope {
        BudgetScope::Day => "all".to_owned(),
        BudgetScope::Agent(agent) => of_agent(agent),
        BudgetScope::Group(group) => of_group(group),
        BudgetScope::Message | BudgetScope::Run | BudgetScope::AnyAgent | BudgetScope::AnyGroup => {
            return None;
        }
    };
    Some(Account { scope, day })
}

fn of_agent(agent: AgentId) -> String {
    format!("agent/{agent}")
}

fn of_group(group: GroupId) -> String {
    format!("group/{group}")
}

fn day_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(DAY_MS)
}
