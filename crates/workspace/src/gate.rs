//! What stands between a run and the effects of its tools: the person, where a
//! use is risky (`approvals`), and the dispatch ledger.
//!
//! A use is committed before it begins, with the answer that called for it, and again
//! when it has ended. One whose
//! end is not known is made again only if that is harmless. It stays in the
//! ledger as it was begun, whichever try of its turn goes on with it.
//!
//! One that only looks is committed with what the run writes next, unless it lasts: a
//! kill before that has the model asked again, and nothing had come of its answer. So is
//! its end, where nothing else of the run is still at work: the next question to the model
//! waits for it.

mod at_work;

pub(crate) use at_work::AtWork;

use crate::acts;
use crate::approvals::{self, At, Permit, Use};
use crate::exchange::CUT_OFF;
use crate::held_up::insist;
use crate::lifecycle::{self, Ended};
use crate::progress;
use crate::servers;
use crate::shared::{Going, Shared, Why};
use crate::souls::Asks;
use crate::unwritten::{Entry, Unwritten, owes, write_down};
use crate::waits;
use agent::{Gate, Line, Permission, Proposed};
use async_trait::async_trait;
use domain::{
    AgentId, CallId, CallState, Effects, Fault, GroupId, Record, Risk, Run, RunId, StepKind,
    ToolCall,
};
use std::sync::Arc;
use store::table::{steps, tool_calls};
use store::{Durability, StoreError, Write};
use tools::{CallContext, Offer, Place};

pub(crate) struct Ledger<'s> {
    pub shared: &'s Arc<Shared>,
    pub run: &'s Run,
    /// What led to the uses is written down with them.
    pub unwritten: Unwritten,
    pub place: Place,
    /// What the run can use.
    pub tools: &'s Offer,
    pub asks: &'s Asks,
    pub going: &'s Going,
    pub at_work: AtWork,
}

