//! A turn of the feed that a budget has no room for after all: its estimate was too low, or
//! another call took the room. What it was to answer waits.

use super::{After, Settling};
use crate::{budget, feed};
use domain::{
    AgentState, BudgetScope, Effects, Fault, Outcome, Reason, RunState, StepKind, TransitionCause,
    Verdict,
};
use store::table::{decisions, runs, tool_calls, wakes};

impl Settling<'_, '_> {
    /// Who has met a limit of a day keeps its turn, and takes it up when it goes on. Where it
    /// is the feed's own, the item goes back to the feed, as if it had not been given out.
    pub(super) fn without_room(
        mut self,
        scope: BudgetScope,
        reason: Reason,
        fault: Fault,
    ) -> Result<After, Fault> {
        if budget::stops_the_agent(scope) {
            self.record_wait(&reason)?;
            return self.fail(fault);
        }
        match scope == BudgetScope::Feed && self.can_go_back()? {
            true => self.go_back(reason),
            // No day gives back what one message or one turn has used up.
            false => self.end_for_good(Reason::OverBudget { scope }, fault),
        }
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
    fn record_wait(&mut self, reason: &Reason) -> Result<(), Fault> {
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
