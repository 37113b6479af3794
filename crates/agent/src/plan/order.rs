//! How far a plan has come, and what may begin now.
//!
//! Pure. A step begins when all that it waits for has ended. When a required one
//! has failed, the rest cannot do without it: no other begins any more.

use super::fill::{self, Results};
use domain::{Plan, PlanAction, PlanStep};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Progress<'p> {
    plan: &'p Plan,
    ended: BTreeMap<&'p str, bool>,
    failures: Vec<(&'p PlanStep, String)>,
}

impl<'p> Progress<'p> {
    pub(crate) fn new(plan: &'p Plan) -> Self {
        Progress { plan, ended: BTreeMap::new(), failures: Vec::new() }
    }

    /// Steps that have not begun and could, in the plan's order.
    pub(crate) fn ready(&self) -> Vec<&'p PlanStep> {
        if self.is_lacking() {
            return Vec::new();
        }
        let past = self.past();
        self.waiting().filter(|step| may_begin(step, &past)).collect()
    }

    /// Why a step cannot begin after all: it uses what one returned that failed.
    pub(crate) fn lacks(&self, step: &PlanStep) -> Option<String> {
        let PlanAction::Tool { arguments, .. } = &step.action else { return None };
        let names = fill::names(arguments);
        let has_ended = |id: &str| self.ended.contains_key(id);
        let mut used = names.iter().filter_map(|name| fill::id_of(name, &has_ended));
        let failed = used.find(|id| self.ended.get(id) == Some(&false))?;
        Some(format!("not called: it uses what `{failed}` returns, and `{failed}` failed"))
    }

    /// Takes down how a step ended, and keeps what it returned for those that
    /// use it. What one says that failed is no result.
    pub(crate) fn end(
        &mut self,
        step: &'p PlanStep,
        succeeded: bool,
        text: &str,
        results: &mut Results,
    ) {
        self.ended.insert(&step.id, succeeded);
        if succeeded {
            results.insert(step.id.clone(), text.to_owned());
        }
        if !succeeded {
            self.failures.push((step, text.to_owned()));
        }
    }

    pub(crate) fn last_failure(&self) -> Option<&str> {
        self.failures.last().map(|(_, text)| text.as_str())
    }

    /// What went wrong and what was left undone for it, for the model to read;
    /// `None` when everything was done that had to be.
    pub(crate) fn undone(&self) -> Option<String> {
        if !self.is_lacking() && self.waiting().next().is_none() {
            return None;
        }
        let failed = self.failures.iter().map(|(step, text)| {
            format!("step `{}` ({}) failed: {}", step.id, tool(step), shortened(text))
        });
        let untried = self.waiting().map(|step| format!("step `{}` was not tried", step.id));
        Some(failed.chain(untried).collect::<Vec<String>>().join("\n"))
    }

    /// A required step failed.
    pub(crate) fn is_lacking(&self) -> bool {
        self.failures.iter().any(|(step, _)| step.required)
    }

    fn waiting(&self) -> impl Iterator<Item = &'p PlanStep> {
        let uses_a_tool = |step: &&PlanStep| matches!(step.action, PlanAction::Tool { .. });
        let steps = self.plan.steps.iter().filter(uses_a_tool);
        steps.filter(|step| !self.ended.contains_key(step.id.as_str()))
    }

    /// What no longer keeps anybody waiting. The answer itself comes last: who
    /// waits for it waits for what it needs.
    fn past(&self) -> BTreeSet<&'p str> {
        let mut past = BTreeSet::new();
        loop {
            let before = past.len();
            for step in &self.plan.steps {
                let is_past = match (&step.action, self.ended.get(step.id.as_str())) {
                    (PlanAction::Tool { .. }, ended) => {
                        ended.is_some_and(|succeeded| *succeeded || !step.required)
                    }
                    (PlanAction::Reply { .. }, _) => may_begin(step, &past),
                };
                if is_past {
                    past.insert(step.id.as_str());
                }
            }
            if past.len() == before {
                return past;
            }
        }
    }
}

fn may_begin(step: &PlanStep, past: &BTreeSet<&str>) -> bool {
    step.after.iter().all(|id| past.contains(id.as_str()))
}

fn tool(step: &PlanStep) -> &str {
    match &step.action {
        PlanAction::Tool { tool, .. } => tool,
        PlanAction::Reply { .. } => "reply",
    }
}

/// The whole of it stands among the results.
fn shortened(text: &str) -> String {
    const MOST: usize = 400;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
