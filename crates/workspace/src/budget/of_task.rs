//! What an answer may have of the tokens that its task was given.
//!
//! A limit of a person stops who meets it, and says so. The tokens of a task are what an agent
//! thought that it is worth: its answers are kept short enough for them, as long as they can
//! say anything at all.

use super::in_force::account_of_agent;
use crate::measured;
use crate::shared::Shared;
use crate::window::Window;
use domain::{BudgetScope, Reason, Run};
use store::table::{budgets, delegations, spend};
use store::{Read, StoreError};

/// An answer of fewer tokens says nothing.
const LEAST: i64 = 64;

/// As many of the tokens that were to be written as fit.
pub(crate) fn within_task(
    shared: &Shared,
    run: &Run,
    model: &str,
    (input_tokens, output_tokens): (u32, u32),
) -> u32 {
    if !matches!(run.cause.reason, Reason::Delegated { .. }) {
        return output_tokens;
    }
    let left = |read: &Read<'_>| {
        let scope = BudgetScope::Agent(run.agent);
        let given = budgets::all(read)?.into_iter().find(|budget| budget.scope == scope);
        let Some(given) = given.and_then(|budget| budget.tokens) else { return Ok(None) };
        if delegations::of_child(read, run.agent)?.is_none() {
            return Ok(None);
        }
        let spent = spend::get(read, &account_of_agent(run.agent, shared.now_ms()))?.tokens;
        let asks = Window::new(None, measured::per_mille(read, model)?).counted(input_tokens);
        Ok::<_, StoreError>(Some(given - spent - i64::from(asks)))
    };
    match shared.store.read(left) {
        Ok(Some(left)) if left >= LEAST => {
            u32::try_from(left).map_or(output_tokens, |left| left.min(output_tokens))
        }
        // The promise says why there is no room.
        Ok(_) | Err(_) => output_tokens,
    }
}
