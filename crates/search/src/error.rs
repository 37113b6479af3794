//! What can go wrong with an index, in the words of who asked for it.

use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

/// Why the index or the embedder could not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// What is on the disk is not what was written: fill a new index.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    /// Its vectors are of no use to the one that is asked for.
    #[error("{} is of another model", path.display())]
    OtherModel { path: PathBuf },
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

impl Error {
    /// Whether what is on the disk is not what was written, so that a new index is
    /// the way out; a full disk or one that fails now and then is another matter.
    pub fn is_damage(&self) -> bool {
        use tantivy::TantivyError as Text;
        use tantivy::directory::error::OpenReadError;
        match self {
            Error::Damaged(_) => true,
            Error::Disk { source, .. } => is_of_a_file(source.kind()),
            Error::Text(Text::IoError(error)) => is_of_a_file(error.kind()),
            Error::Text(Text::OpenReadError(OpenReadError::IoError { io_error, .. })) => {
                is_of_a_file(io_error.kind())
            }
            Error::Text(
                Text::OpenReadError(_)
                | Text::DataCorruption(_)
                | Text::Poisoned
                | Text::ErrorInThread(_)
                | Text::IncompatibleIndex(_)
                | Text::InternalError(_)
                | Text::SchemaError(_)
                | Text::DeserializeError(_),
            ) => true,
            Error::OtherModel { .. }
            | Error::Text(_)
            | Error::Graph(_)
            | Error::Model { .. }
            | Error::Embed(_)
            | Error::Reranker { .. }
            | Error::Rerank(_) => false,
        }
    }
}

/// Reads what is on the disk. What reads it takes it for what was written, and panics where it
/// is not. It must leave nothing half done.
pub(crate) fn reading<T>(read: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|panic| {
        let why = panic.downcast_ref::<String>().map(String::as_str);
        let why = why.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Error::Damaged(why.unwrap_or("it cannot be read").to_owned()))
    })
}

/// That the file is not there or not whole, and not that the disk does not do its work: `Other`
/// is said by whoever reads, never by the system.
fn is_of_a_file(kind: ErrorKind) -> bool {
    use ErrorKind::{InvalidData, NotFound, Other, UnexpectedEof};
    matches!(kind, NotFound | UnexpectedEof | InvalidData | Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_while_something_is_read_is_damage() {
        let error = reading(|| -> Result<(), Error> { panic!("torn") }).unwrap_err();
        assert!(error.is_damage() && error.to_string().ends_with("torn"), "{error}");
    }
}
