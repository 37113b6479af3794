//! Settling a turn: everything that came of it, in one transaction.
//!
//! Reply, cursor, run, usage, decisions, the next wakes, the agent's state and
//! the outbox stand together or not at all.

mod failure;
mod no_room;
mod reply;
mod stopped;

use crate::lifecycle::{self, Ended as Gone};
use crate::shared::{Shared, Why};
use crate::turn_policy::{is_a_task, is_handed_on};
use crate::unwritten::{Entry, write_down};
use crate::{acts, branches, gate, states, turns};
use agent::{Ended, Said, Spoken};
use domain::{
    AgentId, AgentState, Fault, Group, GroupKind, MessageId, Outcome, Participant, Reason, Run,
    RunState, StepKind, TransitionCause, Verdict,
};
use llm::ModelFault;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;
use store::table::{agents, decisions, groups, members, runs, steps, usage, wakes};
use store::{Durability, Write};

/// How a turn ended, as the desk saw it.
#[derive(Debug, Clone)]
pub(crate) struct End {
    pub run: Run,
    pub how: How,
    /// What the run has yet to write down.
    pub unwritten: Arc<[Entry]>,
}

#[derive(Debug, Clone)]
pub(crate) enum How {
    Said(Said),
    /// By a mistake of the program's own.
    Panicked,
    /// Nobody could be asked.
    NotAsked(Fault),
    Ended(Why, Said),
}

/// What the desk does after a turn has settled.
#[derive(Debug, Clone, Default)]
pub(crate) struct After {
    pub woken: Vec<AgentId>,
    /// The turn is to be tried again after this pause.
    pub again_after: Option<Duration>,
}

impl After {
    fn waking(woken: Vec<AgentId>) -> After {
        After { woken, again_after: None }
    }
}

/// Tries of one turn that something of the program's own cut off, the first
/// included. What a model does wrong is tried again by the call (see `calls`).
pub(crate) const TRIES: u32 = 3;

pub(crate) async fn settle(shared: &Arc<Shared>, end: End) -> Result<After, Fault> {
    let now = shared.now_ms();
    let with = shared.clone();
    let (after, gone) = shared
        .store
        .write(Durability::Process, move |write| {
            let mut gone = Gone::default();
            settle_in(write, &with, end, now, &mut gone).map(|after| (after, gone))
        })
        .await?;
    lifecycle::let_go(shared, &gone);
    Ok(after)
}

fn settle_in(
    write: &mut Write<'_>,
    shared: &Shared,
    end: End,
    now: i64,
    gone: &mut Gone,
) -> Result<After, Fault> {
    let End { mut run, how, unwritten } = end;
    write_down(write, &run, &unwritten)?;
    run.ended_ms = Some(now);
    let group = groups::get(write, run.group)?;
    let agent = run.agent;
    let settling = Settling { write, shared, run, group, now, gone };
    let mut after = match how {
        How::Said(said) => settling.said(said),
        How::Panicked => settling.panicked(),
        How::NotAsked(fault) => settling.fail(fault, &Spoken::default()),
        How::Ended(why, said) => settling.stopped(why, said),
    }?;
    if agents::get(write, agent)?.state == AgentState::Terminated {
        // It may have been ended before its turn could be told; nobody tries
        // that again.
        let left = lifecycle::give_up_all(write, agent, now)?;
        after.woken.extend(turns::go_on_without(write, &left)?);
        after.again_after = None;
    }
    Ok(after)
}

/// A run whose end is being written down.
struct Settling<'a, 'w> {
    write: &'a mut Write<'w>,
    shared: &'a Shared,
    run: Run,
    group: Group,
    now: i64,
    /// Who ends with it.
    gone: &'a mut Gone,
}

impl Settling<'_, '_> {
    fn said(mut self, said: Said) -> Result<After, Fault> {
        let without_a_word = match said.ended {
            Ended::CutShort => failure::cut_off(),
            Ended::Withheld => failure::withheld(),
            Ended::Finished | Ended::GaveUp | Ended::Stopped | Ended::Failed(_) => {
                ModelFault::wordless("the model")
            }
        };
        let found_none = said.ended == Ended::GaveUp;
        let cut_short = match said.ended {
            Ended::Finished | Ended::GaveUp | Ended::Stopped => false,
            Ended::CutShort | Ended::Withheld => true,
            Ended::Failed(fault) => return self.failed(fault, &said.before),
        };
        if let Reason::Supervising { round } = self.run.cause.reason {
            return self.supervised(round, said.text.as_deref());
        }
        let is_wordless = said.text.as_deref() == Some("") && said.before.is_empty();
        if is_wordless && (cut_short || !self.may_be_wordless()) {
            return self.failed(without_a_word, &said.before);
        }
        self.run.state = RunState::Settled;
        let woken = match self.words(&said, cut_short)? {
            // What a demo model says in the feed ends with a whole sentence.
            Ok(text) => self.reply(text, cut_short && !self.is_demo_in_feed())?,
            Err(reason) => self.stay_silent(reason)?,
        };
        if let Some(Outcome::Replied { gave_up, .. }) = &mut self.run.outcome {
            *gave_up = found_none;
        }
        self.close()?;
        Ok(After::waking(woken))
    }

    /// Nobody waits for an answer to what the feed gives out, or to a heartbeat.
    fn may_be_wordless(&self) -> bool {
        let reason = &self.run.cause.reason;
        *reason == Reason::Heartbeat || (self.group.kind == GroupKind::Post && !is_a_task(reason))
    }

