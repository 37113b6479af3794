//! PLAN → ACT → OBSERVE → REPLAN.
//!
//! The model is asked for a plan, the plan is checked against what the agent
//! can do here and now, and carried out through the same gate as every other
//! call: each wave of steps stands in the history as an answer that makes
//! calls. What went wrong goes back to the model, a few times. Then, or when
//! the model does not plan at all, the turn goes on as any other. A turn that
//! was cut off goes on with its plan where it was: what was done is known by
//! the identities of the calls, and is not done again.

use crate::act::{self, Beside, Way};
use crate::brief::{Brief, Journal, PlanNext, UNNEEDED};
use crate::capability;
use crate::listen::{Ear, Ended, Heard};
use crate::plan::{self, Progress, Results, Unread};
use crate::run::Running;
use crate::several::asks_for_several;
use domain::{
    CallId, CallState, Effects, Plan, PlanAction, PlanMode, PlanStep, StepKind, ToolSpec, ToolSpecs,
};
use llm::{Called, Grammar, ModelFault, ModelRequest, Role, Trouble, Turn};
use serde_json::Value;
use std::collections::BTreeSet;
use tools::Offer;

/// Whether this turn begins with a plan, or was cut off in the middle of one.
pub(crate) fn is_planned(brief: &Brief, offer: &Offer) -> bool {
    match brief.unanswered.plan.next {
        PlanNext::First => begins_with_a_plan(brief, offer),
        PlanNext::Again { .. } | PlanNext::Steps => true,
        PlanNext::Nothing => false,
    }
}

/// A turn that was cut off goes on with what it had begun.
fn begins_with_a_plan(brief: &Brief, offer: &Offer) -> bool {
    let anew = brief.rounds_before == 0 && brief.unanswered.calls.is_empty();
    let wanted = match brief.limits.plan {
        PlanMode::Never => false,
        PlanMode::Always => true,
        PlanMode::Auto => asks_for_several(&brief.asked),
    };
    wanted && !offer.is_empty() && anew
}

/// How a plan is asked for: a MiniJinja template without variables.
pub const HOW_TO_PLAN: &str = include_str!("plan.md");
/// No plan is longer than this many bytes.
pub(crate) const MOST_PLAN: usize = 64 * 1024;
const SOMETHING_NEW: &str = "something new was said meanwhile; it stands above";

/// What the next try to plan stands on.
struct Planning {
    /// What is told in front of the tools.
    how: String,
    specs: ToolSpecs,
    attempt: u32,
    /// Why the last one was not enough.
    because: Option<String>,
    /// The last plan's text, where it could not be used.
    unusable: Option<String>,
    /// Providers that are refused a schema ask in words by themselves; the others
    /// are asked without.
    held_to_schema: bool,
    /// What the steps of all plans so far returned.
    results: Results,
    /// The steps of all plans so far that succeeded.
    done: Vec<Done>,
}

/// A step that was carried out, and what it returned.
struct Done {
    attempt: u32,
    step: String,
    tool: String,
    /// As the tool was given them.
    arguments: String,
    text: String,
}

