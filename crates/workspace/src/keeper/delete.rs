//! Takes a soul out of force, and brings it back.
//!
//! Nothing is lost by it: the file goes to a folder beside the others, and every version that
//! was ever in force stays. First it is no soul any more, then its file goes; who is killed in
//! between has it as it was, since the next look finds the file.

use super::new_name::with_folder;
use super::{is_usable, look, save, unknown};
use crate::shared::Shared;
use crate::{named, skills};
use domain::{Agent, Fault, FaultCode, FaultKind, Soul, SoulKept, SoulSource};
use std::sync::Arc;
use store::table::{agents, grants, souls};
use store::{Durability, StoreError};

pub(crate) async fn delete(shared: &Arc<Shared>, stem: String) -> Result<Soul, Fault> {
    let keeper = &shared.souls;
    let _one_at_a_time = keeper.looking.lock().await;
    let before = keeper.shelf().clone();
    let stem = before.name_of(&stem);
    is_usable(shared, &stem, "delete")?;
    let now = shared.now_ms();
    let last = before.record(&stem, keeper.folder.path(), now).ok_or_else(|| unknown(&stem))?;
    let file = before.file(&stem).map(str::to_owned);
    let mut after = before.clone();
    after.delete(&stem);
    let record = after.record(&stem, keeper.folder.path(), now);
    let (with, name, put) = (shared.clone(), stem.clone(), record.clone());
    let told = shared.store.write(Durability::Process, move |write| {
        let worn = agents::with_soul(write, &name)?;
        if !worn.is_empty() {
            return Err(is_worn(&name, &worn));
        }
        match &put {
            Some(record) => souls::put(write, record)?,
            None => souls::remove(write, &name)?,
        }
        // Another soul of this name is to be asked for anew.
        for grant in grants::all(write)? {
            if grant.soul.as_deref() == Some(name.as_str()) {
                grants::remove(write, grant.id)?;
            }
        }
        *with.souls.shelf() = after;
        Ok(())
    });
    told.await.inspect_err(|_: &Fault| *keeper.shelf() = before)?;
    if let Some(file) = file {
        with_folder(shared, move |folder| folder.put_away(&file)).await?;
    }
    skills::tell(shared);
    named::tell(shared, &[]);
    Ok(record.unwrap_or(last))
}

/// Its file as it was put away, else its newest version.
pub(crate) async fn bring_back(shared: &Arc<Shared>, stem: String) -> Result<Soul, Fault> {
    let stem = shared.souls.shelf().name_of(&stem);
    let (soul, newest) = shared.store.read(|read| {
        let newest = souls::versions(read, &stem)?.first().map(|newest| newest.version);
        let text = newest.map(|version| souls::version(read, &stem, version)).transpose()?;
        Ok::<_, StoreError>((souls::get(read, &stem)?, text.flatten()))
    })?;
    if let Some(soul) = soul
        && shared.souls.shelf().file(&stem).is_some()
    {
        return Ok(soul);
    }
    if put_back(shared, &stem).await? {
        look(shared).await?;
        let soul = shared.store.read(|read| souls::get(read, &stem))?;
        return soul.ok_or_else(|| unknown(&stem));
    }
    let newest = newest.ok_or_else(|| unknown(&stem))?;
    save(shared, stem, newest.text, None, SoulSource::Rollback).await
}

async fn put_back(shared: &Arc<Shared>, stem: &str) -> Result<bool, Fault> {
    let _one_at_a_time = shared.souls.looking.lock().await;
    let file = format!("{stem}.md");
    let text = with_folder(shared, move |folder| folder.bring_back(&file)).await?;
    if let Some(text) = &text {
        shared.souls.expect(text, SoulSource::Rollback);
    }
    Ok(text.is_some())
}

fn is_worn(stem: &str, worn: &[Agent]) -> Fault {
    let names = worn.iter().map(|agent| agent.name.as_str()).collect::<Vec<_>>().join(", ");
    let name = stem.to_owned();
    let live = if worn.len() == 1 { "lives" } else { "live" };
    Fault::new(
        FaultCode::Refused,
        format!("delete soul {stem}: {names} {live} by it"),
        "terminate who lives by it first (coterie agent terminate), or change the soul instead",
    )
    .of(FaultKind::SoulKept { name, other: names, why: SoulKept::Worn })
}
