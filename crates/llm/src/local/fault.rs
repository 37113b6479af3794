//! What can go wrong with the local model, in a person's words.

use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use domain::engine::Fault;

use crate::{ModelFault, Trouble};

/// What the engine itself said.
pub(super) fn told(fault: &Fault, message: String) -> ModelFault {
    let (trouble, fix) = match fault {
        Fault::ModelMissing => (Trouble::ModelFile, "Choose another model, or put the file back."),
        Fault::NotGguf => (Trouble::ModelFile, "Choose a model file in the GGUF format."),
        Fault::Truncated { .. } => {
            (Trouble::ModelFile, "Download the model again: a part of it is missing.")
        }
        Fault::ModelUnusable => {
            (Trouble::ModelFile, "Choose another model: this one cannot run here.")
        }
        Fault::OutOfMemory => (Trouble::Engine, "Close other programs, or choose a smaller model."),
        Fault::ContextTooLong { .. } => {
            (Trouble::TooLong, "Shorten the conversation, or choose a model that can take more.")
        }
        Fault::BadGrammar | Fault::BadRequest => {
            (Trouble::Refused, "Please report this: it is a mistake in Coterie.")
        }
        Fault::NoModel | Fault::Internal => (Trouble::Engine, "Ask again."),
    };
    ModelFault::new(trouble, message, fix)
}

pub(super) fn not_started(program: &Path, error: &io::Error) -> ModelFault {
    let why = match error.kind() {
        io::ErrorKind::NotFound => "file not found".to_owned(),
        _ => error.to_string(),
    };
    ModelFault::new(
        Trouble::Engine,
        format!("start {}: {why}", program.display()),
        "Install Coterie again: the local model's program is missing or damaged.",
    )
}

/// The process ended by itself. `last_words` is the last line of its log.
pub(super) fn crashed(status: Option<ExitStatus>, last_words: &str) -> ModelFault {
    let how = status
        .map_or("stopped answering".to_owned(), |status| format!("ended unexpectedly ({status})"));
    let words = if last_words.is_empty() { String::new() } else { format!(": {last_words}") };
    ModelFault::new(
        Trouble::Engine,
        format!("the local model's program {how}{words}"),
        "Ask again: it starts anew. If it keeps happening, choose a smaller model.",
    )
}

pub(super) fn stuck(after: Duration) -> ModelFault {
    ModelFault::new(
        Trouble::Engine,
        format!("the local model gave no sign of life for {} seconds", after.as_secs()),
        "Ask again when the computer is less busy, or choose a smaller model.",
    )
}

/// The queue is gone: the program is shutting down.
pub(super) fn gone() -> ModelFault {
    ModelFault::new(
        Trouble::Engine,
        "the local model is shutting down",
        "Ask again after the next start.",
    )
}
