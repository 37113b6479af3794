//! A new workspace: the bundled souls, an agent for each, and a first group.

use crate::shared::Shared;
use crate::{groups, lifecycle, models};
use domain::{AgentId, Fault, FaultCode, RequestId, SoulSource};
use std::path::Path;
use std::sync::Arc;
use store::Durability;
use store::table::{agents, settings};
use uuid::Uuid;

/// The agents that ship, in the order of the roster.
const SOULS: &[(&str, &str)] = &[
    ("ada", include_str!("../../../souls/ada.md")),
    ("otto", include_str!("../../../souls/otto.md")),
    ("bo", include_str!("../../../souls/bo.md")),
    ("ines", include_str!("../../../souls/ines.md")),
    ("linxia", include_str!("../../../souls/linxia.md")),
    ("laochen", include_str!("../../../souls/laochen.md")),
];

/// The starter model speaks English, so the first group does too.
const FIRST_GROUP: &[&str] = &["ada", "otto", "bo"];
const FIRST_GROUP_NAME: &str = "First group";

/// Set when everything of the first start is there: whatever a start that was
/// cut off left out is made up for by the next.
const DONE: &str = "first_start";

/// Writes the bundled souls that are not there; before the first look.
pub(crate) fn lay_out_souls(shared: &Shared) -> Result<(), Fault> {
    if is_done(shared)? {
        return Ok(());
    }
    for (stem, text) in SOULS {
        if !shared.souls.folder().file(stem).exists() {
            shared.souls.expect(text, SoulSource::Bundled);
            shared.souls.folder().save(stem, text, None)?;
        }
    }
    Ok(())
}

/// Makes the agents and the first group; after the first look.
pub(crate) async fn populate(shared: &Arc<Shared>) -> Result<(), Fault> {
    choose_starter_model(shared).await?;
    if is_done(shared)? {
        return Ok(());
    }
    let have = shared.store.read(|read| Ok::<_, Fault>(agents::all(read)?))?;
    let mut made: Vec<(&str, AgentId)> = Vec::new();
    for (stem, _) in SOULS {
        let agent = match have.iter().find(|agent| agent.soul == *stem) {
            Some(agent) => agent.clone(),
            // The person may have put a broken soul there before the first start.
            None if shared.souls.in_force(stem).is_none() => continue,
            None => {
                lifecycle::create(shared, new_request(), (*stem).to_owned(), None, None).await?
            }
        };
        made.push((stem, agent.id));
    }
    let first: Vec<AgentId> = made
        .iter()
        .filter(|(stem, _)| FIRST_GROUP.contains(stem))
        .map(|(_, agent)| *agent)
        .collect();
    if !first.is_empty() {
        groups::create(shared, new_request(), Some(FIRST_GROUP_NAME.into()), first, None).await?;
    }
    shared
        .store
        .write(Durability::Process, |write| {
            Ok::<_, Fault>(settings::put_fact(write, DONE, "done")?)
        })
        .await
}

/// With nothing chosen, the starter model answers, if it is there.
async fn choose_starter_model(shared: &Arc<Shared>) -> Result<(), Fault> {
    let mut current = shared.store.read(|read| Ok::<_, Fault>(settings::get(read)?))?;
    if current.models.default.is_some() || !shared.places.starter_model().exists() {
        return Ok(());
    }
    current.models.default = Some(models::STARTER.to_owned());
    shared
        .store
        .write(Durability::Process, move |write| Ok::<_, Fault>(settings::put(write, &current)?))
        .await
}

/// Creates the data directory and finds out whether it can be written to.
pub(crate) fn prepare_folder(data: &Path) -> Result<(), Fault> {
    let unusable = |error: std::io::Error| {
        Fault::new(
            FaultCode::Storage,
            format!("the data directory {} cannot be used: {error}", data.display()),
            "make it writable, or choose another one with --data",
        )
    };
    std::fs::create_dir_all(data).map_err(unusable)?;
    let probe = data.join(".writable");
    std::fs::write(&probe, b"").map_err(unusable)?;
    std::fs::remove_file(&probe).map_err(unusable)
}

fn is_done(shared: &Shared) -> Result<bool, Fault> {
    shared.store.read(|read| Ok(settings::fact(read, DONE)?.is_some()))
}

fn new_request() -> RequestId {
    RequestId(Uuid::now_v7())
}
