//! What an agent can use.
//!
//! A tool is one file: what it takes, in a struct whose doc comments are the
//! text that the model reads, and what it does. The registry knows all of them,
//! offers an agent those it may use where it is, and checks what a model wants
//! to call before anything runs. A tool that fails is no error: it answers, and
//! the model reads the answer. Nothing here knows a model, a database or a
//! screen; who may use what, and who is asked first, is decided above.

mod allowed;
mod arguments;
mod calculator;
mod describe;
mod lines;
mod read_file;
mod registry;
mod roots;
mod tool;

pub use allowed::Allowed;
pub use calculator::Calculator;
pub use describe::{describe, input};
pub use read_file::ReadFile;
pub use registry::{Offer, Registry, RegistryError};
pub use tool::{CallContext, MOST_CHARACTERS, Place, Returned, Tool};

use std::sync::Arc;

/// The tools that come with Coterie.
pub fn built_in() -> Vec<Arc<dyn Tool>> {
    vec![Arc::new(Calculator::new()), Arc::new(ReadFile::new())]
}
