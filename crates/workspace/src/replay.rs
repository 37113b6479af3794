//! Doing a run again from its record: the model gives the answers it gave, the
//! tools return what they returned, and what happens is compared with what is
//! on record.
//!
//! Nothing is asked, nothing is executed and nothing is written. A difference
//! means that the program itself now does something else with the same input.

mod tape;

use crate::exchange::CUT_OFF;
use crate::shared::Shared;
use crate::{begin, exchange, supervisor};
use agent::{Brief, Hands, Minds};
use domain::{
    CallState, Fault, FaultCode, Outcome, PlanMode, Reason, Replayed, Run, RunContext, RunId,
    RunState, Step, StepKind,
};
use llm::{ModelRequest, Role, Turn};
use std::sync::Arc;
use store::Read;
use store::table::{agents, messages, runs, steps};
use tape::{Ending, Played, PlayedJournal, PlayedTool, Tape};
use tokio_util::sync::CancellationToken;
use tools::{Allowed, Place, Registry, Tool};

/// Does the run again and says where it first goes another way.
pub(crate) async fn replay(shared: &Shared, id: RunId) -> Result<Replayed, Fault> {
    let record = shared.store.read(|read| Record::of(read, id))?;
    if record.steps.is_empty() {
        // The agent was never asked, so there is nothing that it could do again.
        return Ok(Replayed { steps: 0, difference: None });
    }
    let stop = CancellationToken::new();
    let tape = Arc::new(Tape::new(record.steps, record.ending, stop.clone()));
    let tools = record.context.tools.iter().map(|spec| {
        Arc::new(PlayedTool { spec: spec.clone(), tape: tape.clone() }) as Arc<dyn Tool>
    });
    let registry = Registry::new(tools.collect())
        .map_err(|error| Fault::new(FaultCode::Internal, error.to_string(), "report this"))?;
    let offer = registry.offer(&Place::default(), &Allowed::Everything);
    let played = Played { tape: tape.clone(), run: record.run.id, agent: record.run.agent };
    let hands = Hands { tools: &offer, gate: &played };
    let mut journal = PlayedJournal { tape: tape.clone() };
    agent::run(record.brief, Minds::one(&played), hands, &mut journal, &stop).await;
    Ok(tape.compared())
}

/// A run as far as it is the agent's own doing.
struct Record {
    run: Run,
    context: RunContext,
    steps: Vec<Step>,
    ending: Ending,
    brief: Brief,
}

impl Record {
    fn of(read: &Read<'_>, id: RunId) -> Result<Record, Fault> {
        let run = runs::get(read, id)?;
        let ending = ending(&run)?;
        let context = runs::context(read, id)?;
        let mut steps = steps::of_run(read, id)?;
        let end = steps.iter().find(|step| ends_it(&step.kind)).map_or(u32::MAX, |step| step.n);
        // Ends of what it had begun and nobody went on with may stand behind its own.
        steps.retain(|step| step.n < end || !is_return(&step.kind));
        steps.retain(|step| is_the_agents(&step.kind));
        for step in &mut steps {
            // Which model was asked in the end was not the agent's doing.
            if let StepKind::ModelCalled { model } = &mut step.kind {
                model.clone_from(&context.model);
            }
        }
        if ending == Ending::CutOff {
            // What the next start wrote down about it before.
            while steps.last().is_some_and(|step| is_written_afterwards(&step.kind)) {
                steps.pop();
            }
        }
        let brief = brief(read, &run, &context, &steps)?;
        Ok(Record { run, context, steps, ending, brief })
    }
}

fn ending(run: &Run) -> Result<Ending, Fault> {
    Ok(match run.state {
        RunState::Running => {
            return Err(Fault::new(
                FaultCode::Refused,
                format!("run {} is still going on", run.id),
                "wait until it has ended",
            ));
        }
        RunState::Settled => Ending::Finished,
        RunState::Failed => Ending::Failed,
        // It goes on where it was, and no end of what it had begun is on record.
        RunState::Stopped if was_paused(run) => Ending::CutOff,
        RunState::Stopped => Ending::Stopped,
        RunState::Interrupted | RunState::Resumed | RunState::Dropped => Ending::CutOff,
    })
}

/// The others are taken before the agent begins, or when it has ended.
fn is_the_agents(step: &StepKind) -> bool {
    match step {
        StepKind::ModelCalled { .. }
        | StepKind::Delta { .. }
        | StepKind::SpokeForAnother { .. }
        | StepKind::UsageRecorded { .. }
        | StepKind::Planned { .. }
        | StepKind::Replanned { .. }
        | StepKind::ToolProposed { .. }
        | StepKind::ApprovalAsked { .. }
        | StepKind::ApprovalEnded { .. }
        | StepKind::Granted { .. }
        | StepKind::ToolDispatched { .. }
        | StepKind::ToolReturned { .. }
        | StepKind::Steered { .. } => true,
        StepKind::Woken { .. }
        | StepKind::Decided { .. }
        | StepKind::BriefBuilt { .. }
        | StepKind::Folded { .. }
        | StepKind::Recalled { .. }
        | StepKind::Kept { .. }
        | StepKind::Reflected { .. }
        | StepKind::MessagePosted { .. }
        | StepKind::Retried { .. }
        | StepKind::FellBack { .. }
        | StepKind::FromCache { .. }
        | StepKind::StoodInLine { .. }
        | StepKind::Interrupted
        | StepKind::Resumed { .. }
        | StepKind::Settled { .. } => false,
    }
}

