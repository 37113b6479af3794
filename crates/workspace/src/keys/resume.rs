//! Bringing back who stopped for want of a key.

use super::fault;
use crate::roles;
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
    /// Variables that were not set when somebody stopped for want of them.
    Variables,
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
    let wants = |fault: &&Fault| matches!(fault.code, FaultCode::Key | FaultCode::NoModel);
    let Some(problem) = agent.problem.as_ref().filter(wants) else { return Ok(false) };
    let place_of = |provider: &Provider| shared.safe.place_of(provider.key.as_ref()?);
    let can_be_asked = |provider: &Provider| match regained {
        Regained::Provider(name) => provider.name == *name,
        Regained::Key(name) => provider.key.as_ref() == Some(name),
        Regained::Place(place) => {
            place_of(provider).as_ref() == Some(place)
                && fault::is_about_place(&provider.name, problem)
        }
        Regained::Variables => {
            let variable = match place_of(provider) {
                Some(Place::Environment { variable }) => Some(variable),
                Some(Place::Keyring | Place::SealedFile) | None => provider.key_env.clone(),
            };
            variable.is_some_and(|name| {
                fault::is_about_variable(&name, problem)
                    && shared.safe.vault.variable(&name).is_ok()
            })
        }
    };
    Ok(asked_by(read, shared, agent)?.iter().any(can_be_asked))
}

/// Whom the agent asks, one in the place of another.
fn asked_by(read: &Read<'_>, shared: &Shared, agent: &Agent) -> Result<Vec<Provider>, Fault> {
    let Some(soul) = shared.souls.in_force(&agent.soul) else { return Ok(Vec::new()) };
    let settings = settings::get(read)?;
    roles::asked(read, &effective(agent.model.as_deref(), &soul.front, &settings))
}
