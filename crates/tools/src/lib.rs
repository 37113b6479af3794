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
mod change;
mod command_line;
mod describe;
mod edit_file;
pub mod effort;
mod fetch;
mod file_tool;
mod find_files;
mod lines;
mod list_folder;
mod marks;
mod pattern;
mod read_file;
mod registry;
mod roots;
mod run_code;
mod sandbox;
mod search_files;
mod shell;
mod shown;
mod tool;
mod unseen;
mod walk;
mod write_file;

#[cfg(test)]
mod escapes;
#[cfg(test)]
mod house;
#[cfg(all(test, target_os = "linux"))]
mod runs;

pub use allowed::Allowed;
pub use arguments::{check_arguments, check_input, patterns};
pub use calculator::Calculator;
pub use describe::{describe, input};
pub use fetch::{Fetch, names_a_host};
pub use pattern::{fits, fits_all_of};
pub use read_file::{Begin, excerpt, excerpt_of_file};
pub use registry::{Offer, Registry, RegistryError};
pub use roots::plain;
pub use run_code::RunCode;
pub use sandbox::Sandbox;
pub use shell::Shell;
pub use shown::{MOST_CHARACTERS, new_mark, returned, shown, squeezed};
pub use tool::{CallContext, Picture, Place, Progress, Results, Returned, Stakes, Tool};

use std::sync::Arc;

/// The tools that come with Coterie.
pub fn built_in() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(Calculator::new()),
        Arc::new(edit_file::tool()),
        Arc::new(Fetch::new()),
        Arc::new(find_files::tool()),
        Arc::new(list_folder::tool()),
        Arc::new(read_file::tool()),
        Arc::new(search_files::tool()),
        Arc::new(write_file::tool()),
    ]
}

/// Those of them that run programs.
pub fn that_run_programs(sandbox: &Sandbox) -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(RunCode::new(sandbox.clone())),
        Arc::new(Shell::new(sandbox.clone())),
        Arc::new(Shell::online(sandbox.clone())),
    ]
}
