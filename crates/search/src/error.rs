//! What can go wrong with an index, in the words of who asked for it.

use std::path::PathBuf;

/// Why the index or the embedder could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is on the disk is not what was written: fill a new index.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    #[error("use the search index in {}: {source}", path.display())]
    Disk { path: PathBuf, source: std::io::Error },
    #[error("use the text index: {0}")]
    Text(#[from] tantivy::TantivyError),
    #[error("use the vector index: {0}")]
    Graph(String),
    /// The model's files are missing or cannot be read: search goes on by words alone.
    #[error("load the embedding model {model}: {why}")]
    Model { model: String, why: String },
    #[error("embed a text: {0}")]
    Embed(String),
    /// Search goes on with the order it has.
    #[error("load the reranker in {}: {why}", folder.display())]
    Reranker { folder: PathBuf, why: String },
    #[error("rerank what was found: {0}")]
    Rerank(String),
}
