//! Limits on what agents spend, on by default, checked before each call.
//!
//! One transaction looks at every limit that a call falls under and promises
//! it its most, so that two calls never take the same last tokens. What a call
//! used is paid when it has ended (see `metered`); a promise whose process
//! ended is paid in full, for nobody knows what the call used.

use crate::shared::Shared;
use crate::souls::Front;
use crate::window::Window;
use crate::{measured, prices, states};
use domain::{
    Agent, AgentId, AgentState, Budget, BudgetScope, BudgetState, Fault, FaultCode, GroupId,
    MessageId, Price, Run, TransitionCause, Usage,
};
use llm::{ModelFault, Trouble};
use serde_json::Value;
use std::sync::Arc;
use store::table::spend::{self, Account, Amount, Promise, Spent};
use store::table::{agents, budgets, groups, messages, runs, settings, usage, wakes};
use store::{Durability, Read, StoreError, Write};
use uuid::Uuid;

mod words;

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

/// Limits one scope. Who stopped for a budget and has room again goes back to
/// work.
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
            | BudgetScope::AnyGroup => {}
        }
        Ok(budgets::put(write, &budget)?)
    })
    .await
}

pub(crate) async fn reset(shared: &Arc<Shared>, scope: BudgetScope) -> Result<(), Fault> {
    change(shared, move |write| Ok(budgets::remove(write, scope)?)).await
}

