//! A turn that was ended from outside before it was over.

use super::{After, Settling};
use crate::shared::Why;
use crate::{branches, recover};
use agent::Said;
use domain::{CallState, Effects, Fault, GroupKind, Outcome, Reason, RunState, StepKind};
use store::table::{tool_calls, wakes};

impl Settling<'_, '_> {
    pub(super) fn stopped(mut self, why: Why, said: Said) -> Result<After, Fault> {
        self.run.state = RunState::Stopped;
        match why {
            Why::StoppedByUser => self.ended_by_person(said, Reason::StoppedByUser),
            // Who rests would leave the conversation without either answer.
            Why::Paused if branches::replaces(self.write, &self.run)? => {
                self.ended_by_person(said, Reason::Paused)
            }
            Why::Paused => {
                self.record_wait(&Reason::Paused)?;
                self.run.outcome = Some(Outcome::Silent { reason: Reason::Paused });
                self.put_back()
            }
            Why::Terminated => self.gone(Reason::Terminated, said),
            Why::LeftTheGroup => self.gone(Reason::LeftTheGroup, said),
            Why::Archived => self.gone(Reason::Archived, said),
            Why::Closing => {
                self.run.state = RunState::Interrupted;
                self.step(StepKind::Interrupted)?;
                match self.cut_off()? {
                    Some(tool) => self.left_to_a_person(&tool),
                    None => self.put_back(),
                }
            }
        }
    }

    /// A tool that was stopped while it ran and may have changed something: whoever goes on
    /// unasked may do it again.
    fn cut_off(&self) -> Result<Option<String>, Fault> {
        let calls = tool_calls::of_run(self.write, self.run.id)?.into_iter();
        let mut cut_off = calls
            .filter(|call| call.effects == Effects::Once && call.state == CallState::Cancelled);
        Ok(cut_off.next_back().map(|call| call.tool))
    }

    /// As where the process had been killed.
    fn left_to_a_person(mut self, tool: &str) -> Result<After, Fault> {
        self.close_without_reading()?;
        recover::leave_to_a_person(self.write, self.run, tool, self.now)?;
        Ok(After::default())
    }

    /// What was said so far stands as its answer, and nobody goes on.
    fn ended_by_person(mut self, said: Said, why: Reason) -> Result<After, Fault> {
        self.keep_or_say_why(said, why)?;
        wakes::settle(self.write, self.run.id)?;
        self.end_what_is_open()?;
        self.bring_back_what_it_replaced()?;
        self.close()?;
        Ok(After::default())
    }

    /// The agent will not come back to it: what it said so far stands, and the others go on.
    fn gone(mut self, reason: Reason, said: Said) -> Result<After, Fault> {
        self.keep_or_say_why(said, reason)?;
        let answered = self.answered()?;
        let woken = self.hand_on(&answered)?;
        self.close()?;
        Ok(After::waking(woken))
    }

    /// Posts what was said, or records why nothing is.
    fn keep_or_say_why(&mut self, said: Said, reason: Reason) -> Result<(), Fault> {
        let text = match self.group.kind {
            // Half of an answer there is half of some data.
            GroupKind::Post => String::new(),
            GroupKind::Direct | GroupKind::Group | GroupKind::Task => {
                said.before.followed_by(&said.text.unwrap_or_default())
            }
        };
        // What a supervisor writes is never posted, not even a part of it.
        if text.is_empty() || self.supervises() {
            self.record_silence(&reason)?;
            self.run.outcome = Some(Outcome::Silent { reason });
            return Ok(());
        }
        self.add_reply(text, true).map(drop)
    }

    /// It is taken up again later, as if it had not begun.
    fn put_back(mut self) -> Result<After, Fault> {
        wakes::release(self.write, self.run.id)?;
        wakes::forgive(self.write, self.run.agent)?;
        self.close_without_reading()?;
        Ok(After::default())
    }
}
