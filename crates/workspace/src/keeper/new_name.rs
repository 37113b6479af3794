//! Gives a soul another name: its file, its versions, and the agents that live by it.
//!
//! The file stands under both names until everything else has the new one. Who is killed
//! before leaves a second soul of the new name, and after it one of the old; none of them is
//! lost, and no agent is without its soul.

use super::{is_usable, looking_stopped, rename as rename_agent, unknown};
use crate::shared::Shared;
use crate::souls::{Folder, SoulInForce, SoulsError};
use crate::{named, skills};
use domain::{AgentState, Fault, FaultCode, FaultKind, Soul, SoulKept};
use std::sync::Arc;
use store::table::{agents, grants, soul_proposals, souls};
use store::{Durability, StoreError, Write};

pub(crate) async fn rename_soul(
    shared: &Arc<Shared>,
    stem: String,
    to: String,
) -> Result<Soul, Fault> {
    let keeper = &shared.souls;
    let _one_at_a_time = keeper.looking.lock().await;
    let before = keeper.shelf().clone();
    let (from, to) = (before.name_of(&stem), before.name_of(to.trim()));
    if before.get(&from).is_none() {
        return Err(unknown(&stem));
    }
    is_usable(shared, &from, "rename")?;
    let file = before.file(&from).map(str::to_owned).ok_or_else(|| file_gone(&from))?;
    if before.get(&to).is_some() || keeper.folder.file(&to).exists() {
        return Err(name_taken(&from, &to));
    }
    let (old, new) = (file.clone(), to.clone());
    with_folder(shared, move |folder| folder.stand_as(&old, &new)).await?;
    let mut after = before.clone();
    after.rename(&from, &to);
    let now = shared.now_ms();
    let record = after.record(&to, keeper.folder.path(), now).ok_or_else(|| unknown(&from))?;
    let soul = after.in_force(&to).cloned();
    let former = before.in_force(&from).map(|soul| soul.front.name.clone());
    let (with, put, name, new) = (shared.clone(), record.clone(), from.clone(), to.clone());
    let told = shared.store.write(Durability::Process, move |write| {
        souls::rename(write, &name, &new)?;
        souls::put(write, &put)?;
        carry_along(write, &name, &new)?;
        carry_agents(write, &name, &new, soul.as_deref(), former.as_deref())?;
        *with.souls.shelf() = after;
        Ok(())
    });
    if let Err(fault) = told.await.inspect_err(|_: &Fault| *keeper.shelf() = before) {
        let new = format!("{to}.md");
        with_folder(shared, move |folder| folder.remove(&new)).await?;
        return Err(fault);
    }
    with_folder(shared, move |folder| folder.remove(&file)).await?;
    skills::tell(shared);
    named::tell(shared, &[to]);
    Ok(named::Known::of(shared)?.looked_up(shared, record))
}

/// What waits for an answer, and what a person has allowed, is told anew under the new name.
fn carry_along(write: &mut Write<'_>, from: &str, to: &str) -> Result<(), StoreError> {
    for proposal in soul_proposals::waiting(write)? {
        if proposal.soul == to {
            soul_proposals::put(write, &proposal)?;
        }
    }
    for mut grant in grants::all(write)? {
        if grant.soul.as_deref() == Some(from) {
            grant.soul = Some(to.to_owned());
            grants::put(write, &grant)?;
        }
    }
    Ok(())
}

fn carry_agents(
    write: &mut Write<'_>,
    from: &str,
    to: &str,
    soul: Option<&SoulInForce>,
    former_name: Option<&str>,
) -> Result<(), StoreError> {
    for mut agent in agents::all(write)? {
        if agent.soul != from {
            continue;
        }
        to.clone_into(&mut agent.soul);
        if let Some(soul) = soul
            && agent.state != AgentState::Terminated
        {
            rename_agent(write, &mut agent, soul, former_name)?;
        }
        agents::put(write, &agent)?;
    }
    Ok(())
}

pub(super) async fn with_folder<T: Send + 'static>(
    shared: &Shared,
    act: impl FnOnce(&Folder) -> Result<T, SoulsError> + Send + 'static,
) -> Result<T, Fault> {
    let folder = shared.souls.folder.clone();
    let acted = tokio::task::spawn_blocking(move || act(&folder)).await;
    Ok(acted.map_err(|_| looking_stopped())??)
}

fn file_gone(stem: &str) -> Fault {
    let (name, other) = (stem.to_owned(), String::new());
    Fault::new(
        FaultCode::Refused,
        format!("rename soul {stem}: its file is gone"),
        format!("save it again (coterie soul rollback {stem}), then rename it"),
    )
    .of(FaultKind::SoulKept { name, other, why: SoulKept::FileGone })
}

fn name_taken(stem: &str, to: &str) -> Fault {
    let (name, other) = (stem.to_owned(), to.to_owned());
    Fault::new(
        FaultCode::Refused,
        format!("rename soul {stem}: there is a soul called {to}, or there was one"),
        "choose another name",
    )
    .of(FaultKind::SoulKept { name, other, why: SoulKept::NameTaken })
}
