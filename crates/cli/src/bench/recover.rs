//! How long a workspace takes to open after its process was killed in the
//! middle of many turns.
//!
//! `coterie serve` has one turn going for each of many agents, whose model
//! never answers; it is killed and started again.

use super::agents;
use super::stage::{self, Stage};
use super::{BUDGET, broken, tell};
use crate::environment;
use crate::screen::{Failure, Screen};
use domain::{Event, FromOwner, GroupId, GroupKind, Record, RunState, Update};
use door::{Door, Durability};
use futures::StreamExt;

const RUNS: usize = 1_000;
const HANGS: &str = r#"{"format":"coterie-trace","version":1,"exchanges":[],
    "fallback":{"lines":[{"text":"I"},{"hang":true}]}}"#;

pub(super) async fn run(screen: &Screen) -> Result<(), Failure> {
    let stage = Stage::playing(HANGS, Durability::Process).await?;
    agents::make(&stage, RUNS).await?;
    let overview = stage.overview().await?;
    let direct = overview.groups.iter().filter(|view| view.group.kind == GroupKind::Direct);
    let groups: Vec<GroupId> = direct.map(|view| view.group.id).take(RUNS).collect();
    stage.door.clone().close().await;

    let quiet = agents::started(&stage).await?;
    drop(quiet.process);
    let busy = agents::started(&stage).await?;
    begin(&stage, &groups).await?;
    drop(busy.process);
    let again = agents::started(&stage).await?;
    let recovered = again.start.saturating_sub(quiet.start).as_secs_f64();
    tell(screen, "recover_1000_runs", "ms", recovered * 1e3, Some((BUDGET, 2_000.0)));
    Ok(())
}

/// Returns when a turn is going on in each of the groups.
async fn begin(stage: &Stage, groups: &[GroupId]) -> Result<(), Failure> {
    let door = Door::open(stage.places(), environment::parts).await?;
    let mut events = door.events(None);
    let wanted = groups.len();
    // Heard while it is said: only so much is held for who comes late.
    let hearing = tokio::spawn(async move {
        let mut running = 0;
        while running < wanted {
            let Some(said) = events.next().await else { return false };
            let is_running =
                |record| matches!(record, Record::Run(run) if run.state == RunState::Running);
            if let FromOwner::Event(Event { update: Update::Saved { record }, .. }) = said
                && is_running(record)
            {
                running += 1;
            }
        }
        true
    });
    for group in groups {
        stage::post(&door, *group, "Still there?").await?;
    }
    if !hearing.await.unwrap_or(false) {
        return Err(broken("listen", "the events ended"));
    }
    Ok(())
}
