//! A turn that ended without an answer: given up, or left to a person; tried
//! again only where the fault was our own.

use super::{After, Settling, TRIES};
use crate::turn_policy::{self, is_handed_on};
use crate::{begin, post, restarts, turns};
use agent::Spoken;
use domain::{
    AgentState, BudgetScope, Fault, FaultCode, FaultKind, GroupKind, MessageId, Notice, Outcome,
    Reason, Run, RunFilter, RunState, StepKind, TransitionCause,
};
use llm::{ModelFault, Trouble};
use std::collections::HashSet;
use std::time::Duration;
use store::table::{agents, messages, runs, wakes};

/// It thought, or wrote a call, for longer than it may write at all.
pub(super) fn cut_off() -> ModelFault {
    let message = "the model's answer did not end, and was cut off before it said a word";
    let fix = "let it write more (max_tokens in its soul) or choose another model, and ask again";
    ModelFault::new(Trouble::Endless, message, fix)
}

pub(super) fn withheld() -> ModelFault {
    ModelFault::withheld("the model's provider kept its answer to itself")
}

fn panicked() -> Fault {
    let message = "the turn ended in a fault of Coterie's own; its log says where";
    Fault::new(FaultCode::Internal, message, "resume the agent to try it again")
}

/// So many messages whose turns fail one after the other are not to blame for it.
const IN_A_ROW: usize = 3;
/// Of one message an agent may have as many turns as there are rounds.
const LOOKED_AT: u32 = 30;
/// Before a turn that panicked is tried again; four times as long the next time.
const PAUSE: Duration = Duration::from_secs(1);

impl Settling<'_, '_> {
    /// A model failed for good: every try of the call has been made by now.
    pub(super) fn failed(self, fault: ModelFault, before: &Spoken) -> Result<After, Fault> {
        match fault.trouble {
            Trouble::Budget { scope, tokens, microusd } => {
                let reason = Reason::NoRoomYet { scope, tokens, microusd };
                self.without_room(scope, reason, fault.into(), before)
            }
            _ if fault.may_be_of_the_question()
                && !self.supervises()
                && (fault.is_withheld() || !self.failed_before_too()?) =>
            {
                self.end_for_good(Reason::Failed, fault.into(), before)
            }
            _ => self.fail(fault.into(), before),
        }
    }

    /// Whether its last turns have failed as well, each for what was asked as it seemed, and
    /// that was something else each time: then it is for neither, and a person has to look.
    fn failed_before_too(&self) -> Result<bool, Fault> {
        let filter = RunFilter { agent: Some(self.run.agent), ..RunFilter::default() };
        let last = runs::page(self.write, &filter, None, LOOKED_AT)?;
        let before = last.iter().filter(|run| run.id != self.run.id);
        let failed = |run: &&Run| match &run.outcome {
            Some(Outcome::Failed { fault: Fault { kind: Some(kind), .. } }) => match **kind {
                FaultKind::Model { trouble } => trouble.may_be_of_the_question(),
                _ => false,
            },
            _ => false,
        };
        let mut asked: HashSet<MessageId> = before.take_while(failed).map(|run| run.root).collect();
        asked.insert(self.run.root);
        Ok(asked.len() >= IN_A_ROW)
    }

    /// The turn is tried again a few times: what was in its way may be gone.
    pub(super) fn panicked(mut self) -> Result<After, Fault> {
        let fault = panicked();
        if self.run.attempt >= TRIES {
            return self.fail(fault, &Spoken::default());
        }
        let pause = PAUSE * 4_u32.pow(self.run.attempt.saturating_sub(1));
        let after_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        let attempt = self.run.attempt;
        let replaces = false;
        self.step(StepKind::Retried { fault: fault.clone(), attempt, after_ms, replaces })?;
        self.run.state = RunState::Failed;
        self.run.outcome = Some(Outcome::Failed { fault });
        wakes::release(self.write, self.run.id)?;
        self.close_without_reading()?;
        Ok(After { woken: Vec::new(), again_after: Some(pause) })
    }

