//! Vectors of texts that are no memories, by the same model.
//!
//! `None` where there is none: whoever asks makes do with words.

use super::embedders::Patience;
use super::embedding::Embedding;
use crate::shared::Shared;
use std::sync::Arc;

/// A text as a model understands it.
pub(crate) struct Meaning {
    vector: Vec<f32>,
    by: Arc<Embedding>,
}

impl Meaning {
    /// How near they are, from -1 to 1; `None` where two models have understood them.
    pub(crate) fn near(&self, other: &Meaning) -> Option<f32> {
        (self.by.id == other.by.id).then(|| cosine(&self.vector, &other.vector))
    }

    /// How much more it is about a subject than about one of so many by chance: from 0 on it is.
    pub(crate) fn about(&self, subject: &Meaning, among: usize) -> Option<f32> {
        let is_comparable = self.by.id == subject.by.id;
        is_comparable.then(|| self.by.strangers().about(&self.vector, &subject.vector, among))
    }
}

/// Of something that is compared with what [`meanings_of`] gives. Blocks, until the
/// model is loaded.
pub(crate) fn meaning_of(shared: &Shared, text: &str) -> Option<Meaning> {
    let meant = shared.finder.embedders.query(text, Patience::Loading).ok()?;
    Some(Meaning { vector: meant.vector, by: meant.by })
}

/// Blocks, behind everybody else.
pub(crate) fn meanings_of(shared: &Shared, texts: &[&str]) -> Option<Vec<Arc<Meaning>>> {
    let by = shared.finder.embedders.embedding();
    let vectors = shared.finder.embedders.passages(&by, texts).ok()?;
    let meaning = |vector| Arc::new(Meaning { vector, by: by.clone() });
    Some(vectors.into_iter().map(meaning).collect())
}

/// Of two vectors of length 1.
pub(super) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
