//! A turn that a budget has no room for: what the budget belongs to stops, and what the turn
//! was to answer waits for room.

use super::{After, Settling};
use crate::budget::{self, Stops};
use crate::{feed, turns};
use agent::Spoken;
use domain::{
    AgentState, BudgetScope, Effects, Fault, GroupKind, Outcome, Reason, RunState, StepKind,
    TransitionCause, Verdict,
};
use store::table::{decisions, runs, tool_calls, wakes};

impl Settling<'_, '_> {
    /// What the feed gave out goes back to it where its own limit or everybody's was met, as if
    /// it had not been given out. Nobody takes a task up again: whoever gave it reads what came
    /// of it.
    pub(super) fn without_room(
        mut self,
        scope: BudgetScope,
        reason: Reason,
        fault: Fault,
        before: &Spoken,
    ) -> Result<After, Fault> {
        let draws_on_feed = matches!(scope, BudgetScope::Feed | BudgetScope::Day);
        if draws_on_feed && self.can_go_back()? {
            return self.go_back(reason);
        }
        match Stops::of(scope) {
            Stops::Agent => {
                if !self.is_handed_on() {
                    self.record_wait(&reason)?;
                }
                self.fail(fault, before)
            }
            Stops::Group if self.group.kind != GroupKind::Task => self.wait(scope, reason, fault),
            // No day gives back what one message or one turn has used up.
            Stops::Group | Stops::Turn => {
                self.end_for_good(Reason::OverBudget { scope }, fault, before)
            }
        }
    }

    /// The group takes the turn up when it goes on. What was tried before and is refused again
    /// says nothing that it has not said.
    fn wait(mut self, scope: BudgetScope, reason: Reason, fault: Fault) -> Result<After, Fault> {
        self.run.state = RunState::Failed;
        self.run.outcome = Some(Outcome::Failed { fault: fault.clone() });
        self.record_wait(&reason)?;
        wakes::release(self.write, self.run.id)?;
        let has_stopped = budget::stop(self.write, self.group.clone(), &fault)?;
        let others = wakes::open_of_group(self.write, self.group.id)?;
        turns::hold_up(self.write, others, &Reason::OverBudget { scope })?;
        if has_stopped && self.run.attempt == 1 {
            self.post_failure(fault)?;
        }
        self.close_without_reading()?;
        Ok(After::default())
    }

    /// Nobody takes the turn up: whoever is given the item then begins anew, and on no quota
    /// does it count.
    fn go_back(mut self, reason: Reason) -> Result<After, Fault> {
        self.run.state = RunState::Dropped;
        self.run.outcome = Some(Outcome::Silent { reason: reason.clone() });
        self.record_wait(&reason)?;
        let left = self.answers()?;
        wakes::dismiss(self.write, &left)?;
        self.end_what_is_open()?;
        for wake in left {
            feed::goes_back(self.write, wake.message, wake.agent)?;
        }
        self.store_end()?;
        self.leave_running(AgentState::Idle, TransitionCause::Settled)?;
        Ok(After::default())
    }

    fn can_go_back(&self) -> Result<bool, Fault> {
        Ok(feed::can_go_back(self.write, &self.answers()?)? && !self.has_done_what_counts()?)
    }

    /// It would be done twice.
    fn has_done_what_counts(&self) -> Result<bool, Fault> {
        let (mut run, mut earlier) = (self.run.id, self.run.resumes);
        loop {
            let uses = tool_calls::of_run(self.write, run)?;
            if uses.iter().any(|one| one.effects != Effects::None) {
                return Ok(true);
            }
            let Some(before) = earlier else { return Ok(false) };
            (run, earlier) = (before, runs::get(self.write, before)?.resumes);
        }
    }

    /// Beside each item that it was to answer.
    pub(super) fn record_wait(&mut self, reason: &Reason) -> Result<(), Fault> {
        for wake in self.answers()? {
            let new = decisions::New {
                group: self.run.group,
                agent: self.run.agent,
                message: wake.message,
                root: wake.root,
                verdict: Verdict::Wait,
                reason: reason.clone(),
                run: Some(self.run.id),
                at_ms: self.now,
            };
            decisions::add(self.write, new)?;
        }
        self.step(StepKind::Decided { verdict: Verdict::Wait, reason: reason.clone() })
    }
}
