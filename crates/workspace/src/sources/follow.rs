//! Looks whenever something may have happened that a source is to tell.

use super::hooks;
use super::tell::look_at_what_stirred;
use crate::shared::Shared;
use crate::souls::{Watch, Watched};
use domain::{FeedSource, FeedSourceId, Watches};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use store::StoreError;
use store::table::feed_sources;
use tokio::task::JoinHandle;

/// How often those are looked at that had more to tell than they may.
const LOOK_AGAIN: Duration = Duration::from_secs(30);

/// Looks again and again, until the workspace closes.
pub(crate) async fn follow(shared: Arc<Shared>) {
    let mut watched = HashMap::new();
    let mut listening = None;
    loop {
        if let Err(error) = keep_watching(&shared, &mut watched) {
            tracing::warn!(%error, "the sources cannot be read");
        }
        if let Err(fault) = hooks::keep(&shared, &mut listening).await {
            tracing::warn!(%fault, "what programs send cannot be heard");
        }
        if let Err(fault) = look_at_what_stirred(&shared).await {
            tracing::warn!(%fault, "what has happened is not told");
        }
        let is_anything_held_back = !shared.sources.now().held_back.is_empty();
        let again = async {
            match is_anything_held_back {
                true => tokio::time::sleep(LOOK_AGAIN).await,
                false => std::future::pending().await,
            }
        };
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = shared.sources.bell.notified() => {}
            () = again => {}
        }
    }
}

/// A folder that is watched, until it is dropped.
struct Watching {
    _watch: Watch,
    ringing: JoinHandle<()>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.ringing.abort();
    }
}

/// Watches the folders of those that are on now, and no others.
fn keep_watching(
    shared: &Arc<Shared>,
    watched: &mut HashMap<FeedSourceId, Watching>,
) -> Result<(), StoreError> {
    let mut on = shared.store.read(feed_sources::all)?;
    on.retain(FeedSource::watches_now);
    let listens = on.iter().any(|source| !matches!(source.plan.watches, Watches::Files { .. }));
    shared.sources.listens.store(listens, Ordering::Relaxed);
    watched.retain(|id, _| on.iter().any(|source| source.id == *id));
    for source in on {
        let Watches::Files { folder } = source.plan.watches else { continue };
        if let Entry::Vacant(free) = watched.entry(source.id) {
            free.insert(watch(shared, source.id, PathBuf::from(folder)));
        }
    }
    Ok(())
}

fn watch(shared: &Arc<Shared>, id: FeedSourceId, folder: PathBuf) -> Watching {
    let (watch, mut looks) = Watch::start(folder, Watched::Folder);
    let shared = shared.clone();
    let ringing = tokio::spawn(async move {
        // The first comes by itself, for what has changed while nobody watched.
        while looks.recv().await.is_some() {
            shared.sources.now().stirred.insert(id);
            shared.sources.bell.notify_one();
        }
    });
    Watching { _watch: watch, ringing }
}