    /// A turn that needs a person. The wakes stay, so that resuming the agent
    /// answers them; where the policy hands on, the others go on.
    pub(super) fn fail(mut self, fault: Fault, before: &Spoken) -> Result<After, Fault> {
        self.run.state = RunState::Failed;
        self.run.outcome = Some(Outcome::Failed { fault: fault.clone() });
        let answered = if self.is_handed_on() {
            let reason = match self.run.cause.reason {
                Reason::Supervising { round } => Reason::SupervisorFailed { round },
                _ => Reason::Failed,
            };
            self.keep(before, &reason)?;
            self.run.outcome = Some(Outcome::Failed { fault: fault.clone() });
            self.answered()?
        } else {
            wakes::release(self.write, self.run.id)?;
            Vec::new()
        };
        self.post_failure(fault.clone())?;
        self.store_end()?;
        let left = self.turns_it_keeps_from_others()?;
        self.gone.add(begin::call_off(self.write, &left, &Reason::InError, self.now)?);
        let mends_by_itself = fault.code == FaultCode::Budget;
        self.leave_running(AgentState::Error, TransitionCause::Failed { fault })?;
        // Now that it cannot be asked itself.
        let mut woken = self.hand_on(&answered)?;
        woken.extend(turns::go_on_without(self.write, &left)?);
        if woken.is_empty() && mends_by_itself {
            self.owe_what_nobody_answers(&answered)?;
        }
        Ok(After::waking(woken))
    }

    /// Their own budgets may have stopped everybody in turn. The last one has its turn when there is
    /// room again, and hands on from there.
    fn owe_what_nobody_answers(&mut self, turns: &[wakes::Wake]) -> Result<(), Fault> {
        for wake in turns.iter().filter(|wake| is_handed_on(&wake.reason)) {
            let state = agents::get(self.write, wake.agent)?.state;
            let message = messages::find(self.write, wake.message)?;
            let Some(message) = message.filter(|_| state == AgentState::Error) else { continue };
            if messages::by_agents_since(self.write, wake.root)? == 0 {
                let owed = turn_policy::given(wake.agent, state, wake.reason.clone(), wake.depth);
                turns::owe(self.write, &message, owed)?;
            }
        }
        Ok(())
    }

    /// What the policy of a group gave it that others would have next. Nobody waits
    /// there for somebody who has an error, and nobody would tell them that it came
    /// elsewhere.
    fn turns_it_keeps_from_others(&self) -> Result<Vec<wakes::Wake>, Fault> {
        // Somebody may have paused it meanwhile: it comes back to them.
        if !self.is_at_work()? {
            return Ok(Vec::new());
        }
        let mut left = wakes::open_of(self.write, self.run.agent)?;
        left.retain(|wake| wake.claimed_by.is_none() && is_handed_on(&wake.reason));
        Ok(left)
    }

    /// A turn that has used up what it was given, or to which there is no answer.
    /// Nobody has to put anything right before the agent's next one; this one is not
    /// taken up again.
    pub(super) fn end_for_good(
        mut self,
        reason: Reason,
        fault: Fault,
        before: &Spoken,
    ) -> Result<After, Fault> {
        self.run.state = RunState::Failed;
        self.keep(before, &reason)?;
        self.run.outcome = Some(Outcome::Failed { fault: fault.clone() });
        let answered = self.answered()?;
        self.post_failure(fault)?;
        self.close()?;
        // Nobody else has anything left to say to the same message either.
        let woken = match reason {
            Reason::OverBudget { scope: BudgetScope::Message } => Vec::new(),
            _ => self.hand_on(&answered)?,
        };
        Ok(After::waking(woken))
    }

    /// Nobody says it again: what was said beside calls stands, unless it is half of some data or
    /// nobody waits for it. Where nothing does, the reason is on record.
    fn keep(&mut self, before: &Spoken, reason: &Reason) -> Result<(), Fault> {
        let is_heard = self.run.cause.reason != Reason::Heartbeat
            && self.group.kind != GroupKind::Post
            && !self.supervises();
        match !before.is_empty() && is_heard {
            true => self.add_reply(before.as_str().to_owned(), true).map(drop),
            false => self.record_silence(reason),
        }
    }

    pub(super) fn post_failure(&mut self, fault: Fault) -> Result<(), Fault> {
        if restarts::has_said_so(self.write, self.run.agent, &self.group)? {
            return Ok(());
        }
        let failed = Notice::RunFailed { agent: self.run.agent, fault };
        post::notice(self.write, self.run.group, failed, self.now)?;
        Ok(())
    }
}