impl Running<'_> {
    /// Plans and carries out, until the plan is done or planning has not
    /// helped. Gives what came instead of a plan and goes on as any answer.
    pub(crate) async fn work_by_plan(&mut self, journal: &mut dyn Journal) -> Option<Heard> {
        let mut planning = self.planning_so_far();
        if let (PlanNext::Steps, Some((_, plan))) =
            (&self.brief.unanswered.plan.next, self.brief.unanswered.plan.plans.last())
        {
            let because = self.carry_out(plan, &mut planning, journal).await?;
            self.plan_again(&mut planning, because, journal).await?;
        }
        // The last call of the model is for the answer.
        while self.rounds + 1 < self.brief.limits.max_iterations && !self.stop.is_cancelled() {
            let heard = self.ask_for_plan(&planning, journal).await;
            match &heard.ended {
                Ended::Finished | Ended::GaveUp | Ended::CutShort | Ended::Withheld => {}
                Ended::Failed(fault) if is_about_the_question(fault) => {
                    let may_be_the_schema = fault.trouble == Trouble::Refused;
                    if !may_be_the_schema || !planning.held_to_schema {
                        return None;
                    }
                    planning.held_to_schema = false;
                    continue;
                }
                Ended::Stopped | Ended::Failed(_) => return Some(Heard { text: None, ..heard }),
            }
            if !heard.calls.is_empty() {
                return Some(heard);
            }
            let text = heard.text.unwrap_or_default();
            let because = match self.usable(&text, &planning) {
                Ok(plan) => {
                    planning.unusable = None;
                    journal.steps(vec![StepKind::Planned { plan: plan.clone() }]).await;
                    self.carry_out(&plan, &mut planning, journal).await?
                }
                Err(Unread::NoPlan) => return None,
                Err(Unread::Wrong(problems)) => {
                    planning.unusable = Some(text);
                    let because = problems.join("\n");
                    self.last_failure = Some(format!("the plan cannot be used: {because}"));
                    because
                }
            };
            self.plan_again(&mut planning, because, journal).await?;
        }
        None
    }

    /// Gives nothing where there were plans enough.
    async fn plan_again(
        &self,
        planning: &mut Planning,
        because: String,
        journal: &mut dyn Journal,
    ) -> Option<()> {
        if planning.attempt >= self.brief.limits.max_replan_attempts {
            return None;
        }
        planning.attempt += 1;
        planning.because = Some(because.clone());
        let attempt = planning.attempt;
        journal.steps(vec![StepKind::Replanned { attempt, because }]).await;
        Some(())
    }

    /// Where earlier tries of the turn have left it.
    fn planning_so_far(&self) -> Planning {
        let before = &self.brief.unanswered.plan;
        let mut planning = Planning {
            how: self.brief.how_to_plan.clone(),
            specs: self.hands.tools.specs(),
            attempt: before.plans.last().map_or(0, |(attempt, _)| *attempt),
            because: None,
            unusable: None,
            held_to_schema: true,
            results: Results::new(),
            done: Vec::new(),
        };
        for (attempt, plan) in &before.plans {
            self.progress_so_far(plan, *attempt, &mut planning);
        }
        if let PlanNext::Again { attempt, because, unusable } = &before.next {
            planning.attempt = *attempt;
            planning.because = Some(because.clone());
            planning.unusable.clone_from(unusable);
        }
        planning
    }

    /// The plan with what has been done of it.
    fn progress_so_far<'p>(
        &self,
        plan: &'p Plan,
        attempt: u32,
        planning: &mut Planning,
    ) -> Progress<'p> {
        let mut progress = Progress::new(plan);
        let ended = |step: &PlanStep| self.ended.get(&self.call_id(attempt, step));
        for step in &plan.steps {
            if let Some((state, text)) = ended(step).filter(|(_, text)| text != UNNEEDED) {
                let succeeded = *state == CallState::Succeeded;
                progress.end(step, succeeded, text, &mut planning.results);
            }
        }
        for step in &plan.steps {
            let PlanAction::Tool { tool, arguments } = &step.action else { continue };
            let Ok(filled) = filled(tool, arguments, self.hands.tools, &planning.results) else {
                continue;
            };
            let arguments = filled.to_string();
            match ended(step) {
                Some((CallState::Succeeded, text)) => {
                    planning.note(attempt, step, tool, arguments, text);
                }
                Some(_) => {}
                None => {
                    if let Some(text) = planning.done_before(attempt, step, tool, &arguments) {
                        planning.results.insert(step.id.clone(), text);
                    }
                }
            }
        }
        progress
    }

    fn call_id(&self, attempt: u32, step: &PlanStep) -> CallId {
        let turn = self.brief.unanswered.turn.unwrap_or(self.brief.run);
        act::planned_call_id(turn, attempt, &step.id)
    }

    async fn ask_for_plan(&mut self, planning: &Planning, journal: &mut dyn Journal) -> Heard {
        let mut turns = self.turns.clone();
        planning.add_question(&mut turns);
        // The likeliest plan, and the same one for the same question, unless that
        // one could not be used: then another one is wanted.
        let temperature = match planning.unusable {
            None => 0.0,
            Some(_) => self.brief.request.temperature,
        };
        let answer_tokens = self.brief.request.max_tokens;
        let schema = || Grammar::JsonSchema(capability::schema(&planning.specs, answer_tokens));
        let request = ModelRequest {
            turns,
            temperature,
            stop: Vec::new(),
            grammar: planning.held_to_schema.then(schema),
            ..self.brief.request.clone()
        };
        let heard = self.put(request, Ear::plan(), journal).await;
        journal.begins_anew();
        heard
    }

    fn usable(&self, text: &str, planning: &Planning) -> Result<Plan, Unread> {
        let mut plan = plan::read(text, &planning.specs)?;
        plan::leave_unsaid(&mut plan, &planning.specs);
        plan::checked(plan, self.hands.tools, &planning.results).map_err(Unread::Wrong)
    }

    /// Whether this is one more plan where an answer was asked for: nobody is to read
    /// that. An answer with something like a plan in it is still an answer.
    pub(crate) fn is_a_plan(&self, text: Option<&str>) -> bool {
        text.is_some_and(|text| plan::is_nothing_else(text, &self.hands.tools.specs()))
    }

    /// Says what is left undone and why, or nothing when all is done.
    async fn carry_out(
        &mut self,
        plan: &Plan,
        planning: &mut Planning,
        journal: &mut dyn Journal,
    ) -> Option<String> {
        let attempt = planning.attempt;
        let mut progress = self.progress_so_far(plan, attempt, planning);
        while !self.stop.is_cancelled() {
            let mut wave = Vec::new();
            let ready = progress.ready();
            for step in &ready {
                let lacking = progress.lacks(step).map_or(Ok(()), Err);
                match lacking.and_then(|()| self.call(step, planning)) {
                    Ok((id, called)) => {
                        let Called { name, arguments, .. } = &called;
                        match planning.done_before(attempt, step, name, arguments) {
                            Some(text) => progress.end(step, true, &text, &mut planning.results),
                            None => wave.push((*step, (id, called))),
                        }
                    }
                    Err(why) => progress.end(step, false, &why, &mut planning.results),
                }
            }
            if ready.is_empty() || progress.is_lacking() {
                break;
            }
            let (steps, calls): (Vec<&PlanStep>, Vec<_>) = wave.into_iter().unzip();
            let made: Vec<Called> = calls.iter().map(|(_, called)| called.clone()).collect();
            let needed = steps.iter().zip(&calls).filter(|(step, _)| step.required);
            let needed = needed.map(|(_, (id, _))| *id).collect();
            let ended = self.make_wave(calls, needed, journal).await;
            for ((step, called), (state, text)) in steps.into_iter().zip(made).zip(&ended) {
                if text == UNNEEDED {
                    // It was not tried.
                    continue;
                }
                let succeeded = *state == CallState::Succeeded;
                progress.end(step, succeeded, text, &mut planning.results);
                if succeeded {
                    planning.note(attempt, step, &called.name, called.arguments, text);
                }
            }
            if let Some(failure) = progress.last_failure() {
                self.last_failure = Some(failure.to_owned());
            }
            let left = |(state, text): &(CallState, String)| {
                *state == CallState::Skipped && text != UNNEEDED
            };
            if ended.iter().any(left) {
                // What was said may be that it is wanted once more.
                planning.done.clear();
                return (!self.stop.is_cancelled()).then(|| SOMETHING_NEW.to_owned());
            }
        }
        progress.undone().filter(|_| !self.stop.is_cancelled())
    }

    /// A step as a call of its tool, with the results that it uses.
    fn call(&self, step: &PlanStep, planning: &Planning) -> Result<(CallId, Called), String> {
        let PlanAction::Tool { tool, arguments } = &step.action else {
            return Err("it uses no tool".into());
        };
        let arguments = filled(tool, arguments, self.hands.tools, &planning.results)?;
        let id = self.call_id(planning.attempt, step);
        let model_id = format!("call_{}", id.0.simple());
        Ok((id, Called { id: model_id, name: tool.clone(), arguments: arguments.to_string() }))
    }

    async fn make_wave(
        &mut self,
        calls: Vec<(CallId, Called)>,
        needed: BTreeSet<CallId>,
        journal: &mut dyn Journal,
    ) -> Vec<(CallState, String)> {
        if calls.is_empty() {
            return Vec::new();
        }
        let silent = StepKind::Delta { text: String::new(), reasoning: String::new() };
        let proposed = calls.iter().map(|(id, called)| act::proposed(*id, called));
        journal.steps(std::iter::once(silent).chain(proposed).collect()).await;
        self.turns.push(Turn::calling("", calls.iter().map(|(_, call)| call.clone()).collect()));
        self.make(calls, Way { beside: Beside::All, needed }, journal).await
    }
}

