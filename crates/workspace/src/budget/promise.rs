//! Promising a call its most before it is made, and paying for what nobody
//! lived to pay.
//!
//! One transaction looks at every limit that the call falls under and promises
//! it its most from each, so that two calls never take the same last tokens.
//! Only what has really been spent refuses a call; what others hold for the
//! moment has it wait.

use super::doubt;
use super::in_force::InForce;
use super::room::{Limit, Room};
use super::waiters::Held;
use super::{soul, words};
use crate::shared::Shared;
use crate::window::Window;
use crate::{measured, prices, schedules};
use domain::{Budget, BudgetScope, Fault, GroupKind, Price, Run, Usage};
use llm::ModelFault;
use store::table::spend::{self, Promise};
use store::table::{agents, groups, runs, settings, usage};
use store::{Read, StoreError, Write};
use uuid::Uuid;

/// In tokens: what can be said in fewer is of little use.
const SHORT_ANSWER: i64 = 500;

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

/// What becomes of a call.
pub(crate) enum Answer {
    Promised(Promised),
    /// Not now: it stands in the line with its ticket.
    Waits,
    Refused(ModelFault),
}

/// Promises the call its most, or says which limit does not allow it. The
/// price holds for the call, whatever becomes of the table.
///
/// `ticket` is its number in the line of those who wait. Without one it waits
/// for nobody, and nobody for it.
pub(crate) fn promise(
    write: &mut Write<'_>,
    shared: &Shared,
    run: &Run,
    asked: Asked,
    ticket: Option<u64>,
) -> Result<Answer, Fault> {
    let now = shared.now_ms();
    let price = prices::of(&settings::get(write)?.prices, &asked.model);
    let Asked { id, model, input_tokens, output_tokens } = asked;
    let per_mille = measured::per_mille(write, &model)?;
    let input_tokens = Window::new(None, per_mille).counted(input_tokens);
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
    let (mut held, mut is_crowded) = (Vec::new(), false);
    let open = spend::open(write)?;
    let is_new = per_mille.is_none() && !open.is_empty() && !usage::any_of(write, &promise.model)?;
    for limit in limits_of_call(write, shared, run, now)? {
        let Limit { account, budget: Budget { scope, .. } } = &limit;
        let (paid, held_of_it) = (spend::get(write, account)?, spend::held(&open, account));
        let room = limit.room(paid, held_of_it, amount);
        if let Room::Never(over) = room {
            let soul = if *scope == BudgetScope::Run {
                soul::limits_run(shared, &agents::get(write, run.agent)?, over.unit)
            } else {
                None
            };
            let least = i64::from(input_tokens) + SHORT_ANSWER;
            return Ok(Answer::Refused(words::refusal(write, *scope, &over, amount, least, soul)?));
        }
        let is_doubtful = is_new && {
            let doubt = doubt::of(&open, &promise, price.as_ref(), account);
            doubt::fills(&limit, paid.and(held_of_it), amount, doubt)
        };
        let is_later = is_doubtful || matches!(room, Room::Later);
        is_crowded |= is_later;
        if is_later || ticket.is_some_and(|own| shared.waiters.is_before(own, account)) {
            held.push(Held { account: account.clone(), scope: *scope });
        }
        promise.accounts.push(limit.account);
    }
    if !held.is_empty() {
        if let Some(own) = ticket {
            shared.waiters.wait(own, held, is_crowded);
        }
        return Ok(Answer::Waits);
    }
    spend::reserve(write, &promise)?;
    Ok(Answer::Promised(Promised { price, input_tokens }))
}

/// The wider limits first: who meets one of those has to stop.
fn limits_of_call(
    read: &Read<'_>,
    shared: &Shared,
    run: &Run,
    now: i64,
) -> Result<Vec<Limit>, Fault> {
    let limits = InForce::read(read)?;
    let agent = agents::get(read, run.agent)?;
    let mut all = vec![limits.of_day(now)];
    let is_in_feed = groups::get(read, run.group)?.kind == GroupKind::Post;
    if is_in_feed || schedules::happens_by_itself(read, run.root)? {
        all.push(limits.of_feed(now));
    }
    all.extend(limits.of_groups(read, run.group, run.root, now)?);
    all.extend(limits.of_family(read, shared, agent.clone(), now)?);
    all.push(limits.of_message(Some(run.root)));
    all.push(limits.of_run(read, shared, &agent, run)?);
    Ok(all)
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
                ..Usage::default()
            },
            cost_microusd: promise.microusd,
            estimated: true,
            first_token_ms: None,
            took_ms: None,
            model: promise.model,
        };
        usage::add(write, &run, &used, now)?;
        (run.usage, run.cost_microusd) = usage::of_run(write, run.id)?;
        runs::update(write, &run)?;
    }
    Ok(())
}
