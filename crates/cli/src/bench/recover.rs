//! How long a workspace takes to open after its process was killed in the
//! middle of many turns.
//!
//! `coterie serve` has one turn going for each of many agents, whose model
//! never answers; it is killed and started again. A figure is told only when
//! each of those turns was found and is done again.

use super::agents;
use super::stage::{self, Stage};
use super::{BUDGET, broken, tell};
use crate::environment;
use crate::screen::{Failure, Screen};
use domain::{Event, FromOwner, GroupId, GroupKind, Record, Run, RunId, RunState, Update};
use door::{Door, Durability};
use futures::StreamExt;
use std::collections::HashSet;

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
    let cut_off = begin(&stage, &groups).await?;
    drop(busy.process);
    let again = agents::started(&stage).await?;
    are_recovered(&stage, &cut_off).await?;
    let recovered = again.start.saturating_sub(quiet.start).as_secs_f64();
    tell(screen, "recover_1000_runs", "ms", recovered * 1e3, Some((BUDGET, 2_000.0)));
    Ok(())
}

/// Returns when a turn is going on in each of the groups, with all of them.
async fn begin(stage: &Stage, groups: &[GroupId]) -> Result<HashSet<RunId>, Failure> {
    let door = Door::open(stage.places(), environment::parts).await?;
    let mut events = door.events(None);
    let wanted = groups.len();
    // Heard while it is said: only so much is held for who comes late.
    let hearing = tokio::spawn(async move {
        let mut running = HashSet::new();
        while running.len() < wanted {
            let said = events.next().await?;
            running
                .extend(run_of(&said).filter(|run| run.state == RunState::Running).map(|it| it.id));
        }
        Some(running)
    });
    for group in groups {
        stage::post(&door, *group, "Still there?").await?;
    }
    let running = hearing.await.ok().flatten();
    running.filter(|all| all.len() == RUNS).ok_or_else(|| broken("begin", "not every turn began"))
}

/// Returns when each of these turns is done again by another one; fails where
/// one was lost, or still seems to run without a process.
async fn are_recovered(stage: &Stage, cut_off: &HashSet<RunId>) -> Result<(), Failure> {
    let door = Door::open(stage.places(), environment::parts).await?;
    if door.owns() {
        return Err(broken("look at what was recovered", "coterie serve has ended"));
    }
    let mark = stage::overview(&door).await?.mark;
    let mut events = door.events(Some(mark));
    let mut again = done_again(&door, cut_off).await?;
    while again.len() < cut_off.len() {
        let said = events.next().await;
        let said = said.ok_or_else(|| broken("listen", "the events ended"))?;
        if matches!(said, FromOwner::Resync { .. }) {
            again = done_again(&door, cut_off).await?;
        }
        let resumed = run_of(&said).and_then(|run| run.resumes);
        again.extend(resumed.filter(|before| cut_off.contains(before)));
    }
    let all = stage::all_runs(&door).await?;
    let found = all.iter().filter(|run| cut_off.contains(&run.id));
    let (recovered, left): (Vec<&Run>, Vec<&Run>) =
        found.partition(|run| run.state == RunState::Resumed);
    if recovered.len() != cut_off.len() {
        let wrong = format!("{} of {} turns; left are {left:?}", recovered.len(), cut_off.len());
        return Err(broken("recover", wrong));
    }
    Ok(())
}

/// Those of the turns that another one does again; fails where one had ended
/// before the kill.
async fn done_again(door: &Door, cut_off: &HashSet<RunId>) -> Result<HashSet<RunId>, Failure> {
    let all = stage::all_runs(door).await?;
    let mut killed = all.iter().filter(|run| cut_off.contains(&run.id));
    let is_late = |run: &&Run| !matches!(run.state, RunState::Interrupted | RunState::Resumed);
    if let Some(run) = killed.find(is_late) {
        return Err(broken("kill in the middle of a turn", format!("it had ended: {run:?}")));
    }
    Ok(all.iter().filter_map(|run| run.resumes).filter(|run| cut_off.contains(run)).collect())
}

fn run_of(said: &FromOwner) -> Option<&Run> {
    match said {
        FromOwner::Event(Event { update: Update::Saved { record: Record::Run(run) }, .. }) => {
            Some(run)
        }
        _ => None,
    }
}
