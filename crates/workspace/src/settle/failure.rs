//! A turn that ended without an answer: tried again, given up, or left to a
//! person.

use super::{After, Settling, TRIES};
use crate::{budget, post};
use domain::{
    AgentState, BudgetScope, Fault, Notice, Outcome, Reason, Run, RunState, StepKind,
    TransitionCause,
};
use llm::{ModelFault, Trouble};
use std::time::Duration;
use store::table::wakes;

/// The model has answered, with nothing.
pub(super) fn wordless() -> ModelFault {
    let message = "the model ended its answer without a word";
    let fix = "resume the agent to try again, or choose another model";
    ModelFault::new(Trouble::BrokenAnswer, message, fix)
}

impl Settling<'_, '_> {
    /// A call that failed: tried again a few times if that may help.
    pub(super) fn failed(mut self, fault: ModelFault) -> Result<After, Fault> {
        if let Trouble::Budget { scope } = fault.trouble
            && !budget::stops_the_agent(scope)
        {
            return self.end_over_budget(scope, fault.into());
        }
        if !fault.trouble.may_pass() || self.run.attempt >= TRIES {
            return self.fail(fault.into());
        }
        let pause = pause_before(&self.run, &fault);
        let fault = Fault::from(fault);
        let after_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        let attempt = self.run.attempt;
        self.step(StepKind::Retried { fault: fault.clone(), attempt, after_ms })?;
        self.run.state = RunState::Failed;
        self.run.outcome = Some(Outcome::Failed { fault });
        wakes::release(self.write, self.run.id)?;
        self.close_without_reading()?;
        Ok(After { woken: Vec::new(), again_after: Some(pause) })
    }

    /// A turn that needs a person. The wakes stay, so that resuming the agent
    /// answers them; where the policy hands on, the others go on.
    pub(super) fn fail(mut self, fault: Fault) -> Result<After, Fault> {
        self.run.state = RunState::Failed;
        self.run.outcome = Some(Outcome::Failed { fault: fault.clone() });
        let answered = if self.is_handed_on() {
            let reason = match self.run.cause.reason {
                Reason::Supervising { round } => Reason::SupervisorFailed { round },
                _ => Reason::Failed,
            };
            self.record_silence(&reason)?;
            self.answered()?
        } else {
            wakes::release(self.write, self.run.id)?;
            Vec::new()
        };
        self.post_failure(fault.clone())?;
        self.store_end()?;
        self.leave_running(AgentState::Error, TransitionCause::Failed { fault })?;
        // Now that it cannot be asked itself.
        Ok(After::waking(self.hand_on(&answered)?))
    }

    /// A turn that has used up what it was given. Nobody has to put anything right
    /// before the agent's next one; this one is not taken up again.
    fn end_over_budget(mut self, scope: BudgetScope, fault: Fault) -> Result<After, Fault> {
        self.run.state = RunState::Failed;
        self.run.outcome = Some(Outcome::Failed { fault: fault.clone() });
        self.record_silence(&Reason::OverBudget { scope })?;
        let answered = self.answered()?;
        self.post_failure(fault)?;
        self.close()?;
        // Nobody else has anything left to say to the same message either.
        let woken = match scope {
            BudgetScope::Message => Vec::new(),
            _ => self.hand_on(&answered)?,
        };
        Ok(After::waking(woken))
    }

    fn post_failure(&mut self, fault: Fault) -> Result<(), Fault> {
        let failed = Notice::RunFailed { agent: self.run.agent, fault };
        post::notice(self.write, self.run.group, failed, self.now)?;
        Ok(())
    }
}

/// One second, then four, or as long as the provider asks for; and up to half
/// of our own pause more, so that those who failed together do not come back
/// together. How much more hangs on the run alone.
fn pause_before(run: &Run, fault: &ModelFault) -> Duration {
    let own = Duration::from_secs(1) * 4_u32.pow(run.attempt.saturating_sub(1));
    // The last bits of the id are random.
    let thousandths = u32::try_from(run.id.0.as_u128() % 501).unwrap_or_default();
    let spread = own * thousandths / 1000;
    match fault.trouble {
        Trouble::Busy { retry_after: Some(asked) } => asked.max(own) + spread,
        _ => own + spread,
    }
}
