//! Bringing back who stopped for want of a model, or of a key for the one that it
//! had, when it is given another one.

use crate::shared::Shared;
use crate::souls::{Fallback, effective};
use crate::states;
use domain::{Agent, AgentId, AgentState, Fault, FaultCode, TransitionCause};
use store::table::{agents, settings};
use store::{Read, Write};

/// Somebody who cannot be answered for, and whom it asked.
pub(crate) struct Stopped {
    pub(super) agent: AgentId,
    asked: Option<Asked>,
}

#[derive(PartialEq)]
struct Asked {
    model: Option<String>,
    reasoning: Option<String>,
    fallback: Option<Fallback>,
}

/// Before the change.
pub(crate) fn stopped(read: &Read<'_>, shared: &Shared) -> Result<Vec<Stopped>, Fault> {
    let mut all = agents::living(read)?;
    all.retain(|agent| agent.state == AgentState::Error && want(agent).is_some());
    let stopped = |agent: Agent| {
        let asked = asked(read, shared, &agent)?;
        Ok(Stopped { agent: agent.id, asked })
    };
    all.into_iter().map(stopped).collect()
}

/// After it: who asks somebody else now goes back to work, and whoever had nobody
/// to ask tries again. Whose key is still the one that is lacked, stays.
pub(crate) fn resume(
    write: &mut Write<'_>,
    shared: &Shared,
    stopped: Vec<Stopped>,
    now: i64,
) -> Result<Vec<AgentId>, Fault> {
    let mut resumed = Vec::new();
    for before in stopped {
        let mut agent = agents::get(write, before.agent)?;
        let is_helped = match want(&agent) {
            Some(Want::Model) => true,
            Some(Want::Key) => asked(write, shared, &agent)? != before.asked,
            None => false,
        };
        let cause = TransitionCause::ResumedByUser;
        if is_helped && states::mended(write, &mut agent, cause, now)? {
            resumed.push(agent.id);
        }
    }
    Ok(resumed)
}

enum Want {
    Model,
    Key,
}

/// What it stopped for the want of, if it is one of these.
fn want(agent: &Agent) -> Option<Want> {
    match agent.problem.as_ref()?.code {
        FaultCode::NoModel => Some(Want::Model),
        FaultCode::Key => Some(Want::Key),
        _ => None,
    }
}

fn asked(read: &Read<'_>, shared: &Shared, agent: &Agent) -> Result<Option<Asked>, Fault> {
    let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(None) };
    let all = effective(agent.model.as_deref(), &soul.front, &*settings::get(read)?);
    Ok(Some(Asked { model: all.model, reasoning: all.reasoning, fallback: all.fallback }))
}
