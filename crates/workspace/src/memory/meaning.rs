//! Vectors of texts that are no memories, by the same model.
//!
//! `None` where there is none: whoever asks makes do with words.

use super::embedding::Patience;
use crate::shared::Shared;

/// Of something that is compared with what [`vectors_of`] gives. Blocks, until the
/// model is loaded.
pub(crate) fn vector_of(shared: &Shared, text: &str) -> Option<Vec<f32>> {
    shared.finder.embedders.query(text, Patience::Loading).ok()
}

/// Blocks, behind everybody else.
pub(crate) fn vectors_of(shared: &Shared, texts: &[&str]) -> Option<Vec<Vec<f32>>> {
    shared.finder.embedders.passages(texts).ok()
}

/// Of two vectors of length 1.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}
