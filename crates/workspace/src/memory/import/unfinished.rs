//! Imports that have begun and not ended, so that the next start can take up
//! what a kill has cut off.

use super::{Wanted, import};
use crate::shared::Shared;
use domain::Fault;
use std::sync::Arc;
use store::table::settings;
use store::{Durability, Read, StoreError, Write};

/// Which these are, as a fact in the database.
const BEGUN: &str = "memory.imports_begun";

pub(super) async fn begin(shared: &Shared, wanted: &Arc<Wanted>) -> Result<(), Fault> {
    let wanted = wanted.clone();
    let add = move |write: &mut Write<'_>| {
        let mut begun = begun(write)?;
        if !begun.contains(&wanted) {
            begun.push(Wanted::clone(&wanted));
            put(write, &begun)?;
        }
        Ok::<_, StoreError>(())
    };
    shared.store.write(Durability::Process, add).await?;
    fail::fail_point!("import.begun");
    Ok(())
}

pub(super) async fn end(shared: &Shared, wanted: &Arc<Wanted>) -> Result<(), Fault> {
    fail::fail_point!("import.done");
    let wanted = wanted.clone();
    let remove = move |write: &mut Write<'_>| {
        let mut begun = begun(write)?;
        begun.retain(|one| *one != *wanted);
        put(write, &begun)
    };
    Ok(shared.store.write(Durability::Process, remove).await?)
}

/// What the process before this one did not finish: to be looked at before anybody
/// can begin another.
pub(crate) fn cut_off(shared: &Shared) -> Vec<Wanted> {
    shared.store.read(begun).unwrap_or_else(|error| {
        tracing::warn!(%error, "no import can be taken up");
        Vec::new()
    })
}

/// Goes on with them. What cannot be read any more is left: what was taken in of it
/// stays.
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
                if let Err(fault) = end(&shared, &Arc::new(wanted)).await {
                    tracing::warn!(path, %fault, "the next start tries the import once more");
                }
            }
        }
    }
}

fn begun(read: &Read<'_>) -> Result<Vec<Wanted>, StoreError> {
    match settings::fact(read, BEGUN)? {
        Some(text) => Ok(serde_json::from_str(&text)?),
        None => Ok(Vec::new()),
    }
}

fn put(write: &mut Write<'_>, begun: &[Wanted]) -> Result<(), StoreError> {
    settings::put_fact(write, BEGUN, &serde_json::to_string(begun)?)
}
