//! How far the planning of a turn had come, told from its steps.
//!
//! Pure. A plan that has been asked for, but not written down, is asked for
//! again.

use agent::{PlanNext, Planned};
use domain::{Step, StepKind};

pub(super) fn so_far(steps: &[Step]) -> Planned {
    let mut planned = Planned::default();
    let mut attempt = 0;
    // What the model said last, until it is known what came of that.
    let mut heard: Option<&str> = None;
    let mut asked = false;
    let mut run = steps.first().map(|step| step.run);
    for step in steps {
        if run.replace(step.run) != Some(step.run) {
            // It was cut off before anything came of it.
            (heard, asked) = (None, false);
        }
        match &step.kind {
            StepKind::ModelCalled { .. } => {
                // Either a plan has been carried out, or what came was none.
                let came_to_nothing = heard.take().is_some_and(|text| !text.is_empty());
                if planned.next == PlanNext::Steps || came_to_nothing {
                    planned.next = PlanNext::Nothing;
                }
                asked = true;
            }
            // The steps of a plan stand as answers that nobody was asked for.
            StepKind::Delta { text, .. } if asked => (heard, asked) = (Some(text.as_str()), false),
            StepKind::ToolProposed { .. } if heard.take().is_some() => {
                planned.next = PlanNext::Nothing;
            }
            StepKind::Planned { plan } => {
                heard = None;
                planned.plans.push((attempt, plan.clone()));
                planned.next = PlanNext::Steps;
            }
            StepKind::Replanned { attempt: nth, because } => {
                attempt = *nth;
                let (because, unusable) = (because.clone(), heard.take().map(Into::into));
                planned.next = PlanNext::Again { attempt, because, unusable };
            }
            StepKind::ToolReturned { call, state, text } => {
                planned.ended.insert(*call, (*state, text.clone()));
            }
            _ => {}
        }
    }
    planned
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{Plan, RunId};
    use uuid::Uuid;

    fn asked() -> StepKind {
        StepKind::ModelCalled { model: "lab/m".into() }
    }

    fn wrote(text: &str) -> StepKind {
        StepKind::Delta { text: text.into(), reasoning: String::new() }
    }

    fn plan() -> StepKind {
        StepKind::Planned { plan: Plan { steps: Vec::new() } }
    }

    fn again(attempt: u32) -> StepKind {
        StepKind::Replanned { attempt, because: "it rained".into() }
    }

    fn proposed() -> StepKind {
        let (model_id, tool, arguments) = ("c".into(), "look".into(), "{}".into());
        StepKind::ToolProposed { call: domain::CallId(Uuid::nil()), model_id, tool, arguments }
    }

    fn wants_another(attempt: u32, unusable: Option<&str>) -> PlanNext {
        let (because, unusable) = ("it rained".into(), unusable.map(Into::into));
        PlanNext::Again { attempt, because, unusable }
    }

    #[test]
    fn what_comes_next_is_told_from_what_came_last() {
        let check = |tries: Vec<Vec<StepKind>>, plans: &[u32], next: PlanNext| {
            let of_run = |(run, kinds): (u128, Vec<StepKind>)| {
                let run = RunId(Uuid::from_u128(run));
                kinds.into_iter().map(move |kind| Step { run, n: 0, at_ms: 0, kind })
            };
            let steps: Vec<Step> = (1..).zip(tries).flat_map(of_run).collect();
            let planned = so_far(&steps);
            let attempts: Vec<u32> = planned.plans.iter().map(|(attempt, _)| *attempt).collect();
            assert_eq!((attempts.as_slice(), &planned.next), (plans, &next), "{steps:?}");
        };
        let planned = || vec![asked(), wrote("{}"), plan()];
        check(vec![vec![asked(), wrote("{}")]], &[], PlanNext::First);
        check(vec![planned()], &[0], PlanNext::Steps);
        check(vec![[planned(), vec![wrote(""), proposed()]].concat()], &[0], PlanNext::Steps);
        check(vec![planned(), Vec::new(), Vec::new()], &[0], PlanNext::Steps);
        check(vec![planned(), vec![asked()]], &[0], PlanNext::Nothing);
        check(vec![[planned(), vec![again(1)]].concat()], &[0], wants_another(1, None));
        let unusable = vec![asked(), wrote("{"), again(1)];
        check(vec![unusable.clone()], &[], wants_another(1, Some("{")));
        check(vec![unusable.clone(), vec![asked(), wrote("{}")]], &[], wants_another(1, Some("{")));
        let another = [unusable.clone(), planned()].concat();
        check(vec![another], &[1], PlanNext::Steps);
        check(vec![unusable.clone(), vec![asked(), wrote("No."), asked()]], &[], PlanNext::Nothing);
        check(vec![vec![asked(), wrote("I call."), proposed()]], &[], PlanNext::Nothing);
    }
}
