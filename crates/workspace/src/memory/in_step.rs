//! Keeps the search index in step with the database, in the background, and does
//! there what nobody waits for.

use super::consolidate::{consolidate, is_due};
use super::finder::Batch;
use crate::derived::blocking;
use crate::shared::Shared;
use domain::{Consolidated, Fault, Update};
use std::sync::Arc;
use std::time::{Duration, Instant};
use store::table::{memories, memory_vectors};
use store::{Durability, StoreError, Write};

/// What is held for writing is let go after nothing has changed for so long.
const IDLE: Duration = Duration::from_secs(300);
/// How often somebody who looks is told how far it is.
const TOLD_EVERY: Duration = Duration::from_millis(500);
/// After a pass that let as much give way as one may, nothing more does by itself
/// for so long: time to look at what was done.
const BREATH: Duration = Duration::from_secs(3600);
/// After how long what failed is tried again.
const AGAIN: Duration = Duration::from_secs(30);

/// Keeps the index in step while the workspace is open. A workspace without a
/// memory has no index.
pub(crate) async fn keep_in_step(shared: Arc<Shared>) {
    let mut may_consolidate = tokio::time::Instant::now();
    loop {
        let pause = match catch_up(&shared, &mut may_consolidate).await {
            Ok(()) => IDLE,
            Err(fault) => {
                tracing::warn!(%fault, "the search index is behind");
                AGAIN
            }
        };
        tokio::select! {
            () = shared.closing.cancelled() => return,
            () = shared.finder.index.changed.notified() => {}
            () = tokio::time::sleep(pause) => {
                let with = shared.clone();
                drop(tokio::task::spawn_blocking(move || with.finder.rest()).await);
            }
        }
    }
}

async fn catch_up(
    shared: &Arc<Shared>,
    may_consolidate: &mut tokio::time::Instant,
) -> Result<(), Fault> {
    if shared.store.read(memories::last_change)? == 0 {
        return Ok(());
    }
    make_vectors(shared).await?;
    blocking(shared, |shared| shared.finder.build_graph(|| !shared.closing.is_cancelled())).await?;
    tell(shared).await?;
    // Only while nobody works: it is the least of all duties.
    let now = tokio::time::Instant::now();
    if now >= *may_consolidate && shared.going_on.is_empty() && shared.store.read(is_due)? {
        let done = consolidate(shared, false).await?;
        if done.left > 0 {
            *may_consolidate = now + BREATH;
        }
    }
    Ok(())
}

/// Reads what has changed, and makes out what it means, as far as the model answers.
async fn make_vectors(shared: &Arc<Shared>) -> Result<(), Fault> {
    blocking(shared, |shared| shared.finder.catch_up(&shared.store)).await?;
    tell(shared).await?;
    let mut told = Instant::now();
    while !shared.closing.is_cancelled() {
        let some = blocking(shared, |shared| shared.finder.some_vectors(&shared.store)).await?;
        let Some(batch) = some else { break };
        keep(shared, &batch).await?;
        fail::fail_point!("vectors.kept");
        let put = move |shared: &Shared| shared.finder.put_vectors(&shared.store, &batch);
        blocking(shared, put).await?;
        fail::fail_point!("vectors.indexed");
        if told.elapsed() >= TOLD_EVERY {
            tell(shared).await?;
            told = Instant::now();
        }
    }
    Ok(())
}

/// Consolidates because a person wants it now: what nobody has made out the meaning of as
/// yet is made out first.
pub(crate) async fn consolidate_now(
    shared: &Arc<Shared>,
    preview: bool,
) -> Result<Consolidated, Fault> {
    if shared.store.read(is_due)? {
        make_vectors(shared).await?;
    }
    consolidate(shared, preview).await
}

/// Says how far the index is.
pub(super) async fn tell(shared: &Arc<Shared>) -> Result<(), Fault> {
    let index = super::index(shared).await?;
    shared.events.publish(vec![Update::MemoryIndex { index }]);
    Ok(())
}

/// Keeps them in the database, so that they need not be made again.
async fn keep(shared: &Arc<Shared>, batch: &Batch) -> Result<(), StoreError> {
    if batch.made.is_empty() {
        return Ok(());
    }
    let model = batch.id.clone();
    let bytes = |vector: &Vec<f32>| vector.iter().flat_map(|n| n.to_le_bytes()).collect();
    let made = batch.made.iter();
    let rows: Vec<(u64, u32, Vec<u8>)> =
        made.map(|(key, version, vector)| (*key, *version, bytes(vector))).collect();
    let put = move |write: &mut Write<'_>| {
        let put = |(key, version, bytes): &(u64, u32, Vec<u8>)| {
            memory_vectors::put(write, *key, *version, &model, bytes)
        };
        rows.iter().try_for_each(put)
    };
    shared.store.write(Durability::Process, put).await
}