impl Ledger<'_> {
    /// Whether the run is put away, to be gone on with at the next start or when its
    /// agent is resumed.
    fn is_put_away(&self) -> bool {
        self.going.stop.is_cancelled()
            && match self.going.why() {
                None | Some(Why::Closing | Why::Paused) => true,
                Some(Why::StoppedByUser | Why::Terminated | Why::LeftTheGroup | Why::Archived) => {
                    false
                }
            }
    }

    /// Somebody may wait for what a bill among them gave back.
    fn told(&self, entries: &[Entry]) {
        if owes(entries) {
            self.shared.waiters.look_again();
        }
    }

    /// What is at stake with a use; else why it cannot be made at all.
    fn wanted(&self, call: &Proposed) -> Result<Use, String> {
        let tool = self.tools.check(&call.tool, &call.arguments)?;
        if !servers::stands(self.shared, &*tool) {
            return Err(format!(
                "not done: {} is not what it was when this turn began; its server changed it or is gone, or the person switched it off",
                call.tool
            ));
        }
        let mut stakes = tool.stakes(&call.arguments, &self.place)?;
        if self.asks.about(&call.tool) {
            stakes.risk = Risk::High;
        }
        let wanted = Use::new(&*tool, call.arguments.clone(), stakes);
        let touched = match wanted.is_risky() {
            true => tool.touches(&call.arguments, &self.place),
            false => None,
        };
        Ok(wanted.touching(touched.as_deref()).waiting(self.asks.timeout))
    }

    /// Why nothing could come of it, so that nobody is asked. Of what the agent never looks
    /// at it is told nothing, and what an earlier try of the turn may have done is looked up.
    fn in_vain(&self, call: &Proposed, wanted: &Use) -> Option<String> {
        if !wanted.is_risky() || self.run.resumes.is_some() {
            return None;
        }
        let unseen = |tool: &str| {
            self.shared.store.read(|read| approvals::unseen(read, At::of(self.run), tool)).ok()
        };
        let unseen = [unseen("read_file")?, unseen(&call.tool)?].concat();
        let place = Place { unseen, ..self.place.clone() };
        let tool = self.tools.check(&call.tool, &call.arguments).ok()?;
        tool.in_vain(&call.arguments, &place)
    }

    /// Commits that the use begins, if it is next, or that the person is asked about it first.
    async fn begin(
        &self,
        call: &Proposed,
        wanted: &Use,
        is_next: bool,
        asked: bool,
    ) -> Result<Begun, Fault> {
        let now = self.shared.now_ms();
        // What has an effect is on the disk before it happens, and so is a question
        // before it is seen.
        let durability = match call.effects {
            Effects::None if !wanted.is_risky() => Durability::Process,
            Effects::None | Effects::Repeatable | Effects::Once => Durability::Power,
        };
        let entries = self.unwritten.take();
        let written = || {
            let (call, run, entries) = (call.clone(), self.run.clone(), entries.clone());
            let wanted = wanted.clone();
            self.shared.store.write(durability, move |write| {
                write_down(write, &run, &entries)?;
                let is_new = tool_calls::find(write, call.id)?.is_none();
                if !is_next && (!is_new || approvals::is_permitted(write, &run, call.id, &wanted)?)
                {
                    return Ok(Begun::NotYet);
                }
                if is_new {
                    match approvals::permit(write, &run, call.id, &wanted, asked, now)? {
                        Permit::Yes => {}
                        Permit::No(state, text) => {
                            return kept_from(write, call.id, run.id, (state, text), now);
                        }
                        Permit::Wait { until_ms } => return Ok(Begun::Asked { until_ms }),
                    }
                }
                let before = dispatch(write, call, run.id, now)?;
                Ok(before.map_or(Begun::Now, |(state, text)| Begun::Before(state, text)))
            })
        };
        let begun = insist(self.shared, &self.shared.closing, written).await;
        self.told(&entries);
        fail::fail_point!("tool.dispatched");
        begun
    }

    /// Whether it can be committed later. What an earlier try of the turn may have begun
    /// has to be looked up.
    fn can_be_left(&self, call: &Proposed, wanted: &Use) -> bool {
        only_looks(call, wanted)
            && self.run.resumes.is_none()
            && matches!(
                self.shared.store.read(|read| approvals::is_blocked(
                    read,
                    At::of(self.run),
                    wanted
                )),
                Ok(false)
            )
    }

    async fn go(&self, call: &Proposed, wanted: &Use) -> Permission {
        let at = At::of(self.run);
        let unseen = self.shared.store.read(|read| approvals::unseen(read, at, &call.tool));
        let unseen = match unseen {
            Ok(unseen) => unseen,
            Err(error) => {
                let why = format!("not done: what no agent does cannot be read: {error}");
                return self.ended(call, CallState::Refused, &why).await;
            }
        };
        if only_looks(call, wanted) {
            self.at_work.only_looks(call.id);
        }
        Permission::Go(CallContext {
            key: call.id,
            agent: self.run.agent,
            run: self.run.id,
            place: Place { unseen, ..self.place.clone() },
            target: wanted.stakes.target.clone(),
            // The run puts its own in its place.
            stop: self.shared.closing.child_token(),
            progress: progress::listen(self.shared, self.run.id, call.id),
        })
    }
}

fn only_looks(call: &Proposed, wanted: &Use) -> bool {
    // A server may have asked a person in the name of its use, which ends with it.
    call.effects == Effects::None && !wanted.is_risky() && !servers::is_theirs(&call.tool)
}

/// How far a use has come.
enum Begun {
    Now,
    /// Nobody has to be asked, and others of its answer come first.
    NotYet,
    /// It was made before, or is not made at all: what stands on record.
    Before(CallState, String),
    Asked {
        until_ms: i64,
    },
}

const STOPPED: &str = "skipped: the turn was stopped before this was begun";

/// Nothing was begun, so the ledger knows nothing of it.
fn kept_from(
    write: &mut Write<'_>,
    call: CallId,
    run: RunId,
    (state, text): (CallState, &str),
    now: i64,
) -> Result<Begun, Fault> {
    let text = text.to_owned();
    steps::add(write, run, &StepKind::ToolReturned { call, state, text: text.clone() }, now)?;
    Ok(Begun::Before(state, text))
}

/// What a model reads about a use that may have had its effect.
pub(crate) const OUTCOME_UNKNOWN: &str = "outcome unknown: Coterie ended while this ran, so it may or may not have happened; check before you repeat it";

