//! Imports that have begun and not ended, so that the next start can take up
//! what a kill has cut off.
//!
//! One whose file is gone meanwhile is tried again at each start, and everybody is told,
//! until the file is back, is taken in once more, or the person drops it.

use super::{Wanted, import};
use crate::memory::in_step::tell;
use crate::shared::Shared;
use domain::{Fault, ImportCutOff};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use store::table::settings;
use store::{Durability, Read, StoreError, Write};

/// Which these are, as a fact in the database.
const BEGUN: &str = "memory.imports_begun";

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Begun {
    #[serde(flatten)]
    wanted: Wanted,
    /// Why it could not go on when it was tried last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    why: Option<String>,
}

pub(super) async fn begin(shared: &Shared, wanted: &Arc<Wanted>) -> Result<(), Fault> {
    put(shared, Wanted::clone(wanted), None).await?;
    fail::fail_point!("import.begun");
    Ok(())
}

/// So does whatever was cut off of the same file.
pub(super) async fn end(shared: &Shared, wanted: &Arc<Wanted>) -> Result<(), Fault> {
    fail::fail_point!("import.done");
    let wanted = wanted.clone();
    let remove = move |write: &mut Write<'_>| {
        let mut begun = begun(write)?;
        let is_over = |one: &Begun| {
            one.wanted == *wanted || one.why.is_some() && one.wanted.path == wanted.path
        };
        begun.retain(|one| !is_over(one));
        keep(write, &begun)
    };
    Ok(shared.store.write(Durability::Process, remove).await?)
}

/// What the process before this one did not finish: to be looked at before anybody
/// can begin another.
pub(crate) fn cut_off(shared: &Shared) -> Vec<Wanted> {
    let all = shared.store.read(begun).unwrap_or_else(|error| {
        tracing::warn!(%error, "no import can be taken up");
        Vec::new()
    });
    all.into_iter().map(|one| one.wanted).collect()
}

/// Goes on with them. What cannot be read waits; what was taken in of it stays.
pub(crate) async fn take_up(shared: Arc<Shared>, cut_off: Vec<Wanted>) {
    for wanted in cut_off {
        let path = wanted.path.clone();
        match import(&shared, wanted.clone()).await {
            Ok(told) => {
                tracing::info!(path, added = told.added, "an import that was cut off is done")
            }
            Err(_) if shared.closing.is_cancelled() => return,
            Err(fault) => {
                tracing::warn!(path, %fault, "an import that was cut off cannot go on");
                if let Err(fault) = put(&shared, wanted, Some(fault.message.clone())).await {
                    tracing::warn!(path, %fault, "nobody can be told of it");
                }
            }
        }
        if let Err(fault) = tell(&shared).await {
            tracing::warn!(path, %fault, "nobody was told what became of an import");
        }
    }
}

/// Those that wait for their file, or for the person to drop them.
pub(crate) fn waiting(read: &Read<'_>) -> Result<Vec<ImportCutOff>, StoreError> {
    let all = begun(read)?.into_iter();
    Ok(all.filter_map(|one| Some(ImportCutOff { path: one.wanted.path, why: one.why? })).collect())
}

/// The person goes on with it no more.
pub(crate) async fn drop_it(shared: &Arc<Shared>, path: String) -> Result<(), Fault> {
    let remove = move |write: &mut Write<'_>| {
        let mut begun = begun(write)?;
        let before = begun.len();
        begun.retain(|one| one.why.is_none() || one.wanted.path != path);
        if begun.len() == before {
            return Err(Fault::not_found(
                format!("no import of {path} was cut off"),
                "coterie memory status names those that were",
            ));
        }
        Ok(keep(write, &begun)?)
    };
    shared.store.write(Durability::Process, remove).await?;
    tell(shared).await
}

/// Notes that it has begun, and why it does not go on.
async fn put(shared: &Shared, wanted: Wanted, why: Option<String>) -> Result<(), Fault> {
    let put = move |write: &mut Write<'_>| {
        let mut begun = begun(write)?;
        match begun.iter_mut().find(|one| one.wanted == wanted) {
            Some(one) => one.why = why,
            None => begun.push(Begun { wanted, why }),
        }
        keep(write, &begun)
    };
    Ok(shared.store.write(Durability::Process, put).await?)
}

fn begun(read: &Read<'_>) -> Result<Vec<Begun>, StoreError> {
    match settings::fact(read, BEGUN)? {
        Some(text) => Ok(serde_json::from_str(&text)?),
        None => Ok(Vec::new()),
    }
}

fn keep(write: &mut Write<'_>, begun: &[Begun]) -> Result<(), StoreError> {
    settings::put_fact(write, BEGUN, &serde_json::to_string(begun)?)
}