impl Planning {
    fn note(&mut self, attempt: u32, step: &PlanStep, tool: &str, arguments: String, text: &str) {
        let (step, tool, text) = (step.id.clone(), tool.to_owned(), text.to_owned());
        self.done.push(Done { attempt, step, tool, arguments, text });
    }

    /// What a step of an earlier plan returned that did the same. What changes
    /// something is the same under any id; what only looks may be meant to look
    /// again.
    fn done_before(
        &self,
        attempt: u32,
        step: &PlanStep,
        tool: &str,
        arguments: &str,
    ) -> Option<String> {
        let looks = |spec: &ToolSpec| spec.name == tool && spec.effects == Effects::None;
        let only_looks = self.specs.iter().any(looks);
        let is_same = |done: &&Done| {
            done.attempt < attempt
                && done.tool == tool
                && done.arguments == arguments
                && (done.step == step.id || !only_looks)
        };
        self.done.iter().rev().find(is_same).map(|done| done.text.clone())
    }

    /// Behind everything else, so that what came before stays as it was.
    fn add_question(&self, turns: &mut Vec<Turn>) {
        let tools = capability::described(&self.specs);
        let ask = format!("{}\n{tools}", self.how.trim_end());
        // No try is the same question as the one before, which has its answer.
        let attempt = self.attempt;
        match (&self.because, &self.unusable) {
            (None, _) => add_words(turns, ask),
            (Some(because), Some(plan)) => {
                add_words(turns, ask);
                turns.push(Turn::new(Role::Assistant, shortened(plan)));
                add_words(
                    turns,
                    format!(
                        "This plan cannot be used:\n{because}\n\nWrite it again without that. This is correction {attempt}."
                    ),
                );
            }
            (Some(because), None) => add_words(
                turns,
                format!(
                    "{ask}\n\nThere was a plan already. What it did stands above. What is left:\n{because}\n\nPlan what is still to be done, in another way where one way failed. Do not repeat what succeeded; its results can be used by their ids. If nothing can be done, only reply. This is new plan {attempt}."
                ),
            ),
        }
    }
}

