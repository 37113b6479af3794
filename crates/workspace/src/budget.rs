//! Limits on what agents spend, on by default, checked before each call.
//!
//! A call is promised its most before it is made (`promise`). What it used is
//! paid when it has ended (see `metered`); a promise whose process ended is
//! paid in full, for nobody knows what the call used. Where only the promises
//! of others leave no room, a call waits for what comes back of them
//! (`waiters`). What a limit of a day belongs to stops when it is met, until
//! there is room again (`stopped`).
//!
//! Here is what a person does about limits: set them, and look at them.

mod doubt;
mod in_force;
mod left;
mod of_task;
mod promise;
mod room;
mod soul;
mod stopped;
mod waiters;
mod words;

pub(crate) use left::Left;
pub(crate) use of_task::within_task;
pub(crate) use promise::{Answer, Asked, pay_promises, promise};
pub(crate) use stopped::{
    Stops, call_off, go_on, is_stopped, look_at_the_day, resume_members_on_a_new_day,
    resume_on_a_new_day, stop, stopped_for, try_again, watch_the_days,
};
pub(crate) use waiters::{Ticket, Waiters};

use crate::feed;
use crate::shared::Shared;
use domain::{Budget, BudgetScope, BudgetState, Fault, FaultCode, FaultKind};
use in_force::{
    DEFAULTS, InForce, account_of_agent, account_of_everybody, account_of_feed, account_of_group,
};
use std::sync::Arc;
use store::table::spend::{self, Amount};
use store::table::{agents, budgets, groups, settings};
use store::{Durability, Read, StoreError, Write};

const DOLLAR: i64 = 1_000_000;

/// Limits one scope. What stopped for a budget and has room again goes on.
pub(crate) async fn set(shared: &Arc<Shared>, budget: Budget) -> Result<(), Fault> {
    let bounded = |limit: Option<i64>| limit.is_none_or(|limit| limit >= 0);
    if !bounded(budget.tokens) || !bounded(budget.microusd) {
        return Err(Fault::bad_input(
            "a budget cannot be below zero",
            "give 0 to spend nothing, or say off for no limit",
        ));
    }
    change(shared, move |write| {
        match budget.scope {
            BudgetScope::Agent(agent) => drop(agents::get(write, agent)?),
            BudgetScope::Group(group) => drop(groups::get(write, group)?),
            BudgetScope::Message
            | BudgetScope::Run
            | BudgetScope::Day
            | BudgetScope::AnyAgent
            | BudgetScope::AnyGroup
            | BudgetScope::Feed => {}
        }
        if budget.scope == BudgetScope::Feed && !is_capped(&budget) && settings::get(write)?.feed.on
        {
            return Err(without_cap());
        }
        Ok(budgets::put(write, &budget)?)
    })
    .await?;
    if budget.scope == BudgetScope::Feed {
        feed::cap_changed(shared);
    }
    Ok(())
}

/// Nobody has said what they may cost that happens by itself.
fn without_cap() -> Fault {
    Fault::new(
        FaultCode::Refused,
        "the feed ticks by itself, which it does only within a limit",
        "leave it a limit in tokens, which also models without a known price keep to, or end that first: coterie feed off",
    )
    .of(FaultKind::FeedWithoutCap)
}

pub(crate) async fn reset(shared: &Arc<Shared>, scope: BudgetScope) -> Result<(), Fault> {
    change(shared, move |write| Ok(budgets::remove(write, scope)?)).await?;
    if scope == BudgetScope::Feed {
        feed::cap_changed(shared);
    }
    Ok(())
}