    /// Gives whose turn follows.
    fn stay_silent(&mut self, reason: Reason) -> Result<Vec<AgentId>, Fault> {
        self.record_silence(&reason)?;
        self.run.outcome = Some(Outcome::Silent { reason });
        let answered = self.answered()?;
        self.hand_on(&answered)
    }

    /// Beside each message that it was to answer, so that none is left without a word.
    fn record_silence(&mut self, reason: &Reason) -> Result<(), Fault> {
        let mut about: Vec<(MessageId, MessageId)> =
            self.answers()?.iter().map(|wake| (wake.message, wake.root)).collect();
        about.push((self.run.cause.message, self.run.root));
        let mut told = HashSet::new();
        about.retain(|(message, _)| told.insert(*message));
        for (message, root) in about {
            let new = decisions::New {
                group: self.run.group,
                agent: self.run.agent,
                message,
                root,
                verdict: Verdict::Pass,
                reason: reason.clone(),
                run: Some(self.run.id),
                at_ms: self.now,
            };
            decisions::add(self.write, new)?;
        }
        self.step(StepKind::Decided { verdict: Verdict::Pass, reason: reason.clone() })
    }

    fn step(&mut self, kind: StepKind) -> Result<(), Fault> {
        steps::add(self.write, self.run.id, &kind, self.now)?;
        Ok(())
    }

    /// Whether it decides whose turn it is, instead of taking one.
    fn supervises(&self) -> bool {
        matches!(self.run.cause.reason, Reason::Supervising { .. })
    }

    /// The wakes that the run answers: those it began with, and what it heard meanwhile.
    fn answers(&self) -> Result<Vec<wakes::Wake>, Fault> {
        Ok(wakes::claimed_by(self.write, self.run.id)?)
    }

    /// Ends the wakes that the run answers, and gives them.
    fn answered(&mut self) -> Result<Vec<wakes::Wake>, Fault> {
        let answered = self.answers()?;
        wakes::settle(self.write, self.run.id)?;
        self.end_what_is_open()?;
        Ok(answered)
    }

    /// Nobody will go on with it: the turn is over.
    fn end_what_is_open(&mut self) -> Result<(), Fault> {
        // Who decides whose turn it is has begun nothing itself.
        if self.supervises() {
            return Ok(());
        }
        let (agent, group) = (self.run.agent, self.run.group);
        gate::close_what_is_left(self.write, agent, group, &[], self.now)?;
        self.gone.add(acts::end_those_without_a_call(self.write, agent, self.now)?);
        Ok(())
    }

    /// Whose turn follows from the end of this one, by the policy.
    ///
    /// A run may have taken in wakes that came while it worked. What a supervisor
    /// was to decide about it has then answered itself, as if it had chosen so.
    fn hand_on(&mut self, answered: &[wakes::Wake]) -> Result<Vec<AgentId>, Fault> {
        let mut woken = Vec::new();
        for wake in answered {
            let reason = match wake.reason {
                Reason::Supervising { round } if wake.reason != self.run.cause.reason => {
                    Reason::ChosenBySupervisor { by: self.run.agent, round }
                }
                ref reason => reason.clone(),
            };
            let agent = self.run.agent;
            woken.extend(turns::go_on(self.write, &self.group, wake.root, agent, &reason)?);
            woken.extend(turns::rule_anew(self.write, self.shared, &self.group, wake)?);
        }
        if woken.is_empty() {
            self.bring_back_what_it_replaced()?;
        }
        Ok(woken)
    }

    /// An answer that was asked for again, and of which nothing came, stands there as it was.
    fn bring_back_what_it_replaced(&mut self) -> Result<(), Fault> {
        let came_to_nothing = matches!(self.run.outcome, Some(Outcome::Silent { .. }));
        if came_to_nothing && self.run.cause.reason == Reason::AskedByUser {
            branches::bring_back(self.write, self.run.group)?;
        }
        Ok(())
    }

    /// Whether the policy gives the turn after this one.
    fn is_handed_on(&self) -> bool {
        is_handed_on(&self.run.cause.reason)
    }

    /// The turn has consumed what it read.
    fn close(&mut self) -> Result<(), Fault> {
        let who = Participant::Agent(self.run.agent);
        members::move_cursor(self.write, self.run.group, who, self.run.reads_to)?;
        self.close_without_reading()
    }

    fn close_without_reading(&mut self) -> Result<(), Fault> {
        self.store_end()?;
        self.leave_running(AgentState::Idle, TransitionCause::Settled)
    }

    /// Stores how the run ended and what all of its calls used.
    fn store_end(&mut self) -> Result<(), Fault> {
        if let Some(outcome) = self.run.outcome.clone() {
            self.step(StepKind::Settled { outcome })?;
        }
        (self.run.usage, self.run.cost_microusd) = usage::of_run(self.write, self.run.id)?;
        Ok(runs::update(self.write, &self.run)?)
    }

    /// Somebody may have paused or ended the agent meanwhile: that stands.
    fn leave_running(&mut self, to: AgentState, cause: TransitionCause) -> Result<(), Fault> {
        if self.is_at_work()? {
            let mut agent = agents::get(self.write, self.run.agent)?;
            states::change(self.write, &mut agent, to, cause, self.now)?;
        }
        Ok(())
    }

    fn is_at_work(&self) -> Result<bool, Fault> {
        let state = agents::get(self.write, self.run.agent)?.state;
        Ok(matches!(state, AgentState::Running | AgentState::WaitingApproval))
    }
}