/// The same model may well answer what is asked without a plan.
fn is_about_the_question(fault: &ModelFault) -> bool {
    matches!(fault.trouble, Trouble::Refused | Trouble::TooLong)
}

/// What was said meanwhile, behind everything else.
pub(crate) fn add_said(turns: &mut Vec<Turn>, said: Vec<Turn>) {
    for turn in said {
        match turn.role {
            Role::User => add_words(turns, turn.content),
            Role::System | Role::Assistant | Role::Tool => turns.push(turn),
        }
    }
}

/// Providers want the roles to take turns: what the user said last goes on.
fn add_words(turns: &mut Vec<Turn>, words: String) {
    match turns.last_mut() {
        Some(last) if last.role == Role::User => {
            last.content.push_str("\n\n");
            last.content.push_str(&words);
        }
        Some(_) | None => turns.push(Turn::new(Role::User, words)),
    }
}

/// A result that is the only thing in a place becomes a number or a list where
/// the tool takes no text there.
fn filled(
    tool: &str,
    arguments: &Value,
    offer: &Offer,
    results: &Results,
) -> Result<Value, String> {
    let as_text = plan::fill::filled(arguments, results)?;
    if offer.check(tool, &as_text).is_ok() {
        return Ok(as_text);
    }
    let as_values = plan::fill::filled_with_values(arguments, results)?;
    Ok(if offer.check(tool, &as_values).is_ok() { as_values } else { as_text })
}

fn shortened(text: &str) -> String {
    const MOST: usize = 4000;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