#[async_trait]
impl Gate for Ledger<'_> {
    async fn before(&self, call: &Proposed, line: &Line) -> Permission {
        self.at_work.asked(call.id);
        let permission = self.permission(call, line).await;
        if matches!(permission, Permission::No { .. }) {
            self.at_work.ended(call.id);
        }
        permission
    }

    async fn lasts(&self, call: CallId) {
        if self.unwritten.has_begun(call) {
            self.unwritten.write(self.shared, self.run).await;
        }
    }

    async fn after(&self, call: CallId, state: CallState, result: &str) -> (CallState, String) {
        fail::fail_point!("tool.returned");
        let can_wait =
            self.at_work.ended(call) && matches!(state, CallState::Succeeded | CallState::Failed);
        if can_wait {
            let (text, at_ms) = (result.to_owned(), self.shared.now_ms());
            self.unwritten.hold([Entry::Returned { call, state, text: text.clone(), at_ms }]);
            return (state, text);
        }
        self.write_end(call, state, result).await
    }
}

impl Ledger<'_> {
    async fn permission(&self, call: &Proposed, line: &Line) -> Permission {
        let mut events = None;
        let mut asked = false;
        loop {
            // Again after each wait: what was asked about may be something else by then.
            let wanted = match self.wanted(call) {
                Ok(wanted) => wanted,
                Err(refusal) => return self.ended(call, CallState::Refused, &refusal).await,
            };
            // Only who comes first finds things as they are when its turn comes.
            if !asked
                && line.is_next()
                && let Some(why) = self.in_vain(call, &wanted)
            {
                return self.ended(call, CallState::Refused, &why).await;
            }
            let is_left = self.can_be_left(call, &wanted);
            if is_left && line.is_next() {
                let at_ms = self.shared.now_ms();
                self.unwritten.hold([Entry::Begun { call: call.clone(), at_ms }]);
                fail::fail_point!("tool.dispatched");
                return self.go(call, &wanted).await;
            }
            // From before the question that may be asked, so that no answer is missed.
            let new = || Box::pin(self.shared.events.subscribe(None));
            if wanted.is_risky() {
                events.get_or_insert_with(new);
            }
            let begun = match is_left {
                true => Ok(Begun::NotYet),
                false => self.begin(call, &wanted, line.is_next(), asked).await,
            };
            let until_ms = match begun {
                Ok(Begun::Now) => return self.go(call, &wanted).await,
                Ok(Begun::NotYet) => {
                    tokio::select! {
                        biased;
                        () = self.going.stop.cancelled() => return self.skipped(call, STOPPED).await,
                        moved = line.moves() => match moved {
                            Ok(()) => continue,
                            Err(why) => return self.skipped(call, why).await,
                        },
                    }
                }
                Ok(Begun::Before(state, text)) => return Permission::No { state, text },
                Ok(Begun::Asked { until_ms }) => until_ms,
                Err(fault) => {
                    let text = format!("not begun, because it could not be written down: {fault}");
                    return Permission::No { state: CallState::Refused, text };
                }
            };
            asked = true;
            fail::fail_point!("approval.asked");
            let events = events.get_or_insert_with(new);
            let is_answer = |record: &Record| match record {
                Record::Approval(one) => one.call == call.id && one.answered_ms.is_some(),
                _ => false,
            };
            tokio::select! {
                // Who was stopped before the answer came begins nothing with it.
                biased;
                () = self.going.stop.cancelled() => return self.skipped(call, STOPPED).await,
                why = line.is_left_out() => return self.skipped(call, why).await,
                () = waits::moved(self.shared, events, until_ms, is_answer) => {}
            }
        }
    }

    async fn skipped(&self, call: &Proposed, why: &str) -> Permission {
        self.ended(call, CallState::Skipped, why).await
    }

    async fn ended(&self, call: &Proposed, state: CallState, why: &str) -> Permission {
        let (state, text) = self.write_end(call.id, state, why).await;
        Permission::No { state, text }
    }

    async fn write_end(&self, call: CallId, state: CallState, result: &str) -> (CallState, String) {
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
                waits::withdraw_one(write, run.agent, call, now)?;
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
    waits::withdraw(write, agent, Some(group), but, now)?;
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
pub(crate) fn dispatch(
    write: &mut Write<'_>,
    call: Proposed,
    run: RunId,
    now: i64,
) -> Result<Option<(CallState, String)>, StoreError> {
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
