//! Sources as they are read.

use super::{folder, hooks};
use crate::shared::Shared;
use domain::{Fault, FeedSource, SourceView, Watches};
use store::table::feed_sources;

/// Those that were not removed.
pub(crate) fn all(shared: &Shared) -> Result<Vec<SourceView>, Fault> {
    let mut all = shared.store.read(feed_sources::all)?;
    all.retain(|source| source.removed_ms.is_none());
    let now = shared.sources.now();
    let door = shared.sources.door.borrow().clone();
    let address = |source: &FeedSource| match (&source.plan.watches, &door) {
        (Watches::Hook, Some(Ok(port))) if source.on => {
            Some(hooks::address(*port, &source.plan.name))
        }
        _ => None,
    };
    let view = |source: FeedSource| SourceView {
        address: address(&source),
        problem: now.problems.get(&source.id).cloned(),
        held_back: now.held_back.contains(&source.id),
        source,
    };
    Ok(all.into_iter().map(view).collect())
}

/// The folders that are watched by the names of their sources, and why one cannot be
/// looked into. Blocks.
pub(crate) fn folders(shared: &Shared) -> Result<Vec<(String, String, Option<Fault>)>, Fault> {
    let on = all(shared)?.into_iter().map(|view| view.source).filter(|source| source.on);
    let looked = on.filter_map(|source| match source.plan.watches {
        Watches::Files { folder } => {
            let problem = folder::look_into(&folder).err();
            Some((source.plan.name, folder, problem))
        }
        Watches::Runs { .. } | Watches::Contradictions | Watches::Hook => None,
    });
    Ok(looked.collect())
}
