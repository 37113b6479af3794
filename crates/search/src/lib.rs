//! Finds texts by their words and by what they mean.
//!
//! An `Index` holds any texts with a key: memories, messages, posts. It finds
//! them twice over, by words (`lexical`, over tantivy's postings) and by the
//! nearness of vectors (`vectors`), and `hybrid` makes one ranking of both.
//! Everything in it is derived: it can be thrown away and filled again.
//!
//! Whose texts they are, and who may read them, is not known here: a text
//! stands in a pool, and a search says which pools it may look into.

mod across;
mod catalog;
mod embedder;
mod error;
mod hybrid;
mod index;
mod item;
mod lexical;
mod query;
mod reranker;
mod standing;
mod strangers;
mod text;
mod vectors;
pub mod words;

pub use embedder::{E5, Embedder, ModelFiles};
pub use error::Error;
pub use index::{Index, Opened};
pub use item::{Item, Turn};
pub use query::{Hit, Leg, Parts, Query};
pub use reranker::CrossEncoder;
pub use strangers::Strangers;
pub use vectors::points;