fn spoke_for_another(step: &StepKind) -> bool {
    matches!(step, StepKind::SpokeForAnother { .. })
}

fn was_paused(run: &Run) -> bool {
    matches!(run.outcome, Some(Outcome::Silent { reason: Reason::Paused }))
}

fn ends_it(step: &StepKind) -> bool {
    matches!(step, StepKind::Interrupted | StepKind::Resumed { .. } | StepKind::Settled { .. })
}

fn is_return(step: &StepKind) -> bool {
    matches!(step, StepKind::ToolReturned { .. })
}

fn is_written_afterwards(step: &StepKind) -> bool {
    match step {
        StepKind::ToolReturned { state: CallState::OutcomeUnknown, .. } => true,
        StepKind::ToolReturned { state: CallState::Cancelled, text, .. } => text == CUT_OFF,
        _ => false,
    }
}

/// The words of the request play no part, as the answers are known; but they
/// decide whether a turn begins with a plan.
fn brief(read: &Read<'_>, run: &Run, context: &RunContext, steps: &[Step]) -> Result<Brief, Fault> {
    let begun_with = match exchange::steered(steps).next() {
        Some(first) => messages::find(read, first)?.map_or(run.reads_to, |news| news.seq - 1),
        None => run.reads_to,
    };
    let left = left(read, run)?;
    let asked = begin::asked(read, run, begun_with)?;
    let mut limits = context.limits;
    if limits.plan == PlanMode::Auto && was_planned(steps) {
        limits.plan = PlanMode::Always;
    }
    let decides = matches!(run.cause.reason, Reason::Supervising { .. });
    if decides {
        supervisor::only_decides(&mut limits);
    }
    let request = ModelRequest {
        model: context.model.split_once('/').map_or("", |(_, name)| name).to_owned(),
        turns: vec![
            Turn::new(Role::System, context.system_prompt.clone()),
            Turn::new(Role::User, asked.clone()),
        ],
        temperature: context.temperature,
        max_tokens: context.max_tokens,
        stop: Vec::new(),
        seed: None,
        grammar: None,
        tools: context.tools.clone(),
    };
    Ok(Brief {
        run: run.id,
        own_name: context.agent_name.clone(),
        // Who decides may name everybody. And what nobody cut then stays whole, though more
        // be known by now of how models go on for others.
        other_names: match decides || !steps.iter().any(|step| spoke_for_another(&step.kind)) {
            true => Vec::new(),
            false => {
                let RunContext { members, members_before, members_with_role, .. } = context;
                [&members[..], members_before, members_with_role].concat()
            }
        },
        request,
        asked,
        model: context.model.clone(),
        plans_with: context.model.clone(),
        // Nobody reads it: the answers are on record.
        how_to_plan: String::new(),
        language: agents::get(read, run.agent)?.language,
        limits,
        rounds_before: left.rounds,
        unanswered: left.unanswered,
    })
}

/// What the tries before this one had begun, if this one went on with them.
fn left(read: &Read<'_>, run: &Run) -> Result<exchange::Exchange, Fault> {
    let Some(tried) = run.resumes else { return Ok(exchange::Exchange::default()) };
    let unfinished = begin::stood_on(read, runs::get(read, tried)?, run.id)?;
    Ok(unfinished.map(|unfinished| unfinished.exchange).unwrap_or_default())
}

/// A turn that was planned is planned again, whatever decided it then: a plan is
/// on record, or an answer without calls that did not end the turn.
fn was_planned(steps: &[Step]) -> bool {
    let mut answered = false;
    for step in steps {
        match step.kind {
            StepKind::Planned { .. } | StepKind::Replanned { .. } => return true,
            StepKind::ModelCalled { .. } if answered => return true,
            StepKind::ModelCalled { .. } => answered = true,
            StepKind::ToolProposed { .. } => answered = false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{CallId, Usage};

    fn is_planned(steps: &[StepKind]) -> bool {
        let run = RunId(uuid::Uuid::nil());
        let step = |(n, kind): (u32, &StepKind)| Step { run, n, at_ms: 1, kind: kind.clone() };
        was_planned(&(1..).zip(steps).map(step).collect::<Vec<_>>())
    }

    #[test]
    fn a_record_tells_that_a_plan_was_asked_for() {
        let asked = StepKind::ModelCalled { model: "lab/m".into() };
        let used = StepKind::UsageRecorded { usage: Usage::default() };
        let called = StepKind::ToolProposed {
            call: CallId(uuid::Uuid::nil()),
            model_id: "c1".into(),
            tool: "calculator".into(),
            arguments: "{}".into(),
        };
        let again = StepKind::Replanned { attempt: 1, because: "it failed".into() };
        assert!(!is_planned(&[asked.clone(), used.clone()]));
        assert!(!is_planned(&[asked.clone(), called, used.clone(), asked.clone()]));
        assert!(is_planned(&[asked.clone(), used.clone(), asked.clone()]), "it wrote no plan");
        assert!(is_planned(&[asked, used, again]));
    }
}
