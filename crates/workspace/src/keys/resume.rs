//! Bringing back who stopped for want of a key.

use super::fault;
use crate::served::Served;
use crate::shared::Shared;
use crate::souls::effective;
use crate::states;
use domain::{Agent, AgentState, Fault, FaultCode, Provider, TransitionCause};
use secrets::Place;
use std::sync::Arc;
use store::table::{agents, settings};
use store::{Durability, Read};

/// What can be had now and could not before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Regained {
    /// The keys that lie in this place.
    Place(Place),
    /// What this provider is asked with.
    Provider(String),
    /// A key of this name, which is new.
    Key(String),
}

/// Whoever the problem is solved for goes back to work. That it may fail again,
/// for another reason, is seen then.
pub(crate) async fn resume(shared: &Arc<Shared>, regained: Regained) -> Result<(), Fault> {
    let now = shared.now_ms();
    let with = shared.clone();
    let resumed = shared
        .store
        .write(Durability::Process, move |write| {
            let mut resumed = Vec::new();
            for mut agent in agents::living(write)? {
                let is_helped =
                    agent.state == AgentState::Error && is_helped(write, &with, &agent, &regained)?;
                let cause = TransitionCause::ResumedByUser;
                if is_helped && states::mended(write, &mut agent, cause, now)? {
                    resumed.push(agent.id);
                }
            }
            Ok::<_, Fault>(resumed)
        })
        .await?;
    shared.wake(&resumed);
    Ok(())
}

fn is_helped(
    read: &Read<'_>,
    shared: &Shared,
    agent: &Agent,
    regained: &Regained,
) -> Result<bool, Fault> {
    let Some(problem) = agent.problem.as_ref().filter(|fault| fault.code == FaultCode::Key) else {
        return Ok(false);
    };
    let Some(provider) = asked_by(read, shared, agent)? else { return Ok(false) };
    Ok(match regained {
        Regained::Provider(name) => provider.name == *name,
        Regained::Key(name) => provider.key.as_ref() == Some(name),
        Regained::Place(place) => {
            let lies_at = provider.key.as_ref().and_then(|name| shared.safe.place_of(name));
            lies_at.as_ref() == Some(place) && fault::is_about_place(&provider.name, problem)
        }
    })
}

/// Whom the agent asks.
fn asked_by(read: &Read<'_>, shared: &Shared, agent: &Agent) -> Result<Option<Provider>, Fault> {
    let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(None) };
    let settings = settings::get(read)?;
    let model = effective(agent.model.as_deref(), &soul.front, &settings).model;
    let served = Served::find(read, &model.unwrap_or_default());
    Ok(served.ok().map(|served| served.provider))
}
