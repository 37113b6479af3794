//! Whether what is remembered can be found.

use super::found::{degraded, failed, ok};
use crate::memory;
use crate::shared::Shared;
use domain::{Check, CheckAbout, CheckState, Fault, Finding, MemoryFilter, MemoryIndex};
use std::sync::Arc;

const ABOUT: CheckAbout = CheckAbout::MemoryIndex;

pub(super) async fn memory_index(shared: &Arc<Shared>) -> Check {
    let MemoryIndex { memories, meaning, words_only, .. } = match looked_up(shared).await {
        Ok(index) => index,
        Err(fault) => return failed(ABOUT, CheckState::Broken, fault),
    };
    match words_only {
        Some(detail) => degraded(
            ABOUT,
            format!("memories: {memories}; found by their words alone: {detail}"),
            "install Coterie again, or run make assets",
            Finding::WordsOnly { memories, detail },
        ),
        None => ok(
            ABOUT,
            format!("memories: {memories}; found by what they mean too: {meaning}"),
            Finding::MemoriesFound { memories, meaning },
        ),
    }
}

/// How far the index is after something was looked up in it: the files of the
/// model may be there and be no model. Where nothing is remembered, nobody
/// needs it.
async fn looked_up(shared: &Arc<Shared>) -> Result<MemoryIndex, Fault> {
    let index = memory::index(shared).await?;
    if index.memories == 0 {
        return Ok(index);
    }
    let anything = "memory".to_owned();
    memory::search(shared, anything, MemoryFilter::default(), 1, None, false).await?;
    memory::index(shared).await
}