async fn change(
    shared: &Arc<Shared>,
    work: impl FnOnce(&mut Write<'_>) -> Result<(), Fault> + Send + 'static,
) -> Result<(), Fault> {
    let with = shared.clone();
    let resumed = shared
        .store
        .write(Durability::Power, move |write| {
            work(write)?;
            resume_those_with_room(write, &with)
        })
        .await?;
    shared.wake(&resumed);
    Ok(())
}

fn resume_those_with_room(write: &mut Write<'_>, shared: &Shared) -> Result<Vec<AgentId>, Fault> {
    let now = shared.now_ms();
    let mut resumed = Vec::new();
    for mut agent in agents::living(write)? {
        let stopped = agent.problem.as_ref().is_some_and(|fault| fault.code == FaultCode::Budget);
        if agent.state == AgentState::Error && stopped && has_room(write, shared, &agent, now)? {
            let cause = TransitionCause::ResumedByUser;
            states::change(write, &mut agent, AgentState::Idle, cause, now)?;
            wakes::forgive(write, agent.id)?;
            resumed.push(agent.id);
        }
    }
    Ok(resumed)
}

/// Whether anything is left for what the agent is still to answer.
fn has_room(read: &Read<'_>, shared: &Shared, agent: &Agent, now: i64) -> Result<bool, Fault> {
    let limits = Limits::read(read)?;
    let mut due = vec![limits.of_day(now)];
    due.extend(limits.of_family(read, shared, agent.clone(), now)?);
    for wake in wakes::open_of(read, agent.id)? {
        due.extend(limits.of_groups(read, wake.group, wake.root, now)?);
    }
    for limit in due {
        let spent = spend::get(read, &limit.account)?;
        let least = Amount { tokens: 1, microusd: 1 };
        if limit.exceeded(spent, least).is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Every limit, the defaults first, with today's spending. What a soul says of
/// its agent stands there as the agent's.
pub(crate) fn all(shared: &Shared) -> Result<Vec<BudgetState>, Fault> {
    let now = shared.now_ms();
    shared.store.read(|read| {
        let limits = Limits::read(read)?;
        let usual = DEFAULTS.iter().map(|usual| limits.set(usual.scope).unwrap_or(*usual));
        let is_default = |scope| DEFAULTS.iter().any(|usual| usual.scope == scope);
        let more = limits.set.iter().copied().filter(|budget| !is_default(budget.scope));
        let mut all: Vec<Budget> = usual.chain(more).collect();
        for agent in agents::living(read)? {
            let scope = BudgetScope::Agent(agent.id);
            if limits.set(scope).is_none() && soul_says(shared, &agent, "day").is_some() {
                all.push(limits.of_agent(shared, &agent));
            }
        }
        let state = |budget: Budget| state(read, budget, limits.set(budget.scope).is_some(), now);
        all.into_iter().map(state).collect()
    })
}

fn state(read: &Read<'_>, budget: Budget, set: bool, now: i64) -> Result<BudgetState, Fault> {
    let account = match budget.scope {
        BudgetScope::Day => Some(Account { scope: EVERYBODY.to_owned(), day: day_of(now) }),
        BudgetScope::Agent(agent) => Some(account_of_agent(agent, now)),
        BudgetScope::Group(group) => Some(account_of_group(group, now)),
        BudgetScope::Message | BudgetScope::Run | BudgetScope::AnyAgent | BudgetScope::AnyGroup => {
            None
        }
    };
    let spent = account.map(|account| spend::get(read, &account)).transpose()?.unwrap_or_default();
    Ok(BudgetState {
        budget,
        set,
        spent_tokens: spent.paid.tokens,
        spent_microusd: spent.paid.microusd,
        reserved_tokens: spent.reserved.tokens,
        reserved_microusd: spent.reserved.microusd,
    })
}

/// A call of a model that is about to be made.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub id: Uuid,
    /// `provider/model`.
    pub model: String,
    /// By rule of thumb.
    pub input_tokens: u32,
    /// At the most.
    pub output_tokens: u32,
}

pub(crate) struct Promised {
    pub price: Option<Price>,
    /// As the model's provider counts, as far as that is known.
    pub input_tokens: u32,
}

/// Promises the call its most, or says which limit does not allow it. The
/// price holds for the call, whatever becomes of the table.
pub(crate) fn promise(
    write: &mut Write<'_>,
    shared: &Shared,
    run: &Run,
    asked: Asked,
) -> Result<Result<Promised, ModelFault>, Fault> {
    let now = shared.now_ms();
    let price = prices::of(&settings::get(write)?.prices, &asked.model);
    let Asked { id, model, input_tokens, output_tokens } = asked;
    let as_its_provider_counts = Window::new(None, measured::per_mille(write, &model)?);
    let input_tokens = as_its_provider_counts.counted(input_tokens);
    let microusd = price.as_ref().map(|price| prices::most(price, input_tokens, output_tokens));
    let mut promise = Promise {
        id,
        run: run.id,
        model,
        accounts: Vec::new(),
        input_tokens,
        output_tokens,
        microusd,
    };
    let amount = promise.amount();
    for limit in limits_of_call(write, shared, run, now)? {
        let spent = spend::get(write, &limit.account)?;
        if let Some(over) = limit.exceeded(spent, amount) {
            let scope = limit.budget.scope;
            let (message, fix) = words::refusal(write, scope, &over)?;
            return Ok(Err(ModelFault::new(Trouble::Budget { scope }, message, fix)));
        }
        promise.accounts.push(limit.account);
    }
    spend::reserve(write, &promise)?;
    Ok(Ok(Promised { price, input_tokens }))
}

/// The wider limits first: who meets one of those has to stop.
fn limits_of_call(
    read: &Read<'_>,
    shared: &Shared,
    run: &Run,
    now: i64,
) -> Result<Vec<Limit>, Fault> {
    let limits = Limits::read(read)?;
    let agent = agents::get(read, run.agent)?;
    let mut all = vec![limits.of_day(now)];
    all.extend(limits.of_groups(read, run.group, run.root, now)?);
    all.extend(limits.of_family(read, shared, agent.clone(), now)?);
    all.push(limits.of_message(run));
    all.push(limits.of_run(read, shared, &agent, run)?);
    Ok(all)
}

/// Whether meeting this limit stops the agent, and not just its turn.
pub(crate) fn stops_the_agent(scope: BudgetScope) -> bool {
    match scope {
        BudgetScope::Message | BudgetScope::Run => false,
        BudgetScope::Day
        | BudgetScope::AnyAgent
        | BudgetScope::AnyGroup
        | BudgetScope::Agent(_)
        | BudgetScope::Group(_) => true,
    }
}

/// Pays in full what the process before this one had promised and did not live
/// to pay.
pub(crate) fn pay_promises(write: &mut Write<'_>, now: i64) -> Result<(), StoreError> {
    for promise in spend::open(write)? {
        spend::pay(write, promise.id, promise.amount())?;
        let mut run = runs::get(write, promise.run)?;
        let used = usage::Used {
            usage: Usage {
                input_tokens: Some(promise.input_tokens),
                output_tokens: Some(promise.output_tokens),
                cached_tokens: None,
            },
            cost_microusd: promise.microusd,
            estimated: true,
            model: promise.model,
        };
        usage::add(write, &run, &used, now)?;
        (run.usage, run.cost_microusd) = usage::of_run(write, run.id)?;
        runs::update(write, &run)?;
    }
    Ok(())
}

/// What a call falls under: a limit, and where it counts.
struct Limit {
    budget: Budget,
    account: Account,
}

/// By how much a call would go over a limit.
pub(crate) struct Over {
    unit: Unit,
    limit: i64,
    used: i64,
    promised: i64,
    needed: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Tokens,
    Microusd,
}

impl Limit {
    /// What costs nothing, or nobody knows how much, is held to tokens alone.
    fn exceeded(&self, spent: Spent, amount: Amount) -> Option<Over> {
        let Spent { paid, reserved } = spent;
        let over = |unit, limit: Option<i64>, used: i64, promised: i64, needed: i64| {
            let limit = limit?;
            let most = used.saturating_add(promised).saturating_add(needed);
            let over = needed > 0 && most > limit;
            over.then_some(Over { unit, limit, used, promised, needed })
        };
        let Budget { tokens, microusd, .. } = self.budget;
        over(Unit::Tokens, tokens, paid.tokens, reserved.tokens, amount.tokens).or_else(|| {
            over(Unit::Microusd, microusd, paid.microusd, reserved.microusd, amount.microusd)
        })
    }
}

/// The limits in force: an agent's or a group's own, else what its soul says,
/// else what holds for any, else the default.
struct Limits {
    set: Vec<Budget>,
}

impl Limits {
    fn read(read: &Read<'_>) -> Result<Limits, StoreError> {
        Ok(Limits { set: budgets::all(read)? })
    }

    fn set(&self, scope: BudgetScope) -> Option<Budget> {
        self.set.iter().copied().find(|budget| budget.scope == scope)
    }

    fn of(&self, scope: BudgetScope) -> Budget {
        let usual = DEFAULTS.iter().copied().find(|budget| budget.scope == scope);
        self.set(scope).or(usual).unwrap_or(Budget { scope, tokens: None, microusd: None })
    }

    fn of_day(&self, now: i64) -> Limit {
        let account = Account { scope: EVERYBODY.to_owned(), day: day_of(now) };
        Limit { budget: self.of(BudgetScope::Day), account }
    }

    /// The agent's, and those of everybody it works for.
    fn of_family(
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

    fn of_agent(&self, shared: &Shared, agent: &Agent) -> Budget {
        let scope = BudgetScope::Agent(agent.id);
        self.set(scope).unwrap_or_else(|| {
            let any = Budget { scope, ..self.of(BudgetScope::AnyAgent) };
            soul_says(shared, agent, "day").map_or(any, |said| said.over(any))
        })
    }

    /// Of the group where the run is, and of the one where it all began.
    fn of_groups(
        &self,
        read: &Read<'_>,
        group: GroupId,
        root: MessageId,
        now: i64,
    ) -> Result<Vec<Limit>, StoreError> {
        let began = messages::find(read, root)?.map(|root| root.group);
        let both = [Some(group), began.filter(|began| *began != group)];
        let limit = |group| {
            let scope = BudgetScope::Group(group);
            let any = || Budget { scope, ..self.of(BudgetScope::AnyGroup) };
            let budget = self.set(scope).unwrap_or_else(any);
            Limit { budget, account: account_of_group(group, now) }
        };
        Ok(both.into_iter().flatten().map(limit).collect())
    }

    fn of_message(&self, run: &Run) -> Limit {
        let account = Account { scope: format!("message/{}", run.root), day: 0 };
        Limit { budget: self.of(BudgetScope::Message), account }
    }

    /// Tries of the same turn count together, also when the process ended
    /// between them.
    fn of_run(
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
        let budget = soul_says(shared, agent, "run").map_or(usual, |said| said.over(usual));
        Ok(Limit { budget, account: Account { scope: format!("run/{first}"), day: 0 } })
    }
}

/// What a soul's `budget` says: `tokens_per_day`, `usd_per_day`,
/// `tokens_per_run` and `usd_per_run`, each a number or `off`. What it does not
/// say is as for any agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Said {
    tokens: Option<Option<i64>>,
    microusd: Option<Option<i64>>,
}

impl Said {
    fn over(self, usual: Budget) -> Budget {
        Budget {
            scope: usual.scope,
            tokens: self.tokens.unwrap_or(usual.tokens),
            microusd: self.microusd.unwrap_or(usual.microusd),
        }
    }
}

fn soul_says(shared: &Shared, agent: &Agent, span: &str) -> Option<Said> {
    said(&shared.souls.in_force(&agent.soul)?.front, span)
}

fn said(front: &Front, span: &str) -> Option<Said> {
    let budget = front.budget.as_ref()?;
    let limit = |unit: &str, ones: i64| limit(budget.get(&format!("{unit}_per_{span}"))?, ones);
    let said = Said { tokens: limit("tokens", 1), microusd: limit("usd", DOLLAR) };
    (said.tokens.is_some() || said.microusd.is_some()).then_some(said)
}

/// `None` for what is no limit at all: then the usual one holds.
fn limit(said: &Value, ones: i64) -> Option<Option<i64>> {
    match said {
        Value::Number(number) => {
            let limit = number.as_f64()? * ones as f64;
            // Too large a number saturates.
            Some(Some((limit.max(0.0)).round() as i64))
        }
        Value::String(word) if word.eq_ignore_ascii_case("off") => Some(None),
        Value::Bool(false) => Some(None),
        Value::Null | Value::Bool(true) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    }
}

/// The account of all agents together.
const EVERYBODY: &str = "all";

fn account_of_agent(agent: AgentId, now: i64) -> Account {
    Account { scope: format!("agent/{agent}"), day: day_of(now) }
}

fn account_of_group(group: GroupId, now: i64) -> Account {
    Account { scope: format!("group/{group}"), day: day_of(now) }
}

fn day_of(at_ms: i64) -> i64 {
    at_ms.div_euclid(DAY_MS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn front(budget: Value) -> Front {
        Front { budget: budget.as_object().cloned(), ..Front::of("ada") }
    }

    #[test]
    fn a_soul_limits_in_numbers_or_says_off_and_0_is_nothing() {
        let check = |budget: Value, span: &str, expected: Option<(Option<_>, Option<_>)>| {
            let expected = expected.map(|(tokens, microusd)| Said { tokens, microusd });
            assert_eq!(said(&front(budget), span), expected);
        };
        let spoken = json!({ "usd_per_day": 0.25, "tokens_per_day": 1000, "usd_per_run": "off" });
        check(spoken.clone(), "day", Some((Some(Some(1000)), Some(Some(250_000)))));
        check(spoken, "run", Some((None, Some(None))));
        check(json!({ "tokens_per_day": 0 }), "day", Some((Some(Some(0)), None)));
        check(json!({ "tokens_per_day": -5 }), "day", Some((Some(Some(0)), None)));
        check(json!({ "usd_per_day": false }), "day", Some((None, Some(None))));
        check(json!({ "usd_per_day": "a lot" }), "day", None);
        check(json!({}), "day", None);
    }

    #[test]
    fn what_a_soul_does_not_say_is_as_for_any_agent() {
        let usual = usual(BudgetScope::AnyAgent, Some(9), 7);
        let said = Said { tokens: None, microusd: Some(None) };
        let expected = Budget { scope: BudgetScope::AnyAgent, tokens: Some(9), microusd: None };
        assert_eq!(said.over(usual), expected);
    }

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
            let (mut spent, mut late) = (Spent::default(), Vec::new());
            let mut largest = 0;
            // The last call reads more than was thought, by up to what it may write.
            let last = calls.len() - 1;
            for (n, call) in calls.into_iter().enumerate() {
                let needed = call.thought + call.may_write;
                let amount = Amount { tokens: needed, microusd: 0 };
                if limit.exceeded(spent, amount).is_some() {
                    continue;
                }
                spent.reserved.tokens += needed;
                let excess = if n == last { call.may_write * misjudged / 1000 } else { 0 };
                let used = call.read + call.wrote + excess;
                largest = largest.max(call.may_write);
                if call.ends_late {
                    late.push((needed, used));
                } else {
                    spent.reserved.tokens -= needed;
                    spent.paid.tokens += used;
                }
            }
            for (needed, used) in late {
                spent.reserved.tokens -= needed;
                spent.paid.tokens += used;
            }
            prop_assert_eq!(spent.reserved.tokens, 0);
            prop_assert!(spent.paid.tokens <= tokens + largest);
        }
    }
}
