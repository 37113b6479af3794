//! Whether what is remembered can be found.

use super::found::{at, degraded, failed, ok};
use crate::memory;
use crate::shared::Shared;
use domain::{
    Check, CheckAbout, CheckState, Fault, Finding, ImportCutOff, MemoryFilter, MemoryIndex,
    ModelChoice, Settings,
};
use std::sync::Arc;
use store::table::settings;

const ABOUT: CheckAbout = CheckAbout::MemoryIndex;

pub(super) async fn memory_index(shared: &Arc<Shared>) -> Check {
    let MemoryIndex { memories, meaning, words_only, .. } = match looked_up(shared).await {
        Ok(index) => index,
        Err(fault) => return failed(ABOUT, CheckState::Broken, fault),
    };
    match words_only {
        Some(detail) => by_words_alone(shared, memories, detail),
        None => ok(
            ABOUT,
            format!("memories: {memories}; found by what they mean too: {meaning}"),
            Finding::MemoriesFound { memories, meaning },
        ),
    }
}

fn by_words_alone(shared: &Shared, memories: u32, detail: String) -> Check {
    let told = format!("memories: {memories}; found by their words alone: {detail}");
    match shared.store.read(settings::to_change) {
        Ok(Settings { models: ModelChoice { embedding: Some(model), .. }, .. }) => degraded(
            ABOUT,
            told,
            "see to its provider and key (coterie provider list, coterie key list), choose another \
             model with coterie model use embedding, or coterie model unset embedding for the one \
             that ships",
            Finding::EmbedderAway { memories, model, detail },
        ),
        Ok(_) => degraded(
            ABOUT,
            told,
            "install Coterie again, or run make assets",
            Finding::WordsOnly { memories, detail },
        ),
        Err(error) => failed(ABOUT, CheckState::Broken, error.into()),
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

/// Each import that was cut off and cannot go on.
pub(super) fn imports(shared: &Shared) -> Vec<Check> {
    const ABOUT: CheckAbout = CheckAbout::MemoryImport;
    let waits = |ImportCutOff { path, why }| {
        degraded(
            ABOUT,
            format!("the import of {path} was cut off and cannot go on: {why}"),
            "put the file back and start Coterie again, or coterie memory import FILE --drop",
            Finding::ImportCutOff { path, detail: why },
        )
    };
    match shared.store.read(memory::imports_waiting) {
        Ok(all) => all.into_iter().map(waits).collect(),
        Err(error) => vec![failed(ABOUT, CheckState::Broken, error.into())],
    }
}

/// Whether the person's own reranker can be used; nothing where they have none.
pub(super) async fn reranker(shared: &Arc<Shared>) -> Option<Check> {
    const ABOUT: CheckAbout = CheckAbout::Reranker;
    let folder = shared.places.reranker();
    match memory::reranker(shared).await {
        Ok(None) => None,
        Ok(Some(Ok(()))) => Some(at(ABOUT, &folder)),
        Ok(Some(Err(detail))) => {
            let path = folder.display().to_string();
            Some(degraded(
                ABOUT,
                format!("{path} cannot be used, so what is found keeps its order: {detail}"),
                "put the files there that docs/retrieval.md names, or remove the folder; then start Coterie again",
                Finding::RerankerUnused { path, detail },
            ))
        }
        Err(fault) => Some(failed(ABOUT, CheckState::Broken, fault)),
    }
}