pub(crate) async fn change(
    shared: &Arc<Shared>,
    work: impl FnOnce(&mut Write<'_>) -> Result<(), Fault> + Send + 'static,
) -> Result<(), Fault> {
    let with = shared.clone();
    let resumed = shared
        .store
        .write(Durability::Power, move |write| {
            work(write)?;
            stopped::resume_those_with_room(write, &with)
        })
        .await?;
    shared.wake(&resumed);
    shared.waiters.look_again();
    Ok(())
}

/// Fails where what a question costs is no more in what may be spent today. What compares
/// texts uses very many tokens that cost next to nothing, so its tokens are not counted.
pub(crate) fn has_money_today(read: &Read<'_>, microusd: i64, now: i64) -> Result<(), Fault> {
    let limit = InForce::read(read)?.of_day(now);
    let paid = spend::get(read, &limit.account)?;
    let Some(most) = limit.budget.microusd else { return Ok(()) };
    if paid.microusd.saturating_add(microusd) <= most {
        return Ok(());
    }
    Err(Fault::new(
        FaultCode::Budget,
        "what all agents together may spend today is used up",
        "raise the limit with coterie budget set day, or wait until tomorrow",
    ))
}

/// Pays for what was asked without a promise.
pub(crate) fn pay_today(
    write: &mut Write<'_>,
    microusd: Option<i64>,
    now: i64,
) -> Result<(), StoreError> {
    let unpriced = i64::from(microusd.is_none());
    let paid = Amount { tokens: 0, microusd: microusd.unwrap_or(0), unpriced };
    spend::book(write, &account_of_everybody(now), paid)
}

/// Whether what the feed may use in a day has an end, in tokens or in money.
pub(crate) fn is_feed_capped(read: &Read<'_>) -> Result<bool, StoreError> {
    Ok(is_capped(&InForce::read(read)?.of_feed(0).budget))
}

/// Dollars alone bound nothing where nobody knows what a model costs.
fn is_capped(budget: &Budget) -> bool {
    budget.tokens.is_some()
}

/// Whether the feed has used up what it may use today.
pub(crate) fn is_feed_used_up(read: &Read<'_>, now: i64) -> Result<bool, Fault> {
    let limit = InForce::read(read)?.of_feed(now);
    let paid = spend::get(read, &limit.account)?;
    let least = Amount { tokens: 1, microusd: 0, unpriced: 0 };
    let money_is_gone = limit.budget.microusd.is_some_and(|most| paid.microusd >= most.max(1));
    Ok(money_is_gone || limit.exceeded(paid, least).is_some())
}

/// Every limit, the defaults first, with today's spending. What a soul says of
/// its agent stands there as the agent's.
pub(crate) fn all(shared: &Shared) -> Result<Vec<BudgetState>, Fault> {
    let now = shared.now_ms();
    shared.store.read(|read| {
        let limits = InForce::read(read)?;
        let usual = DEFAULTS.iter().map(|usual| limits.set(usual.scope).unwrap_or(*usual));
        let is_default = |scope| DEFAULTS.iter().any(|usual| usual.scope == scope);
        let living = agents::living(read)?;
        // Every task leaves behind what was set for the child that did it.
        let is_gone = |scope| match scope {
            BudgetScope::Agent(agent) => !living.iter().any(|living| living.id == agent),
            BudgetScope::Message
            | BudgetScope::Run
            | BudgetScope::Day
            | BudgetScope::AnyAgent
            | BudgetScope::AnyGroup
            | BudgetScope::Feed
            | BudgetScope::Group(_) => false,
        };
        let more = limits.set.iter().copied();
        let more = more.filter(|budget| !is_default(budget.scope) && !is_gone(budget.scope));
        let mut all: Vec<Budget> = usual.chain(more).collect();
        for agent in &living {
            let scope = BudgetScope::Agent(agent.id);
            if limits.set(scope).is_none() && soul::per_day(shared, agent).is_some() {
                all.push(limits.of_agent(shared, agent));
            }
        }
        let state = |budget: Budget| state(read, budget, limits.set(budget.scope).is_some(), now);
        all.into_iter().map(state).collect()
    })
}

fn state(read: &Read<'_>, budget: Budget, set: bool, now: i64) -> Result<BudgetState, Fault> {
    let account = match budget.scope {
        BudgetScope::Day => Some(account_of_everybody(now)),
        BudgetScope::Feed => Some(account_of_feed(now)),
        BudgetScope::Agent(agent) => Some(account_of_agent(agent, now)),
        BudgetScope::Group(group) => Some(account_of_group(group, now)),
        BudgetScope::Message | BudgetScope::Run | BudgetScope::AnyAgent | BudgetScope::AnyGroup => {
            None
        }
    };
    let (mut paid, mut held) = (Amount::default(), Amount::default());
    if let Some(account) = account {
        paid = spend::get(read, &account)?;
        held = spend::held(&spend::open(read)?, &account);
    }
    Ok(BudgetState {
        budget,
        set,
        spent_tokens: paid.tokens,
        spent_microusd: paid.money(),
        unpriced_calls: u32::try_from(paid.unpriced).unwrap_or(u32::MAX),
        reserved_tokens: held.tokens,
        reserved_microusd: held.microusd,
    })
}
