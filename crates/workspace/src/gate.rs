//! What stands between a run and the effects of its tools: the dispatch
//! ledger.
//!
//! A use is committed before it begins, with the answer that called for it, and again
//! when it has ended. One whose
//! end is not known is made again only if that is harmless. It stays in the
//! ledger as it was begun, whichever try of its turn goes on with it.

use crate::acts;
use crate::exchange::CUT_OFF;
use crate::held_up::insist;
use crate::lifecycle::{self, Ended};
use crate::shared::{Going, Shared, Why};
use crate::unwritten::{Entry, Unwritten, owes, write_down};
use agent::{Gate, Permission, Proposed};
use async_trait::async_trait;
use domain::{AgentId, CallId, CallState, Effects, Fault, GroupId, Run, RunId, StepKind, ToolCall};
use std::sync::Arc;
use store::table::{steps, tool_calls};
use store::{Durability, StoreError, Write};
use tools::{CallContext, Place};

pub(crate) struct Ledger<'s> {
    pub shared: &'s Arc<Shared>,
    pub run: &'s Run,
    /// What led to the uses is written down with them.
    pub unwritten: Unwritten,
    pub place: Place,
    pub going: &'s Going,
}

impl Ledger<'_> {
    /// Whether the run is put away, to be gone on with at the next start or when its
    /// agent is resumed.
    fn is_put_away(&self) -> bool {
        self.going.stop.is_cancelled()
            && match self.going.why() {
                None | Some(Why::Closing | Why::Paused) => true,
                Some(Why::StoppedByUser | Why::Terminated | Why::LeftTheGroup) => false,
            }
    }

    /// Somebody may wait for what a bill among them gave back.
    fn told(&self, entries: &[Entry]) {
        if owes(entries) {
            self.shared.waiters.look_again();
        }
    }
}

/// What a model reads about a use that may have had its effect.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome unknown: Coterie ended while this ran, so it may or may not have happened; check before you repeat it";

#[async_trait]
impl Gate for Ledger<'_> {
    async fn before(&self, call: &Proposed) -> Permission {
        let now = self.shared.now_ms();
        // What has an effect is on the disk before it happens.
        let durability = match call.effects {
            Effects::None => Durability::Process,
            Effects::Repeatable | Effects::Once => Durability::Power,
        };
        let id = call.id;
        let entries = self.unwritten.take();
        let dispatched = || {
            let (call, run, entries) = (call.clone(), self.run.clone(), entries.clone());
            self.shared.store.write(durability, move |write| {
                write_down(write, &run, &entries)?;
                dispatch(write, call, run.id, now)
            })
        };
        let known = insist(self.shared, &self.shared.closing, dispatched).await;
        self.told(&entries);
        fail::fail_point!("tool.dispatched");
        match known {
            Ok(None) => Permission::Go(CallContext {
                key: id,
                agent: self.run.agent,
                run: self.run.id,
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
        let now = self.shared.now_ms();
        let put_away = self.is_put_away();
        let entries = self.unwritten.take();
        let ended = || {
            let (said, run, entries) = (result.to_owned(), self.run.clone(), entries.clone());
            self.shared.store.write(Durability::Process, move |write| {
                write_down(write, &run, &entries)?;
                let earlier = tool_calls::find(write, call)?;
                if put_away && can_wait(earlier.as_ref(), state) {
                    return Ok((state, said, Ended::default()));
                }
                let (state, text) = what_stands(earlier.map(|call| call.state), state, said);
                tool_calls::end(write, call, state, &text, now)?;
                let returned = StepKind::ToolReturned { call, state, text: text.clone() };
                steps::add(write, run.id, &returned, now)?;
                let children = acts::end_those_without_a_call(write, run.agent, now)?;
                Ok::<_, Fault>((state, text, children))
            })
        };
        let stands = insist(self.shared, &self.shared.closing, ended).await;
        self.told(&entries);
        fail::fail_point!("tool.ended");
        match stands {
            Ok((state, text, children)) => {
                lifecycle::let_go(self.shared, &children);
                (state, text)
            }
            Err(fault) => {
                // The ledger still says that it began, which is true.
                tracing::error!(run = %self.run.id, %fault, "the end of a tool's use cannot be stored");
                (state, result.to_owned())
            }
        }
    }
}

/// Whether a use that a closing workspace or a pause cut off may be gone on with
/// later, as if the process had been killed.
fn can_wait(earlier: Option<&ToolCall>, state: CallState) -> bool {
    let was_cut_off = matches!(state, CallState::Cancelled | CallState::Skipped);
    was_cut_off && earlier.is_none_or(|call| call.effects != Effects::Once)
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

/// Ends on record what the agent had begun in a group and nobody goes on with.
/// It only looks or can be repeated: what cannot was said to have an unknown
/// outcome when its process was found to have ended.
pub(crate) fn close_what_is_left(
    write: &mut Write<'_>,
    agent: AgentId,
    group: GroupId,
    but: &[CallId],
    now: i64,
) -> Result<(), StoreError> {
    for left in tool_calls::left_by(write, agent, group)? {
        if !but.contains(&left.id) {
            end_as_cut_off(write, &left, now)?;
        }
    }
    Ok(())
}

/// The same for one use, if it has not ended.
pub(crate) fn close(write: &mut Write<'_>, call: CallId, now: i64) -> Result<(), StoreError> {
    match tool_calls::find(write, call)? {
        Some(left) if left.state == CallState::Dispatched => end_as_cut_off(write, &left, now),
        Some(_) | None => Ok(()),
    }
}

fn end_as_cut_off(write: &mut Write<'_>, left: &ToolCall, now: i64) -> Result<(), StoreError> {
    let (call, state, text) = (left.id, CallState::Cancelled, CUT_OFF.to_owned());
    tool_calls::end(write, call, state, &text, now)?;
    steps::add(write, left.run, &StepKind::ToolReturned { call, state, text }, now).map(drop)
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
        let (state, text) = match (earlier.state, earlier.effects) {
            (CallState::Dispatched, Effects::None | Effects::Repeatable) => {
                steps::add(write, run, &StepKind::ToolDispatched { call: call.id }, now)?;
                return Ok(None);
            }
            (CallState::Dispatched, Effects::Once) => {
                let (state, text) = (CallState::OutcomeUnknown, OUTCOME_UNKNOWN.to_owned());
                tool_calls::end(write, call.id, state, &text, now)?;
                (state, text)
            }
            (state, _) => (state, earlier.result.unwrap_or_default()),
        };
        let returned = StepKind::ToolReturned { call: call.id, state, text: text.clone() };
        steps::add(write, run, &returned, now)?;
        return Ok(Some((state, text)));
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
    tool_calls::add(write, &row)?;
    steps::add(write, run, &StepKind::ToolDispatched { call: row.id }, now)?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    // Seen in anthropics/claude-code#86001.
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
