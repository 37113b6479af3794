//! Everybody rests, and goes on.
//!
//! Who rested before stays at rest when the others go on.

use super::rest;
use crate::shared::{Shared, Why};
use crate::states;
use domain::{Agent, AgentId, AgentState, Fault, Settings, TransitionCause};
use std::sync::Arc;
use store::table::{agents, settings, transitions};
use store::{Durability, Read, StoreError, Write};

/// Ends the turns in progress, which go on later, and begins nothing by itself.
pub(crate) async fn pause_all(shared: &Arc<Shared>) -> Result<Settings, Fault> {
    let now = shared.now_ms();
    let pause = move |write: &mut Write<'_>| {
        let mut resting = Vec::new();
        for mut agent in agents::living(write)? {
            if is_at_work(&agent) {
                rest(write, &mut agent, TransitionCause::AllPaused, now)?;
                resting.push(agent.id);
            }
        }
        Ok::<_, Fault>((put(write, true)?, resting))
    };
    let (settings, resting) = shared.store.write(Durability::Power, pause).await?;
    shared.going_on.stop(Why::Paused, |_, going| resting.contains(&going.agent));
    look_again(shared);
    Ok(settings)
}

/// Those who rested with everybody go on with what they were at.
pub(crate) async fn resume_all(shared: &Arc<Shared>) -> Result<Settings, Fault> {
    let now = shared.now_ms();
    let resume = move |write: &mut Write<'_>| {
        let mut back: Vec<AgentId> = Vec::new();
        for mut agent in agents::living(write)? {
            if agent.state == AgentState::Paused && rests_with_all(write, &agent)? {
                states::resume(write, &mut agent, TransitionCause::AllResumed, now)?;
                back.push(agent.id);
            }
        }
        Ok::<_, Fault>((put(write, false)?, back))
    };
    let (settings, back) = shared.store.write(Durability::Process, resume).await?;
    look_again(shared);
    shared.wake(&back);
    Ok(settings)
}

fn put(write: &mut Write<'_>, all_paused: bool) -> Result<Settings, StoreError> {
    let before = settings::to_change(write)?;
    // Whoever has them go on has read what was restored.
    let restored = before.restored.clone().filter(|_| all_paused);
    let settings = Settings { all_paused, restored, ..before };
    settings::put(write, &settings)?;
    Ok(settings)
}

fn look_again(shared: &Shared) {
    shared.schedules.changed.notify_one();
    shared.feed.look_again();
}

fn is_at_work(agent: &Agent) -> bool {
    match agent.state {
        AgentState::Idle | AgentState::Running | AgentState::WaitingApproval => true,
        AgentState::Paused | AgentState::Error | AgentState::Terminated => false,
    }
}

fn rests_with_all(read: &Read<'_>, agent: &Agent) -> Result<bool, StoreError> {
    let last = transitions::newest(read, agent.id, 1)?.pop();
    Ok(last.is_some_and(|last| last.cause == TransitionCause::AllPaused))
}
