//! What can go wrong with the local model, in a person's words.

use std::io;
use std::path::Path;
use std::process::ExitStatus;
use std::time::Duration;

use domain::engine::Fault;
use domain::{FaultKind, ModelFileWrong};

use crate::{ModelFault, Trouble};

/// Why the engine could not load a file. What is wrong with the file itself is
/// said with how to get it again.
pub(super) fn not_loaded(fault: &Fault, message: String, file: &Path) -> ModelFault {
    let path = file.display();
    let (wrong, message) = match fault {
        Fault::ModelMissing => {
            (ModelFileWrong::Missing, format!("the model's file {path} is missing"))
        }
        Fault::NotGguf => (
            ModelFileWrong::NoModel,
            format!("the model's file {path} holds something else: it is no GGUF file"),
        ),
        Fault::Truncated { needed_bytes, actual_bytes } => (
            ModelFileWrong::CutOff,
            format!(
                "the model's file {path} is cut off: it has {actual_bytes} bytes and needs \
                 {needed_bytes} or more"
            ),
        ),
        Fault::ModelUnusable => (ModelFileWrong::Unusable, message),
        Fault::OutOfMemory
        | Fault::NoModel
        | Fault::ContextTooLong { .. }
        | Fault::BadGrammar
        | Fault::BadTemplate
        | Fault::BadRequest
        | Fault::Internal => return told(fault, message),
    };
    let kind = FaultKind::ModelFile { path: path.to_string(), wrong };
    ModelFault { kind: Some(Box::new(kind)), ..told(fault, message) }
}

/// What the engine itself said.
pub(super) fn told(fault: &Fault, message: String) -> ModelFault {
    let (trouble, fix) = match fault {
        Fault::ModelMissing | Fault::NotGguf | Fault::Truncated { .. } => (
            Trouble::ModelFile,
            "get the file again: installing Coterie again, or make assets, brings back the one \
             that ships with it, and any other is downloaded to that place anew; or use another \
             model: coterie model use default PROVIDER/MODEL",
        ),
        Fault::ModelUnusable => (
            Trouble::ModelFile,
            "get the file again in case it is damaged: installing Coterie again, or make assets, \
             brings back the one that ships with it; or use another model: \
             coterie model use default PROVIDER/MODEL",
        ),
        Fault::OutOfMemory => (
            Trouble::Engine,
            "close other programs, or use a smaller model: \
             coterie model use default PROVIDER/MODEL",
        ),
        Fault::ContextTooLong { .. } => {
            (Trouble::TooLong, "start a new group, or choose a model that can take more")
        }
        Fault::BadTemplate => (
            Trouble::Refused,
            "start a new group, or use another model: coterie model use default PROVIDER/MODEL",
        ),
        Fault::BadGrammar | Fault::BadRequest => {
            (Trouble::Refused, "report this: it is a mistake in Coterie")
        }
        Fault::NoModel | Fault::Internal => (Trouble::Engine, "try again"),
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
        "install Coterie again, or connect a model elsewhere: coterie provider add NAME --url URL",
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
        "try again, since it starts anew; if it keeps happening, choose a smaller model",
    )
}

pub(super) fn stuck(after: Duration) -> ModelFault {
    ModelFault::new(
        Trouble::Engine,
        format!("the local model gave no sign of life for {} seconds", after.as_secs()),
        "try again when the computer is less busy, or choose a smaller model",
    )
}

/// The queue is gone: the program is shutting down.
pub(super) fn gone() -> ModelFault {
    ModelFault::new(
        Trouble::Engine,
        "the local model is shutting down",
        "try again after the next start",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_model_is_named_with_what_is_wrong_and_how_to_get_it_again() {
        let check = |fault: Fault, wrong: ModelFileWrong, words: &str| {
            let file = Path::new("/models/small.gguf");
            let told = not_loaded(&fault, "read it".into(), file);
            assert_eq!(told.message, format!("the model's file /models/small.gguf {words}"));
            assert!(told.fix.starts_with("get the file again"), "{}", told.fix);
            let path = file.display().to_string();
            assert_eq!(told.kind.as_deref(), Some(&FaultKind::ModelFile { path, wrong }));
        };
        check(Fault::ModelMissing, ModelFileWrong::Missing, "is missing");
        check(Fault::NotGguf, ModelFileWrong::NoModel, "holds something else: it is no GGUF file");
        check(
            Fault::Truncated { needed_bytes: 20, actual_bytes: 10 },
            ModelFileWrong::CutOff,
            "is cut off: it has 10 bytes and needs 20 or more",
        );
    }

    #[test]
    fn a_model_that_cannot_be_used_is_answered_with_a_command() {
        let check = |fault: Fault, wanted: &str| {
            let fix = told(&fault, "load it".into()).fix;
            assert!(fix.contains(wanted), "{fault:?}: {fix}");
            assert!(fix.starts_with(char::is_lowercase) && !fix.ends_with('.'), "{fix}");
        };
        check(Fault::ModelMissing, "make assets");
        check(Fault::ModelMissing, "downloaded to that place anew");
        check(Fault::NotGguf, "make assets");
        check(Fault::Truncated { needed_bytes: 2, actual_bytes: 1 }, "make assets");
        check(Fault::Truncated { needed_bytes: 2, actual_bytes: 1 }, "coterie model use default");
        check(Fault::ModelUnusable, "coterie model use default");
        check(Fault::OutOfMemory, "coterie model use default");
        check(Fault::ContextTooLong { prompt_tokens: 2, context: 1 }, "start a new group");
        check(Fault::BadRequest, "report this");
        check(Fault::Internal, "try again");
    }
}
