//! Sources as they are read.

use super::folder;
use crate::shared::Shared;
use domain::{Fault, SourceView, Watches};
use store::table::feed_sources;

/// Those that were not removed.
pub(crate) fn all(shared: &Shared) -> Result<Vec<SourceView>, Fault> {
    let mut all = shared.store.read(feed_sources::all)?;
    all.retain(|source| source.removed_ms.is_none());
    let now = shared.sources.now();
    let view = |source: domain::FeedSource| SourceView {
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
        Watches::Runs { .. } | Watches::Contradictions => None,
    });
    Ok(looked.collect())
}
