//! Whether a plan can be carried out here and now.
//!
//! The tools that the agent is offered are all it may plan with. Whatever is
//! wrong is said at once and in words that the model can act on.

use super::fill::{self, Results};
use domain::{Plan, PlanAction, PlanStep};
use std::collections::BTreeSet;
use tools::Offer;

pub(crate) const MOST_STEPS: usize = 20;

/// The plan with nothing left implied: a step also waits for those whose
/// results its arguments name, and not for those of earlier plans, whose
/// results are there. Or everything that is wrong with it.
pub(crate) fn checked(
    mut plan: Plan,
    offer: &Offer,
    earlier: &Results,
) -> Result<Plan, Vec<String>> {
    let mut problems = Vec::new();
    if plan.steps.len() > MOST_STEPS {
        problems.push(format!("it has {} steps; {MOST_STEPS} is the most", plan.steps.len()));
    }
    let mut ids = BTreeSet::new();
    for step in &plan.steps {
        if !ids.insert(step.id.clone()) {
            problems.push(format!("two steps have the id `{}`", step.id));
        }
    }
    for step in &mut plan.steps {
        problems.extend(action_problem(step, offer));
        imply(step, &ids, earlier, &mut problems);
    }
    if problems.is_empty() {
        problems.extend(circle(&plan));
    }
    if problems.is_empty() { Ok(plan) } else { Err(problems) }
}

fn action_problem(step: &PlanStep, offer: &Offer) -> Option<String> {
    let PlanAction::Tool { tool, arguments } = &step.action else { return None };
    let names_results = !fill::names(arguments).is_empty();
    if names_results && offer.has(tool) {
        // What they will be is checked when they are known.
        return None;
    }
    let wrong = offer.check(tool, arguments).err()?;
    Some(format!("step `{}`: {wrong}", step.id))
}

fn imply(
    step: &mut PlanStep,
    ids: &BTreeSet<String>,
    earlier: &Results,
    problems: &mut Vec<String>,
) {
    let is_known = |id: &str| ids.contains(id) || earlier.contains_key(id);
    let mut after = Vec::new();
    for id in std::mem::take(&mut step.after) {
        if is_known(&id) {
            after.push(id);
        } else {
            problems
                .push(format!("step `{}` waits for `{id}`, and there is no such step", step.id));
        }
    }
    if let PlanAction::Tool { arguments, .. } = &step.action {
        for name in fill::names(arguments) {
            match fill::id_of(&name, &is_known) {
                Some(id) => after.push(id.to_owned()),
                None => problems.push(format!(
                    "step `{}` uses the result {{{{{name}}}}}, and there is no such step",
                    step.id
                )),
            }
        }
    }
    for id in after {
        if ids.contains(&id) && !step.after.contains(&id) {
            step.after.push(id);
        }
    }
}

/// Takes away whatever waits for nothing that is left; what cannot be taken
/// away waits for itself.
fn circle(plan: &Plan) -> Option<String> {
    let mut left: Vec<&PlanStep> = plan.steps.iter().collect();
    loop {
        let ids: BTreeSet<&str> = left.iter().map(|step| step.id.as_str()).collect();
        let before = left.len();
        left.retain(|step| step.after.iter().any(|id| ids.contains(id.as_str())));
        if left.is_empty() {
            return None;
        }
        if left.len() == before {
            let names: Vec<String> = left.iter().map(|step| format!("`{}`", step.id)).collect();
            return Some(format!("steps wait for each other in a circle: {}", names.join(", ")));
        }
    }
}
