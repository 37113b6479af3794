//! What stands between a run and the effects of its tools: the dispatch
//! ledger.
//!
//! A use is committed before it begins and again when it has ended. One whose
//! end is not known is made again only if that is harmless.

use crate::exchange::CUT_OFF;
use crate::held_up::insist;
use crate::shared::Shared;
use agent::{Gate, Permission, Proposed};
use async_trait::async_trait;
use domain::{AgentId, CallId, CallState, Effects, Fault, GroupId, RunId, StepKind, ToolCall};
use std::sync::Arc;
use store::table::{steps, tool_calls};
use store::{Durability, StoreError, Write};
use tools::{CallContext, Place};

pub(crate) struct Ledger<'s> {
    pub shared: &'s Arc<Shared>,
    pub run: RunId,
    pub agent: AgentId,
    pub place: Place,
}

/// What a model reads about a use that may have had its effect.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome unknown: Coterie ended while this ran, so it may or may not have happened; check before you repeat it";

#[async_trait]
impl Gate for Ledger<'_> {
    async fn before(&self, call: &Proposed) -> Permission {
        let (run, now) = (self.run, self.shared.now_ms());
        // What has an effect is on the disk before it happens.
        let durability = match call.effects {
            Effects::None => Durability::Process,
            Effects::Repeatable | Effects::Once => Durability::Power,
        };
        let id = call.id;
        let dispatched = || {
            let call = call.clone();
            self.shared.store.write(durability, move |write| dispatch(write, call, run, now))
        };
        let known = insist(self.shared, &self.shared.closing, dispatched).await;
        fail::fail_point!("tool.dispatched");
        match known {
            Ok(None) => Permission::Go(CallContext {
                key: id,
                agent: self.agent,
                run: self.run,
                place: self.place.clone(),
                // The run puts its own in its place.
                stop: self.shared.closing.child_token(),
            }),
            Ok(Some((state, text))) => Permission::No { state, text },
            Err(fault) => {
                let text = format!("not begun, because it could not be written down: {fault}");
                Permission::No { state: CallState::Refused, text }
            }
        }
    }

    async fn after(&self, call: CallId, state: CallState, result: &str) -> (CallState, String) {
        fail::fail_point!("tool.returned");
        let (run, now) = (self.run, self.shared.now_ms());
        let ended = || {
            let said = result.to_owned();
            self.shared.store.write(Durability::Process, move |write| {
                let earlier = tool_calls::find(write, call)?.map(|call| call.state);
                let (state, text) = what_stands(earlier, state, said);
                tool_calls::end(write, call, state, &text, now)?;
                let returned = StepKind::ToolReturned { call, state, text: text.clone() };
                steps::add(write, run, &returned, now)?;
                Ok((state, text))
            })
        };
        insist(self.shared, &self.shared.closing, ended).await.unwrap_or_else(|fault| {
            // The ledger still says that it began, which is true.
            tracing::error!(%run, %fault, "the end of a tool's use cannot be stored");
            (state, result.to_owned())
        })
    }
}

const BEGUN_BEFORE: &str = "cut off after it had begun, and not begun again: it may or may not have happened; check before you repeat it";

/// What was begun in an earlier try of the turn was not skipped, whatever keeps
/// this one from making it again.
fn what_stands(earlier: Option<CallState>, state: CallState, said: String) -> (CallState, String) {
    match (earlier, state) {
        (Some(CallState::Dispatched), CallState::Skipped | CallState::Refused) => {
            (CallState::Cancelled, BEGUN_BEFORE.to_owned())
        }
        (_, state) => (state, said),
    }
}

/// Ends on record what earlier runs of the agent in a group had begun and
/// nobody goes on with. It only looks or can be repeated: what cannot was said
/// to have an unknown outcome when its process was found to have ended.
pub(crate) fn close_what_is_left(
    write: &mut Write<'_>,
    agent: AgentId,
    group: GroupId,
    but: &[CallId],
    now: i64,
) -> Result<(), StoreError> {
    for left in tool_calls::left_by(write, agent, group)? {
        if !but.contains(&left.id) {
            let (call, state, text) = (left.id, CallState::Cancelled, CUT_OFF.to_owned());
            tool_calls::end(write, call, state, &text, now)?;
            steps::add(write, left.run, &StepKind::ToolReturned { call, state, text }, now)?;
        }
    }
    Ok(())
}

/// Writes down that a use begins, unless it has been made before: then gives
/// what came of it.
fn dispatch(
    write: &mut Write<'_>,
    call: Proposed,
    run: RunId,
    now: i64,
) -> Result<Option<(CallState, String)>, Fault> {
    if let Some(earlier) = tool_calls::find(write, call.id)? {
        let repeated = match (earlier.state, earlier.effects) {
            (CallState::Dispatched, Effects::None | Effects::Repeatable) => None,
            (CallState::Dispatched, Effects::Once) => {
                Some((CallState::OutcomeUnknown, OUTCOME_UNKNOWN.to_owned()))
            }
            (state, _) => Some((state, earlier.result.unwrap_or_default())),
        };
        if let Some((state, text)) = repeated {
            let returned = StepKind::ToolReturned { call: call.id, state, text: text.clone() };
            steps::add(write, run, &returned, now)?;
            return Ok(Some((state, text)));
        }
    }
    let row = ToolCall {
        id: call.id,
        run,
        model_id: call.model_id,
        tool: call.tool,
        arguments: call.arguments,
        effects: call.effects,
        state: CallState::Dispatched,
        result: None,
        at_ms: now,
        ended_ms: None,
    };
    tool_calls::put(write, &row)?;
    steps::add(write, run, &StepKind::ToolDispatched { call: row.id }, now)?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_had_begun_is_never_said_to_have_been_skipped() {
        let check = |earlier, state, expected| {
            assert_eq!(what_stands(earlier, state, "said".into()).0, expected);
        };
        check(None, CallState::Skipped, CallState::Skipped);
        check(Some(CallState::Dispatched), CallState::Skipped, CallState::Cancelled);
        check(Some(CallState::Dispatched), CallState::Refused, CallState::Cancelled);
        check(Some(CallState::Dispatched), CallState::Succeeded, CallState::Succeeded);
    }
}
